"""Runs hostile graphs under strict limits, and tells what came of each: a process for a test.

``python -m tests.reliability.run_hostile plan endless`` prints a line of JSON for each graph:
its name, the error if there is one and whether it is of our family, and the memory that it took.
"""

import gc
import json
import sys

import core
from core.graph_model.graph_model import GraphModel
from tests.reliability.hostile_graphs import Hostile, endless_graphs, large_graphs

#: How a graph can run: arguments of `GraphModel`.
WAYS = {
    "plan": {"backend": "cpu"},
    "eager": {"backend": "cpu", "plans": False},
    "shader": {"backend": "shader"},
}


def run(hostile: Hostile, way: str, limits: core.Limits | None) -> None:
    """Load a graph, run it once and read what it gives."""
    model = GraphModel(hostile.graph, **WAYS[way], limits=limits)
    for value in model.predict(dict(hostile.feeds)).values():
        value.numpy()


def memory(name: str) -> int:
    """VmRSS or VmHWM, its peak, in bytes."""
    with open("/proc/self/status") as status:
        (line,) = [line for line in status if line.startswith(name)]
    return int(line.split()[1]) * 1024


def main(way: str, group: str) -> None:
    graphs = endless_graphs() if group == "endless" else large_graphs(float(group))
    for name, hostile in graphs.items():
        gc.collect()
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")  # the peak begins anew
        before, error, ours = memory("VmRSS"), "", True
        try:
            run(hostile, way, core.Limits.strict())
        except Exception as raised:
            error, ours = f"{type(raised).__name__}: {raised}", isinstance(raised, core.CoreError)
        found = {"name": name, "error": error, "ours": ours, "bytes": memory("VmHWM") - before}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

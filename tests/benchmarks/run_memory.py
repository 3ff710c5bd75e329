"""What one run of each model of the zoo takes at most, op by op and through plans.

Run: ``python -m tests.benchmarks.run_memory [NAME ...]``; names may be patterns. Weights and photos
are among the reference files (``ZOO_SHARED``). Each model runs in processes of its own, one op by
op and one by plans, on what its network is given for a photo.

Prints megabytes: the peaks of the first and of the second run by what tracemalloc counts, NumPy's
arrays and Python's objects; for plans also what stays after the first run beside its outputs, and
the arena in that. ``input`` is what is fed, of which each run that is given arrays makes a copy;
``outputs`` are the arrays that a run gives, which are part of its peak as far as they are there
then. Then a line of JSON, in bytes.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.zoo_models import ROOT, SHARED, subject
from zoo.catalog.entries import all_entries

WAYS = ("eager", "plans")

COLUMNS = {
    "eager first": ("eager", "first"),
    "eager second": ("eager", "second"),
    "plan first": ("plans", "first"),
    "plan second": ("plans", "second"),
    "input": ("plans", "input"),
    "outputs": ("plans", "outputs"),
    "stays": ("plans", "stays"),
    "arena": ("plans", "arena"),
}


class Run(NamedTuple):
    """One run of a network."""

    network: GraphModel
    inputs: Any
    outputs: list[str]
    options: dict[str, Any]

    def on(self, network: GraphModel) -> dict[str, Tensor]:
        """The same on another network."""
        return network.execute(self.inputs, self.outputs, **self.options)


def first_run(name: str) -> Run:
    """What a model's own network is asked for, for a photo."""
    runs: list[Run] = []
    execute = GraphModel.execute

    def noted(network: GraphModel, inputs: Any, outputs: Any, **options: Any) -> Any:
        runs.append(Run(network, inputs, list(outputs), options))
        return execute(network, inputs, runs[-1].outputs, **options)

    work = subject(name).work  # a verb of the model, and the photo
    GraphModel.execute = noted
    try:
        work()
    finally:
        GraphModel.execute = execute
    own = work.func.__self__.network
    return next(run for run in runs if run.network is own)


def network(run: Run, way: str) -> GraphModel:
    """The network anew, to be run op by op or by plans."""
    return GraphModel(run.network.graph, "cpu", plans=way == "plans")


def arena_bytes(network: GraphModel, run: Run) -> int:
    """The arena of the largest plan of a run; none if nothing of the graph can be planned."""
    try:
        return network.plan(run.inputs, run.outputs).arena_bytes
    except CoreError:
        return 0


class Memory(NamedTuple):
    """Bytes of a run: at its peak, after it beside its outputs, and of those."""

    peak: int
    stays: int
    outputs: int


def measured(run: Callable[[], Mapping[str, Tensor]]) -> Memory:
    """What a run takes beyond what was there before."""
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    found = run()
    after, peak = tracemalloc.get_traced_memory()
    outputs = sum(np.asarray(value).nbytes for value in found.values())
    return Memory(peak - before, after - before - outputs, outputs)


def measure(name: str, way: str) -> dict[str, int]:
    """Bytes of the first run and of the second, in this process."""
    run = first_run(name)
    model = network(run, way)
    tracemalloc.start()
    first, second = (measured(lambda: run.on(model)) for _ in range(2))
    tracemalloc.stop()
    fed = run.inputs.values() if isinstance(run.inputs, dict) else [run.inputs]
    return {
        "first": first.peak,
        "second": second.peak,
        "input": sum(np.asarray(value).nbytes for value in fed),
        "outputs": first.outputs,
        "stays": first.stays,
        "arena": arena_bytes(model, run) if way == "plans" else 0,
    }


def measured_apart(name: str, way: str) -> dict[str, int]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.run_memory", "--way", way, name]
    world = {**os.environ, "ZOO_WEIGHTS_MIRROR": str(SHARED / "weights")}
    return json.loads(subprocess.check_output(command, cwd=ROOT, env=world, text=True))


def main(patterns: list[str]) -> None:
    """Print a row for each model."""
    names = [n for n in all_entries() if any(fnmatchcase(n, p) for p in patterns)]
    found = {}
    print(f"{'megabytes':<34}", *(f"{title:>12}" for title in COLUMNS))
    for name in names:
        found[name] = {way: measured_apart(name, way) for way in WAYS}
        cells = (f"{found[name][way][key] / 1e6:>12.3f}" for way, key in COLUMNS.values())
        print(f"{name:<34}", *cells, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the memory that runs of the zoo's models take")
    parser.add_argument("names", nargs="*", default=["*"])
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(measure(given.names[0], given.way)))
    else:
        main(given.names)

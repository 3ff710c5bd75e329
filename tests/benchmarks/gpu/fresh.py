"""What is measured in processes of their own: the first inference, and memory after many.

Run: ``python -m tests.benchmarks.gpu.fresh first|memory [--backend NAME] [--count N]``; each prints
a line of JSON.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
MODEL = "posenet_075_257 b1"

#: Where code is kept between processes: ours, and of NVIDIA's and Mesa's drivers.
CODE_CACHE = "ZOO_CODE_CACHE"
DRIVER_CACHES = ("__GL_SHADER_DISK_CACHE_PATH", "MESA_SHADER_CACHE_DIR")


def first(backend: str) -> dict[str, float]:
    """Seconds of the parts of a first answer."""
    started = perf_counter()
    import core
    from core.graph_model.graph_model import GraphModel
    from tests.benchmarks.gpu.networks import SUBJECTS

    subject = SUBJECTS[MODEL]()
    found = {"import_and_weights": perf_counter() - started}
    started = perf_counter()
    with core.backend(backend):  # which makes the context
        core.tensor([1.0]).numpy()
        found["context"] = perf_counter() - started
        started = perf_counter()
        model = GraphModel(subject.graph)
        found["model"] = perf_counter() - started

        def answer() -> None:
            for value in model.predict(subject.inputs).values():
                value.numpy()

        found["first_answer"] = _seconds(answer)
        found["second_answer"] = _seconds(answer)
    found["first_inference"] = found["model"] + found["first_answer"]
    return {key: round(value, 4) for key, value in found.items()}


def memory(backend: str, count: int) -> list[dict[str, Any]]:
    """Bytes after a tenth, half and all of some inferences."""
    import core
    from core.graph_model.graph_model import GraphModel
    from tests.benchmarks.gpu.networks import SUBJECTS
    from tests.benchmarks.gpu.ours import held_bytes

    subject = SUBJECTS[MODEL]()
    found, done = [], 0
    with core.backend(backend):
        model = GraphModel(subject.graph)
        for until in (count // 10, count // 2, count):
            for _ in range(until - done):
                for value in model.predict(subject.inputs).values():
                    value.numpy()
            done = until
            row = {"inferences": done, "rss": _resident(), "tensors": core.memory()["num_bytes"]}
            found.append({**row, "backend": held_bytes(backend), "gpu": _gpu_bytes()})
    return found


def _seconds(call: Any) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started


def _resident() -> int:
    """Bytes of this process that lie in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _gpu_bytes() -> int | None:
    """What all processes hold of an NVIDIA GPU."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    command = [tool, "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    found = subprocess.run(command, capture_output=True, text=True)
    first_line = found.stdout.partition("\n")[0].strip()
    return int(first_line) << 20 if first_line.isdigit() else None


def first_inferences(backend: str, rounds: int) -> dict[str, dict[str, float]]:
    """The first answers of fresh processes, by what caches of code hold: medians.

    ``cold``: nothing; ``ours warm``: ours, while the driver's is empty; ``warm``: both.
    """
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            ours, driver, empty = (Path(folder, name) for name in ("ours", "driver", "empty"))
            states = {"cold": driver, "ours warm": empty, "warm": driver}
            for state, drivers in states.items():
                row = _apart("first", backend, world=_caches(ours, drivers))
                found.setdefault(state, []).append(row)
    return {
        state: {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        for state, rows in found.items()
    }


def memory_apart(backend: str, count: int) -> list[dict[str, Any]]:
    """`memory` in a process of its own."""
    return _apart("memory", backend, "--count", str(count), world={})


def _caches(ours: Path, driver: Path) -> dict[str, str]:
    for folder in (ours, driver):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {CODE_CACHE: str(ours), **dict.fromkeys(DRIVER_CACHES, str(driver))}


def _apart(what: str, backend: str, *options: str, world: Mapping[str, str]) -> Any:
    command = [sys.executable, "-m", "tests.benchmarks.gpu.fresh", what, "--backend", backend]
    environment = {**os.environ, **world}
    output = subprocess.check_output([*command, *options], cwd=ROOT, env=environment, text=True)
    return json.loads(output.splitlines()[-1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a first inference, or memory after many")
    parser.add_argument("what", choices=("first", "memory"))
    parser.add_argument("--backend", default="shader")
    parser.add_argument("--count", type=int, default=10_000)
    given = parser.parse_args()
    if given.what == "first":
        print(json.dumps(first(given.backend)))
    else:
        print(json.dumps(memory(given.backend, given.count)))

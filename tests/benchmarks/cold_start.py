"""Whole-process times of the ``zoo`` command beside the least that any Python answer needs.

Run: ``python tests/benchmarks/cold_start.py [ROUNDS]``. Each round starts every command once, in
turn, so that a busy machine slows all of them alike. The tasks beside ``pose`` take part where
their weights are among the reference files (``ZOO_SHARED``); before the rounds they are put into a
cache of their own, and so is compiled code. So do some networks, which a fresh process imports,
loads and runs once on a photo, beside a process of LiteRT that does that with the file, on one
thread each (extra ``benchmark``). ``--networks`` starts only these. Prints a table and a line of
JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
ZOO = str(Path(sysconfig.get_path("scripts")) / "zoo")

#: The photos shown to tasks that find nothing in the usual one.
PHOTOS = {"hands": "two_hands.jpg", "gestures": "gesture_four_2.jpg"}
TASKS = ("classify", "detect", "faces", "hands", "gestures", "segment", "segment --person")

#: Networks whose first result is timed, which have a file for LiteRT.
NETWORKS = ("hands.lite", "selfie.base", "mobilenet.v1_025_tflite", "blazepose.lite")

SHARED = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared"))

FLOOR = "floor: import numpy and PIL, decode the photo"
POSE = "zoo pose PHOTO"
BY_NUMPY = ", NumPy's kernels"  # as without llvmlite, or where no code is cached
OURS = """
import os, sys
os.environ.update(CORE_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy, zoo
model = zoo.load(sys.argv[1])
print([value.numpy().sum() for value in model.predict(numpy.load(sys.argv[2])).values()])
"""
LITERT = """
import sys, numpy
from ai_edge_litert.interpreter import Interpreter
model = Interpreter(sys.argv[1], num_threads=1)
model.allocate_tensors()
model.set_tensor(model.get_input_details()[0]["index"], numpy.load(sys.argv[2]))
model.invoke()
print([model.get_tensor(details["index"]).sum() for details in model.get_output_details()])
"""
COMMANDS = {
    FLOOR: [sys.executable, "-c", f"import numpy, PIL.Image; PIL.Image.open({PHOTO!r}).load()"],
    POSE: [ZOO, "pose", PHOTO],
    POSE + BY_NUMPY: [ZOO, "pose", PHOTO],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import numpy, zoo": [sys.executable, "-c", "import numpy, zoo"],
    "import zoo": [sys.executable, "-c", "import zoo"],
}


def tasks() -> dict[str, list[str]]:
    """The command of each other task; none without weights."""
    if not (SHARED / "weights").is_dir():
        return {}
    found = {}
    for task in TASKS:
        photo = SHARED / "images" / "photos" / PHOTOS[task] if task in PHOTOS else PHOTO
        found[f"zoo {task} PHOTO"] = [ZOO, *task.split(), str(photo)]
    return found


def networks(folder: str) -> dict[str, list[str]]:
    """The commands that give the first result of networks, ours and LiteRT's.

    Before that inputs are written.
    """
    import numpy as np

    import zoo
    from zoo.catalog.entries import find_entry

    found = {}
    for name in NETWORKS:
        entry, given = find_entry(name), f"{folder}/{name}.npy"
        np.save(given, zoo.load(name).network_input(PHOTO))
        file = str(SHARED / "weights" / entry.weights / entry.file)
        found[first_of(name)] = [sys.executable, "-c", OURS, name, given]
        found[first_of(name, "LiteRT")] = [sys.executable, "-c", LITERT, file, given]
    return found


def elsewhere(function: Callable[[str], Any], argument: str) -> Any:
    """Call a function in another process: the peak of a process is that of its parent at least."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, (argument,))


def first_of(name: str, runtime: str = "ours") -> str:
    """The title of the command that gives the first result of a network."""
    return f"first result of {name}, {runtime}"


def environment(tier: str) -> dict[str, str]:
    """The environment of processes that keep their bytecode, as those of users do."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "CORE_TIER": tier}


def run(command: list[str], tier: str = "") -> tuple[float, float]:
    """Seconds and peak MiB of one process, whose networks run in a tier of the cpu backend."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=os.path.expanduser("~"), env=environment(tier)
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed with status {process.returncode}")
    return seconds, usage.ru_maxrss / (1 if sys.platform == "darwin" else 1024)


def measure(rounds: int, commands: dict[str, list[str]]) -> dict[str, list[tuple[float, float]]]:
    """All commands in turn, after rounds that fill the disk cache, with compiled code too."""
    for tier in ["2", ""] if find_spec("llvmlite") else [""]:
        for command in commands.values():
            run(command, tier)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(run(command, "1" if name.endswith(BY_NUMPY) else ""))
    return found


def fill_cache(folder: str) -> None:
    """Put the weights that are among the reference files into a cache, as after a first run."""
    from weights_cache import fetch
    from weights_cache.common.errors import MissingError
    from zoo.catalog.entries import all_entries

    for record in {entry.weights for entry in all_entries().values()}:
        with suppress(MissingError):
            fetch(record, mirror=SHARED / "weights", offline=True)


def main(rounds: int, *, only_networks: bool) -> None:
    """Print medians, and medians of the ratios within a round."""
    with tempfile.TemporaryDirectory() as folder:
        others, first = tasks(), {}
        if others:
            os.environ["ZOO_CODE_CACHE"] = f"{folder}/code"
            os.environ["ZOO_WEIGHTS_CACHE"] = f"{folder}/weights"
            elsewhere(fill_cache, os.environ["ZOO_WEIGHTS_CACHE"])
            first = elsewhere(networks, folder) if find_spec("ai_edge_litert") else {}
        commands = first if only_networks else {**COMMANDS, **others, **first}
        if not commands:
            raise SystemExit("first results need LiteRT, and the reference files (ZOO_SHARED)")
        found = measure(rounds, commands)
    rows = {
        name: {
            "median_ms": round(1e3 * statistics.median(s for s, _ in runs), 1),
            "least_ms": round(1e3 * min(s for s, _ in runs), 1),
            "peak_mib": round(max(m for _, m in runs), 1),
        }
        for name, runs in found.items()
    }
    for name, row in rows.items():
        print(f"{name:<56}", "  ".join(f"{key} {value:>7}" for key, value in row.items()))
    ratios = [
        ("import numpy, zoo", "import numpy"),
        *((name, FLOOR) for name in [POSE, POSE + BY_NUMPY, *others]),
    ]
    ratios += [(first_of(name), first_of(name, "LiteRT")) for name in NETWORKS]
    for ours, other in ratios:
        if ours not in found:
            continue
        pairs = zip(found[ours], found[other], strict=True)
        ratio = statistics.median(a / b for (a, _), (b, _) in pairs)
        rows[f"{ours} / {other}"] = {"median_ratio": round(ratio, 3)}
        print(f"{ours} takes {ratio:.2f} times {other}")
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="whole-process times")
    parser.add_argument("rounds", nargs="?", type=int, default=15)
    parser.add_argument("--networks", action="store_true", help="first results of networks alone")
    given = parser.parse_args()
    main(given.rounds, only_networks=given.networks)

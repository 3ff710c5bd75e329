"""Whole-process times of the ``zoo`` command beside the least that any Python answer needs.

Run: ``python tests/benchmarks/cold_start.py [ROUNDS]``. Each round starts every command once, in
turn, so that a busy machine slows all of them alike. The tasks beside ``pose`` take part where
their weights are among the reference files (``ZOO_SHARED``); before the rounds they are put into a
cache of their own. Prints a table and a line of JSON.
"""

import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
ZOO = str(Path(sysconfig.get_path("scripts")) / "zoo")

#: The photos shown to tasks that find nothing in the usual one.
PHOTOS = {"hands": "two_hands.jpg", "gestures": "gesture_four_2.jpg"}
TASKS = ("classify", "detect", "faces", "hands", "gestures", "segment", "segment --person")

SHARED = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared"))

FLOOR = "floor: import numpy and PIL, decode the photo"
POSE = "zoo pose PHOTO"
COMMANDS = {
    FLOOR: [sys.executable, "-c", f"import numpy, PIL.Image; PIL.Image.open({PHOTO!r}).load()"],
    POSE: [ZOO, "pose", PHOTO],
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


def run(command: list[str]) -> tuple[float, float]:
    """Seconds and peak MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=os.path.expanduser("~"))
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed with status {process.returncode}")
    return seconds, usage.ru_maxrss / (1 if sys.platform == "darwin" else 1024)


def measure(rounds: int, commands: dict[str, list[str]]) -> dict[str, list[tuple[float, float]]]:
    """All commands in turn, after one round that fills the disk cache."""
    for command in commands.values():
        run(command)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(run(command))
    return found


def fill_cache(folder: str) -> None:
    """Put the weights of all models into a cache that the commands use, as after a first run."""
    from weights_cache import fetch
    from zoo.catalog import all_entries

    os.environ["ZOO_WEIGHTS_CACHE"] = folder
    for record in {entry.weights for entry in all_entries().values()}:
        fetch(record, mirror=SHARED / "weights", offline=True)


def main(rounds: int) -> None:
    """Print medians, and medians of the ratios within a round."""
    others = tasks()
    with tempfile.TemporaryDirectory() as folder:
        if others:
            fill_cache(folder)
        found = measure(rounds, {**COMMANDS, **others})
    rows = {
        name: {
            "median_ms": round(1e3 * statistics.median(s for s, _ in runs), 1),
            "least_ms": round(1e3 * min(s for s, _ in runs), 1),
            "peak_mib": round(max(m for _, m in runs), 1),
        }
        for name, runs in found.items()
    }
    for name, row in rows.items():
        print(f"{name:<48}", "  ".join(f"{key} {value:>7}" for key, value in row.items()))
    ratios = [("import numpy, zoo", "import numpy"), *((name, FLOOR) for name in [POSE, *others])]
    for ours, other in ratios:
        pairs = zip(found[ours], found[other], strict=True)
        ratio = statistics.median(a / b for (a, _), (b, _) in pairs)
        rows[f"{ours} / {other}"] = {"median_ratio": round(ratio, 3)}
        print(f"{ours} takes {ratio:.2f} times {other}")
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

"""Whole-process times of the ``zoo`` command beside the least that any Python answer needs.

Run: ``python tests/benchmarks/cold_start.py [ROUNDS]``. Each round starts every command once, in
turn, so that a busy machine slows all of them alike. Prints a table and a line of JSON.
"""

import json
import os
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
ZOO = str(Path(sysconfig.get_path("scripts")) / "zoo")

FLOOR = f"import numpy, PIL.Image; PIL.Image.open({PHOTO!r}).load()"
COMMANDS = {
    "floor: import numpy and PIL, decode the photo": [sys.executable, "-c", FLOOR],
    "zoo pose PHOTO": [ZOO, "pose", PHOTO],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import numpy, zoo": [sys.executable, "-c", "import numpy, zoo"],
    "import zoo": [sys.executable, "-c", "import zoo"],
}
RATIOS = [
    ("zoo pose PHOTO", "floor: import numpy and PIL, decode the photo"),
    ("import numpy, zoo", "import numpy"),
]


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


def measure(rounds: int) -> dict[str, list[tuple[float, float]]]:
    """All commands in turn, after one round that fills the disk cache."""
    for command in COMMANDS.values():
        run(command)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            found[name].append(run(command))
    return found


def main(rounds: int) -> None:
    """Print medians, and medians of the ratios within a round."""
    found = measure(rounds)
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
    for ours, other in RATIOS:
        pairs = zip(found[ours], found[other], strict=True)
        ratio = statistics.median(a / b for (a, _), (b, _) in pairs)
        rows[f"{ours} / {other}"] = {"median_ratio": round(ratio, 3)}
        print(f"{ours} takes {ratio:.2f} times {other}")
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

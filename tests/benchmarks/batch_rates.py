"""Images per second of `zoo.batch` beside a plain loop, a pool of processes, and a Dask cluster.

Each side is a process of its own; the sides take turns, round after round. The images are small
JPEG files made from a folder of larger ones. Memory is that of the process with all below it, as
Linux shares it out (PSS), sampled while it runs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from tests.zoo.jobs.test_faults import processes_below

SIDE = 192  # largest side of an image

LOOP = """
import sys, time, zoo
from pathlib import Path
paths = sorted(map(str, Path(sys.argv[1]).glob("*.jpg")))[: int(sys.argv[3])]
zoo.estimate_multiple_poses(paths[0])
begun, found = time.perf_counter(), 0
for path in paths:
    found += len(zoo.estimate_multiple_poses(path))
print(len(paths) / (time.perf_counter() - begun), found)
"""

POOL = """
import sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

def look(path):
    import zoo
    return zoo.estimate_multiple_poses(path)

if __name__ == "__main__":
    paths = sorted(map(str, Path(sys.argv[1]).glob("*.jpg")))[: int(sys.argv[3])]
    begun = time.perf_counter()
    with ProcessPoolExecutor(len(__import__("os").sched_getaffinity(0))) as pool:
        found = sum(map(len, pool.map(look, paths, chunksize=64)))
    print(len(paths) / (time.perf_counter() - begun), found)
"""

BATCH = """
import sys, zoo
if __name__ == "__main__":
    source = f"{sys.argv[1]}/*.jpg"
    done = zoo.batch(source, out=sys.argv[2], progress=False, **OPTIONS)
    print(done["images_per_second"], done["found"])
    print(done["milliseconds"], file=sys.stderr)
"""

ONE = {"CORE_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

#: Name of a side -> its program, its environment, and what share of the images it looks at.
SIDES = {
    "loop, one thread": (LOOP, ONE, 5),
    "loop": (LOOP, {}, 5),
    "pool": (POOL, ONE, 1),
    "batch": (BATCH.replace("OPTIONS", "{}"), {}, 1),
    "batch on Dask": (BATCH.replace("OPTIONS", "{'scheduler': 'local'}"), {}, 1),
}


def small_images(source: Path, folder: Path, count: int) -> None:
    """Write JPEG files of crops of the images of a folder, each another one."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted(source.rglob("*.jpg"))
    for number in range(len(list(folder.glob("*.jpg"))), count):
        with Image.open(paths[number % len(paths)]) as opened:
            image = opened.convert("RGB")
        turn = number // len(paths)
        left, top = turn % 7 * image.width // 60, turn % 5 * image.height // 50
        image = image.crop((left, top, image.width - left // 2, image.height - top // 2))
        image.thumbnail((SIDE, SIDE))
        image.save(folder / f"{number:06}.jpg", quality=85)


def memory(pid: int) -> int:
    """The proportional bytes of a process and all below it."""
    total = 0
    for number in [pid, *processes_below(pid)]:
        try:
            for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total


def run(side: str, images: Path, count: int) -> tuple[float, int, list[int]]:
    """Run a side, and return images per second, people found, and samples of memory."""
    program, variables, share = SIDES[side]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(program)
        process = subprocess.Popen(
            [sys.executable, script, str(images), f"{folder}/out", str(count // share)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **variables, "PYTHONPATH": os.getcwd()},
        )
        samples = list(_sampled(process))
        assert process.stdout is not None
        rate, found = process.stdout.read().split()
    return float(rate), int(found), samples


def _sampled(process: subprocess.Popen) -> Iterator[int]:
    while process.poll() is None:
        yield memory(process.pid)
        time.sleep(5)  # looking at the memory takes time from the processes


def main() -> None:
    """Print a table of medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("source", type=Path, help="folder of images")
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "small")
    parser.add_argument("--sides", nargs="+", default=[*SIDES], choices=[*SIDES])
    given = parser.parse_args()
    small_images(given.source, given.folder, given.images)
    rates: dict[str, list[float]] = {side: [] for side in given.sides}
    for number in range(given.rounds):
        for side in given.sides:
            rate, found, samples = run(side, given.folder, given.images)
            rates[side].append(rate)
            quarters = [samples[len(samples) * i // 8] >> 20 for i in (1, 3, 5, 7)]
            facts = {"round": number, "side": side, "rate": round(rate, 2), "found": found}
            print(json.dumps({**facts, "MiB": quarters}), flush=True)
    cores = len(os.sched_getaffinity(0))
    base = statistics.median(rates.get("loop, one thread") or [float("nan")])
    for side, values in rates.items():
        middle = statistics.median(values)
        print(f"{side:<18} {middle:7.2f} images/s  {middle / (cores * base):5.2f} of {cores} loops")


if __name__ == "__main__":
    main()

"""The cost of scheduling chunks, and the chunk size that keeps many workers busy, by simulation.

The scheduler, the client and the messages are those of `zoo.batch`; the workers are threads that
sleep for as long as the images of a chunk take. Bytes are those of the loopback device, so nothing
else may use the network.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zoo.jobs import dask_workers
from zoo.jobs.items import Item
from zoo.jobs.job import Job
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.running import carry_out
from zoo.jobs.work import STAGES, Order

WORKERS = 64
IMAGE_SECONDS = 0.025
PROCESSES = 2  # that share the threads


def sleeping_order(folder: str, document: Mapping[str, Any], order: Order) -> dict[str, Any]:
    """Take as long as a chunk, read its line of the list, and return a record like its own."""
    ResultsFolder(folder).items(order.chunk)
    time.sleep(order.chunk.images * IMAGE_SECONDS)
    seconds = dict.fromkeys(STAGES, 1.234567)
    count = order.chunk.images
    return {
        "images": count,
        "rows": count,
        "found": count,
        "errors": [],
        "sha256": "0" * 64,
        "seconds": seconds,
    }


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the address and the process number of a scheduler with its workers."""
    file = folder / "scheduler.json"
    started = [_start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file)]
    while not file.exists() or "tcp://" not in file.read_text():
        time.sleep(0.1)
    threads = WORKERS // PROCESSES
    for _ in range(PROCESSES):
        options = ("--no-nanny", "--nthreads", threads, "--no-dashboard")
        started.append(_start("worker", "--scheduler-file", file, *options))
    try:
        import json

        yield json.loads(file.read_text())["address"], started[0].pid
    finally:
        for process in started:
            process.kill()
            process.wait()


def _start(*arguments: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tempfile.gettempdir(),
    )


def loopback_bytes() -> int:
    """The bytes that the loopback device has received."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split()[1])
    return 0


def cpu_seconds(pid: int) -> float:
    """The seconds of processors that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(size: int, waves: int) -> tuple[float, float, float]:
    """Return efficiency, scheduler's milliseconds and bytes of messages, both for each chunk."""
    import zoo.jobs.results_folder as folders

    folders.chunk_size = lambda images: size
    dask_workers.run_order = sleeping_order
    count = WORKERS * waves
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as (address, pid):
        folder = ResultsFolder(f"{name}/out")
        folder.create()
        listing = {"column": None, "every": 1, "recursive": False}
        job = Job.of_arguments("/data/images", "pose", "parquet", listing, {})
        items = (Item(f"/data/images/train/{i:09}.jpg") for i in range(count * size))
        folder.begin(job.document(), items)
        orders = [Order(chunk) for chunk in folder.chunks()]
        with dask_workers.DaskWorkers(job, folder, 1, address) as workers:
            while workers.capacity < 2 * WORKERS:
                time.sleep(0.1)
            cpu, moved, begun = cpu_seconds(pid), loopback_bytes(), time.perf_counter()
            carry_out(workers, orders, folder, lambda *_: None)
            seconds = time.perf_counter() - begun
            moved, cpu = loopback_bytes() - moved, cpu_seconds(pid) - cpu
    ideal = waves * size * IMAGE_SECONDS
    return ideal / seconds, 1000 * cpu / count, moved / count


def main() -> None:
    """Print a row for each size of a chunk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 32, 128])
    parser.add_argument("--seconds", type=float, default=25, help="of the ideal run")
    given = parser.parse_args()
    for size in given.sizes:
        waves = max(3, round(given.seconds / (size * IMAGE_SECONDS)))
        busy, milliseconds, moved = measure(size, waves)
        print(
            f"{size:4} images in a chunk: {WORKERS} workers busy {100 * busy:5.1f} %, scheduler "
            f"{milliseconds:5.2f} ms and {moved:7.0f} bytes a chunk, "
            f"{moved * 1e6 / size / 1e6:8.1f} MB a million images",
            flush=True,
        )


if __name__ == "__main__":
    main()

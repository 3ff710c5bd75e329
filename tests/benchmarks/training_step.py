"""A training step of `training_cases` beside PyTorch.

Run: ``python -m tests.benchmarks.training_step [--case NAME] [--rounds N] [--sides NAME]`` with
PyTorch installed. Each side runs in a process of its own, since threads of one library that
wait by spinning slow the other down. Each round lets every process in turn time some steps, so that
a busy machine slows all alike. All start from the same weights and must arrive at the same losses.
Prints a table with medians, quartiles and the ratios of ours to each side, and a line of JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from time import perf_counter, sleep

import numpy as np

from tests.benchmarks.training_cases import CASES, Step, ours, theirs

OURS = "core.compile"

#: The sides: ours, ours op by op, and PyTorch's kinds.
SIDES = (
    OURS,
    "core op by op",
    "torch eager",
    "torch fused Adam",
    "torch channels last",
    "torch compiled",
)


def step_of(side: str, case: str, threads: int) -> Step:
    """Return one step of a side."""
    library, _, kind = side.partition(" ")
    if library == "torch":
        return theirs(CASES[case](), threads, kind)
    return ours(CASES[case](), compiled=side == OURS)


def serve(side: str, case: str, threads: int) -> None:
    """Print the first losses, then for each line of input the milliseconds of a step."""
    step, steps = step_of(side, case, threads), CASES[case]().steps
    print(json.dumps([step() for _ in range(max(4, steps))]), flush=True)
    for _ in sys.stdin:
        started = perf_counter()
        for _ in range(steps):
            step()
        print((perf_counter() - started) / steps * 1000, flush=True)


def started(side: str, case: str, threads: int) -> subprocess.Popen:
    """A process that serves one side."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "CORE_THREADS")
    world = {**os.environ, **dict.fromkeys(names, str(threads))}
    command = [sys.executable, "-m", __spec__.name, "--serve", side, case, str(threads)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=world, stdin=pipe, stdout=pipe, text=True)


def asked(process: subprocess.Popen) -> float:
    """Milliseconds of one step now; the pause lets waiting threads of the last one fall asleep."""
    sleep(0.1)
    process.stdin.write("go\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compare(case: str, sides: tuple[str, ...], rounds: int, threads: int) -> dict:
    """Medians and quartiles of all sides, and of our ratio to each."""
    if CASES[case]().x.ndim < 4:  # channels last is an order of images
        sides = tuple(side for side in sides if "channels" not in side)
    processes = {side: started(side, case, threads) for side in sides}
    losses = {side: json.loads(process.stdout.readline()) for side, process in processes.items()}
    for side, values in losses.items():
        np.testing.assert_allclose(values[:3], losses[OURS][:3], rtol=1e-3, err_msg=side)
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, process in processes.items():
            times[side].append(asked(process))
    for process in processes.values():
        process.communicate()
    ratios = {
        side: statistics.median(a / b for a, b in zip(times[OURS], times[side], strict=True))
        for side in processes
    }
    return {
        "case": case,
        "threads": threads,
        "rounds": rounds,
        "quartiles_ms": {
            side: np.percentile(t, (25, 50, 75)).tolist() for side, t in times.items()
        },
        "ratio": ratios,
    }


def main() -> None:
    """Compare with one thread and with two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    given = parser.parse_args()
    sides = tuple(dict.fromkeys((OURS, *given.sides)))
    results = []
    for case in given.case:
        for threads in given.threads:
            result = compare(case, sides, given.rounds, threads)
            results.append(result)
            for side, (low, middle, high) in result["quartiles_ms"].items():
                print(
                    f"{case:<10} {threads} threads  {side:<20} {middle:>9.3f} ms "
                    f"[{low:.3f}, {high:.3f}]  ours / it {result['ratio'][side]:.3f}",
                    flush=True,
                )
    print(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()

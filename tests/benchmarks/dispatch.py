"""What the engine adds to a small op: ``add`` of 16 floats beside a bare NumPy call.

Run: ``python tests/benchmarks/dispatch.py [ROUNDS]``. Each round times every expression in turn,
so that a busy machine slows all of them alike. Prints a table and a line of JSON.
"""

import json
import statistics
import sys
import timeit

import numpy as np

import core

CALLS = 5000
A, B = np.ones(16, np.float32), np.ones(16, np.float32)
X, Y = core.tensor(A), core.tensor(B)
NAMES = {"np": np, "core": core, "a": A, "b": B, "x": X, "y": Y}
NUMPY = "np.add(a, b)"
EXPRESSIONS = [NUMPY, "core.add(x, y)", "x + y", "core.relu(x)", "core.sum(x)"]


def measure(rounds: int) -> dict[str, list[float]]:
    """Microseconds of one call, for each expression and round."""
    timers = {e: timeit.Timer(e, globals=NAMES) for e in EXPRESSIONS}
    found: dict[str, list[float]] = {e: [] for e in EXPRESSIONS}
    for _ in range(rounds):
        for expression, timer in timers.items():
            found[expression].append(timer.timeit(CALLS) / CALLS * 1e6)
    return found


def main(rounds: int) -> None:
    """Print medians beside 3 times NumPy plus 6 us, the most that ``add`` may take."""
    medians = {e: round(statistics.median(t), 2) for e, t in measure(rounds).items()}
    for expression, median in medians.items():
        print(f"{expression:<16} {median:>6.2f} us")
    limit = round(3 * medians[NUMPY] + 6, 2)
    print(f"limit for add    {limit:>6.2f} us")
    print(json.dumps({"rounds": rounds, "median_us": medians, "limit_us": limit}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)

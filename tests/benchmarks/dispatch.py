"""What the engine adds to a small op: 16 floats beside a bare NumPy call, tape off and on.

Run: ``python tests/benchmarks/dispatch.py [ROUNDS]``. Each round times every expression in turn,
so that a busy machine slows all of them alike. Prints a table and a line of JSON.
"""

import json
import statistics
import sys
import timeit

import numpy as np

import core
from core.autodiff.tape import Tape
from core.engine.observers import observing

CALLS = 5000
A, B = np.ones(16, np.float32), np.ones(16, np.float32)
X, Y = core.tensor(A), core.tensor(B)
NAMES = {"np": np, "core": core, "a": A, "b": B, "x": X, "y": Y}
NUMPY = "np.add(a, b)"
EXPRESSIONS = [NUMPY, "core.add(x, y)", "x + y", "x * 2.0", "core.relu(x)", "core.sum(x)"]
TAPED = "{}, tape on"


def measure(rounds: int) -> dict[str, list[float]]:
    """Microseconds of one call, for each expression and round, without and with a tape."""
    timers = {e: timeit.Timer(e, globals=NAMES) for e in EXPRESSIONS}
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for expression, timer in timers.items():
            found.setdefault(expression, []).append(timer.timeit(CALLS) / CALLS * 1e6)
            if expression != NUMPY:
                with observing(Tape([X])):
                    taped = timer.timeit(CALLS) / CALLS * 1e6
                found.setdefault(TAPED.format(expression), []).append(taped)
    return found


def main(rounds: int) -> None:
    """Print medians, and the most that ``add`` may take: 3 times NumPy plus 6 us; taped 10 us."""
    medians = {e: round(statistics.median(t), 2) for e, t in measure(rounds).items()}
    for expression, median in medians.items():
        print(f"{expression:<24} {median:>6.2f} us")
    limit = round(3 * medians[NUMPY] + 6, 2)
    print(f"limit for add            {limit:>6.2f} us; with the tape on 10 us")
    print(json.dumps({"rounds": rounds, "median_us": medians, "limit_us": limit}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)

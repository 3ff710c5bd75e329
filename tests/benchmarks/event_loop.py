"""How evenly an event loop ticks while an op of about a second is awaited.

Run: ``python tests/benchmarks/event_loop.py [ROUNDS]``. A coroutine asks to be woken every 10 ms
while another awaits `core.run_async`; each round takes every op in turn. Prints the median and the
largest gap between two ticks, also of a loop that has nothing else to do, and a line of JSON.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import numpy as np

import core

TICK = 0.01
RNG = np.random.default_rng(0)


def matmul_of(seconds: float) -> Callable[[], object]:
    """A product of square matrices that takes at least so long."""
    size = 256
    while True:
        x = core.tensor(RNG.normal(size=(size, size)))
        taken = min(core.time(lambda x=x: core.matmul(x, x))["wall_ms"] for _ in range(2)) / 1e3
        if taken >= seconds:
            return lambda: core.matmul(x, x)
        size = int(size * min(2.0, (1.2 * seconds / taken) ** (1 / 3)))


def suppression_of(seconds: float) -> Callable[[], object]:
    """Non-maximum suppression, a loop in Python, of as many boxes as take at least so long."""
    boxes = 250
    while True:
        corners = RNG.uniform(0, 1000, (boxes, 2))
        x = core.tensor(np.concatenate([corners, corners + 1], axis=1))
        scores = core.tensor(RNG.uniform(size=boxes))
        run = lambda x=x, s=scores, n=boxes: core.non_max_suppression(x, s, max_output_size=n)  # noqa: E731
        taken = core.time(run)["wall_ms"] / 1e3
        if taken >= seconds:
            return run
        boxes = int(boxes * min(2.0, (1.2 * seconds / taken) ** 0.5))


async def gaps_while(waiting: Awaitable[object]) -> tuple[float, list[float]]:
    """Seconds that it took, and between the ticks meanwhile."""
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.perf_counter())
            await asyncio.sleep(TICK)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    start = time.perf_counter()
    await waiting
    end = time.perf_counter()
    ticking.cancel()
    times = [*ticks, end]
    return end - start, [b - a for a, b in zip(times, times[1:], strict=False)]


async def measure(rounds: int) -> dict[str, list[tuple[float, list[float]]]]:
    """All ops in turn."""
    ops = {"matmul": matmul_of(1.0), "non_max_suppression": suppression_of(1.0)}
    found: dict[str, list[tuple[float, list[float]]]] = {"nothing": [], **{n: [] for n in ops}}
    for _ in range(rounds):
        found["nothing"].append(await gaps_while(asyncio.sleep(1.0)))
        for name, run in ops.items():
            found[name].append(await gaps_while(core.run_async(run)))
    return found


def main(rounds: int) -> None:
    """Print medians over all gaps, and the largest."""
    rows = {}
    for name, runs in asyncio.run(measure(rounds)).items():
        gaps = [gap for _, several in runs for gap in several]
        rows[name] = {
            "seconds": round(statistics.median(s for s, _ in runs), 2),
            "ticks": len(gaps),
            "median_gap_ms": round(1e3 * statistics.median(gaps), 1),
            "largest_gap_ms": round(1e3 * max(gaps), 1),
        }
        print(f"{name:<20}", "  ".join(f"{key} {value:>6}" for key, value in rows[name].items()))
    print(json.dumps({"rounds": rounds, "tick_ms": 1e3 * TICK, "results": rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

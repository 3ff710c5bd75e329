"""Sides in turn, round after round: medians, and medians of the ratios within a round."""

import statistics
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

#: Of each stretch of the load before a turn.
WARMING_SECONDS = 0.02


class Side(Protocol):
    """Something that runs a network."""

    def gpu_seconds(self, repeat: int) -> float:
        """Of one of some runs in a row, on the GPU."""

    def begin(self) -> None:
        """Make ready for a turn."""

    def run(self) -> list[np.ndarray]:
        """From host memory to host memory."""


class Effort(NamedTuple):
    """How much is measured."""

    rounds: int = 5
    calls: int = 200  # of each side, all rounds together
    warm_seconds: float = 0.3  # of load before each turn: clocks fall while a GPU is idle
    gpu_seconds: float = 0.05  # of each turn, runs in a row
    most_in_a_row: int = 2000

    def in_a_row(self, once: float, seconds: float) -> int:
        """How many runs of ``once`` seconds take so long together."""
        return int(min(max(seconds / once, 1), self.most_in_a_row))


QUICK = Effort(rounds=1, calls=1, warm_seconds=0.0, gpu_seconds=0.0, most_in_a_row=1)


class Turns(NamedTuple):
    """Seconds of each round: on the GPU, and of each call."""

    gpu: list[float]
    calls: list[list[float]]

    @property
    def ends(self) -> list[float]:
        """The median call of each round."""
        return [statistics.median(calls) for calls in self.calls]


def measured(sides: Mapping[str, Side], effort: Effort) -> dict[str, Turns]:
    """All sides in each round, which begins with another one each time."""
    names = list(sides)
    found = {name: Turns([], []) for name in names}
    for i in range(effort.rounds):
        first = i % len(names)
        for name in names[first:] + names[:first]:
            _take_turn(sides[name], found[name], effort)
    return found


def _take_turn(side: Side, turns: Turns, effort: Effort) -> None:
    side.begin()
    few = min(3, effort.most_in_a_row)
    once = max(side.gpu_seconds(few), 1e-7)
    _warm(lambda: side.gpu_seconds(effort.in_a_row(once, WARMING_SECONDS)), effort)
    once = max(side.gpu_seconds(few), 1e-7)
    turns.gpu.append(side.gpu_seconds(effort.in_a_row(once, effort.gpu_seconds)))
    side.run()
    calls = -(-effort.calls // effort.rounds)
    turns.calls.append([seconds(side.run) for _ in range(calls)])


def _warm(call: Callable[[], Any], effort: Effort) -> None:
    started = perf_counter()
    while perf_counter() - started < effort.warm_seconds:
        call()


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    started = perf_counter()
    call()
    return perf_counter() - started


def rows(found: Mapping[str, Turns], reference: str) -> dict[str, dict[str, float]]:
    """Milliseconds of each side, and how often they fit into the reference's of the same round."""
    base = found[reference]
    table = {}
    for name, turns in found.items():
        every = [call for calls in turns.calls for call in calls]
        row = {
            "gpu_ms": 1e3 * statistics.median(turns.gpu),
            "gpu_ratio": _ratio(base.gpu, turns.gpu),
            "e2e_ms": 1e3 * statistics.median(every),
            "e2e_ratio": _ratio(base.ends, turns.ends),
        }
        table[name] = {key: round(value, 4) for key, value in row.items()}
    return table


def _ratio(base: list[float], other: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(base, other, strict=True))


def apart(found: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """The largest difference of outputs, as a part of their range (of single values: of 1)."""
    return max(_apart(*pair) for pair in zip(found, expected, strict=True))


def _apart(found: np.ndarray, expected: np.ndarray) -> float:
    span = float(np.ptp(expected)) if expected.size > expected.shape[0] else 1.0
    return float(abs(found - expected).max()) / span

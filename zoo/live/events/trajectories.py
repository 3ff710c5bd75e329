"""Positions over the last seconds, and their swings to and fro."""

from collections import deque
from typing import NamedTuple

import numpy as np

from zoo.live.events.vocabulary import ROUNDING


class Sample(NamedTuple):
    """A position at a time."""

    time: float
    point: np.ndarray  # [2], pixels
    size: float  # of the item, in pixels


class Track:
    """The positions of the last seconds; a longer gap begins a new track.

    Args:
        seconds: how much of the past it keeps.
        gap: seconds without a position after which the past does not count any more.
    """

    def __init__(self, seconds: float, gap: float = 0.3) -> None:
        self._seconds, self._gap = seconds, gap
        self.samples: deque[Sample] = deque()
        self.began = 0.0  # time of the first position, which may be forgotten

    def add(self, time: float, point: np.ndarray, size: float) -> bool:
        """Add a position; returns whether it begins a new track."""
        fresh = not self.samples or time - self.samples[-1].time > self._gap
        if fresh:
            self.samples.clear()
            self.began = time
        self.samples.append(Sample(time, point, size))
        while time - self.samples[0].time > self._seconds + ROUNDING:
            self.samples.popleft()
        return fresh

    @property
    def size(self) -> float:
        """Median size of the item in pixels: that of one frame is noisy."""
        return float(np.median([sample.size for sample in self.samples]))

    def before(self, seconds: float) -> Sample:
        """Return the latest sample of at least some seconds ago, else the first one."""
        end = self.samples[-1].time
        for sample in reversed(self.samples):
            if end - sample.time >= seconds - ROUNDING:
                return sample
        return self.samples[0]

    def velocity(self, seconds: float) -> np.ndarray:
        """Return the velocity over the last seconds [2], in sizes per second; 0 at the start."""
        last, first = self.samples[-1], self.before(seconds)
        if last.time <= first.time:
            return np.zeros(2)
        return (last.point - first.point) / (last.time - first.time) / self.size

    def since(self, time: float) -> np.ndarray:
        """Return the positions since a time [n, 2], in pixels."""
        return np.array([s.point for s in self.samples if s.time >= time - ROUNDING])


class Occurrence:
    """Share of the frames of the last seconds in which something was so."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._frames: deque[tuple[float, bool]] = deque()

    def add(self, time: float, is_so: bool) -> None:
        """Add a frame."""
        self._frames.append((time, is_so))
        while time - self._frames[0][0] > self._seconds + ROUNDING:
            self._frames.popleft()

    def share(self, since: float) -> float:
        """Return the share of the frames since a time, 0 without any."""
        known = [is_so for time, is_so in self._frames if time >= since - ROUNDING]
        return sum(known) / max(len(known), 1)


class Swings:
    """Turning points of a value that goes to and fro, by the zigzag rule.

    A value turns when it has come back from its farthest by the least swing, so that noise below
    makes no turning points.
    """

    def __init__(self) -> None:
        self.turns: deque[float] = deque(maxlen=16)  # times; the last one began this swing
        self._sign = 0
        self._lowest = self._highest = (0.0, 0.0)  # (value, time), of this swing
        self._fresh = True

    def update(self, value: float, least: float, time: float) -> bool:
        """Add a value; returns whether a swing has just become as long as the least one."""
        here = value, time
        if self._fresh:
            self._lowest = self._highest = here
            self._fresh = False
        # The latest of equal ones: a rest belongs to no swing.
        margin = 0.1 * least
        if value <= self._lowest[0] + margin:
            self._lowest = min(value, self._lowest[0]), time
        if value >= self._highest[0] - margin:
            self._highest = max(value, self._highest[0]), time
        return self._turned(value, least, here)

    def count_within(self, seconds: float, time: float) -> int:
        """Return how many swings, with the present one, began in the last seconds."""
        return sum(time - turn <= seconds + ROUNDING for turn in self.turns)

    def _turned(self, value: float, least: float, here: tuple[float, float]) -> bool:
        if self._sign <= 0 and value - self._lowest[0] >= least:
            self.turns.append(self._lowest[1])
            self._sign, self._highest = 1, here
            return True
        if self._sign >= 0 and self._highest[0] - value >= least:
            self.turns.append(self._highest[1])
            self._sign, self._lowest = -1, here
            return True
        return False

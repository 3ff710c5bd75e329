"""Two hands that clap."""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from zoo.live.events.hand_shape import HandShape
from zoo.live.events.trajectories import Track
from zoo.live.events.vocabulary import ROUNDING, Detector, Finding

# In palm lengths and seconds. Palms that face each other are seen from their edges: the middles of
# the two lie half a palm length apart when they touch.
_MET = 1.2  # palm lengths between the middles of both palms
_APART = 1.8  # palm lengths from which they come
_NEAR = 2.5  # palm lengths within which one that is out of sight may be hidden by the other
_CLOSING = 4.0  # palm lengths per second, of both hands together: 0.4 m/s
_APPROACH = 0.5  # seconds
_VELOCITY = 0.12  # seconds over which the closing speed is measured
_HIDDEN = 0.25  # seconds that one hand may be hidden by the other when they meet
_NEXT = 0.25  # seconds between claps
_ALIKE = 2.0  # palm lengths of one hand by those of the other

_Pair = tuple[int, int]


class _Approach:
    """The distance of two hands over time, in palm lengths."""

    def __init__(self) -> None:
        self._track = Track(_APPROACH)
        self.last = 0.0  # time of the last frame with both

    def add(self, first: HandShape, second: HandShape, time: float) -> None:
        """Add a frame."""
        distance = np.linalg.norm(first.centre - second.centre) / ((first.size + second.size) / 2)
        self._track.add(time, np.array([distance, 0.0]), 1.0)
        self.last = time

    def meets(self, time: float) -> bool:
        """Return whether the hands touch, or touched when one hid the other."""
        distances = [float(sample.point[0]) for sample in self._track.samples]
        if not distances or distances[-1] > _NEAR or max(distances) < _APART:
            return False
        speed = self._speed(distances)
        return speed >= _CLOSING and distances[-1] - speed * (time - self.last) <= _MET

    def _speed(self, distances: list[float]) -> float:
        """Return the fastest closing in the last half second, in palm lengths per second."""
        times = [sample.time for sample in self._track.samples]
        speeds = (
            (distances[a] - distances[b]) / (times[b] - times[a])
            for a, b in combinations(range(len(times)), 2)
            if times[b] - times[a] >= _VELOCITY - ROUNDING
        )
        return max(speeds, default=0.0)


class Clap(Detector[Mapping[int, HandShape]]):
    """Claps of any two hands; ``id`` and ``other_id`` of the event are theirs."""

    labels = ("clap",)
    rules_out = ("wave",)  # hands that clap go from side to side

    def __init__(self) -> None:
        self._pairs: dict[_Pair, _Approach] = {}
        self._last = float("-inf")

    def update(self, seen: Mapping[int, HandShape], time: float) -> list[Finding]:
        """Return the claps that this frame completes."""
        for pair in combinations(sorted(seen), 2):
            first, second = seen[pair[0]], seen[pair[1]]
            if max(first.size, second.size) <= _ALIKE * min(first.size, second.size):
                self._pairs.setdefault(pair, _Approach()).add(first, second, time)
        found = [self._clap(pair, time) for pair in self._meeting(time)]
        for pair in [p for p, approach in self._pairs.items() if time - approach.last > _HIDDEN]:
            del self._pairs[pair]
        return found

    def _meeting(self, time: float) -> Iterator[_Pair]:
        for pair, approach in list(self._pairs.items()):
            if time - self._last >= _NEXT - ROUNDING and approach.meets(time):
                yield pair

    def _clap(self, pair: _Pair, time: float) -> Finding:
        self._last = time
        self._pairs[pair] = _Approach()  # the next clap is another approach
        self._pairs[pair].last = time
        return Finding("happened", "clap", more={"id": pair[0], "other_id": pair[1]})

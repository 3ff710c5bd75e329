"""Movements of the whole body that are counted: squats, jumps and jumping jacks."""

from collections import deque
from typing import NamedTuple

import numpy as np

from zoo.live.events.body_shape import BodyShape
from zoo.live.events.states import Switch
from zoo.live.events.vocabulary import ROUNDING, Detector, Finding

# Squats: heights of the hips over the knees, by that of the same person standing, which is 1 shank
# where the camera is level, less where it looks up. Thighs 53 degrees from the vertical make 0.6,
# thighs 32 degrees from it 0.85.
_DOWN, _UP = 0.6, 0.85
_STANDING, _LEAST_STANDING = 1.0, 0.75  # lengths of the shank: expected, and the least possible
_ADAPTING = 2.0  # seconds in which the height of standing follows the person
_SQUAT = (0.3, 6.0)  # seconds from leaving the upright position to being back

# Jumps: heights in lengths of the leg (85 cm of an adult).
_RISE = 0.1  # of both ankles over the ground
_HIPS_RISE = 0.06  # of the hips over their usual height
_LANDED = 0.04
_FLIGHT = (0.05, 1.0)  # seconds
_MEMORY = 2.0  # seconds from which the ground and the usual height are taken
_KNOWN = 0.3  # seconds of it that are needed
_GROUND = 75  # percentile of the heights of the lower ankle: y grows downwards

# Jumping jacks: distance of the ankles in widths of the shoulders.
_SPREAD, _TOGETHER = 1.5, 1.2
_JACK = 2.5  # seconds

_RAISED, _LOWERED = 0.1, 0.0  # lengths of the torso, of the lower wrist over the nose


class _Counted(Detector[BodyShape]):
    """A movement with a number."""

    def __init__(self) -> None:
        self._count = 0

    def _counted(self) -> list[Finding]:
        self._count += 1
        return [Finding("happened", self.labels[0], more={"count": self._count})]


class Squat(_Counted):
    """Squats, each counted when the person stands again."""

    labels = ("squat",)

    def __init__(self) -> None:
        super().__init__()
        self._standing = _STANDING
        self._time: float | None = None
        self._upright: float | None = None  # time of the last frame in which the person stood
        self._deep = False  # whether the person was down since

    def update(self, seen: BodyShape, time: float) -> list[Finding]:
        """Return the squat that ends with this frame."""
        if seen.stand is None:
            return []
        self._adapt(seen.stand, time)
        if seen.stand < _UP * self._standing:
            down = seen.stand < _DOWN * self._standing
            self._deep = self._deep or (down and self._upright is not None)
            return []
        started, deep = self._upright, self._deep
        self._upright, self._deep = time, False
        if not deep or started is None:
            return []
        return self._counted() if _SQUAT[0] <= time - started <= _SQUAT[1] else []

    def _adapt(self, stand: float, time: float) -> None:
        if stand >= _LEAST_STANDING and self._time is not None:
            share = min((time - self._time) / _ADAPTING, 1.0)
            self._standing += share * (stand - self._standing)
        self._time = time


class _Height(NamedTuple):
    time: float
    ankle: float  # y of the lower one, in pixels
    hips: float


class Jump(_Counted):
    """Jumps, each counted on landing."""

    labels = ("jump",)

    def __init__(self) -> None:
        super().__init__()
        self._heights: deque[_Height] = deque()
        self._flying: float | None = None  # time of taking off

    def update(self, seen: BodyShape, time: float) -> list[Finding]:
        """Return the jump that ends with this frame."""
        hips, ankles = seen.both("hip"), seen.both("ankle")
        if hips is None or ankles is None or seen.leg is None:
            return []
        here = _Height(time, float(ankles[:, 1].max()), float(hips[:, 1].mean()))
        self._heights.append(here)
        while time - self._heights[0].time > _MEMORY:
            self._heights.popleft()
        if time - self._heights[0].time < _KNOWN:
            return []
        return self._follow(here, seen.leg)

    def _follow(self, here: _Height, leg: float) -> list[Finding]:
        _, ankles, hips = np.array(self._heights).T
        rise = float(np.percentile(ankles, _GROUND) - here.ankle) / leg
        hips_rise = float(np.median(hips) - here.hips) / leg
        if self._flying is None:
            self._flying = here.time if rise >= _RISE and hips_rise >= _HIPS_RISE else None
            return []
        if rise >= _LANDED:
            return []
        seconds, self._flying = here.time - self._flying, None
        return self._counted() if _FLIGHT[0] - ROUNDING <= seconds <= _FLIGHT[1] else []


class JumpingJack(_Counted):
    """Jumping jacks seen from the front, each counted when arms and legs are together again."""

    labels = ("jumping_jack",)

    def __init__(self) -> None:
        super().__init__()
        self._together: float | None = None  # time of the last frame with arms and legs together
        self._open = False

    def update(self, seen: BodyShape, time: float) -> list[Finding]:
        """Return the jumping jack that ends with this frame."""
        shoulders, wrists, ankles = seen.both("shoulder"), seen.both("wrist"), seen.both("ankle")
        if shoulders is None or wrists is None or ankles is None:
            return []
        width = max(float(np.ptp(shoulders[:, 0])), 1.0)
        spread = float(np.ptp(ankles[:, 0])) / width
        above = wrists[:, 1] < shoulders[:, 1].mean()
        if spread >= _SPREAD and above.all() and self._together is not None:
            self._open = True
        if spread > _TOGETHER or above.any():
            return []
        started, done = self._together, self._open
        self._together, self._open = time, False
        return self._counted() if done and started is not None and time - started <= _JACK else []


class ArmsRaised(Detector[BodyShape]):
    """Both hands over the head."""

    labels = ("arms_raised",)
    lasts = True

    def __init__(self) -> None:
        self._switch = Switch("arms_raised", _RAISED, _LOWERED)

    def update(self, seen: BodyShape, time: float) -> list[Finding]:
        """Return ``started``, ``held`` and ``ended``."""
        return self._switch.update(seen.raise_of_arms, time)

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return ``ended`` where the person is out of sight."""
        return self._switch.missed(time, gone)

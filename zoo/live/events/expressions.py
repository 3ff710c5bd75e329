"""Blinks, smiles, an open mouth, nods and shakes of the head."""

from typing import Any

import numpy as np

from zoo.live.events.face_shape import FaceShape
from zoo.live.events.states import Switch
from zoo.live.events.trajectories import Swings, Track
from zoo.live.events.vocabulary import ROUNDING, Detector, Finding

# Blinks. Openness is relative to what it was. The iris network follows lids at once, and trembles.
# The mesh of 468 points, smoothed, follows them by a part only, and those of both eyes together, so
# that a wink cannot be known from a blink; its users count a blink where the ratio falls from 40 to
# less than 35.
_IRIS_CLOSED, _IRIS_REOPENED = 0.8, 0.88  # of the usual openness
_MESH_CLOSED, _MESH_REOPENED = 0.88, 0.94
_MEDIAN = 0.09  # seconds of the iris network of which the median counts
_BLINK = (0.03, 0.5)  # seconds: longer is looking down, or closed eyes
_RISING, _FALLING = 0.3, 5.0  # seconds in which the usual openness follows
_KNOWN = 0.4  # seconds of a face that are needed to know it
_STEADY = 8.0  # degrees that the head may turn in the meantime
_AVERTED = 35.0  # degrees from the camera at which the far eye is not seen well

# Mouth aspect ratios: smiles that show teeth make up to 0.3, laughs 0.4 to 0.5, a gaping mouth 0.6.
_WIDE = 0.6  # is an open mouth of value 1
_OPENED, _SHUT = 0.65, 0.55  # values, of ratios of 0.39 and 0.33

# Smiles: corners of the mouth above its middle. Of 59 faces in images, 42 with a mouth at rest have
# -0.05 to 0.013 (standard deviation 0.011), ten of these with the mouth opened by a warp of the
# image at most 0.015, and 14 that smile 0.017 to 0.070, all but one at least 0.024; three that look
# down smile unseen. People differ less at rest than by a smile: nothing needs to know them before.
_BROAD = 0.06  # is a smile of value 1
_SMILED, _SERIOUS = 0.34, 0.26  # values, of 0.020 and 0.016

# Nods and shakes: three swings within some seconds.
_SWINGS, _WITHIN = 3, 1.6  # seconds
_NOD, _SHAKE = 6.0, 9.0  # degrees of a swing up or down, and from side to side
_MAIN = 1.3  # turn about one axis by that about the other
_PAUSE = 1.0  # seconds without a swing after which another one begins


class Blink(Detector[FaceShape]):
    """Both eyes close and open again, while the head is still."""

    labels = ("blink",)

    def __init__(self) -> None:
        self._turns, self._lids = Track(1.0), Track(_MEDIAN)
        self._usual = 0.0  # openness
        self._closed: float | None = None  # time of closing
        self._time = 0.0

    def update(self, seen: FaceShape, time: float) -> list[Finding]:
        """Return the blink that ends with this frame."""
        openness = (seen.openness("left") + seen.openness("right")) / 2
        closing, reopening = _MESH_CLOSED, _MESH_REOPENED
        if seen.has_irises:
            closing, reopening = _IRIS_CLOSED, _IRIS_REOPENED
            self._lids.add(time, np.array([openness]), 1.0)
            openness = float(np.median(self._lids.since(time - _MEDIAN)))
        if self._turns.add(time, np.array([seen.yaw, seen.pitch]), 1.0):
            self._usual, self._closed = openness, None
        step, self._time = time - self._time, time
        if self._closed is None:
            if openness < closing * self._usual and time - self._turns.began >= _KNOWN - ROUNDING:
                self._closed = time
            self._follow(openness, step)
            return []
        if openness < reopening * self._usual and time - self._closed <= _BLINK[1]:
            return []
        closed, self._closed = self._closed, None
        if time - closed > _BLINK[1]:
            self._usual = openness
            return []
        return self._blinks(closed, time, abs(seen.yaw))

    def _follow(self, openness: float, step: float) -> None:
        seconds = _RISING if openness > self._usual else _FALLING
        self._usual += min(step / seconds, 1.0) * (openness - self._usual)

    def _blinks(self, closed: float, time: float, yaw: float) -> list[Finding]:
        # What turned the lids away began before they seemed closed.
        turned = np.ptp(self._turns.since(closed - 0.2), axis=0).max()
        still = turned <= _STEADY and yaw <= _AVERTED
        return [Finding("happened", "blink")] if still and time - closed >= _BLINK[0] else []


class MouthOpen(Detector[FaceShape]):
    """Opening of the mouth, 0..1, and when it is open."""

    labels = ("mouth_open",)
    lasts = True

    def __init__(self) -> None:
        self._value = 0.0
        self._switch = Switch("mouth_open", _OPENED, _SHUT)

    def update(self, seen: FaceShape, time: float) -> list[Finding]:
        """Return ``started``, ``held`` and ``ended``."""
        self._value = min(seen.mouth_gap / _WIDE, 1.0)
        return self._switch.update(self._value, time)

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return ``ended`` where the face is out of sight."""
        return self._switch.missed(time, gone)

    def values(self) -> dict[str, Any]:
        """Return ``mouth_open``, 0..1."""
        return {"mouth_open": self._value}


class Smile(Detector[FaceShape]):
    """Finds how much a face smiles, 0..1, and when it does."""

    labels = ("smile",)
    lasts = True

    def __init__(self) -> None:
        self._value = 0.0
        self._switch = Switch("smile", _SMILED, _SERIOUS)

    def update(self, seen: FaceShape, time: float) -> list[Finding]:
        """Return ``started``, ``held`` and ``ended``."""
        self._value = min(max(seen.mouth_lift / _BROAD, 0.0), 1.0)
        return self._switch.update(self._value, time)

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return ``ended`` where the face is out of sight."""
        return self._switch.missed(time, gone)

    def values(self) -> dict[str, Any]:
        """Return ``smile``, 0..1."""
        return {"smile": self._value}


class _Oscillation(Detector[FaceShape]):
    """A head that turns to and fro about one axis."""

    axis = 0  # of yaw and pitch
    least = _SHAKE

    def __init__(self) -> None:
        self._turns = Track(_WITHIN)
        self._swings = Swings()
        self._quiet = float("-inf")  # time until which swings belong to the ones before

    def update(self, seen: FaceShape, time: float) -> list[Finding]:
        """Return the movement that this frame completes."""
        angles = np.array([seen.yaw, seen.pitch])
        if self._turns.add(time, angles, 1.0):
            self._swings = Swings()
        if not self._swings.update(float(angles[self.axis]), self.least, time):
            return []
        if time < self._quiet:
            self._quiet = time + _PAUSE
            return []
        if self._swings.count_within(_WITHIN, time) < _SWINGS:
            return []
        ranges = np.ptp(self._turns.since(self._swings.turns[-_SWINGS]), axis=0)
        if ranges[self.axis] < _MAIN * ranges[1 - self.axis]:
            return []
        self._quiet = time + _PAUSE
        return [Finding("happened", self.labels[0])]


class HeadShake(_Oscillation):
    """A head that turns from side to side."""

    labels = ("head_shake",)


class Nod(_Oscillation):
    """A head that goes up and down."""

    labels = ("nod",)
    axis, least = 1, _NOD

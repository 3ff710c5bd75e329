"""Pinching and pointing."""

from typing import Any

import numpy as np

from zoo.live.events.hand_shape import INDEX_MCP, INDEX_TIP, HandShape
from zoo.live.events.states import Switch
from zoo.live.events.vocabulary import Detector, Finding

# Distances of the tips of thumb and index finger, in lengths of the palm (9.5 cm). The points lie
# inside of the fingers, so that those of touching tips are 2 cm apart.
_TOUCHING, _APART = 0.25, 1.0

_PINCHED, _RELEASED = 0.85, 0.7  # values at which a pinch starts and ends
_FIST = 60.0  # degrees at the middle joint below which the index finger is curled, not pinching

_SHORTEST = 0.4  # palm lengths of a pointing finger in the image; shorter ones point to the camera


class Pinch(Detector[HandShape]):
    """Nearness of the tips of thumb and index finger, 0 apart, 1 touching, and pinches."""

    labels = ("pinch",)
    lasts = True

    def __init__(self) -> None:
        self._value = 0.0
        self._switch = Switch("pinch", _PINCHED, _RELEASED)

    def update(self, seen: HandShape, time: float) -> list[Finding]:
        """Return ``started``, ``held`` and ``ended`` of a pinch."""
        share = (_APART - seen.tip_distance) / (_APART - _TOUCHING)
        self._value = min(max(share, 0.0), 1.0)
        curled = seen.fingers["index"].angle < _FIST
        return self._switch.update(None if curled else self._value, time)

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return ``ended`` where a pinching hand is out of sight."""
        return self._switch.missed(time, gone)

    def values(self) -> dict[str, Any]:
        """Return ``pinch``, 0..1."""
        return {"pinch": self._value}


class Pointing(Detector[HandShape]):
    """The direction in the image of an index finger that alone is extended; it has no events."""

    def __init__(self) -> None:
        self._value: dict[str, Any] = {}

    def update(self, seen: HandShape, time: float) -> list[Finding]:
        """Look at the fingers."""
        way = seen.points[INDEX_TIP, :2] - seen.points[INDEX_MCP, :2]
        length = float(np.linalg.norm(way))
        fingers = seen.fingers
        alone = fingers["index"].curl == "no_curl" and all(
            fingers[name].curl != "no_curl" for name in ("middle", "ring", "pinky")
        )
        self._value = {}
        if alone and length >= _SHORTEST * seen.size:
            x, y = (way / length).tolist()
            self._value = {"pointing": {"x": x, "y": y, "direction": side_of(x, y)}}
        return []

    def values(self) -> dict[str, Any]:
        """Return ``pointing``: a unit vector, and the side of the image; nothing if not so."""
        return self._value


def side_of(x: float, y: float) -> str:
    """Return the side of the image to which a vector points.

    >>> side_of(-2.0, 1.0), side_of(0.0, 1.0)
    ('left', 'down')
    """
    if abs(x) >= abs(y):
        return "left" if x < 0 else "right"
    return "up" if y < 0 else "down"

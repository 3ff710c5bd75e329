"""Swipes of a hand to a side.

A swipe is one fast straight stroke that starts and ends in sight, with the hand neither coming
back at once, as in a wave, nor going back from a swipe before. The hand does not hang: arms swing
when people walk.
"""

from typing import NamedTuple

import numpy as np

from zoo.live.events.hand_shape import IDLE, HandShape
from zoo.live.events.hand_states import side_of
from zoo.live.events.trajectories import Occurrence, Track
from zoo.live.events.vocabulary import ROUNDING, Detector, Finding

# In lengths of the palm (9.5 cm of an adult) and seconds. Leap Motion's swipes are of 15 cm and
# 1 m/s at least; cameras see many that are slower, so that they have to be longer here.
_SHORTEST = 2.0  # palms
_FASTEST = 6.0  # palms per second that a stroke must reach: 0.57 m/s
_MOVING, _RESTING = 3.0, 1.5  # palms per second at which a stroke begins and ends
_LONGEST = 0.8  # seconds of a stroke
_STRAIGHT = 0.85  # distance of its ends by the length of its path
_SIDEWAYS = 0.58  # across by along: 30 degrees from the axis
_VELOCITY = 0.08  # seconds over which velocities are measured
_SEEN = 0.15  # seconds that the hand is in sight before: one that comes into view is no swipe
_WAIT = 0.2  # seconds after a stroke in which the hand must not
_BACK = 0.4  # come back by this share of the stroke
_RETURN = 1.0  # seconds after a swipe in which the way back is not another one
_AGAIN = 0.3  # seconds after a swipe before another one in its direction begins
_WAVING = 1.0  # seconds after strokes to and fro in which no stroke is a swipe


class _Stroke(NamedTuple):
    side: str
    way: np.ndarray  # [2], pixels
    start: float
    end: float
    last: np.ndarray  # [2], where it ended


class _Swiped(NamedTuple):
    side: str
    time: float


_OPPOSITE = {"left": "right", "right": "left", "up": "down", "down": "up"}


class Swipe(Detector[HandShape]):
    """Swipes to the left, right, up and down in the image."""

    labels = tuple(f"swipe_{side}" for side in _OPPOSITE)

    def __init__(self) -> None:
        self._track = Track(_LONGEST + _VELOCITY)
        self._hanging = Occurrence(_LONGEST + _VELOCITY)
        self._start: float | None = None  # of the present stroke
        self._peak = 0.0  # its speed
        self._waiting: _Stroke | None = None  # until it is certain that the hand stays
        self._swiped: _Swiped | None = None
        self._quiet = float("-inf")  # time until which the hand is waving

    def update(self, seen: HandShape, time: float) -> list[Finding]:
        """Return the swipe that is certain in this frame."""
        if self._track.add(time, seen.centre, seen.size):
            self._start, self._waiting = None, None
        self._hanging.add(time, seen.hangs)
        stroke = self._follow(time)
        if stroke is not None and self._counts(stroke):
            self._waiting = self._waiting or stroke
        return self._confirm(time)

    def _follow(self, time: float) -> _Stroke | None:
        """Return the stroke that ends with this frame, if it has the form of a swipe."""
        velocity = self._track.velocity(_VELOCITY)
        speed = float(np.linalg.norm(velocity))
        if self._start is None:
            if speed >= _MOVING:
                self._start, self._peak = self._track.before(_VELOCITY).time, speed
            return None
        self._peak = max(self._peak, speed)
        path = self._track.since(self._start)
        turned = float(velocity @ (path[-1] - path[0])) < 0
        if speed >= _RESTING and not turned:
            return None
        start, self._start = self._start, None
        return self._stroke(path, start, time) if time - start <= _LONGEST + ROUNDING else None

    def _stroke(self, path: np.ndarray, start: float, time: float) -> _Stroke | None:
        farthest = int(np.argmax(np.linalg.norm(path - path[0], axis=1)))
        way = path[farthest] - path[0]
        length = float(np.linalg.norm(way))
        steps = np.linalg.norm(np.diff(path[: farthest + 1], axis=0), axis=1)
        along, across = max(abs(way)), min(abs(way))
        fits = (
            self._peak >= _FASTEST
            and self._hanging.share(start) < IDLE
            and length >= _SHORTEST * self._track.size
            and length >= _STRAIGHT * steps.sum()
            and across <= _SIDEWAYS * along
        )
        return _Stroke(side_of(*way.tolist()), way, start, time, path[farthest]) if fits else None

    def _counts(self, stroke: _Stroke) -> bool:
        """Return whether a stroke may be a swipe after what went before."""
        if stroke.start < self._quiet:
            self._quiet = stroke.end + _WAVING
            return False
        if stroke.start - self._track.began < _SEEN - ROUNDING:
            return False
        if self._swiped is None:
            return True
        since = stroke.start - self._swiped.time
        returns = stroke.side == _OPPOSITE[self._swiped.side]
        return since >= (_RETURN if returns else _AGAIN)

    def _confirm(self, time: float) -> list[Finding]:
        stroke = self._waiting
        if stroke is None:
            return []
        back = (stroke.last - self._track.samples[-1].point) @ stroke.way
        if back >= _BACK * (stroke.way @ stroke.way):
            self._waiting, self._quiet = None, time + _WAVING
            return []
        if time - stroke.end < _WAIT - ROUNDING:
            return []
        self._waiting, self._swiped = None, _Swiped(stroke.side, stroke.end)
        return [Finding("happened", f"swipe_{stroke.side}")]

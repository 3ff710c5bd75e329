"""A waving hand, and an index finger that draws a circle."""

from typing import NamedTuple

import numpy as np

from zoo.live.events.hand_shape import IDLE, INDEX_TIP, HandShape
from zoo.live.events.trajectories import Occurrence, Swings, Track
from zoo.live.events.vocabulary import Detector, Finding

# A wave: two full oscillations, four swings, of an open hand within two seconds.
_SWINGS, _WITHIN = 4, 2.0  # seconds
_LEAST_SWING = 0.5  # palm lengths that the fingertips move from side to side
_FLAT = 0.6  # their range up and down, by that from side to side
_OPEN = 0.6  # share of the frames that show an open hand
_PAUSE = 1.0  # seconds without a swing after which another wave begins

# A circle, in degrees, seconds and palm lengths.
_TURN = 330.0  # about its centre
_NEARLY = 240.0  # that the direction of movement turns before centres are looked for
_LONGEST = 2.5  # seconds
_SMALLEST = 0.4  # palm lengths: the mean radius
_STEP = 0.12  # palm lengths between the points of a path; smaller movements are noise
_ROUND = 0.3  # standard deviation of the radius by its mean
_WIDE = 0.5  # its smaller extent by its larger one
_ONE_WAY = 0.9  # turn about the centre by the sum of all turns to either side
_CLOSED = 1.2  # radii between the ends


class Wave(Detector[HandShape]):
    """An open hand that goes from side to side twice."""

    labels = ("wave",)

    def __init__(self) -> None:
        self._track = Track(_WITHIN)
        self._open, self._hanging = Occurrence(_WITHIN), Occurrence(_WITHIN)
        self._swings = Swings()
        self._quiet = float("-inf")  # time until which swings belong to the wave before

    def update(self, seen: HandShape, time: float) -> list[Finding]:
        """Return the wave that this frame completes."""
        if self._track.add(time, seen.tips, seen.size):
            self._swings = Swings()
            self._open, self._hanging = Occurrence(_WITHIN), Occurrence(_WITHIN)
        self._open.add(time, seen.is_open)
        self._hanging.add(time, seen.hangs)
        least = _LEAST_SWING * self._track.size
        if not self._swings.update(float(seen.tips[0]), least, time):
            return []
        if time < self._quiet:
            self._quiet = time + _PAUSE
            return []
        if self._swings.count_within(_WITHIN, time) < _SWINGS or not self._is_wave():
            return []
        self._quiet = time + _PAUSE
        return [Finding("happened", "wave")]

    def _is_wave(self) -> bool:
        start = self._swings.turns[-_SWINGS]
        width, height = np.ptp(self._track.since(start), axis=0)
        is_shown = self._open.share(start) >= _OPEN and self._hanging.share(start) < IDLE
        return bool(height <= _FLAT * width and is_shown)


class _Corner(NamedTuple):
    """A point of a simplified path."""

    time: float
    point: np.ndarray  # [2], pixels
    turned: float  # degrees that the direction has turned since the path began, with its sign


class Circle(Detector[HandShape]):
    """A circle that the tip of the index finger draws."""

    labels = ("circle",)

    def __init__(self) -> None:
        self._track = Track(_LONGEST)
        self._path: list[_Corner] = []
        self._hanging = Occurrence(_LONGEST)

    def update(self, seen: HandShape, time: float) -> list[Finding]:
        """Return the circle that this frame completes."""
        tip = seen.points[INDEX_TIP, :2]
        if self._track.add(time, tip, seen.size):
            self._path = []
        self._hanging.add(time, seen.hangs)
        size = self._track.size
        if not self._extend(tip, size, time):
            return []
        turn = self._whole_turn(size)
        if not turn:
            return []
        idle = self._hanging.share(self._path[0].time) >= IDLE
        self._path = self._path[-1:]
        if idle:
            return []
        direction = "clockwise" if turn > 0 else "counterclockwise"  # y grows downwards
        return [Finding("happened", "circle", more={"direction": direction})]

    def _extend(self, tip: np.ndarray, size: float, time: float) -> bool:
        """Add a point to the path if it is far enough from the last one."""
        self._path = [corner for corner in self._path if time - corner.time <= _LONGEST]
        if not self._path:
            self._path = [_Corner(time, tip, 0.0)]
            return False
        last = self._path[-1]
        step = tip - last.point
        if np.linalg.norm(step) < _STEP * size:
            if len(self._path) == 1:  # the path begins when the rest ends
                self._path = [last._replace(time=time)]
            return False
        turned = last.turned
        if len(self._path) > 1:
            turned += float(_angle(last.point - self._path[-2].point, step))
        self._path.append(_Corner(time, tip, turned))
        return True

    def _whole_turn(self, size: float) -> float:
        """Return the degrees of the shortest last part of the path that is a circle, else 0."""
        end = self._path[-1].turned
        points = np.array([corner.point for corner in self._path])
        for start in range(len(points) - 4, -1, -1):
            if abs(end - self._path[start].turned) >= _NEARLY:
                turn = turn_about_centre(points[start:], _SMALLEST * size)
                if turn:
                    return turn
        return 0.0


def turn_about_centre(points: np.ndarray, least_radius: float) -> float:
    """Return by how many degrees a path [n, 2] goes around its centre, 0 if it is no circle.

    >>> angles = np.radians(np.arange(0, 360, 15.0))
    >>> round(turn_about_centre(np.stack([np.cos(angles), np.sin(angles)], axis=1), 0.5))
    345
    """
    ranges = np.ptp(points, axis=0)
    # The middle of the ranges does not depend on how fast each part of the path was.
    spokes = points - points.min(axis=0) - ranges / 2
    radii = np.linalg.norm(spokes, axis=1)
    mean = radii.mean()
    if mean < least_radius or radii.std() > _ROUND * mean or ranges.min() < _WIDE * ranges.max():
        return 0.0
    if np.linalg.norm(points[-1] - points[0]) > _CLOSED * mean:
        return 0.0
    turns = _angle(spokes[:-1], spokes[1:])
    turn = float(turns.sum())
    whole = abs(turn) >= max(_TURN, _ONE_WAY * np.abs(turns).sum())
    return turn if whole else 0.0


def _angle(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the degrees from vectors [.., 2] to others, clockwise in the image."""
    cross = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    return np.degrees(np.arctan2(cross, (first * second).sum(axis=-1)))

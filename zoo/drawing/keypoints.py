"""Keypoints and the lines between them, sized for the image and for what they belong to."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY, Area
from zoo.drawing.surface import Stroke, Surface, rim_of

#: The colour of a point, or of the line between two points.
ColourOf = Callable[..., Colour]

_SURE_SCORE = 0.5  # points of a lower score are hollow, their lines fainter
_FAINT = 0.6  # opacity of those lines


class Point(NamedTuple):
    """A keypoint of a result."""

    part: str
    x: float
    y: float
    score: float

    @property
    def position(self) -> XY:
        """Position of the keypoint."""
        return self.x, self.y


def read_points(keypoints: object, size: tuple[int, int], min_score: float) -> dict[str, Point]:
    """Return the points with a sufficient score, in or near the image, by name."""
    if not isinstance(keypoints, (list, tuple)):
        raise ZooError(f"keypoints are {keypoints!r:.80}: they must be a list of dicts")
    points = map(_point, keypoints)
    return {point.part: point for point in points if _visible(point, size, min_score)}


def _point(keypoint: Mapping[str, Any]) -> Point:
    try:
        position = keypoint["position"]
        x, y, score = float(position["x"]), float(position["y"]), float(keypoint["score"])
        return Point(str(keypoint["part"]), x, y, score)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ZooError(
            f"keypoint {keypoint!r:.120} cannot be drawn: it needs 'part', 'score', and "
            "'position' with 'x' and 'y'"
        ) from error


def _visible(point: Point, size: tuple[int, int], min_score: float) -> bool:
    """Return whether a point has a sufficient score, and lies in or near the image.

    A point a little outside is kept for the line that leaves the image towards it.
    NaN compares false.
    """
    width, height = size
    near = -width <= point.x <= 2 * width and -height <= point.y <= 2 * height
    return near and point.score >= min_score


def extent(points: Collection[Point]) -> float:
    """Return the diagonal of the box around the points."""
    area = area_of(points)
    return math.hypot(area.width, area.height)


def area_of(points: Collection[Point]) -> Area:
    """Return the box around the points."""
    xs = [point.x for point in points]
    ys = [point.y for point in points]
    return Area(min(xs), min(ys), max(xs), max(ys))


def line_radius(points: Collection[Point], canvas: Surface) -> float:
    """Return half the width of a line, from the sizes of the body or hand and of the image."""
    smallest, largest = 0.002 * canvas.scale, 0.006 * canvas.scale
    return max(0.9, min(max(0.0065 * extent(points), smallest), largest))


def paint_lines(
    canvas: Surface,
    points: Mapping[str, Point],
    lines: Iterable[tuple[str, str]],
    colour_of: ColourOf,
    radius: float,
) -> None:
    """Paint those lines between points that have both ends."""
    rims: list[Stroke] = []
    tones: list[Stroke] = []
    for start, end in ((points[a], points[b]) for a, b in lines if a in points and b in points):
        ends, thin = [start.position, end.position], _thinned(radius, start, end)
        sure = _sure(start, end)
        if sure:  # an outline would show through a faint line
            rims.append(Stroke(ends, INK, thin + rim_of(thin)))
        colour = colour_of(start.part, end.part)
        tones.append(Stroke(ends, colour, thin, 1.0 if sure else _FAINT))
    canvas.strokes([*rims, *tones])


def paint_points(
    canvas: Surface, points: Mapping[str, Point], colour_of: ColourOf, radius: float
) -> None:
    """Paint a disc for each point, smaller where points are close together, as in a face."""
    strokes: list[Stroke] = []
    for point, gap in zip(points.values(), _gaps(points.values()), strict=True):
        at = [point.position]
        size = max(radius, min(2 * radius, 0.3 * gap))
        rim = rim_of(size / 2)
        strokes.append(Stroke(at, INK, size + rim))
        strokes.append(Stroke(at, colour_of(point.part), size))
        if not _sure(point):
            strokes.append(Stroke(at, INK, size - 2 * rim))
    canvas.strokes(strokes)


def _gaps(points: Collection[Point]) -> list[float]:
    """Return the distance of each point from the nearest other one; infinite for a single one."""
    if len(points) < 2:
        return [math.inf] * len(points)
    xs, ys = np.array([point.position for point in points]).T
    distances = (xs[:, np.newaxis] - xs) ** 2 + (ys[:, np.newaxis] - ys) ** 2
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    return [math.hypot(xs[i] - xs[j], ys[i] - ys[j]) for i, j in enumerate(nearest)]


def _thinned(radius: float, start: Point, end: Point) -> float:
    """Return half the width of a line that is short for its width, as in a face."""
    return max(0.8, min(radius, 0.15 * math.hypot(start.x - end.x, start.y - end.y)))


def _sure(*points: Point) -> bool:
    return all(point.score >= _SURE_SCORE for point in points)

"""Results on a picture: skeletons, points and scores, sized for the picture and the person.

Shapes are painted from their distance fields, which makes edges smooth without enlarging the
picture: the coverage of a pixel is how far it lies inside the shape, clamped to 0..1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from weights_cache.dependencies import needed_for
from weights_cache.errors import ZooError
from zoo.images import read_image
from zoo.pose.keypoints import KEYPOINTS, SKELETON
from zoo.results import refuse_iterator

with needed_for("drawing"):
    from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Place = tuple[float, float]

_INK: Colour = (20, 20, 24)
_PAPER: Colour = (255, 255, 255)
# After Okabe and Ito: told apart by all kinds of colour vision, and light enough for dark text.
_PEOPLE: tuple[Colour, ...] = (
    (86, 180, 233),
    (230, 159, 0),
    (0, 178, 130),
    (228, 130, 182),
    (240, 228, 66),
    (222, 100, 20),
)
_LINES = tuple((KEYPOINTS[a], KEYPOINTS[b]) for a, b in SKELETON)
_HEAD = frozenset(KEYPOINTS[:5])
_SURE_SCORE = 0.5  # points of a lower score are hollow, their lines fainter
_FAINT = 0.6  # opacity of those lines
_BLOCK = 2**18  # pixels painted at once, which bounds the memory of a large shape


class _Point(NamedTuple):
    part: str
    x: float
    y: float
    score: float

    @property
    def place(self) -> Place:
        return self.x, self.y


class _Colours(NamedTuple):
    """The colours of one person."""

    left: Colour
    right: Colour
    middle: Colour

    def of(self, *parts: str) -> Colour:
        """Return the colour of a point, or of the line between two points."""
        for side, colour in (("left", self.left), ("right", self.right)):
            if all(part.startswith(side) for part in parts):
                return colour
        return self.middle


_SIDES = _Colours(left=(64, 170, 255), right=(255, 150, 20), middle=(245, 245, 240))


def draw(image: object, result: object, *, min_score: float = 0.3) -> Image.Image:
    """Return a copy of a picture with a result drawn on it.

    Args:
        image: the picture, in any form that ``zoo.images.read_image`` takes.
        result: a pose, or a list of poses, which may be empty, in pixels of that picture.
            A single pose shows its left, right and middle in three colours, several poses
            have a colour each; the score of each stands above its head.
        min_score: keypoints with a lower score, 0..1, are left out. Those below 0.5 are drawn
            hollow, and their lines fainter.

    Raises:
        ZooError: the result is of a kind that cannot be drawn; names its keys.
        ImageError: the picture cannot be read.

    Example:
        >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 10.0}, "score": 0.9}
        >>> picture = draw(np.zeros((30, 40, 3), np.uint8), {"score": 0.9, "keypoints": [nose]})
        >>> picture.size, picture.getpixel((20, 10))
        ((40, 30), (245, 245, 240))
    """
    if not (isinstance(min_score, Real) and 0 <= min_score <= 1):
        raise ZooError(f"min_score is {min_score!r}: it must be a number in 0..1")
    refuse_iterator(result)
    canvas = Image.fromarray(read_image(image))
    things = result if isinstance(result, (list, tuple)) else [result]
    for index, thing in reversed(list(enumerate(things))):  # the first, the best, on top
        colours = _SIDES if len(things) == 1 else _shades(_PEOPLE[index % len(_PEOPLE)])
        _painter(thing)(canvas, thing, colours, min_score)
    return canvas


def _painter(thing: object) -> Callable[..., None]:
    keys = thing.keys() if isinstance(thing, Mapping) else ()
    for key, painter in _PAINTERS.items():
        if key in keys:
            return painter
    found = f"keys {sorted(map(str, keys))}" if keys else f"{thing!r:.80}"
    raise ZooError(
        f"a result with {found} cannot be drawn: pass dicts with one of {sorted(_PAINTERS)}, "
        "or a list of them"
    )


def _shades(hue: Colour) -> _Colours:
    return _Colours(left=_mix(hue, _PAPER, 0.45), right=_mix(hue, _INK, 0.25), middle=hue)


def _mix(colour: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def _paint_pose(
    canvas: Image.Image, pose: Mapping[str, Any], colours: _Colours, min_score: float
) -> None:
    points = _visible_points(pose["keypoints"], canvas.size, min_score)
    if not points:
        return
    radius = _line_radius(points.values(), canvas.size)
    _paint_lines(canvas, points, colours, radius)
    for point in points.values():
        _paint_point(canvas, point, colours.of(point.part), _point_radius(point, points, radius))
    score = pose.get("score")
    if isinstance(score, Real) and math.isfinite(score):
        _paint_label(canvas, float(score), points, colours.middle, radius)


def _visible_points(
    keypoints: object, size: tuple[int, int], min_score: float
) -> dict[str, _Point]:
    if not isinstance(keypoints, (list, tuple)):
        raise ZooError(f"keypoints are {keypoints!r:.80}: they must be a list of dicts")
    points = map(_point, keypoints)
    return {point.part: point for point in points if _visible(point, size, min_score)}


def _point(keypoint: Mapping[str, Any]) -> _Point:
    try:
        position = keypoint["position"]
        x, y, score = float(position["x"]), float(position["y"]), float(keypoint["score"])
        return _Point(str(keypoint["part"]), x, y, score)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ZooError(
            f"keypoint {keypoint!r:.120} cannot be drawn: it needs 'part', 'score', and "
            "'position' with 'x' and 'y'"
        ) from error


def _visible(point: _Point, size: tuple[int, int], min_score: float) -> bool:
    """Tell whether a point is sure enough, and less than one picture outside the picture.

    A point a little outside is kept for the line that leaves the picture towards it.
    NaN compares false.
    """
    width, height = size
    near = -width <= point.x <= 2 * width and -height <= point.y <= 2 * height
    return near and point.score >= min_score


def _line_radius(points: Collection[_Point], size: tuple[int, int]) -> float:
    """Half the width of a line, from the sizes of the person and of the picture."""
    picture = math.sqrt(size[0] * size[1])
    return max(0.9, min(max(0.0065 * _extent(points), 0.002 * picture), 0.006 * picture))


def _extent(points: Collection[_Point]) -> float:
    """Return the diagonal of the box around the points."""
    xs = [point.x for point in points]
    ys = [point.y for point in points]
    return math.hypot(max(xs) - min(xs), max(ys) - min(ys))


def _point_radius(point: _Point, points: Mapping[str, _Point], radius: float) -> float:
    """Twice the line's, less where points are close together, as in a face."""
    gaps = [_extent((point, other)) for other in points.values() if other is not point]
    return max(radius, min(2 * radius, 0.3 * min(gaps, default=math.inf)))


def _paint_lines(
    canvas: Image.Image, points: Mapping[str, _Point], colours: _Colours, radius: float
) -> None:
    lines = [(points[a], points[b]) for a, b in _LINES if a in points and b in points]
    for start, end in lines:
        if _sure(start, end):  # an outline would show through a faint line
            thin = _thinned(radius, start, end)
            _paint(canvas, _INK, start.place, end.place, thin + _rim(thin))
    for start, end in lines:
        thin = _thinned(radius, start, end)
        opacity = 1.0 if _sure(start, end) else _FAINT
        _paint(canvas, colours.of(start.part, end.part), start.place, end.place, thin, opacity)


def _thinned(radius: float, start: _Point, end: _Point) -> float:
    """Half the width of a line that is short for its width, as in a face."""
    return max(0.8, min(radius, 0.15 * _extent((start, end))))


def _sure(*points: _Point) -> bool:
    return all(point.score >= _SURE_SCORE for point in points)


def _rim(radius: float) -> float:
    return max(0.7, 0.35 * radius)


def _paint_point(canvas: Image.Image, point: _Point, colour: Colour, radius: float) -> None:
    rim = _rim(radius / 2)
    _paint(canvas, _INK, point.place, point.place, radius + rim)
    _paint(canvas, colour, point.place, point.place, radius)
    if not _sure(point):
        _paint(canvas, _INK, point.place, point.place, radius - 2 * rim)


def _paint_label(
    canvas: Image.Image,
    score: float,
    points: Mapping[str, _Point],
    colour: Colour,
    radius: float,
) -> None:
    """Write a score on a pill above the head, if the picture has room for it."""
    text = _text_mask(f"{score:.2f}", max(9.0, 4.5 * radius))
    half_height = 0.85 * text.height
    x, y = _above_head(points, half_height + 2 * radius)
    border = half_height + _rim(radius) + 1
    corner = _moved_inside(x - text.width / 2, y - text.height / 2, text.size, border, canvas.size)
    if corner is None:
        return
    middle = corner[1] + (text.height - 1) / 2
    start, end = (corner[0], middle), (corner[0] + text.width - 1, middle)
    _paint(canvas, _INK, start, end, half_height + _rim(radius))
    _paint(canvas, colour, start, end, half_height)
    canvas.paste(_INK, corner, text)


def _text_mask(text: str, size: float) -> Image.Image:
    """Return the coverage of a line of text, drawn large: small digits would be spaced badly."""
    font = ImageFont.load_default(4 * size)
    box = font.getbbox(text)
    large = Image.new("L", (round(box[2] - box[0]), round(box[3] - box[1])))
    ImageDraw.Draw(large).text((-box[0], -box[1]), text, fill=255, font=font)
    return large.resize((-(-large.width // 4), -(-large.height // 4)), Image.Resampling.BOX)


def _above_head(points: Mapping[str, _Point], gap: float) -> tuple[float, float]:
    """Return a place clear of the head, or of the highest point where no head is seen."""
    highest = min(points.values(), key=lambda point: point.y)
    head = [point for point in points.values() if point.part in _HEAD] or [highest]
    middle = sum(point.x for point in head) / len(head)
    hair = 0.9 * _extent(head)
    return middle, min(point.y for point in head) - hair - gap


def _moved_inside(
    x: float, y: float, inner: tuple[int, int], border: float, outer: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the whole-pixel corner next to (x, y) where a bordered box fits, if any does."""
    right, bottom = (out - size - border for out, size in zip(outer, inner, strict=True))
    if right < border or bottom < border:
        return None
    return round(min(max(x, border), right)), round(min(max(y, border), bottom))


def _paint(
    canvas: Image.Image,
    colour: Colour,
    start: Place,
    end: Place,
    radius: float,
    opacity: float = 1.0,
) -> None:
    """Paint all pixels within ``radius`` of the line from start to end: a disc if they meet."""
    reach = radius + 1
    left, right = _span(start[0], end[0], reach, canvas.width)
    top, bottom = _span(start[1], end[1], reach, canvas.height)
    if left >= right:
        return
    step = max(1, _BLOCK // (right - left))
    for row in range(top, bottom, step):
        rows = np.arange(row, min(row + step, bottom))[:, np.newaxis]
        distance = _distance(np.arange(left, right), rows, start, end)
        cover = np.clip(radius + 0.5 - distance, 0, 1) * (255 * opacity)
        canvas.paste(colour, (left, row), Image.fromarray(np.rint(cover).astype(np.uint8)))


def _span(start: float, end: float, reach: float, size: int) -> tuple[int, int]:
    """Return the range of pixels within reach of start..end, end excluded, cut to 0..size."""
    first = math.floor(min(start, end) - reach)
    last = math.ceil(max(start, end) + reach)
    return max(0, first), min(size, last + 1)


def _distance(x: np.ndarray, y: np.ndarray, start: Place, end: Place) -> np.ndarray:
    """Return the distances [rows, columns] of pixel centres from the line from start to end."""
    x, y = x - start[0], y - start[1]
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy or 1), 0, 1)
    return np.hypot(x - along * dx, y - along * dy)


_PAINTERS: dict[str, Callable[..., None]] = {"keypoints": _paint_pose}

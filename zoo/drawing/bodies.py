"""Poses and hands: skeletons, points and what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.drawing.boxes import score_text
from zoo.drawing.canvas import Canvas, Place
from zoo.drawing.colours import FINGER_COLOURS, PALETTE, SIDES, Colour, Sides, sides_of
from zoo.drawing.points import (
    Point,
    area_of,
    extent,
    line_radius,
    paint_lines,
    paint_points,
    read_points,
)
from zoo.drawing.regions import paint_person
from zoo.shared.skeletons import BODY_17, BODY_33, FINGERS, HAND_21

_HEAD = frozenset(BODY_33.names[:11])
_LINES_17, _LINES_33 = BODY_17.named_lines(), BODY_33.named_lines()


def paint_poses(canvas: Canvas, poses: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint poses, the first, which is the best, on top; a single one in colours of its sides."""
    for index, pose in reversed(list(enumerate(poses))):
        sides = sides_of(index, len(poses))
        if pose.get("segmentation") is not None:
            paint_person(canvas, pose["segmentation"], sides.middle)
        paint_pose(canvas, pose, sides, min_score)


def paint_pose(canvas: Canvas, pose: Mapping[str, Any], sides: Sides, min_score: float) -> None:
    """Paint one skeleton, with its score above the head."""
    points = read_points(pose["keypoints"], canvas.size, min_score)
    if points:
        radius = line_radius(points.values(), canvas)
        lines = _LINES_33 if "left_eye_inner" in points else _LINES_17
        paint_lines(canvas, points, lines, sides.of, radius)
        paint_points(canvas, points, sides.of, radius)
        size = max(9.0, 4.5 * radius)
        _caption_above(canvas, score_text(pose), _above_head(points), sides.middle, size)


def _above_head(points: Mapping[str, Point]) -> Place:
    """Return a place clear of the head, or of the highest point where no head is seen."""
    highest = min(points.values(), key=lambda point: point.y)
    head = [point for point in points.values() if point.part in _HEAD] or [highest]
    middle = sum(point.x for point in head) / len(head)
    return middle, min(point.y for point in head) - 0.9 * extent(head)


def _caption_above(canvas: Canvas, text: str, place: Place, colour: Colour, size: float) -> None:
    if text:
        width, height = canvas.caption_size([text], size)
        x, y = place[0] - width / 2, place[1] - height - 0.4 * size
        canvas.caption([text], [(x, y)], colour, size)


def paint_hands(canvas: Canvas, hands: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint hands with a colour for each finger, and say which hand each is."""
    for hand in reversed(hands):
        points = read_points(hand["keypoints"], canvas.size, min_score)
        if not points:
            continue
        radius = line_radius(points.values(), canvas)
        paint_lines(canvas, points, HAND_21.named_lines(), _finger_colour, radius)
        paint_points(canvas, points, _finger_colour, radius)
        side = str(hand["handedness"])
        colour = {"left": SIDES.left, "right": SIDES.right}.get(side, PALETTE[0])
        area = area_of(points.values())
        above = (area.left + area.width / 2, area.top - radius)
        size = min(canvas.text_size, max(9.0, 0.12 * extent(points.values())))
        _caption_above(canvas, f"{side} {score_text(hand)}".rstrip(), above, colour, size)


def _finger_colour(*parts: str) -> Colour:
    """Return the colour of the finger that all the points belong to; else that of the palm."""
    for finger in FINGERS:
        if all(part.startswith(finger) for part in parts):
            return FINGER_COLOURS[finger]
    return SIDES.middle

"""Poses, hands and people with masks: skeletons, points and captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.drawing.boxes import caption_box, score_text
from zoo.drawing.colours import FINGER_COLOURS, PALETTE, SIDES, Colour, Sides, hue_of, sides_of
from zoo.drawing.keypoints import (
    Point,
    area_of,
    extent,
    line_radius,
    paint_lines,
    paint_points,
    read_points,
)
from zoo.drawing.label_layout import XY, Area
from zoo.drawing.masks import paint_mask, read_mask
from zoo.drawing.surface import Surface
from zoo.shared.keypoints_by_name import skeleton_of
from zoo.shared.skeletons import BODY_17, BODY_33, FINGERS, HAND_21

_HEAD = frozenset(BODY_33.names[:11])
_STRAY = 0.02  # share of the pixels at either end of a mask that may lie on other people


def paint_poses(canvas: Surface, poses: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint poses, the first on top; a single one in colours of its sides."""
    for index, pose in reversed(list(enumerate(poses))):
        sides = sides_of(index, len(poses), pose)
        if pose.get("segmentation") is not None:
            mask = read_mask(pose["segmentation"], canvas.size)
            paint_mask(canvas, mask, sides.middle, 0.5)  # faint, under other items
        paint_pose(canvas, pose, sides, min_score)
    for index, pose in enumerate(poses):
        sides = sides_of(index, len(poses), pose)
        caption_pose(canvas, pose, score_text(pose), sides, min_score)


def paint_pose(canvas: Surface, pose: Mapping[str, Any], sides: Sides, min_score: float) -> None:
    """Paint one skeleton."""
    points = read_points(pose["keypoints"], canvas.size, min_score)
    if points:
        radius = line_radius(points.values(), canvas)
        paint_lines(canvas, points, _lines_of(pose["keypoints"]), sides.of, radius)
        paint_points(canvas, points, sides.of, radius)


def _lines_of(keypoints: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """The lines of a skeleton, by the joints that it has, sure or not; of others those of COCO."""
    skeleton = skeleton_of({str(point["part"]) for point in keypoints})
    return (skeleton or BODY_17).named_lines()


def caption_pose(
    canvas: Surface, pose: Mapping[str, Any], text: str, sides: Sides, min_score: float
) -> bool:
    """Write above the head of a pose; return whether it has points that show where that is."""
    points = read_points(pose["keypoints"], canvas.size, min_score)
    if points:
        head = _head_of(points)
        area = area_of(head)
        canvas.room.kept.append(area)
        above = (area.left + area.right) / 2, area.top - 0.9 * extent(head)
        size = max(9.0, 4.5 * line_radius(points.values(), canvas))
        _caption_above(canvas, text, above, sides.middle, size)
    return bool(points)


def _head_of(points: Mapping[str, Point]) -> list[Point]:
    """Return the points of the head, or the highest point where no head is seen."""
    highest = min(points.values(), key=lambda point: point.y)
    return [point for point in points.values() if point.part in _HEAD] or [highest]


def _caption_above(canvas: Surface, text: str, position: XY, colour: Colour, size: float) -> None:
    x, y = position
    if text:
        canvas.caption([text], lambda w, h: [(x - w / 2, y - h - 0.4 * size)], colour, size)


def paint_instances(canvas: Surface, items: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Colour each person, the first on top, with the pose where it is known."""
    sides = [sides_of(index, max(2, len(items)), item) for index, item in enumerate(items)]
    for item, colours in reversed(list(zip(items, sides, strict=True))):
        paint_mask(canvas, read_mask(item, canvas.size), colours.middle)
    for item, colours in reversed(list(zip(items, sides, strict=True))):
        if item.get("pose"):
            paint_pose(canvas, item["pose"], colours, min_score)
    for item, colours in zip(items, sides, strict=True):
        text, pose = score_text(item), item.get("pose") or {"keypoints": []}
        if not caption_pose(canvas, pose, text, colours, min_score):  # no head is seen
            area = _bulk(np.asarray(item["mask"]) > 0)
            if area and text:
                caption_box(canvas, [text], area, colours.middle)


def _bulk(inside: np.ndarray) -> Area | None:
    """Return the area of all but the outermost pixels of a mask."""
    if not inside.any():
        return None
    left, right = _bulk_range(inside.sum(axis=0))
    top, bottom = _bulk_range(inside.sum(axis=1))
    return Area(left, top, right, bottom)


def _bulk_range(counts: np.ndarray) -> tuple[float, float]:
    """Return the first and last position, less the outermost pixels of either end."""
    share = np.cumsum(counts) / counts.sum()
    first, last = np.searchsorted(share, (_STRAY, 1 - _STRAY))
    return float(first), float(last)


def paint_hands(canvas: Surface, hands: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint hands with a colour for each finger, and a caption with the side."""
    found = [(hand, read_points(hand["keypoints"], canvas.size, min_score)) for hand in hands]
    for _, points in reversed(found):
        if points:
            radius = line_radius(points.values(), canvas)
            paint_lines(canvas, points, HAND_21.named_lines(), _finger_colour, radius)
            paint_points(canvas, points, _finger_colour, radius)
    for hand, points in found:
        if points:
            _caption_hand(canvas, hand, points)


def _caption_hand(canvas: Surface, hand: Mapping[str, Any], points: Mapping[str, Point]) -> None:
    """Write the side of a hand and its score; without a side, the score of the hand."""
    side = hand["handedness"]
    colour = {"left": SIDES.left, "right": SIDES.right}.get(side, PALETTE[0])
    sure = score_text(hand, "handedness_score") if side else score_text(hand)
    area = area_of(points.values())
    above = (area.left + area.width / 2, area.top - line_radius(points.values(), canvas))
    size = min(canvas.text_size, max(9.0, 0.12 * extent(points.values())))
    text = f"{side or 'hand'} {sure}".rstrip()
    _caption_above(canvas, text, above, hue_of(hand) or colour, size)


def _finger_colour(*parts: str) -> Colour:
    """Return the colour of the finger that all the points belong to; else that of the palm."""
    for finger in FINGERS:
        if all(part.startswith(finger) for part in parts):
            return FINGER_COLOURS[finger]
    return SIDES.middle

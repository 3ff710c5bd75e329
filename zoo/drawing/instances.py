"""Several people, each with a mask, a box and a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.drawing.bodies import caption_pose, paint_pose
from zoo.drawing.boxes import caption_box, score_text
from zoo.drawing.canvas import Canvas
from zoo.drawing.colours import Sides, sides_of
from zoo.drawing.label_layout import Area
from zoo.drawing.masks import paint_mask, read_mask

_STRAY = (
    0.02  # share of a mask's pixels at either end that say little about the position of the person
)


def paint_instances(canvas: Canvas, items: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Colour each person, the first on top, with the pose where it is known."""
    sides = [sides_of(index, max(2, len(items))) for index in range(len(items))]
    for item, colours in reversed(list(zip(items, sides, strict=True))):
        paint_mask(canvas, read_mask(item, canvas.size), colours.middle)
    for item, colours in reversed(list(zip(items, sides, strict=True))):
        if item.get("pose"):
            paint_pose(canvas, item["pose"], colours, min_score)
    for item, colours in zip(items, sides, strict=True):
        _caption(canvas, item, colours, min_score)


def _caption(canvas: Canvas, item: Mapping[str, Any], sides: Sides, min_score: float) -> None:
    """Write the score of a person above the head, or else at the bulk of the mask."""
    text = score_text(item)
    pose = item.get("pose") or {"keypoints": []}
    if not caption_pose(canvas, pose, text, sides, min_score):
        area = _bulk(np.asarray(item["mask"]) > 0)
        if area and text:
            caption_box(canvas, [text], area, sides.middle)


def _bulk(inside: np.ndarray) -> Area | None:
    """The area of all but the outermost pixels of a mask, some of which may be on others."""
    if not inside.any():
        return None
    left, right = _range(inside.sum(axis=0))
    top, bottom = _range(inside.sum(axis=1))
    return Area(left, top, right, bottom)


def _range(counts: np.ndarray) -> tuple[float, float]:
    """First and last of the positions, less the outermost pixels of either end."""
    share = np.cumsum(counts) / counts.sum()
    first, last = np.searchsorted(share, (_STRAY, 1 - _STRAY))
    return float(first), float(last)

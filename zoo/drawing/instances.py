"""Several people, each with a mask, a box and a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.drawing.bodies import paint_pose
from zoo.drawing.boxes import caption_box, read_box, score_text
from zoo.drawing.canvas import Area, Canvas
from zoo.drawing.colours import sides_of
from zoo.drawing.regions import EDGE, FILL, read_mask


def paint_instances(canvas: Canvas, things: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Colour each person, the first on top, with the pose where it is known."""
    sides = [sides_of(index, max(2, len(things))) for index in range(len(things))]
    for thing, colours in reversed(list(zip(things, sides, strict=True))):
        inside = read_mask(thing, canvas.size) > 0
        canvas.region(inside, colours.middle, fill=FILL, edge=EDGE * canvas.thin)
    for thing, colours in reversed(list(zip(things, sides, strict=True))):
        if thing.get("pose"):
            unscored = {"keypoints": thing["pose"]["keypoints"]}
            paint_pose(canvas, unscored, colours, min_score)
    for thing, colours in zip(things, sides, strict=True):
        area = _area(thing, canvas.size)
        if area and score_text(thing):
            caption_box(canvas, [score_text(thing)], area, colours.middle)


def _area(thing: Mapping[str, Any], size: tuple[int, int]) -> Area | None:
    """The box of a person, or the one around the mask."""
    if thing.get("box") is not None:
        return read_box(thing, size)
    rows, columns = np.nonzero(thing["mask"])
    if not rows.size:
        return None
    return Area(float(columns.min()), float(rows.min()), float(columns.max()), float(rows.max()))

"""Items with a label and a box: detections, gestures, palms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import Colour, colours_of, hue_of
from zoo.drawing.keypoints import paint_points, read_points
from zoo.drawing.label_layout import XY, Area
from zoo.drawing.surface import Surface


def score_text(item: Mapping[str, Any], key: str = "score") -> str:
    """Return the score in two digits, or "" without a finite score; before it the item's id."""
    score = item.get(key)
    known = isinstance(score, Real) and math.isfinite(score)
    return " ".join([*id_text(item), *([f"{score:.2f}"] if known else [])])


def id_text(item: Mapping[str, Any]) -> list[str]:
    """Return the id of an item that is followed from frame to frame, as a list of one text."""
    return [f"#{item['id']}"] if "id" in item else []


def read_box(item: Mapping[str, Any], size: tuple[int, int]) -> Area | None:
    """Return the box of an item; None where it lies outside the image or is not finite."""
    try:
        left, top, width, height = (float(item["box"][k]) for k in ("x", "y", "width", "height"))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ZooError(
            f"box {item.get('box')!r:.120} cannot be drawn: it needs the numbers 'x', 'y', "
            "'width' and 'height'"
        ) from error
    area = Area(left, top, left + width, top + height)
    inside = area.touches(Area(0, 0, *size))  # NaN compares false
    return area if inside and all(map(math.isfinite, area)) else None


def paint_boxes(canvas: Surface, items: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint boxes with a colour for each label; captions above all boxes, the best first."""
    colours = colours_of(str(item["label"]) for item in items)
    areas = [(item, read_box(item, canvas.size)) for item in items]
    for item, area in reversed(areas):
        if area:
            colour = hue_of(item) or colours[str(item["label"])]
            canvas.box(area, colour, canvas.thin)
            points = read_points(item.get("keypoints", []), canvas.size, min_score)
            paint_points(canvas, points, lambda *_, colour=colour: colour, canvas.thin)
    for item, area in areas:
        if area:
            colour = hue_of(item) or colours[str(item["label"])]
            caption_box(canvas, [_text(item)], area, colour)


def caption_box(
    canvas: Surface, lines: Sequence[str], area: Area, colour: Colour, *, shorten: bool = False
) -> None:
    """Write on a pill at a box, where no other stands: one line above it, several beside it."""
    gap = canvas.thin + 1

    def corners(width: float, height: float) -> list[XY]:
        above = area.left - canvas.thin, area.top - height - gap
        below = above[0], area.bottom + gap
        right, left = (area.right + gap, area.top), (area.left - width - gap, area.top)
        inside = max(area.left, 0.0) + 2 * gap, max(area.top, 0.0) + 2 * gap
        tried = [right, left, above, below] if len(lines) > 1 else [above, below, right]
        room = [(x, y) for x, y in tried if canvas.holds(Area(x, y, x + width, y + height))]
        if area.height > 3 * height and area.width > width:  # else it would hide what is in it
            room.insert(1 if above in room else 0, inside)
        return [*room, *tried]

    canvas.caption(lines, corners, colour, canvas.text_size, own=area, shorten=shorten)


def _text(item: Mapping[str, Any]) -> str:
    side = item.get("handedness")
    return " ".join(filter(None, (str(side or ""), str(item["label"]), score_text(item))))

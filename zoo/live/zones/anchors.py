"""The point of each item of a moment that decides where the item is: its anchor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.results.moments import Moment, followed_items, is_moment
from zoo.results.vocabulary import Box, kind_of
from zoo.shared.keypoints_by_name import keypoint
from zoo.shared.pose_results import SURE
from zoo.shared.skeletons import BODY_17, BODY_33, HAND_21

#: Anchors of boxes: shares of the width and height, from the upper left corner.
_OF_BOXES = {"feet": (0.5, 1.0), "centre": (0.5, 0.5), "head": (0.5, 0.0)}
_OF_POINTS = frozenset({*BODY_17.names, *BODY_33.names, *HAND_21.names})


class Spot(NamedTuple):
    """An item and its anchor, in pixels."""

    id: int | None
    label: str  # of the item, or the name of its kind, such as "pose"
    x: float
    y: float
    size: float  # the side of a square as large as the item's box


def checked_anchor(anchor: str) -> str:
    """Return the name of an anchor: a place in the box, or a keypoint."""
    known = [*_OF_BOXES, *sorted(_OF_POINTS)]
    if anchor not in known:
        hint = did_you_mean(str(anchor), known) or ":"
        raise ZooError(
            f"unknown anchor {anchor!r:.80}{hint} take {', '.join(map(repr, _OF_BOXES))}, or the "
            "name of a keypoint such as 'left_wrist'"
        )
    return anchor


def time_of(moment: Moment) -> float:
    """Return the time of a moment, in seconds."""
    if not is_moment(moment):
        raise ZooError(
            f"update takes a moment of zoo.watch, the whole dict; this is {moment!r:.80}"
        )
    return float(moment["time"])


def spots(moment: Moment, anchor: str) -> Iterator[Spot]:
    """Yield the anchors of the items of a moment, but of those that show no such place."""
    for item in followed_items(moment):
        spot = _spot(item, anchor)
        if spot is not None:
            yield spot


def _spot(item: Any, anchor: str) -> Spot | None:
    box = _box_of(item)
    if box is None:
        return None
    if anchor in _OF_BOXES:
        across, down = _OF_BOXES[anchor]
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
    else:
        point = keypoint(item, anchor, min_score=SURE)
        if point is None:
            return None
        x, y = point["position"]["x"], point["position"]["y"]
    kind = kind_of(item)
    label = str(item.get("label") or (kind.name if kind else ""))
    return Spot(item.get("id"), label, x, y, (box["width"] * box["height"]) ** 0.5)


def _box_of(item: Any) -> Box | None:
    """The box of an item, or the one around its sure points."""
    if item.get("box") is not None:
        box: Box = item["box"]
        return box
    sure = [p["position"] for p in item.get("keypoints", ()) if p["score"] >= SURE]
    if not sure:
        return None
    xs, ys = [at["x"] for at in sure], [at["y"] for at in sure]
    return {"x": min(xs), "y": min(ys), "width": max(xs) - min(xs), "height": max(ys) - min(ys)}

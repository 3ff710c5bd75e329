"""Boxes (x0, y0, x1, y1): their overlap, and suppression of overlapping ones."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zoo.results.vocabulary import Box, Detection


class Found(NamedTuple):
    """Boxes, best first."""

    boxes: np.ndarray  # [n, 4]: x0, y0, x1, y1, in 0..1 of the image, which they may leave
    scores: np.ndarray  # [n], 0..1
    classes: np.ndarray  # [n]: indices


def overlap(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return intersection over union of a box [4] and each of boxes [n, 4]; 0 where both are empty.

    >>> overlap(np.array([0, 0, 2, 2]), np.array([[0, 0, 2, 2], [1, 0, 3, 2]])).round(2)
    array([1.  , 0.33])
    """
    shared = intersection(box, boxes)
    union = np.prod(box[2:] - box[:2]) + np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) - shared
    return np.divide(shared, union, out=np.zeros(len(boxes)), where=union > 0)


def intersection(box: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return the area that a box [4] shares with each of some boxes [n, 4]."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    return np.prod(np.clip(high - low, 0, None), axis=1)


def suppress(
    boxes: np.ndarray, scores: np.ndarray, *, iou_threshold: float, limit: int | None = None
) -> list[int]:
    """Return the indices of the boxes [n, 4] that no better one overlaps much, best first.

    Of two boxes whose intersection over union is above the threshold the worse one goes.

    >>> boxes = np.array([[0, 0, 9, 9], [0, 0, 10, 10], [20, 0, 30, 10]])
    >>> suppress(boxes, np.array([0.5, 0.9, 0.4]), iou_threshold=0.5)
    [1, 2]
    """
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    kept: list[int] = []
    for index in order:
        if limit is not None and len(kept) >= limit:
            break
        if not kept or overlap(boxes[index], boxes[kept]).max() <= iou_threshold:
            kept.append(index)
    return kept


def without_nested(
    boxes: np.ndarray, kinds: Sequence[int] | np.ndarray, order: Sequence[int], ios_threshold: float
) -> list[int]:
    """Return the indices of boxes [n, 4] that do not lie within a better box of the same kind.

    Of two boxes whose intersection is more than ``ios_threshold`` of the smaller box, the later one
    in the order of the indices goes.

    >>> boxes = np.array([[0, 0, 9, 9], [2, 2, 4, 4], [2, 2, 4, 4]])
    >>> without_nested(boxes, [0, 0, 1], [0, 1, 2], ios_threshold=0.9)
    [0, 2]
    """
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    kept: list[int] = []
    for index in order:
        rivals = [other for other in kept if kinds[other] == kinds[index]]
        shared = intersection(boxes[index], boxes[rivals])
        if not (shared > ios_threshold * np.minimum(areas[rivals], areas[index])).any():
            kept.append(index)
    return kept


def box_around(points: np.ndarray) -> np.ndarray:
    """Return the smallest box that holds points [n, 2]."""
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def to_box(box: Sequence[float] | np.ndarray) -> Box:
    """Return a box of a result, from its corners.

    >>> to_box([1, 2, 4, 8])
    {'x': 1.0, 'y': 2.0, 'width': 3.0, 'height': 6.0}
    """
    x0, y0, x1, y1 = (float(n) for n in box)
    return {"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0}


def to_detections(found: Found, names: Sequence[str], image: tuple[int, int]) -> list[Detection]:
    """Return the results of an image of a height and width, where boxes are cut off at its edges.

    Networks also guess how far objects go on beyond the edges.
    """
    height, width = image
    boxes = np.clip(found.boxes, 0, 1) * (width, height, width, height)
    return [
        {"label": names[index], "score": score, "box": to_box(box)}
        for index, score, box in zip(
            found.classes.tolist(), found.scores.tolist(), boxes, strict=True
        )
    ]

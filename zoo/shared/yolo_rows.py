"""Rows of YOLO networks → boxes in pixels of the input.

Source: ``non_max_suppression`` of Ultralytics 8, and that of YOLOv5.
"""

from typing import NamedTuple

import numpy as np

from zoo.shared.boxes import suppress

#: Numbers of a box, and of a row of a network that has already dropped overlapping boxes: the box,
#: its score and its class.
_BOX, _DONE = 4, 6


class Layout(NamedTuple):
    """Numbers of a row behind its box."""

    classes: int
    more: int = 0  # numbers of keypoints or masks, at the end
    generation: int = 8  # 5: the score of an object comes before those of its classes


class Rows(NamedTuple):
    """Objects, overlapping ones included."""

    boxes: np.ndarray  # [n, 4]: x0, y0, x1, y1
    scores: np.ndarray  # [n]
    classes: np.ndarray  # [n]: indices
    more: np.ndarray  # [n, numbers]: of keypoints or masks
    are_done: bool = False  # whether the network dropped overlapping ones

    def at(self, kept: "np.ndarray | list[int]") -> "Rows":
        """Return some of the objects, in the order of their indices."""
        boxes, scores, classes, more = (array[kept] for array in self[:4])
        return Rows(boxes, scores, classes, more, self.are_done)


def rows_of(output: np.ndarray, layout: Layout, score_threshold: float) -> Rows | None:
    """Return the objects in an output that are sure enough; None if it has another form.

    Args:
        output: [numbers, objects], or of YOLOv5 and of networks that drop overlapping boxes
            [objects, numbers].
        layout: of a row.
        score_threshold: minimum score, 0..1.

    >>> output = np.float32([[8], [8], [4], [2], [0.25], [0.75]])
    >>> rows = rows_of(output, Layout(classes=2), 0.5)
    >>> rows.boxes.tolist(), rows.scores.tolist(), rows.classes.tolist()
    ([[6.0, 7.0, 10.0, 9.0]], [0.75], [1])
    """
    if output.ndim != 2:
        return None
    start = _BOX + (layout.generation == 5)
    numbers = start + layout.classes + layout.more
    if layout.generation == 5 and output.shape[1] == numbers:
        return _sure_rows(output, start, layout, score_threshold)
    if layout.generation != 5 and output.shape[0] == numbers:
        return _sure_rows(output.T, start, layout, score_threshold)
    if layout.generation != 5 and output.shape[1] == _DONE + layout.more:
        found = _finite(output[output[:, 4] >= score_threshold])
        classes = np.clip(found[:, 5], 0, layout.classes - 1).astype(np.intp)
        return Rows(found[:, :4], found[:, 4], classes, found[:, _DONE:], are_done=True)
    return None


def _sure_rows(rows: np.ndarray, start: int, layout: Layout, score_threshold: float) -> Rows:
    """Return the objects whose best class is sure enough."""
    of_classes = rows[:, start : start + layout.classes]
    if start > _BOX:
        of_classes = of_classes * rows[:, _BOX:start]
    found = _finite(rows[of_classes.max(axis=1) >= score_threshold])
    of_classes = found[:, start : start + layout.classes]
    if start > _BOX:
        of_classes = of_classes * found[:, _BOX:start]
    middles, halves = found[:, :2], found[:, 2:4] / 2
    return Rows(
        np.concatenate([middles - halves, middles + halves], axis=1),
        of_classes.max(axis=1),
        of_classes.argmax(axis=1),
        found[:, start + layout.classes :],
    )


def _finite(rows: np.ndarray) -> np.ndarray:
    """Return rows without those that hold infinite numbers or none, as of damaged weights."""
    return rows[np.isfinite(rows).all(axis=1)].astype(np.float64)


def best_rows(rows: Rows, iou_threshold: float, limit: int) -> Rows:
    """Return the objects that no better one of their class overlaps much, best first.

    >>> boxes = np.array([[0, 0, 9, 9], [0, 0, 10, 10], [0, 0, 10, 10.0]])
    >>> rows = Rows(boxes, np.array([0.5, 0.9, 0.4]), np.array([0, 0, 1]), np.empty((3, 0)))
    >>> best_rows(rows, 0.5, 10).scores.tolist()
    [0.9, 0.4]
    """
    if rows.are_done or not len(rows.boxes):
        return rows.at(np.argsort(-rows.scores, kind="stable")[:limit])
    # Boxes of different classes are moved apart.
    side = np.ptp(rows.boxes) + 1
    apart = rows.boxes + (rows.classes * side)[:, None]
    return rows.at(suppress(apart, rows.scores, iou_threshold=iou_threshold, limit=limit))

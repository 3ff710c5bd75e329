"""Which rows of two lists of detections belong together; none is matched twice."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

#: Overlap from which two boxes of a class are the same detection.
SAME_BOX = 0.8

#: Outputs of the hand detector.
ANCHORS, SCORES = "Identity", "Identity_4"

Arrays = Mapping[str, np.ndarray]


class Distances(NamedTuple):
    """Of detections to golden ones: the rows without a match, and 99th percentiles in quanta."""

    missing: int
    box: float
    score: float


def one_to_one(nearness: np.ndarray) -> list[int | None]:
    """For each row of a matrix its column: the nearest pairs first, and each column once.

    Args:
        nearness: [rows, columns], larger is nearer; -inf where two do not belong together.
    """
    places: list[int | None] = [None] * len(nearness)
    taken = set()
    for flat in np.argsort(-nearness, axis=None, kind="stable"):
        row, column = (int(i) for i in np.unravel_index(flat, nearness.shape))
        if places[row] is None and column not in taken and np.isfinite(nearness[row, column]):
            places[row] = column
            taken.add(column)
    return places


def places_of(theirs: Arrays, ours: Arrays) -> list[int | None]:
    """Where each golden row is in ours: of those of its anchor one of the nearest score."""
    same = theirs[ANCHORS][0][:, None] == ours[ANCHORS][0]
    away = np.abs(theirs[SCORES][0][:, None] - ours[SCORES][0])
    return one_to_one(np.where(same, -away, -np.inf))


def distances(ours: Arrays, golden: Arrays, quanta: tuple[float, float]) -> Distances:
    """Match the golden detections with ours by class and box.

    Args:
        ours: boxes, classes, scores and their count, under the golden's names.
        golden: the same.
        quanta: of an edge, relative to the side of its box, and of a score.
    """
    boxes, classes, scores, count = golden
    golden, ours = (_without_padding(found, count) for found in (golden, ours))
    n = golden[boxes].shape[1]
    edges, points = [], []
    for row, place in enumerate(one_to_one(_overlaps(golden, ours, boxes, classes))):
        if place is not None:
            box = golden[boxes][0, row]
            edges.append((ours[boxes][0, place] - box) / np.tile(box[2:] - box[:2], 2))
            points.append(ours[scores][0, place] - golden[scores][0, row])
    if not edges:
        return Distances(n, np.inf, np.inf)
    box_quantum, score_quantum = quanta
    return Distances(
        n - len(edges), percentile(edges, box_quantum), percentile(points, score_quantum)
    )


def percentile(distances: ArrayLike, quantum: float = 1) -> float:
    """The 99th percentile of the absolute values, in quanta."""
    return float(np.percentile(np.abs(distances), 99)) / quantum


def _without_padding(found: Arrays, count: str) -> Arrays:
    """The detections that are counted."""
    (n,) = found[count].astype(int)
    return {key: array[:, :n] for key, array in found.items() if key != count}


def _overlaps(golden: Arrays, ours: Arrays, boxes: str, classes: str) -> np.ndarray:
    """Of each golden box with each of ours; -inf where they are not the same detection."""
    found = np.array([[overlap(a, b) for b in ours[boxes][0]] for a in golden[boxes][0]])
    same = golden[classes][0][:, None] == ours[classes][0]
    return np.where(same & (found >= SAME_BOX), found, -np.inf)


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union of two boxes (top, left, bottom, right)."""
    shared = np.prod(np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None))
    return float(shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared))

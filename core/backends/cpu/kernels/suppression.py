"""Non-maximum suppression kernels. Overlaps are measured in float64."""

from heapq import heapify, heappop, heappush
from math import exp
from typing import Any

import numpy as np

from core.engine.registry import kernel

BLOCK = 256


def measured(boxes: np.ndarray) -> np.ndarray:
    """Return a column for each box: top, left, bottom, right, area."""
    y1, x1, y2, x2 = boxes.astype(np.float64).T
    top, left = np.minimum(y1, y2), np.minimum(x1, x2)
    bottom, right = np.maximum(y1, y2), np.maximum(x1, x2)
    return np.stack([top, left, bottom, right, (bottom - top) * (right - left)])


def overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the intersection over union of a box with others; 0 for a box without area."""
    height = np.minimum(box[2], others[2]) - np.maximum(box[0], others[0])
    width = np.minimum(box[3], others[3]) - np.maximum(box[1], others[1])
    shared = np.maximum(height, 0) * np.maximum(width, 0)
    part = shared / (box[4] + others[4] - shared)
    return np.where((others[4] <= 0) | (box[4] <= 0), 0, part)


def ranked(scores: np.ndarray, threshold: float) -> np.ndarray:
    """Return the indices of scores above a threshold, best first, equal ones in their order."""
    above = np.flatnonzero(scores.astype(np.float64) > threshold)  # float32's 0.1 is above 0.1
    return above[np.argsort(-scores[above], kind="stable")]


def keep_best(boxes: np.ndarray, order: np.ndarray, count: int, iou_threshold: float) -> list[int]:
    """Repeatedly select the best box and drop the boxes that overlap it.

    Boxes are processed in blocks, as those with low scores are often not needed.
    """
    kept: list[int] = []
    for start in range(0, len(order), BLOCK):
        block = order[start : start + BLOCK]
        parts = overlaps(boxes[:, np.array(kept, int), None], boxes[:, None, block])
        block = block[(parts < iou_threshold).all(axis=0)]
        columns = boxes[:, block]
        while len(block):
            if len(kept) == count:
                return kept
            kept.append(int(block[0]))
            apart = overlaps(columns[:, 0], columns[:, 1:]) < iou_threshold
            block, columns = block[1:][apart], columns[:, 1:][:, apart]
    return kept


def keep_soft(
    boxes: np.ndarray,
    scores: np.ndarray,
    count: int,
    iou_threshold: float,
    score_threshold: float,
    sigma: float,
) -> tuple[list[int], list[float]]:
    """Lower the score of the best candidate for each kept box that it overlaps.

    A candidate with a lowered score returns to the queue, and is compared only with newer boxes.
    """
    scale = -0.5 / sigma if sigma else 0.0
    candidates = [(-float(scores[i]), int(i), 0) for i in ranked(scores, score_threshold)]
    heapify(candidates)
    kept: list[int] = []
    kept_scores: list[float] = []
    while len(kept) < count and candidates:
        negative, index, begin = heappop(candidates)
        parts = overlaps(boxes[:, index], boxes[:, kept[begin:][::-1]])
        if np.any(parts >= iou_threshold):
            continue
        score = -negative
        for part in parts.tolist():
            score *= exp(scale * part * part) if part <= iou_threshold else 0.0
        if score == -negative:
            kept.append(index)
            kept_scores.append(score)
        elif score > score_threshold:
            heappush(candidates, (-score, index, len(kept)))
    return kept, kept_scores


@kernel("non_max_suppression", "cpu")
def non_max_suppression(boxes: np.ndarray, scores: np.ndarray, **limits: Any) -> np.ndarray:
    """Return the indices."""
    return non_max_suppression_with_score(boxes, scores, soft_nms_sigma=0.0, **limits)[0]


@kernel("non_max_suppression_padded", "cpu")
def non_max_suppression_padded(
    boxes: np.ndarray, scores: np.ndarray, pad_to_max_output_size: bool, **limits: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices, padded with zeros, and their number."""
    kept = non_max_suppression(boxes, scores, **limits)
    length = limits["max_output_size"] if pad_to_max_output_size else len(kept)
    padded = np.zeros(length, np.int32)
    padded[: len(kept)] = kept
    return padded, np.array(len(kept), np.int32)


@kernel("non_max_suppression_with_score", "cpu")
def non_max_suppression_with_score(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_size: int,
    iou_threshold: float,
    score_threshold: float,
    soft_nms_sigma: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and scores; without soft NMS by `keep_best`, unless boxes are infinite."""
    columns = measured(boxes)
    if soft_nms_sigma == 0 and np.isfinite(boxes).all():
        order = ranked(scores, score_threshold)
        kept = np.array(keep_best(columns, order, max_output_size, iou_threshold), np.int32)
        return kept, scores[kept]
    soft, lowered = keep_soft(
        columns, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    return np.array(soft, np.int32), np.array(lowered, np.float32)

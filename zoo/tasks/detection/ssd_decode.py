"""A single-shot detector's heads → boxes, relative to the image.

Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016), with the encoding of TensorFlow
Lite's op TFLite_Detection_PostProcess, whose results this reproduces with the op's own thresholds.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from zoo.shared.boxes import Found, suppress, without_nested


class Heads(NamedTuple):
    """Outputs of the network for one image."""

    codes: np.ndarray  # [anchors, 4]: y, x, height, width, relative to the anchor and scaled
    scores: np.ndarray  # [anchors, classes], 0..1
    anchors: np.ndarray  # [anchors, 4]: y, x of the centre, height, width, in 0..1
    scales: tuple[float, float, float, float]  # of the codes


def decode_detections(
    heads: Heads,
    *,
    score_threshold: float,
    iou_threshold: float,
    limit: int,
    ios_threshold: float = 1.0,
    classes: Collection[int] | None = None,
) -> Found:
    """Return the boxes whose score is high enough, one for each object.

    An anchor counts with its best class alone, and boxes compete whatever their class is, as in
    the op: what could be a cat or a dog is found once. Classes that nobody asked for compete, too,
    so that asking for some classes gives those of all that belong to them. Of boxes of one label
    that lie in each other, which their overlap does not show, the op keeps all.

    Args:
        heads: of one image.
        score_threshold: minimum score, 0..1.
        iou_threshold: of two boxes that overlap more, the worse goes.
        limit: at most so many.
        ios_threshold: of two boxes of one label whose intersection, within the image, is more than
            this share of the smaller one, the worse goes; 1 keeps both.
        classes: leave out all others.
    """
    best = heads.scores.argmax(axis=1)
    sure = np.nonzero(heads.scores.max(axis=1) >= score_threshold)[0]
    found = Found(_boxes(heads, sure), heads.scores[sure, best[sure]], best[sure])
    best_of_all = suppress(found.boxes, found.scores, iou_threshold=iou_threshold)
    inside = np.clip(found.boxes, 0, 1)
    kept = np.array(without_nested(inside, found.classes, best_of_all, ios_threshold), int)
    if classes is not None:
        kept = kept[np.isin(found.classes[kept], list(classes))]
    return Found(*(array[kept[:limit]] for array in found))


def _boxes(heads: Heads, sure: np.ndarray) -> np.ndarray:
    """Corners [n, 4] of the boxes of some anchors."""
    y, x, height, width = (heads.codes[sure, :4].astype(np.float64) / heads.scales).T
    anchor_y, anchor_x, anchor_height, anchor_width = heads.anchors[sure].astype(np.float64).T
    middle_x, middle_y = x * anchor_width + anchor_x, y * anchor_height + anchor_y
    right, down = np.exp(width) * anchor_width / 2, np.exp(height) * anchor_height / 2
    corners = (middle_x - right, middle_y - down, middle_x + right, middle_y + down)
    return np.stack(corners, axis=1)

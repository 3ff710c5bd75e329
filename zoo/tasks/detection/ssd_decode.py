"""A single-shot detector's heads → boxes, relative to the image.

Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016), with the encoding of TensorFlow
Lite's op TFLite_Detection_PostProcess, whose results this reproduces with the op's own thresholds.
"""

from typing import NamedTuple

import numpy as np

from zoo.shared.boxes import Found


class Heads(NamedTuple):
    """Outputs of the network for one image."""

    codes: np.ndarray  # [anchors, 4]: y, x, height, width, relative to the anchor and scaled
    scores: np.ndarray  # [anchors, classes], 0..1
    anchors: np.ndarray  # [anchors, 4]: y, x of the centre, height, width, in 0..1
    scales: tuple[float, float, float, float]  # of the codes


def candidates(heads: Heads, score_threshold: float) -> Found:
    """Return the boxes whose score is high enough, by the best class of each anchor alone."""
    best = heads.scores.argmax(axis=1)
    sure = np.nonzero(heads.scores.max(axis=1) >= score_threshold)[0]
    return Found(_boxes(heads, sure), heads.scores[sure, best[sure]], best[sure])


def _boxes(heads: Heads, sure: np.ndarray) -> np.ndarray:
    """Corners [n, 4] of the boxes of some anchors."""
    y, x, height, width = (heads.codes[sure, :4].astype(np.float64) / heads.scales).T
    anchor_y, anchor_x, anchor_height, anchor_width = heads.anchors[sure].astype(np.float64).T
    middle_x, middle_y = x * anchor_width + anchor_x, y * anchor_height + anchor_y
    right, down = np.exp(width) * anchor_width / 2, np.exp(height) * anchor_height / 2
    corners = (middle_x - right, middle_y - down, middle_x + right, middle_y + down)
    return np.stack(corners, axis=1)

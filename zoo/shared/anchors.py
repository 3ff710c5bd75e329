"""Detectors that give a score and the offset of a box for each anchor of a grid.

Source: MediaPipe's SsdAnchorsCalculator and TensorsToDetectionsCalculator with fixed anchor sizes,
as BlazeFace, the palm and the pose detectors use them.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement

#: Default options of most detectors with anchors.
DETECTOR_DEFAULTS = {"score_threshold": 0.5, "iou_threshold": 0.3, "max_detections": 20}


class AnchorGrid(NamedTuple):
    """Meaning of a detector's outputs.

    Several outputs stand for the rows of one, in their order. A row of the regressors is x, y,
    width, height of the box and x, y of each keypoint, in pixels of the input, relative to the
    centre of its anchor.
    """

    regressors: tuple[str, ...]  # outputs [1, anchors, 4 + 2 * keypoints]
    scores: tuple[str, ...]  # outputs [1, anchors, 1], logits
    keypoints: int
    strides: tuple[int, ...]  # of the layers; neighbours of one stride are one layer
    size: int  # the input's side
    per_cell: int = 2  # anchors of each layer in a cell


class Candidates(NamedTuple):
    """Boxes that a detector is sure enough of, in pixels."""

    scores: np.ndarray  # [n], 0..1
    boxes: np.ndarray  # [n, 4]: x0, y0, x1, y1
    points: np.ndarray  # [n, keypoints, 2]

    def at(self, indices: Sequence[int]) -> "Candidates":
        """Return the candidates at some indices."""
        chosen = list(indices)
        return Candidates(self.scores[chosen], self.boxes[chosen], self.points[chosen])

    def in_image(self, placement: Placement) -> "Candidates":
        """Return the candidates in pixels of the image, which is upright or upside down."""
        corners = np.sort(placement.points_to_image(self.boxes.reshape(-1, 2, 2)), axis=1)
        points = placement.points_to_image(self.points)
        return self._replace(boxes=corners.reshape(-1, 4), points=points)


@lru_cache(maxsize=16)
def anchor_centres(strides: tuple[int, ...], size: int, per_cell: int = 2) -> np.ndarray:
    """Return the centres of all anchors, [anchors, 2] in pixels of the input; read-only use.

    >>> anchor_centres((8, 16, 16, 16), 128).shape
    (896, 2)
    """
    layers: list[tuple[int, int]] = []  # stride, anchors in a cell
    for stride in strides:
        if layers and layers[-1][0] == stride:
            layers[-1] = stride, layers[-1][1] + per_cell
        else:
            layers.append((stride, per_cell))
    return np.concatenate([_layer(stride, size, count) for stride, count in layers])


def _layer(stride: int, size: int, count: int) -> np.ndarray:
    cells = -(-size // stride)
    middles = (np.arange(cells) + 0.5) * (size / cells)
    y, x = np.meshgrid(middles, middles, indexing="ij")
    return np.repeat(np.stack([x, y], axis=-1).reshape(-1, 2), count, axis=0)


def find_candidates(
    outputs: Mapping[str, np.ndarray], grid: AnchorGrid, *, score_threshold: float
) -> Candidates:
    """Return the candidates that a detector finds in the first image of a batch.

    Candidates are in the order of the anchors, in pixels of the network's input; no box is empty.
    """
    logits = np.concatenate([outputs[name][0, :, 0] for name in grid.scores]).astype(np.float64)
    scores = sigmoid(logits)
    rows = np.concatenate([outputs[name][0] for name in grid.regressors]).astype(np.float64)
    # In noise a box may have a negative width, which has no pixels to cut out.
    sure = np.nonzero((scores >= score_threshold) & (rows[:, 2:4] > 0).all(axis=1))[0]
    rows = rows[sure]
    centres = anchor_centres(grid.strides, grid.size, grid.per_cell)[sure]
    middles, half = rows[:, :2] + centres, rows[:, 2:4] / 2
    points = rows[:, 4 : 4 + 2 * grid.keypoints].reshape(len(rows), grid.keypoints, 2)
    boxes = np.concatenate([middles - half, middles + half], axis=1)
    return Candidates(scores[sure], boxes, points + centres[:, None])


def candidates_for(wanted: int) -> int:
    """Return the number of candidates for a second network, which may rank them in another order.

    >>> candidates_for(1), candidates_for(5)
    (16, 20)
    """
    return max(4 * wanted, 16)

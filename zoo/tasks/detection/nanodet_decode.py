"""NanoDet's outputs → boxes, in pixels of the input.

Source: Li et al., "Generalized Focal Loss" (2020), as RangiLyu's NanoDet has it: each cell of a
grid gives a distribution of the distance to each edge of the box, whose mean counts.
"""

from typing import NamedTuple

import numpy as np

from zoo.shared.boxes import Found


class Level(NamedTuple):
    """Outputs of one grid of cells: their names, or their values for one image."""

    stride: int  # pixels of the input from cell to cell, and the unit of distances
    scores: np.ndarray  # [cells, classes], 0..1
    edges: np.ndarray  # [cells, 4 * distances]: logits of left, top, right, bottom


def decode_level(level: Level, score_threshold: float, width: int) -> Found:
    """Return the boxes of the cells whose score is high enough, by the best class of each.

    Args:
        level: of one image.
        score_threshold: minimum score, 0..1.
        width: of the input, in pixels.
    """
    best = level.scores.argmax(axis=1)
    sure = np.nonzero(level.scores.max(axis=1) >= score_threshold)[0]
    rows, columns = np.divmod(sure, width // level.stride)
    middles = (np.stack([columns, rows], axis=1) + 0.5) * level.stride
    away = mean_distances(level.edges[sure]) * level.stride
    boxes = np.concatenate([middles - away[:, :2], middles + away[:, 2:]], axis=1)
    return Found(boxes, level.scores[sure, best[sure]], best[sure])


def mean_distances(logits: np.ndarray) -> np.ndarray:
    """Return the mean distance to each edge, [n, 4], from logits [n, 4 * distances].

    >>> mean_distances(np.log([[1, 1, 3, 1, 1, 3, 1e-9, 1]]) + 5).round(2).tolist()
    [[0.5, 0.25, 0.75, 1.0]]
    """
    by_edge = logits.reshape(len(logits), 4, logits.shape[1] // 4).astype(np.float64)
    shares = np.exp(by_edge - by_edge.max(axis=2, keepdims=True))
    mean: np.ndarray = shares @ np.arange(shares.shape[2]) / shares.sum(axis=2)
    return mean

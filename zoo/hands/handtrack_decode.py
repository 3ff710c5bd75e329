"""Handtrack's boxes and scores → objects, in pixels of the image.

Source: handtrack.js 0.1.2 (``detect``): the best label of each box, then one suppression of all
labels together, so that a hand is not open and closed at once.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zoo.shared.boxes import suppress


@dataclass(frozen=True)
class HandtrackNodes:
    """Meaning of Handtrack's nodes."""

    boxes: str  # node [1, n, 1, 4]: y0, x0, y1, x1 in 0..1 of the image
    scores: str  # node [1, n, labels], 0..1
    labels: tuple[str, ...]
    hands: frozenset[str]  # the labels that are of hands


class HandtrackObjects(NamedTuple):
    """Objects that Handtrack finds, best first."""

    labels: tuple[str, ...]
    scores: np.ndarray  # [n], 0..1
    boxes: np.ndarray  # [n, 4]: x0, y0, x1, y1 in 0..1 of the image, or in pixels

    def in_image(self, image: tuple[int, int]) -> "HandtrackObjects":
        """Return the boxes in pixels of an image of that height and width, cut off at its edges."""
        height, width = image
        inside = np.clip(self.boxes, 0, 1)
        return self._replace(boxes=inside * (width, height, width, height))

    def only(self, labels: Set[str]) -> "HandtrackObjects":
        """Return the objects of some labels."""
        kept = [i for i, label in enumerate(self.labels) if label in labels]
        return HandtrackObjects(
            tuple(self.labels[i] for i in kept), self.scores[kept], self.boxes[kept]
        )


def find_objects(
    outputs: Mapping[str, np.ndarray],
    nodes: HandtrackNodes,
    *,
    score_threshold: float,
    iou_threshold: float,
) -> HandtrackObjects:
    """Hands, faces and tips of fingers in an image.

    Args:
        outputs: values of the nodes, by name.
        nodes: what they mean.
        score_threshold: minimum score, 0..1.
        iou_threshold: of two boxes that overlap more, the worse goes.
    """
    of_labels = outputs[nodes.scores][0]
    sure = np.nonzero(of_labels.max(axis=1) >= score_threshold)[0]
    scores, y_first = of_labels[sure], outputs[nodes.boxes].reshape(-1, 4)[sure]
    boxes = y_first[:, [1, 0, 3, 2]].astype(np.float64)
    kept = suppress(boxes, scores.max(axis=1), iou_threshold=iou_threshold)
    labels = tuple(nodes.labels[i] for i in scores[kept].argmax(axis=1))
    return HandtrackObjects(labels, scores[kept].max(axis=1), boxes[kept])

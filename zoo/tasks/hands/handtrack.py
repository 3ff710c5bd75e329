"""Handtrack: boxes of open, closed, pinching and pointing hands, without their fingers.

Source: handtrack.js 0.1.2 (``detect``): the best label of each box, then one suppression of all
labels together, so that a hand is not open and closed at once.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from zoo.catalog.entry import Entry
from zoo.catalog.labels import wanted_labels
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Detection, Hand
from zoo.shared.boxes import Found, suppress, to_detections
from zoo.shared.placement import Placement
from zoo.tasks.hands.entries import HandtrackNodes


class HandtrackModel(Model):
    """A loaded Handtrack."""

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Return the names of the objects that the network detects."""
        nodes: HandtrackNodes = entry.decode
        return nodes.labels

    @property
    def nodes(self) -> HandtrackNodes:
        """Nodes of boxes and scores, and their meaning."""
        nodes: HandtrackNodes = self.entry.decode
        return nodes

    @model_verb
    def estimate_hands(
        self,
        image: ImageSource,
        *,
        max_hands: int = 2,
        score_threshold: float = OWN,
        iou_threshold: float = OWN,
        mirror: bool = False,
    ) -> list[Hand]:
        """Return the boxes and gestures of hands in an image; see `zoo.estimate_hands`."""
        decode = partial(
            self._hands,
            wanted=self.nodes.hands,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            limit=max_hands,
        )
        return self.run(image, decode, mirror=mirror)

    @model_verb
    def detect(
        self,
        image: ImageSource,
        *,
        labels: Iterable[str] | None = None,
        score_threshold: float = OWN,
        iou_threshold: float = OWN,
        max_detections: int = OWN,
        mirror: bool = False,
    ) -> list[Detection]:
        """Detect hands by gesture, faces, and fingertips that point or pinch; see `zoo.detect`."""
        decode = partial(
            self._objects,
            wanted=wanted_labels(self.name, labels, self.labels),
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            limit=max_detections,
        )
        return self.run(image, decode, mirror=mirror)

    def _objects(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        wanted: frozenset[str],
        limit: int,
        **thresholds: float,
    ) -> list[Detection]:
        """Return the wanted objects in an image, by the thresholds of `find_objects`."""
        found = find_objects(outputs, self.nodes, **thresholds)
        objects = to_detections(found, self.labels, image.shape[:2])
        return [each for each in objects if each["label"] in wanted][:limit]

    def _hands(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, **options: Any
    ) -> list[Hand]:
        """Return the hands in an image, by the options of `_objects`."""
        return [
            {"score": x["score"], "keypoints": [], "box": x["box"], "label": x["label"]}
            for x in self._objects(image, outputs, placement, **options)
        ]

    @property
    def output_names(self) -> list[str]:
        """Nodes of all boxes and scores: the suppression by label in the network does not run."""
        return [self.nodes.boxes, self.nodes.scores]


def find_objects(
    outputs: Mapping[str, np.ndarray],
    nodes: HandtrackNodes,
    *,
    score_threshold: float,
    iou_threshold: float,
) -> Found:
    """Return the hands, faces and tips of fingers in an image, from the values of the nodes."""
    of_labels = outputs[nodes.scores][0]
    sure = np.nonzero(of_labels.max(axis=1) >= score_threshold)[0]
    scores, y_first = of_labels[sure], outputs[nodes.boxes].reshape(-1, 4)[sure]
    boxes = y_first[:, [1, 0, 3, 2]].astype(np.float64)
    kept = suppress(boxes, scores.max(axis=1), iou_threshold=iou_threshold)
    return Found(boxes[kept], scores[kept].max(axis=1), scores[kept].argmax(axis=1))

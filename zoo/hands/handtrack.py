"""Handtrack: boxes of open, closed, pinching and pointing hands, without their fingers."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from zoo.entry import Entry
from zoo.hands.handtrack_decode import HandtrackNodes, find_objects
from zoo.labels import wanted_labels
from zoo.option import OWN
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Detection, Hand
from zoo.shared.boxes import to_box


class HandtrackModel(Model):
    """A loaded Handtrack."""

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Names of the objects that the network detects."""
        nodes: HandtrackNodes = entry.decode
        return nodes.labels

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the objects that the network detects."""
        return self.labels_of(self.entry)

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
        find = self._finder(self.nodes.hands, score_threshold, iou_threshold, max_hands)

        def estimate(image: np.ndarray) -> list[Hand]:
            return [
                {"score": x["score"], "keypoints": [], "box": x["box"], "label": x["label"]}
                for x in find(image)
            ]

        return self.run(image, estimate, mirror=mirror)

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
        wanted = wanted_labels(self.name, labels, self.labels)
        find = self._finder(wanted, score_threshold, iou_threshold, max_detections)
        return self.run(image, find, mirror=mirror)

    def _finder(
        self, wanted: frozenset[str], score_threshold: float, iou_threshold: float, limit: int
    ) -> Callable[[np.ndarray], list[Detection]]:
        """Return the function that finds objects in an image."""
        decode = partial(
            find_objects,
            nodes=self.nodes,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
        )

        def find(image: np.ndarray) -> list[Detection]:
            outputs, _ = self.run_on_image(image)
            things = decode(outputs)
            named = things.in_image(image.shape[:2]).only(wanted)
            found: list[Detection] = [
                {"label": label, "score": float(score), "box": to_box(box)}
                for label, score, box in zip(*named, strict=True)
            ]
            return found[:limit]

        return find

    @property
    def output_names(self) -> list[str]:
        """All boxes and scores: the network's own suppression, label by label, does not run."""
        return [self.nodes.boxes, self.nodes.scores]

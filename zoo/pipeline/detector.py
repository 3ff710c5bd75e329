"""Networks that detect faces, palms or people by anchors: parts of other models."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from zoo.catalog.entry import Entry
from zoo.catalog.labels import wanted_labels
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Detection
from zoo.shared.anchors import AnchorGrid, Candidates, find_candidates
from zoo.shared.boxes import suppress, to_box
from zoo.shared.placement import Placement
from zoo.shared.skeletons import to_keypoints


class BoxDetector(Model):
    """A model that finds boxes, of which the ``decode`` of the entry is an `AnchorGrid`.

    Tasks add verbs; a class whose ``decode`` is something else has a method of its own.
    """

    def find(
        self,
        image: np.ndarray,
        *,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        limit: int | None = None,
        size: tuple[int, int] | None = None,
    ) -> Candidates:
        """Return the objects found in an image.

        Args:
            image: uint8 [height, width, 3].
            score_threshold: minimum score, 0..1; by default the entry's.
            iou_threshold: of two boxes that overlap more, the worse goes; by default the entry's.
            limit: at most so many.
            size: height and width that the image is brought to, by default the model's.

        Returns:
            In pixels of the image, best first.
        """
        defaults = self.entry.defaults
        least = defaults["score_threshold"] if score_threshold is None else score_threshold
        most = defaults["iou_threshold"] if iou_threshold is None else iou_threshold
        found, placement = self.candidates(image, least, size)
        kept = suppress(found.boxes, found.scores, iou_threshold=most, limit=limit)
        return found.at(kept).in_image(placement)

    def candidates(
        self, image: np.ndarray, score_threshold: float, size: tuple[int, int] | None = None
    ) -> tuple[Candidates, Placement]:
        """Return the objects in an image, overlapping ones included, and where their pixels lie."""
        outputs, placement = self.run_on_image(image, size)
        return self.decode(outputs, score_threshold=score_threshold), placement

    @property
    def grid(self) -> AnchorGrid:
        """Meaning of the outputs."""
        grid: AnchorGrid = self.entry.decode
        return grid

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the objects in the outputs, in pixels of the input, overlapping ones included."""
        return find_candidates(outputs, self.grid, score_threshold=score_threshold)


class PointDetector(BoxDetector):
    """A `BoxDetector` of one kind of object, perhaps with named points, and the verb `detect`."""

    label: str
    point_names: tuple[str, ...] = ()

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Name of the one kind of object that the network detects."""
        return (cls.label,)

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
        """Return the objects in an image; see `zoo.detect`.

        Where the network finds named points, each object has ``"keypoints"``, too, with the
        object's score: the network scores no points.
        Thresholds and the number are by default the entry's.
        """
        detect = partial(
            self._detect,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            limit=max_detections,
        )
        wanted_labels(self.name, labels, self.labels)  # the one, or an error
        return self.run_each(image, detect, mirror=mirror)

    def boxes_of(self, found: Candidates) -> np.ndarray:
        """Return the boxes that results have, [n, 4]."""
        return found.boxes

    def _detect(self, image: np.ndarray, **options: Any) -> list[Detection]:
        """Return the objects in an image, by the options of `find`."""
        found = self.find(image, **options)
        rows = zip(found.scores.tolist(), self.boxes_of(found), found.points, strict=True)
        return [self._detection(*row) for row in rows]

    def _detection(self, score: float, box: np.ndarray, points: np.ndarray) -> Detection:
        detection: Detection = {"label": self.label, "score": score, "box": to_box(box)}
        if self.point_names:
            detection["keypoints"] = to_keypoints(self.point_names, points, score)
        return detection

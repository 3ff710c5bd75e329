"""Networks that find objects of many classes: what they have in common."""

from abc import abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from zoo.catalog.entry import Entry
from zoo.catalog.labels import read_labels, wanted_labels
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Detection
from zoo.shared.boxes import Found, to_detections
from zoo.shared.placement import Placement
from zoo.tasks.detection.competition import best_of

#: Placeholder in lists of labels: a number without a class.
_NO_CLASS = "???"


class ObjectModel(Model):
    """A loaded detector of objects of many classes."""

    @abstractmethod
    def candidates(
        self, outputs: Outputs, placement: Placement, size: tuple[int, int], score_threshold: float
    ) -> Found:
        """Return the boxes of one image that are sure enough, overlapping ones included.

        Args:
            outputs: of the network.
            placement: where the image lies in the input.
            size: height and width of the image.
            score_threshold: minimum score, 0..1.

        Returns:
            Relative to the image; classes are indices in the entry's list of labels.
        """

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Return the names of the objects that the network detects."""
        return tuple(name for name in read_labels(entry.labels) if name != _NO_CLASS)

    @model_verb
    def detect(
        self,
        image: ImageSource,
        *,
        labels: Iterable[str] | None = None,
        score_threshold: float = OWN,
        iou_threshold: float = OWN,
        ios_threshold: float = OWN,
        max_detections: int = OWN,
        mirror: bool = False,
    ) -> list[Detection]:
        """Return the objects in an image; see `zoo.detect`."""
        wanted = wanted_labels(self.name, labels, self.labels)
        names = read_labels(self.entry.labels)
        decode = partial(
            self._decode,
            score_threshold=score_threshold,
            classes={index for index, name in enumerate(names) if name in wanted},
            iou_threshold=iou_threshold,
            ios_threshold=ios_threshold,
            limit=max_detections,
        )
        return self.run(image, decode, mirror=mirror)

    def _decode(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        score_threshold: float,
        **options: Any,
    ) -> list[Detection]:
        """Return the objects in an image, by the options of `best_of`."""
        size = image.shape[:2]
        found = best_of(self.candidates(outputs, placement, size, score_threshold), **options)
        return to_detections(found, read_labels(self.entry.labels), size)

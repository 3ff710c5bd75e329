"""YOLO networks from files that find objects with masks.

Source: ``process_mask`` of Ultralytics 8: the mask of an object is a mix of maps that all objects
share, within its box. Here it is cut off at the box in pixels of the image, not of the maps.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.option import OWN
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.pipeline.yolo import YoloModel, boxes_in_image
from zoo.results.vocabulary import Instance, Segmentation
from zoo.shared.boxes import to_box
from zoo.shared.logistic import log_odds
from zoo.shared.placement import Placement
from zoo.tasks.segmentation.upsampling import Enlargement, reaching

_BACKGROUND, _PERSON = "background", "person"

#: Labels of a mask of uint8, beside the background.
_MOST_LABELS = 255


class _Object(NamedTuple):
    """An object in pixels of the image."""

    label: int
    score: float
    box: np.ndarray  # x0, y0, x1, y1, within the image
    mask: np.ndarray  # uint8 [height, width]
    likely: np.ndarray  # float32 [height, width], if it was asked for


class YoloMaskModel(YoloModel):
    """A YOLO network that finds objects with masks; `detect` gives their boxes."""

    place = "segmentation", "yolo:YoloMaskModel"

    @model_verb
    def segment(
        self, image: ImageSource, *, probability: bool = False, mirror: bool = False
    ) -> Segmentation:
        """Return the class of each pixel, of objects that overlap that of the surest one.

        The labels are ``"background"`` and those of the network; see `zoo.segment`.
        """
        if len(self.labels) > _MOST_LABELS:
            raise ZooError(
                f"{self.name} has {len(self.labels)} labels, and masks hold {_MOST_LABELS}: detect "
                f"gives the objects without masks"
            )
        return self.run(image, partial(self._classes, probability=probability), mirror=mirror)

    @model_verb
    def segment_persons(
        self,
        image: ImageSource,
        *,
        max_persons: int = 10,
        score_threshold: float = OWN,
        threshold: float = 0.5,
        mirror: bool = False,
    ) -> list[Instance]:
        """Return the mask of each person; see `zoo.segment_persons`."""
        if _PERSON not in self.labels:
            raise ZooError(f"{self.name} has no label {_PERSON!r}: segment gives its classes")
        decode = partial(
            self._persons, score_threshold=score_threshold, threshold=threshold, limit=max_persons
        )
        return self.run(image, decode, mirror=mirror)

    def numbers_of(self, outputs: Outputs) -> int:
        """Return how many maps there are."""
        return len(self._maps(outputs))

    def _maps(self, outputs: Outputs) -> np.ndarray:
        """Return the maps [maps, rows, columns] of which masks are mixed."""
        found = next((output[0] for output in outputs.values() if output.ndim == 4), None)
        if found is None:
            raise ZooError(f"{self.name} gives no maps of masks: predict gives what it computes")
        return found

    def _objects(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        classes: Sequence[int],
        score_threshold: float,
        limit: int,
        threshold: float = 0.5,
        share: str = "",
    ) -> Iterator[_Object]:
        """Yield the objects in an image, best first."""
        overlap = self.entry.defaults["iou_threshold"]
        rows = self.found(outputs, classes, score_threshold, overlap, limit)
        maps, size = self._maps(outputs), image.shape[:2]
        enlargement = _enlargement(size, placement, self.size_for(image)[1] / maps.shape[2])
        boxes = np.clip(boxes_in_image(rows, placement), 0, size[::-1] * 2)
        for i, box in enumerate(boxes):
            field = np.tensordot(rows.more[i].astype(np.float32), maps, 1)
            mask, likely = reaching(field, enlargement, log_odds(threshold), share)
            for array in (mask, likely) if share else (mask,):
                _cut(array, box)
            yield _Object(int(rows.classes[i]), float(rows.scores[i]), box, mask, likely)

    def _classes(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, *, probability: bool
    ) -> Segmentation:
        """Return the label of each pixel, and how likely it is."""
        mask = np.zeros(image.shape[:2], np.uint8)
        likely = np.zeros(image.shape[:2] if probability else 0, np.float32)
        share = "logistic" if probability else ""
        defaults = self.entry.defaults
        for found in self._objects(
            image,
            outputs,
            placement,
            classes=range(len(self.labels)),
            score_threshold=defaults["score_threshold"],
            limit=int(defaults["max_detections"]),
            share=share,
        ):
            is_new = (mask == 0) & (found.mask == 1)
            mask[is_new] = found.label + 1
            if probability:
                free = is_new | (mask == 0)
                likely[free] = np.maximum(likely, found.likely)[free]
        result: Segmentation = {"mask": mask, "labels": [_BACKGROUND, *self.labels]}
        if probability:  # of the background: that no object is there
            result["probability"] = np.where(mask == 0, 1 - likely, likely)
        return result

    def _persons(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, **options: Any
    ) -> list[Instance]:
        """Return the people in an image, by the options of `_objects`."""
        classes = [i for i, label in enumerate(self.labels) if label == _PERSON]
        return [
            {"score": found.score, "mask": found.mask, "box": to_box(found.box)}
            for found in self._objects(image, outputs, placement, classes=classes, **options)
        ]


def _enlargement(size: tuple[int, int], placement: Placement, stride: float) -> Enlargement:
    """Return the map from pixels of an image to cells, squares of some pixels of the input."""
    left, right = ((x - placement.c) / placement.a / stride for x in (0, size[1]))
    top, bottom = ((y - placement.f) / placement.e / stride for y in (0, size[0]))
    return Enlargement((left, top, right, bottom), size)


def _cut(array: np.ndarray, box: np.ndarray) -> None:
    """Set what lies outside of a box to 0."""
    left, top, right, bottom = np.rint(box).astype(int)
    array[:top] = array[bottom:] = 0
    array[:, :left] = array[:, right:] = 0

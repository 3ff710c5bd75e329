"""YOLO networks from files: what those for boxes, poses and masks have in common.

Source: Ultralytics 8, whose files say their labels, task and size; see `metadata_of`.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from core import GraphModel, PartialSpec
from core.converter.ultralytics import YoloFacts
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Entry, Preprocess
from zoo.catalog.labels import wanted_labels
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Detection
from zoo.shared.boxes import Found, to_detections
from zoo.shared.placement import Placement
from zoo.shared.yolo_rows import Layout, Rows, best_rows, rows_of

#: The grey of the borders.
_GREY = 114

#: Thresholds by the generation of the network.
_OVERLAPS = {5: 0.45, 8: 0.7}
_SCORE, _MOST = 0.25, 300


class YoloModel(Model):
    """A network from a file, which finds boxes; the base of those of each task.

    Args:
        name: path or URL of the file.
        network: the network, of which the metadata are `YoloFacts`.
        recipe: call that loads the model, for pickles.
    """

    #: The task, and the class of the model in its folder.
    place: ClassVar[tuple[str, str]]

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        #: The metadata of the file.
        self.facts: YoloFacts = network.graph.metadata
        (spec,) = network.inputs.values()
        self._begin(_entry_of(name, spec, self.facts, self.place), {}, network, recipe)
        self._keeps_aspect = (
            self.facts.is_dynamic
            and spec.shape is not None
            and None
            in (spec.shape[2:] if self.entry.preprocess.axes == "nchw" else spec.shape[1:3])
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.facts.labels

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

        Of two boxes of one label that overlap more than ``iou_threshold`` the worse one is dropped,
        unless the network has done that itself.
        """
        wanted = wanted_labels(self.name, labels, self.labels)
        decode = partial(
            self._detections,
            classes=[i for i, label in enumerate(self.labels) if label in wanted],
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            limit=max_detections,
        )
        return self.run(image, decode, mirror=mirror)

    def _detections(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        classes: Sequence[int],
        score_threshold: float,
        iou_threshold: float,
        limit: int,
    ) -> list[Detection]:
        rows = self.found(outputs, classes, score_threshold, iou_threshold, limit)
        size = image.shape[:2]
        boxes = boxes_in_image(rows, placement) / (size[::-1] * 2)
        return to_detections(Found(boxes, rows.scores, rows.classes), self.labels, size)

    def found(
        self,
        outputs: Outputs,
        classes: Sequence[int],
        score_threshold: float,
        iou_threshold: float,
        limit: int,
    ) -> Rows:
        """Return the objects of some classes, best first, in pixels of the input.

        Raises:
            ZooError: the outputs are not as the metadata of the file say.
        """
        output = next((o[0] for o in outputs.values() if o.ndim == 3), None)
        layout = Layout(len(self.labels), self.numbers_of(outputs), self.facts.generation)
        rows = None if output is None else rows_of(output, layout, score_threshold)
        if rows is None:
            raise ZooError(
                f"{self.name} gives {shown_specs(self.outputs.values())}, which are no boxes of a "
                f"YOLO network with the {len(self.labels)} labels of its metadata: predict gives "
                f"what it computes"
            )
        return best_rows(rows.at(np.isin(rows.classes, classes)), iou_threshold, limit)

    def numbers_of(self, outputs: Outputs) -> int:
        """Return how many numbers a row has behind the scores of its classes."""
        return 0

    def _prepared(
        self, images: Sequence[np.ndarray], size: tuple[int, int]
    ) -> tuple[np.ndarray, list[Placement]]:
        # Of one image, as models of files take them one by one.
        return super()._prepared(images, self.size_for(images[0]))

    def size_for(self, image: np.ndarray) -> tuple[int, int]:
        """Return height and width of the input for an image."""
        if not self._keeps_aspect:
            return self.input_size
        return _least_size(image.shape[:2], self.input_size, self.facts.stride)


def _entry_of(name: str, spec: PartialSpec, facts: YoloFacts, place: tuple[str, str]) -> Entry:
    """Return the facts of a model in the form of those of pretrained ones.

    Raises:
        ZooError: the network takes no images.
    """
    shape = spec.shape or (None,) * 4
    if len(shape) != 4:
        raise ZooError(f"{name} takes {shown_specs([spec])}, not images, as its metadata say")
    is_last = shape[3] == 3 and shape[1] != 3
    sides = shape[1:3] if is_last else shape[2:]
    size = sides[0] or facts.size[0], sides[1] or facts.size[1]
    task, model = place
    return Entry(
        name=name,
        task=task,
        model=model,
        weights="",
        preprocess=Preprocess(
            size=size,
            divide=255.0,
            resize="opencv",
            level=_GREY,
            axes="nhwc" if is_last else "nchw",
        ),
        output="",
        title="",
        defaults={
            "score_threshold": _SCORE,
            "iou_threshold": _OVERLAPS[facts.generation],
            "max_detections": _MOST,
        },
    )


def boxes_in_image(rows: Rows, placement: Placement) -> np.ndarray:
    """Return boxes [n, 4] in pixels of the image, which they may leave."""
    return placement.points_to_image(rows.boxes.reshape(-1, 2, 2)).reshape(-1, 4)


def _least_size(image: tuple[int, int], size: tuple[int, int], stride: int) -> tuple[int, int]:
    """Return the size of the input that holds an image with the least border.

    >>> _least_size((600, 1200), (640, 640), 32)
    (320, 640)
    """
    scale = min(size[0] / image[0], size[1] / image[1])
    height, width = round(image[0] * scale), round(image[1] * scale)
    return height + (size[0] - height) % stride, width + (size[1] - width) % stride

"""Single-shot detectors of objects, from TensorFlow Lite's files."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from core import Node
from weights_cache.common.errors import WeightsError
from zoo.catalog.entry import Entry
from zoo.catalog.labels import read_labels, wanted_labels
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Detection
from zoo.shared.boxes import to_detections
from zoo.shared.placement import Placement
from zoo.tasks.detection.ssd_decode import Heads, decode_detections

#: The op at the end of such files. It keeps 10 boxes at thresholds of its own, so that its inputs
#: are decoded instead.
_LAST_OP = "TFLite_Detection_PostProcess"

#: Placeholder in lists of labels: a number without a class.
_NO_CLASS = "???"


class SsdModel(Model):
    """A loaded detector."""

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
            classes={index for index, name in enumerate(names) if name in wanted},
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            ios_threshold=ios_threshold,
            limit=max_detections,
        )
        return self.run(image, decode, mirror=mirror)

    def _decode(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, **options: Any
    ) -> list[Detection]:
        """Return the objects in an image, by the options of `decode_detections`."""
        found = decode_detections(self._heads(outputs), **options)
        return to_detections(found, read_labels(self.entry.labels), image.shape[:2])

    @property
    def output_names(self) -> list[str]:
        """Inputs of the op at the end: codes of boxes, and scores."""
        return list(self._last_op().inputs[:2])

    def _heads(self, outputs: Outputs) -> Heads:
        node = self._last_op()
        codes, scores, anchors = node.inputs[:3]
        return Heads(
            codes=outputs[codes][0],
            # Where there is a background it comes first.
            scores=outputs[scores][0, :, -node.attributes["num_classes"] :],
            anchors=self.network.graph.weights[anchors],
            scales=tuple(node.attributes[f"{axis}_scale"] for axis in "yxhw"),
        )

    def _last_op(self) -> Node:
        for node in self.network.graph.nodes:
            if node.type == _LAST_OP:
                return node
        raise WeightsError(f"the weights given to {self.name} are of a network without {_LAST_OP}")

"""Single-shot detectors of objects, from TensorFlow Lite's files."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weights_cache.common.errors import WeightsError
from zoo.pipeline.model import Outputs
from zoo.shared.boxes import Found
from zoo.shared.placement import Placement
from zoo.tasks.detection.object_model import ObjectModel
from zoo.tasks.detection.ssd_decode import Heads, candidates

if TYPE_CHECKING:  # stored calls need no graph
    from core import Graph

#: The op at the end of such files. It keeps 10 boxes at thresholds of its own, so that its inputs
#: are decoded instead.
_LAST_OP = "TFLite_Detection_PostProcess"


class LastOp(NamedTuple):
    """Facts that the op at the end states.

    Attributes:
        codes: name of the input with the codes of boxes.
        scores: name of the input with their scores.
        classes: how many there are; where there is a background it comes first.
        scales: of the codes: y, x, height, width.
        anchors: [anchors, 4]; see `Heads`.
    """

    codes: str
    scores: str
    classes: int
    scales: tuple[float, float, float, float]
    anchors: np.ndarray


class SsdModel(ObjectModel):
    """A loaded detector."""

    def candidates(
        self, outputs: Outputs, placement: Placement, size: tuple[int, int], score_threshold: float
    ) -> Found:
        """Return the boxes of one image, which fills the input."""
        return candidates(self._heads(outputs), score_threshold)

    @property
    def output_names(self) -> list[str]:
        """Inputs of the op at the end: codes of boxes, and scores."""
        return [self._last_op.codes, self._last_op.scores]

    def _heads(self, outputs: Outputs) -> Heads:
        last = self._last_op
        scores = outputs[last.scores][0, :, -last.classes :]
        return Heads(outputs[last.codes][0], scores, last.anchors, last.scales)

    @cached_property
    def _last_op(self) -> LastOp:
        found = self._network_fact(find_last_op)
        if found is None:
            raise WeightsError(
                f"the weights given to {self.name} are of a network without {_LAST_OP}"
            )
        codes, scores, classes, scales, anchors = found
        return LastOp(codes, scores, classes, tuple(scales), np.array(anchors, np.float32))


def find_last_op(graph: "Graph") -> list[Any] | None:
    """Return the members of `LastOp` for JSON; None if the graph has no such op."""
    for node in graph.nodes:
        if node.type == _LAST_OP:
            codes, scores, anchors = node.inputs[:3]
            scales = [node.attributes[f"{axis}_scale"] for axis in "yxhw"]
            classes = node.attributes["num_classes"]
            return [codes, scores, classes, scales, graph.weights[anchors].tolist()]
    return None

"""Single-shot detectors of objects, from TensorFlow Lite's files."""

from core import Node
from weights_cache.common.errors import WeightsError
from zoo.pipeline.model import Outputs
from zoo.shared.boxes import Found
from zoo.shared.placement import Placement
from zoo.tasks.detection.object_model import ObjectModel
from zoo.tasks.detection.ssd_decode import Heads, candidates

#: The op at the end of such files. It keeps 10 boxes at thresholds of its own, so that its inputs
#: are decoded instead.
_LAST_OP = "TFLite_Detection_PostProcess"


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

"""Classifiers of images from files."""

from typing import Any

import numpy as np

from core import Graph, Node, Tensor
from core.graph.nodes import node_of
from weights_cache.common.errors import ZooError
from zoo.catalog.labels import best_labels
from zoo.images.lists import for_each_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Label

#: Node types that the layers of a classifier's head become: dense ones, or one convolution.
_DENSE_TYPES = frozenset({"MatMul", "_FusedMatMul", "ONNX:Gemm", "ONNX:MatMul"})
_CONVOLUTION_TYPES = frozenset(
    {
        *("Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "FusedDepthwiseConv2dNative"),
        "ONNX:Conv",
    }
)

#: Nodes of ONNX that are the last layer of classifiers without a softmax.
_LINEAR = frozenset({"ONNX:Gemm", "ONNX:MatMul", "ONNX:Add"})


class FileClassifier(LoadedModel):
    """A classifier of images from a file: the base of those that say how images become inputs."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        raise NotImplementedError

    @model_verb
    def classify(self, image: ImageSource, *, top_k: int = 3, mirror: bool = False) -> list[Label]:
        """Return the best classes of an image; see `zoo.classify`.

        Raises:
            ZooError: the model takes no images or does not say how, or the image cannot be read.
        """
        self._check_images("classify")

        def classify_one(image: Any) -> list[Label]:
            return best_labels(self._scores(self._prepared(image, mirror)), self.labels, top_k)

        return for_each_image(image, classify_one)

    @model_verb
    def infer(self, image: ImageSource, *, embedding: bool = False) -> Tensor:
        """Return features of an image, such as to train on them.

        Args:
            image: see `classify`.
            embedding: the features that the layers of the classes start from, instead of scores:
                the input of the last dense layers, or of the last convolution without dense layers.

        Returns:
            float32 [1, ...]; for a list of images a list of such tensors.

        Raises:
            ZooError: as of `classify`, or the network has no such layers.
        """
        self._check_images("infer")
        wanted = self._embedding() if embedding else next(iter(self.outputs))

        def infer_one(image: Any) -> Tensor:
            return self.execute(self._prepared(image), [wanted])[wanted]

        return for_each_image(image, infer_one, list)

    @property
    def features(self) -> str | None:
        """Name of the input of the dense layers or the convolution that lead to the scores."""
        graph = self.network.graph
        nodes = {node.name: node for node in graph.nodes}
        (output,) = graph.outputs.values()
        at, found = output.node, None
        while (source := _only_source(nodes.get(node_of(at)), graph)) is not None:
            kind = nodes[node_of(at)].type
            if kind in _CONVOLUTION_TYPES:
                return found or source
            if kind in _DENSE_TYPES:
                found = source
            at = source
        return found

    def _embedding(self) -> str:
        found = self.features
        if found is None:
            raise ZooError(
                f"{self.name} has no embedding, as neither a dense layer nor a convolution leads "
                f"straight to its scores: execute gives any node of network.graph.nodes"
            )
        return found

    def network_input(self, image: Any) -> Any:
        """Return the network's input for an image."""
        return image if image is None else self._prepared(image)

    def _prepared(self, image: Any, mirror: bool = False) -> np.ndarray:
        """Return the network's input for an image, flipped first if it is a mirror image."""
        raise NotImplementedError

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        """Return a score for each class.

        Raises:
            ZooError: the network gives no row of scores.
        """
        (found,) = self.predict(prepared).values()
        row = self._row(found)
        if row.shape != (len(self.labels),):
            raise ZooError(
                f"{self.name} gives an output of the shape {found.shape} for an image, and not "
                f"{len(self.labels)} scores: predict gives it"
            )
        return row

    def _row(self, found: Tensor) -> np.ndarray:
        """Return the row of scores that a network gave for one image."""
        return found.numpy()[0]

    def _check_images(self, verb: str) -> None:
        """Raise unless the model takes images and is open."""
        raise NotImplementedError


def _only_source(node: Node | None, graph: Graph) -> str | None:
    """Return the one input that is no weight; None at the start, and where branches meet."""
    if node is None:
        return None
    sources = [name for name in node.inputs if node_of(name) not in graph.weights]
    return sources[0] if len(sources) == 1 else None


def ends_linear(graph: Graph) -> bool:
    """Whether a node of ONNX that gives any number computes the only output."""
    ends = [node_of(end.node) for end in graph.outputs.values()]
    types = {node.name: node.type for node in graph.nodes}
    return len(ends) == 1 and types.get(ends[0]) in _LINEAR

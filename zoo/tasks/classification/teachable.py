"""Classifiers that were made with Teachable Machine."""

from typing import Any

import numpy as np

from core import Graph, GraphModel, Node, Tensor
from core.converter.teachable import Bundle
from core.graph.nodes import node_of
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from zoo.catalog.labels import best_labels
from zoo.images.lists import for_each_image
from zoo.images.reading import read_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Label

#: Node types that the layers of a classifier's head become: dense ones, or one convolution.
_DENSE_TYPES = frozenset({"MatMul", "_FusedMatMul"})
_CONVOLUTION_TYPES = frozenset(
    {"Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "FusedDepthwiseConv2dNative"}
)

#: Shares of red, green and blue in grey.
_GREY = np.array([0.2989, 0.5870, 0.1140], np.float32)


class TeachableModel(LoadedModel):
    """A model that was made with Teachable Machine; `labels` are those of its classes."""

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        super().__init__(name, network, recipe)
        #: Facts of the export beside the network.
        self.bundle: Bundle = network.graph.metadata

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        return self.bundle.labels

    @model_verb
    def classify(self, image: ImageSource, *, top_k: int = 3, mirror: bool = False) -> list[Label]:
        """Return the best classes of an image; see `zoo.classify`.

        Raises:
            ZooError: the model is for sounds or poses, or the image cannot be read.
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
            ZooError: the model is for sounds or poses, the image cannot be read, or the network
                has no such layers.
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
        (spec,) = self.inputs.values()
        assert spec.shape is not None  # the reader of bundles made sure
        pixels, size = read_image(image), self.bundle.image_size
        return prepare_square(pixels, size, spec.shape[-1] or 3, mirror=mirror)

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        """Return a score for each class."""
        (found,) = self.predict(prepared).values()
        return found.numpy()[0]

    def _check_images(self, verb: str) -> None:
        """Raise unless the model takes images and is open."""
        if self.inputs and self.bundle.kind != "image":
            raise ZooError(
                f"{self.name} is Teachable Machine's model for {self.bundle.kind}, not for "
                f"images: {verb} cannot feed it, predict takes what its network needs"
            )


def _only_source(node: Node | None, graph: Graph) -> str | None:
    """Return the one input that is no weight; None at the start, and where branches meet."""
    if node is None:
        return None
    sources = [name for name in node.inputs if node_of(name) not in graph.weights]
    return sources[0] if len(sources) == 1 else None


def prepare_square(
    image: np.ndarray, size: int, channels: int = 3, *, mirror: bool = False
) -> np.ndarray:
    """Resize an image so that its shorter side fits, cut off the rest, and scale to -1..1.

    The image is uint8 [height, width, 3], flipped first if it is a mirror image; the result is
    float32 [1, size, size, channels] with 3 channels, or 1 for grey: pixels as ``p / 127 - 1``.

    Source: ``cropTo`` and ``capture`` of @teachablemachine/image; Pillow's bilinear filter stands
    for that of the browser's canvas.
    """
    pixels = center_square(image[:, ::-1] if mirror else image, size).astype(np.float32)
    if channels == 1:
        pixels = pixels @ _GREY[:, None]
    return pixels[None] / np.float32(127) - np.float32(1)


def center_square(image: np.ndarray, size: int) -> np.ndarray:
    """Return the square in the middle of an image, resized: uint8 [size, size, 3]."""
    with needed_for("resizing images"):
        from PIL import Image

    height, width = image.shape[:2]
    short = min(height, width)
    # What the whole image would be resized to, and where the square would be in that.
    wide, high = -(-width * size // short), -(-height * size // short)
    left, top = (wide - size) // 2, (high - size) // 2
    across, down = width / wide, height / high
    # Rounding may leave the image.
    right, bottom = min((left + size) * across, width), min((top + size) * down, height)
    box = (left * across, top * down, right, bottom)
    whole = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(whole.resize((size, size), Image.Resampling.BILINEAR, box))

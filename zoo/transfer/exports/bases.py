"""Networks to export: a base up to its features and a head behind it, or the head alone."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zoo.catalog.entries import find_entry, model_class
from zoo.catalog.entry import Entry
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.pipeline.options import checked
from zoo.pipeline.preprocess import prepare
from zoo.transfer.features.blocks import flat_embedding
from zoo.transfer.heads import Head

if TYPE_CHECKING:
    from core import Graph
    from core import Model as Layers


class PixelRange(NamedTuple):
    """The range in which a network takes a pixel p: ``p / divisor - offset``."""

    divisor: float
    offset: float

    @property
    def text(self) -> str:
        """The range as part of a sentence."""
        less = f" - {self.offset:g}" if self.offset else ""
        low, high = 0 - self.offset, 255 / self.divisor - self.offset
        return f"pixels p as p / {self.divisor:g}{less} ({low:g} to {high:.5g})"

    def of(self, pixels: np.ndarray) -> np.ndarray:
        """Return pixels in the range, float32."""
        found: np.ndarray = pixels.astype(np.float32) / np.float32(self.divisor)
        return found - np.float32(self.offset)


#: The ranges of Teachable Machine: of its library for pages, and of the program that it shows
#: beside its exports for Keras.
TEACHABLE_RANGE, KERAS_RANGE = PixelRange(127.0, 1.0), PixelRange(127.5, 1.0)
#: The range of classifiers of Ultralytics, whose metadata ONNX files get.
UNIT_RANGE = PixelRange(255.0, 0.0)

SEED = 24  # of the values on which an export is compared with what it was made of


class Affine(NamedTuple):
    """A conversion of the values of an image: ``value * scale + offset``, for each channel."""

    scale: np.ndarray  # float32 [3]
    offset: np.ndarray

    @classmethod
    def of(cls, scale: np.ndarray | float, offset: np.ndarray | float) -> "Affine":
        """Return the conversion with numbers, or with one number for each of three channels."""
        three = np.zeros(3)
        return cls(np.float32(three + scale), np.float32(three + offset))

    @property
    def is_identity(self) -> bool:
        """Whether values stay as they are."""
        return bool((self.scale == 1).all() and (self.offset == 0).all())


class ExportedNetwork(NamedTuple):
    """A network to write, and its expected outputs.

    Attributes:
        network: layers, or a graph.
        takes: what the network takes, as part of a sentence.
        sample: values for its input.
        expected: what the head gives for them, float32 [1, outputs].
        size: height and width of the images that it takes; None: it takes features.
        fit: how the whole images were fitted into that size, as `zoo.catalog.entry.Preprocess` has
            it.
        rounds: whether values between layers are rounded to quantised ones. Then a sum that is in
            another order, and rounded to the neighbour, has effects on all values that follow.
    """

    network: "Layers | Graph"
    takes: str
    sample: np.ndarray
    expected: np.ndarray
    size: tuple[int, int] | None = None
    fit: str = ""
    rounds: bool = False


class Base:
    """The network that the features come from, up to its features.

    Args:
        model: a model of the zoo, or a copy of one with other weights, by whose name its
            preprocessing is found.
        node: name of the node with the features.

    Raises:
        ZooError: no model of the zoo has that name.
    """

    def __init__(self, model: LoadedModel, node: str):
        self.entry, self.node, self.graph = find_entry(model.name), node, model.network.graph
        self.size = _size_of(model, self.entry)
        self.pixels = np.random.default_rng(SEED).integers(0, 256, (*self.size, 3), np.uint8)
        values = prepare(self.pixels, self.entry.preprocess, self.size)[0]
        embedding = np.asarray(model.execute(values, [node])[node])
        #: Rank of the embedding, with the batch.
        self.rank = embedding.ndim
        #: Features of the pixels, [1, size].
        self.features = flat_embedding(embedding)

    def affine(self, range: PixelRange) -> Affine:
        """Return the conversion from a range to that of the network."""
        how = self.entry.preprocess
        divide, subtract = np.array(how.divide, np.float64), np.array(how.subtract, np.float64)
        scale = range.divisor / divide
        return Affine.of(scale, range.offset * scale - subtract)


def _size_of(model: LoadedModel, entry: Entry) -> tuple[int, int]:
    if isinstance(model, Model):
        return model.input_size
    options = checked(entry.name, entry.options, {})
    size: tuple[int, int] = model_class(entry).input_size_of(entry, options)
    return size


def of_images(
    network: "Layers | Graph", base: Base, head: Head, range: PixelRange
) -> ExportedNetwork:
    """Return a network that takes images, with what it has to give for the pixels of the base.

    Args:
        network: the network.
        base: what the features come from.
        head: what comes behind it.
        range: in which the network takes pixels.
    """
    height, width = base.size
    takes = f"images, float32 [n, {height}, {width}, 3], RGB, with {range.text}"
    expected = head.predict(base.features)
    fit = base.entry.preprocess.fit
    return ExportedNetwork(network, takes, range.of(base.pixels[None]), expected, base.size, fit)


def of_features(network: "Layers | Graph", head: Head) -> ExportedNetwork:
    """Return a head alone, which takes features, with what it has to give for some."""
    size = len(head.kernel)
    sample = np.random.default_rng(SEED).normal(size=(1, size)).astype(np.float32)
    takes = f"{size} features of each image, float32 [n, {size}], and no images"
    return ExportedNetwork(network, takes, sample, head.predict(sample))

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

#: Divisors of Teachable Machine: its library for pages scales a pixel p to ``p / 127 - 1``, the
#: program that it shows beside its exports for Keras to ``p / 127.5 - 1``.
TEACHABLE_DIVISOR, KERAS_DIVISOR = 127.0, 127.5

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

    def affine(self, divisor: float) -> Affine:
        """Return the conversion to the range of the network.

        Args:
            divisor: the values to convert are pixels p as ``p / divisor - 1``.
        """
        how = self.entry.preprocess
        divide, subtract = np.array(how.divide, np.float64), np.array(how.subtract, np.float64)
        return Affine.of(divisor / divide, divisor / divide - subtract)


def _size_of(model: LoadedModel, entry: Entry) -> tuple[int, int]:
    if isinstance(model, Model):
        return model.input_size
    options = checked(entry.name, entry.options, {})
    size: tuple[int, int] = model_class(entry).input_size_of(entry, options)
    return size


def of_images(network: "Layers | Graph", base: Base, head: Head, divisor: float) -> ExportedNetwork:
    """Return a network that takes images, with what it has to give for the pixels of the base.

    Args:
        network: the network.
        base: what the features come from.
        head: what comes behind it.
        divisor: see `Base.affine`.
    """
    height, width = base.size
    sample = base.pixels[None].astype(np.float32) / np.float32(divisor) - np.float32(1)
    takes = (
        f"images, float32 [n, {height}, {width}, 3], RGB, with pixels p as p / {divisor:g} - 1 "
        f"(-1 to {255 / divisor - 1:.5g})"
    )
    expected = head.predict(base.features)
    fit = base.entry.preprocess.fit
    return ExportedNetwork(network, takes, sample, expected, base.size, fit)

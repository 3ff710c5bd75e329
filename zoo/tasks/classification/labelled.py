"""Classifiers of images from files of any format, with labels from the file or the caller."""

from typing import Any

import numpy as np

from core import GraphModel, PartialSpec
from core.converter.class_labels import (
    PAGE_PIXELS,
    TEACHABLE,
    Bundle,
    ClassLabels,
    Pixels,
    is_image_shape,
)
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Preprocess
from zoo.images.reading import read_image
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.preprocess import prepare
from zoo.tasks.classification.file_classifier import GREY, FileClassifier

#: Dtypes of quantised inputs whose 256 values are those of pixels.
_PIXEL_TYPES = ("uint8", "int8")

#: Tolerance of scores outside of 0..1, by rounding.
_ROUNDING = 1e-3


class LabelledModel(FileClassifier):
    """A network from a file with labels of its classes, which takes images.

    An integer input, such as that of a quantised network, gets pixels as they are.

    Args:
        name: path or URL of the file.
        network: the network.
        recipe: call that loads the model, for pickles.
        task: what the caller says of it, if anything.

    Raises:
        ZooError: what the caller says does not fit the network.
    """

    def __init__(
        self,
        name: str,
        network: GraphModel,
        recipe: LoadCall | None = None,
        task: FileTask | None = None,
    ):
        super().__init__(name, network, recipe)
        endpoints = list(network.graph.inputs.values())
        quantization = endpoints[0].quantization if len(endpoints) == 1 else None
        integers = "" if quantization is None else quantization.dtype
        self._settle(network.graph.metadata, integers, task)

    def _settle(self, said: object, integers: str, task: FileTask | None) -> None:
        """Decide on labels and preparation.

        Args:
            said: what the file says.
            integers: dtype of a quantised input.
            task: what the caller says.
        """
        file = _class_labels(said)
        self._integers = integers if integers in _PIXEL_TYPES else ""
        self._pixels = file.pixels
        self._is_snippet = file.origin == TEACHABLE
        self._labels, self._fit = file.labels, "crop"
        if task is not None:
            self._apply(task)

    def _apply(self, task: FileTask) -> None:
        """Let what the caller says take precedence."""
        classes = self._check_classifier()
        self._labels = self._labels if task.labels is None else task.labels
        if len(self._labels) != classes:
            given = f"{len(self._labels)} labels" if self._labels else "no labels"
            raise ZooError(
                f"the network of {self.name} gives {classes} classes, and there are {given}: give "
                f"labels=[..] with {classes} of them, or the path of a file with one in each line"
            )
        if task.range is not None:
            self._pixels = self._given_pixels(task.range)
            self._integers = ""
        if task.resize is not None:
            self._fit, self._is_snippet = task.resize, False

    def _check_classifier(self) -> int:
        """Return the number of classes; raise unless the network classifies images."""
        inputs, outputs = list(self.inputs.values()), list(self.outputs.values())
        if len(inputs) != 1 or not is_image_shape(inputs[0].shape):
            raise ZooError(
                f"{self.name} takes {shown_specs(inputs)}, not an image of a known size, [1, "
                f"height, width, 3]: leave task= out and use predict"
            )
        shape = outputs[0].shape if len(outputs) == 1 else None
        if shape is None or len(shape) != 2 or shape[0] not in (None, 1) or not shape[1]:
            raise ZooError(
                f"{self.name} gives {shown_specs(outputs)}, not a score for each class, [1, "
                f"classes]: leave task= out and use predict"
            )
        return shape[1]

    def _given_pixels(self, range: tuple[float, float]) -> Pixels:
        (spec,) = self.inputs.values()
        low, high = range
        if spec.dtype != "float32" and range != (0, 255):
            raise ZooError(
                f"range={range}: the input of {self.name} is of integers, {shown_specs([spec])}, "
                f"which are pixels 0..255: leave range out"
            )
        std = 255 / (high - low)
        return Pixels((-low * std,), (std,))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        return self._labels

    def _prepared(self, image: Any, mirror: bool = False) -> np.ndarray:
        (spec,) = self.inputs.values()
        assert spec.shape is not None and spec.shape[1] and spec.shape[2]
        pixels, size = read_image(image), (spec.shape[1], spec.shape[2])
        pixels = pixels[:, ::-1] if mirror else pixels
        if self._is_snippet:
            fitted = _fitted(pixels, size)
        else:
            fitted = prepare(pixels, Preprocess(fit=self._fit, dtype="uint8"), size)[0][0]
        if spec.shape[3] == 1:
            fitted = np.rint(fitted @ GREY[:, None]).astype(np.uint8)
        return self._as_input(fitted[None], spec)

    def _as_input(self, pixels: np.ndarray, spec: PartialSpec) -> np.ndarray:
        """Return pixels, uint8 [1, height, width, channels], in the range of the network."""
        if self._integers:
            lowest = np.iinfo(self._integers).min
            return (pixels.astype(np.int32) + lowest).astype(self._integers)
        if spec.dtype != "float32":
            return pixels.astype(spec.dtype)
        assert self._pixels is not None  # `_check_images` made sure
        mean, std = np.array(self._pixels.mean), np.array(self._pixels.std)
        return pixels.astype(np.float32) / np.float32(std) - np.float32(mean / std)

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        scores = super()._scores(prepared)
        if not (scores.min() >= -_ROUNDING and scores.max() <= 1 + _ROUNDING):
            raise ZooError(
                f"{self.name} gives {scores.min():.3g} to {scores.max():.3g}, which are no scores "
                f"in 0..1, as its last layer is no softmax: predict gives its output, and "
                f"core.softmax makes probabilities of that"
            )
        return scores

    def _check_images(self, verb: str) -> None:
        specs = list(self.inputs.values())
        if len(specs) != 1 or not is_image_shape(specs[0].shape):
            raise ZooError(
                f"{self.name} takes {shown_specs(specs)} and no images: {verb} cannot feed it, "
                f"predict can"
            )
        if specs[0].dtype == "float32" and not self._integers and self._pixels is None:
            raise ZooError(
                f"the file {self.name} does not say which range its network takes pixels in: give "
                f"it, zoo.load({self.name!r}, task='classification', range=(-1, 1)); (0, 1) and "
                f"(0, 255) are usual, too"
            )


def _class_labels(said: object) -> ClassLabels:
    """Return what a file says, in one form."""
    if isinstance(said, ClassLabels):
        return said
    if isinstance(said, Bundle) and said.kind == "image":
        return ClassLabels(said.labels, "", PAGE_PIXELS)
    return ClassLabels((), "", said if isinstance(said, Pixels) else None)


def _fitted(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the middle of an image, resized: uint8 [height, width, 3].

    Source: the program that Teachable Machine shows beside its exports for Python.
    """
    with needed_for("resizing images"):
        from PIL import Image, ImageOps

    whole = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(ImageOps.fit(whole, size[::-1], Image.Resampling.LANCZOS))

"""Classifiers of images from files of any format, with labels from the file or the caller."""

from typing import Any

import numpy as np

from core import GraphModel
from core.converter.class_labels import (
    INSIDE,
    PAGE_PIXELS,
    TEACHABLE,
    Bundle,
    ClassLabels,
    Pixels,
)
from core.converter.ultralytics import YoloClasses
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Preprocess
from zoo.images.reading import read_image
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.preparation import GREY, ImageInput, Preparation, image_input, read_preparation
from zoo.pipeline.preprocess import prepare
from zoo.tasks.classification.file_classifier import FileClassifier, ends_linear

#: Dtypes of quantised inputs whose 256 values are those of pixels.
_PIXEL_TYPES = ("uint8", "int8")

#: The conversion of pixels to 0..1.
_UNIT = Pixels((0.0,), (255.0,))

#: Tolerance of scores outside of 0..1, by rounding.
_ROUNDING = 1e-3


class LabelledModel(FileClassifier):
    """A network from a file with labels of its classes, which takes images.

    An integer input, such as that of a quantised network, gets pixels as they are. Of networks from
    ONNX, which PyTorch exports without a softmax, one is applied if the last layer is linear.

    Args:
        name: path or URL of the file.
        network: the network.
        recipe: call that loads the model, for pickles.
        task: what the caller says of it, if anything.

    Raises:
        ZooError: what the caller says does not fit the network.
    """

    #: Whether the network gives logits, whose softmax are the scores.
    _gives_logits = False

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
        self._gives_logits = ends_linear(network.graph)

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
        self._size = said.size if isinstance(said, YoloClasses) else None
        self._preparation: Preparation | None = None
        self._labels = file.labels
        self._fit = said.fit if isinstance(said, YoloClasses) else "crop"
        if task is not None:
            self._apply(task)

    def _apply(self, task: FileTask) -> None:
        """Let what the caller says take precedence."""
        if task.preprocessing is not None:
            self._preparation = read_preparation(task.preprocessing)
        classes = self._check_classifier()
        if self._preparation is not None:
            self._preparation.check(self.name, self._image_input())
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
        if len(inputs) != 1:
            raise ZooError(
                f"{self.name} takes {shown_specs(inputs)}, not an image: leave task= out and use "
                f"predict"
            )
        self._image_input()
        shape = outputs[0].shape if len(outputs) == 1 else None
        if shape is None or len(shape) != 2 or shape[0] not in (None, 1) or not shape[1]:
            raise ZooError(
                f"{self.name} gives {shown_specs(outputs)}, not a score for each class, [1, "
                f"classes]: leave task= out and use predict"
            )
        return shape[1]

    def _image_input(self) -> ImageInput:
        """Return the form of the input; raise unless it is one image of a known size."""
        (spec,) = self.inputs.values()
        given = self._preparation or Preparation(Preprocess())
        return image_input(self.name, spec, given.size or self._size, given.axes)

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
        to, pixels = self._image_input(), read_image(image)
        pixels = pixels[:, ::-1] if mirror else pixels
        if self._preparation is not None:
            return self._preparation.input_of(pixels, to)[0]
        if self._is_snippet:
            fitted = _fitted(pixels, to.size)
        else:
            fitted = prepare(pixels, Preprocess(fit=self._fit, dtype="uint8"), to.size)[0][0]
        if to.channels == 1:
            fitted = np.rint(fitted @ GREY[:, None]).astype(np.uint8)
        values = self._as_input(fitted[None], to.dtype)
        return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if to.axes == "nchw" else values

    def _as_input(self, pixels: np.ndarray, dtype: str) -> np.ndarray:
        """Return pixels, uint8 [1, height, width, channels], in the range of the network."""
        if self._integers:
            lowest = np.iinfo(self._integers).min
            return (pixels.astype(np.int32) + lowest).astype(self._integers)
        if dtype != "float32":
            return pixels.astype(dtype)
        assert self._pixels is not None  # `_check_images` made sure
        mean, std = np.array(self._pixels.mean), np.array(self._pixels.std)
        return pixels.astype(np.float32) / np.float32(std) - np.float32(mean / std)

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        scores = super()._scores(prepared)
        if self._gives_logits:
            powers = np.exp(scores - scores.max())
            scores = powers / powers.sum()
        if not (scores.min() >= -_ROUNDING and scores.max() <= 1 + _ROUNDING):
            raise ZooError(
                f"{self.name} gives {scores.min():.3g} to {scores.max():.3g}, which are no scores "
                f"in 0..1, as its last layer is no softmax: predict gives its output, and "
                f"core.softmax makes probabilities of that"
            )
        return scores

    def _check_images(self, verb: str) -> None:
        specs = list(self.inputs.values())
        if len(specs) != 1:
            raise ZooError(
                f"{self.name} takes {shown_specs(specs)} and no images: {verb} cannot feed it, "
                f"predict can"
            )
        to = self._image_input()
        is_known = self._preparation is not None or self._integers or self._pixels is not None
        if to.dtype == "float32" and not is_known:
            raise ZooError(
                f"the file {self.name} does not say which range its network takes pixels in: give "
                f"it, zoo.load({self.name!r}, task='classification', range=(-1, 1)); (0, 1) and "
                f"(0, 255) are usual, too; preprocessing= says more"
            )


def _class_labels(said: object) -> ClassLabels:
    """Return what a file says, in one form."""
    if isinstance(said, ClassLabels):
        return said
    if isinstance(said, Bundle) and said.kind == "image":
        return ClassLabels(said.labels, "", PAGE_PIXELS)
    if isinstance(said, YoloClasses):
        return ClassLabels(said.labels, INSIDE, _UNIT)
    return ClassLabels((), "", said if isinstance(said, Pixels) else None)


def _fitted(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the middle of an image, resized: uint8 [height, width, 3].

    Source: the program that Teachable Machine shows beside its exports for Python.
    """
    with needed_for("resizing images"):
        from PIL import Image, ImageOps

    whole = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(ImageOps.fit(whole, size[::-1], Image.Resampling.LANCZOS))

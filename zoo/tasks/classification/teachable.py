"""Classifiers that were made with Teachable Machine."""

from typing import Any

import numpy as np

from core import GraphModel
from core.converter.class_labels import Bundle
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Preprocess
from zoo.images.pillow import import_pillow
from zoo.images.reading import read_image
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.preparation import GREY
from zoo.pipeline.preprocess import prepare
from zoo.tasks.classification.file_classifier import FileClassifier

#: The conversion to the range of Teachable Machine's pages, for what `zoo.teach` exported.
_TAUGHT = Preprocess(divide=127.0, subtract=1.0)


class TeachableModel(FileClassifier):
    """A model that was made with Teachable Machine; `labels` are those of its classes."""

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        super().__init__(name, network, recipe)
        #: Facts of the export beside the network.
        self.bundle: Bundle = network.graph.metadata

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        return self.bundle.labels

    def _prepared(self, image: Any, mirror: bool = False) -> np.ndarray:
        (spec,) = self.inputs.values()
        assert spec.shape is not None  # the reader of bundles made sure
        pixels, size = read_image(image), self.bundle.image_size
        if self.bundle.fit:
            pixels = pixels[:, ::-1] if mirror else pixels
            return prepare(pixels, _TAUGHT._replace(fit=self.bundle.fit), (size, size))[0]
        return prepare_square(pixels, size, spec.shape[-1] or 3, mirror=mirror)

    def _check_images(self, verb: str) -> None:
        specs = list(self.inputs.values())
        if self.bundle.kind != "image":
            raise ZooError(
                f"{self.name} is Teachable Machine's model for {self.bundle.kind}, not for "
                f"images: {verb} cannot feed it, predict takes {shown_specs(specs)}"
            )


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
        pixels = pixels @ GREY[:, None]
    return pixels[None] / np.float32(127) - np.float32(1)


def center_square(image: np.ndarray, size: int) -> np.ndarray:
    """Return the square in the middle of an image, resized: uint8 [size, size, 3]."""
    pillow = import_pillow("resizing images")
    height, width = image.shape[:2]
    short = min(height, width)
    # What the whole image would be resized to, and where the square would be in that.
    wide, high = -(-width * size // short), -(-height * size // short)
    left, top = (wide - size) // 2, (high - size) // 2
    across, down = width / wide, height / high
    # Rounding may leave the image.
    right, bottom = min((left + size) * across, width), min((top + size) * down, height)
    box = (left * across, top * down, right, bottom)
    whole = pillow.fromarray(np.ascontiguousarray(image))
    return np.asarray(whole.resize((size, size), pillow.Resampling.BILINEAR, box))

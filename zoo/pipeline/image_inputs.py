"""Inputs of networks made from images, whose task need not be known."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core import Endpoint
from core.converter.class_labels import PAGE_PIXELS, Bundle, ClassLabels, Pixels
from core.converter.sample_inputs import Samples
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Preprocess
from zoo.pipeline.preprocess import prepare

#: Height and width for inputs that take any.
OPEN_SIZE = (224, 224)

#: Range of pixels of networks that declare none: 0..1.
USUAL_RANGE = (0.0, 1.0)

#: The end of a text on sample inputs whose range nothing declares.
GUESS = "as a guess: see --range"

#: Largest number of images of one run, where a network takes any number of them.
_LARGEST_BATCH = 8


class ImageInputs(NamedTuple):
    """Makes sample inputs from images, as `core.converter.convert` takes them as ``samples``.

    Attributes:
        images: uint8 [height, width, 3] each, RGB.
        preprocess: how an image becomes an input; None: by the range.
        size: height and width of the input, if the network takes any.
        range: what pixels of 0 and of 255 become; None: by the quantised values of the input, or
            by ``pixels``, or else `USUAL_RANGE`.
        pixels: how the file says that its network takes pixels; see `pixels_of`.
        what: what the images are, for a report.
        required: whether a network that takes no image is an error.
    """

    images: Sequence[np.ndarray]
    preprocess: Preprocess | None = None
    size: tuple[int, int] | None = None
    range: tuple[float, float] | None = None
    what: str = "sample images"
    required: bool = False
    pixels: Pixels | None = None

    def __call__(self, inputs: Mapping[str, Endpoint]) -> Samples | None:
        """The runs; None if the network does not take one image of three channels.

        Raises:
            ZooError: it does not, though images are required.
        """
        name = next(iter(inputs), "")
        shape = inputs[name].spec.shape if len(inputs) == 1 else None
        if shape is None or len(shape) != 4 or shape[-1] != 3 or shape[0] not in (None, 1):
            return self._refuse(inputs)
        how, pixels = self._how(inputs[name])
        height, width = self.size or OPEN_SIZE
        size = shape[1] or height, shape[2] or width
        arrays = [prepare(image, how, size)[0] for image in self.images]
        step = _batch(len(arrays)) if shape[0] is None else 1
        runs = [{name: np.concatenate(arrays[i : i + step])} for i in range(0, len(arrays), step)]
        return Samples(runs, f"{len(arrays)} {self.what}, {pixels}", step)

    def _refuse(self, inputs: Mapping[str, Endpoint]) -> None:
        if self.required:
            shapes = {name: endpoint.spec.shape for name, endpoint in inputs.items()}
            raise ZooError(
                f"sample images need a model with one input of shape [1, height, width, 3], this "
                f"one has {shapes}: leave them out, or give arrays to core.converter.convert"
            )

    def _how(self, endpoint: Endpoint) -> tuple[Preprocess, str]:
        """Return the conversion of an image to an input, and a text on the range of its values."""
        if self.preprocess is not None:
            return self.preprocess, "prepared as for this model"
        if endpoint.spec.dtype != "float32":
            return Preprocess(fit="stretch", dtype=endpoint.spec.dtype), "pixels from 0 to 255"
        known = self.range or _quantised_range(endpoint)
        if known is None and self.pixels is not None:
            return _as_said(self.pixels)
        low, high = known or USUAL_RANGE
        how = Preprocess(fit="stretch", divide=255 / (high - low), subtract=-low)
        text = f"pixels from {low:g} to {high:g}"
        return how, text if known else f"{text} {GUESS}"


def pixels_of(metadata: object) -> Pixels | None:
    """Return how a file says that its network takes pixels as floats, or None.

    Args:
        metadata: the metadata of the graph, of any kind.

    >>> pixels_of(Bundle("image", ("cat", "dog"), 224, "pets"))
    Pixels(mean=(127.0,), std=(127.0,))
    """
    if isinstance(metadata, Bundle):
        return PAGE_PIXELS if metadata.kind == "image" else None
    if isinstance(metadata, ClassLabels):
        return metadata.pixels
    return metadata if isinstance(metadata, Pixels) else None


def _as_said(pixels: Pixels) -> tuple[Preprocess, str]:
    """Return the conversion that a file names, and a text on the range of its values."""
    std = np.array(pixels.std)
    shift = np.array(pixels.mean) / std
    divide, subtract = (tuple(each.tolist() * (3 // each.size)) for each in (std, shift))
    low, high = float((-shift).min()), float((255 / std - shift).max())
    how = Preprocess(fit="stretch", divide=divide, subtract=subtract)
    return how, f"pixels from {low:.3g} to {high:.3g}, as the file says"


def _batch(count: int) -> int:
    """Return the largest batch that leaves no rest, which would need another plan.

    >>> _batch(18), _batch(64), _batch(1)
    (6, 8, 1)
    """
    return max(n for n in range(1, _LARGEST_BATCH + 1) if count % n == 0)


def _quantised_range(endpoint: Endpoint) -> tuple[float, float] | None:
    """The real values that the smallest and the largest quantised value stand for."""
    found = endpoint.quantization
    if found is None:
        return None
    low, high = ((limit - found.zero_point) * found.scale for limit in found.limits)
    return (low, high) if high > low else None

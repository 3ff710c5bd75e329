"""Conversion of arrays of any numeric dtype to uint8 RGB pixels, the input of all models."""

import math

import numpy as np

from weights_cache.common.errors import ZooError

MAX_REPEATED = 900_000_000
"""Most bytes of an image from a broadcast array, whose memory is smaller."""

NO_PIXELS = "{} has no pixels ({}): at least 1 x 1 is needed"


class ImageError(ZooError):
    """An image is missing, damaged, too large, or not of a kind that can be read."""

    __module__ = "zoo"  # the public location


def to_rgb_pixels(array: np.ndarray, name: str = "array") -> np.ndarray:
    """Return an array of pixels as C-contiguous uint8 RGB, copied only if necessary.

    Args:
        array: [height, width] grey, or [height, width, 1, 3 or 4 channels]; a fourth channel
            is dropped. Integers are 0..255, floats 0..1, booleans black and white.
        name: name of the array in errors.

    Raises:
        ImageError: the shape, the dtype or a value is not that of an image.

    Example:
        >>> to_rgb_pixels(np.array([[0.0, 1.0]])).tolist()
        [[[0, 0, 0], [255, 255, 255]]]
    """
    _check_shape(array.shape, name)
    _check_memory(array, name)
    try:
        levels = _to_uint8(np.asarray(array), f"{array.dtype} {name}")
        if levels.ndim == 2:
            levels = levels[..., np.newaxis]
        if levels.shape[2] == 1:
            levels = np.repeat(levels, 3, axis=2)
        return np.ascontiguousarray(levels[..., :3])
    except MemoryError:
        raise ImageError(
            f"{name} of shape {array.shape} does not fit into the memory that is free as a uint8 "
            "RGB image: make it smaller"
        ) from None


def _check_memory(array: np.ndarray, name: str) -> None:
    """Raise if a broadcast array, with strides of 0, would become too many bytes."""
    needed = 3 * math.prod(array.shape[:2])
    held = array.itemsize + sum(
        (n - 1) * abs(stride) for n, stride in zip(array.shape, array.strides, strict=True)
    )
    if needed > max(MAX_REPEATED, 4 * held):
        raise ImageError(
            f"{name} of shape {array.shape} repeats {held:,} bytes, as an image it takes "
            f"{needed:,}, the limit is {MAX_REPEATED:,}: pass a smaller one"
        )


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if 0 in shape:
        raise ImageError(NO_PIXELS.format(name, f"shape {shape}"))
    if len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3, 4)):
        return
    if len(shape) == 4:
        raise ImageError(
            f"{name} of shape {shape} is a batch of {shape[0]} images, where one image is taken: "
            "pass them one by one, as list(array) has them; the verbs take the array as it is"
        )
    hint = "reshape it"
    if len(shape) == 3 and shape[0] in (1, 3, 4) and shape[2] > 4:
        hint = "put channels last, np.moveaxis(array, 0, -1)"
    raise ImageError(
        f"{name} of shape {shape} is not one image [height, width] or [height, width, "
        f"1, 3 or 4 channels]: {hint}"
    )


def _to_uint8(array: np.ndarray, name: str) -> np.ndarray:
    if array.dtype == np.uint8:
        return array
    if array.dtype == bool:
        return array.astype(np.uint8) * 255
    if array.dtype.kind in "iu":
        return _integers_to_uint8(array, name)
    if array.dtype.kind == "f":
        return _floats_to_uint8(array, name)
    raise ImageError(f"{name} is not an image: use uint8 0..255 or float32 0..1")


def _integers_to_uint8(array: np.ndarray, name: str) -> np.ndarray:
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 255:
        raise ImageError(
            f"{name} has values {low}..{high}, outside 0..255: scale it to uint8, "
            "from 16 bits with (array // 257).astype(np.uint8)"
        )
    return array.astype(np.uint8)


def _floats_to_uint8(array: np.ndarray, name: str) -> np.ndarray:
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ImageError(f"{name} has NaN or infinite values: np.nan_to_num(array) replaces them")
    half_level = 0.5 / 255  # resizing may overshoot by rounding
    if low < -half_level or high > 1 + half_level:
        signed = low >= -1 - 2 * half_level and high <= 1 + 2 * half_level
        how = "from -1..1 with (array + 1) / 2" if signed else "from 0..255 with array / 255"
        raise ImageError(f"{name} has values {low:g}..{high:g}, outside 0..1: scale it, {how}")
    levels = np.clip(array, 0, 1).astype(np.float32) * 255
    return np.rint(levels).astype(np.uint8)

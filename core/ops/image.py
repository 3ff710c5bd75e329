"""Ops on the pixels of images: mirroring and colours."""

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.engine.windows import check_images
from core.errors import CoreError

#: Weights of red, green and blue in the brightness, by CCIR 601.
LUMA = np.array([0.2989, 0.587, 0.114], np.float32)


@op()
def flip_left_right(image: TensorLike) -> Spec:
    """Mirror images [batch, height, width, channels].

    Args:
        image: [batch, height, width, channels], of any dtype.

    >>> core.flip_left_right([[[[1.0], [2.0]]]]).numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    image = spec_of(image)
    check_images(image)
    return image


flip_left_right.gradient("image")(lambda g: ops.flip_left_right(g))


def _with_channels(image: TensorLike, counts: tuple[int, ...], ranks: range) -> Tensor:
    """The image as a tensor, if it has one of these numbers of channels and of axes."""
    image = tensor(image)
    if image.ndim not in ranks or image.shape[-1] not in counts:
        raise CoreError(
            f"expected {ranks[0]} to {ranks[-1]} axes, the last of length "
            f"{' or '.join(map(str, counts))}, got shape {image.shape}"
        )
    return image


@composite
def grayscale_to_rgb(image: TensorLike) -> Tensor:
    """Repeat the single channel three times.

    Args:
        image: [..., 1], two axes or more.

    Returns:
        [..., 3], of the same dtype.

    >>> import core
    >>> core.grayscale_to_rgb([[7]]).numpy()
    array([[7, 7, 7]], dtype=int32)
    """
    image = _with_channels(image, (1,), range(2, 33))
    return ops.tile(image, reps=(*[1] * (image.ndim - 1), 3))


@composite
def rgb_to_grayscale(image: TensorLike) -> Tensor:
    """The brightness of red, green and blue: 0.2989 r + 0.5870 g + 0.1140 b.

    Args:
        image: [..., 3], two to six axes.

    Returns:
        [..., 1], of the same dtype; int32 is cut off, not rounded.

    >>> import core
    >>> core.rgb_to_grayscale([[100, 0, 0]]).numpy()
    array([[29]], dtype=int32)
    """
    image = _with_channels(image, (3,), range(2, 7))
    gray = ops.sum(ops.cast(image, dtype="float32") * LUMA, axis=-1, keep_dims=True)
    return ops.cast(gray, dtype=image.dtype)


@composite
def threshold(
    image: TensorLike, method: str = "binary", inverted: bool = False, thresh_value: float = 0.5
) -> Tensor:
    """Turn an image into black and white.

    Args:
        image: [height, width, 3 or 1], int32 or float32, values 0 to 255; colours are made gray.
        method: ``"binary"`` compares with ``thresh_value``, ``"otsu"`` finds the threshold that
            parts the brightnesses best (Otsu's method).
        inverted: bright pixels become 0 and dark ones 255.
        thresh_value: 0 to 1; a pixel is bright above 255 times this.

    Returns:
        int32 [height, width, 1] of 255 and 0.

    >>> import core
    >>> core.threshold([[[10.0], [200.0]]]).numpy().ravel()
    array([  0, 255], dtype=int32)
    """
    image = _with_channels(image, (3, 1), range(3, 4))
    if image.dtype not in ("float32", "int32") or method not in ("binary", "otsu"):
        raise CoreError(
            f"threshold takes int32 or float32 images and the methods 'binary' and 'otsu', "
            f"got {image.dtype} and {method!r}"
        )
    gray = _brightness(image) if image.shape[2] == 3 else image
    limit = _otsu_threshold(gray) if method == "otsu" else _scaled(thresh_value)
    bright = ops.less_equal(gray, limit) if inverted else ops.greater(gray, limit)
    return ops.cast(bright, dtype="int32") * 255


def _scaled(level: float) -> np.ndarray:
    """A part of 255, rounded as in float32, where numbers that are too large become infinite."""
    with np.errstate(over="ignore"):
        return np.float32(level) * np.float32(255)


def _brightness(image: Tensor) -> Tensor:
    """The result of `rgb_to_grayscale`, rounded after each step as in TensorFlow.js."""
    red, green, blue = ops.split(
        ops.cast(image, dtype="float32") * LUMA, num_or_size_splits=3, axis=-1
    )
    return red + green + blue


def _otsu_threshold(gray: Tensor) -> float:
    """The level whose darker and brighter pixels differ most; -1 if all have one level.

    The steps are rounded to float32 as in TensorFlow.js, so that ties have equal results.
    """
    levels = ops.reshape(ops.cast(ops.round(gray), dtype="int32"), shape=(-1,))
    counts = ops.bincount(levels, np.zeros(0, np.float32), size=256).numpy().astype(np.float64)
    below, mass = np.cumsum(counts)[:-1], np.cumsum(counts * np.arange(256))
    above, pixels = counts.sum() - below, np.float32(levels.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.float32(below) / pixels * (np.float32(above) / pixels)
        lower = np.float32(mass[:-1]) / np.float32(below)
        step = lower - np.float32(mass[-1] - mass[:-1]) / np.float32(above)
        variance = np.nan_to_num(shares * step * step)
    return float(np.argmax(variance)) if variance.max() > 0 else -1.0

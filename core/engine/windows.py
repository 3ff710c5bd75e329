"""Windows of convolutions and pooling: output sizes and padding, for all backends."""

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from core.engine.specs import Shape, Spec, check_choice, integers
from core.errors import CoreError

#: Pixels before and after along each axis of an image or volume, as ((top, bottom), (left, right)).
Sides = tuple[tuple[int, int], ...]
#: "same", "valid", pixels on every side, or sides; these also with the batch and the channels,
#: as [[0, 0], [top, bottom], [left, right], [0, 0]] (in the order of the data format).
Padding = str | int | Sequence[Sequence[int]]
#: One number for all axes, or one each.
Pair = int | Sequence[int]
Triple = int | Sequence[int]

#: The orders of axes, by how many axes a row, image or volume has; first with the channels last.
FORMATS = {1: ("NWC",), 2: ("NHWC", "NCHW"), 3: ("NDHWC",)}
_AXES = {2: "height, width", 3: "depth, height, width"}
_LARGEST = 1 << 24  # of a stride, a size or a padding, in pixels
LONGEST_SIDE = 1 << 16  # of an image that is made, in pixels

#: Number of strides that fit into some room, by dim_rounding_mode.
_FIT = {
    None: lambda room, stride: room // stride,
    "floor": lambda room, stride: room // stride,
    "ceil": lambda room, stride: -(-room // stride),
    "round": lambda room, stride: (2 * room + stride) // (2 * stride),  # halves up
}


class Window(NamedTuple):
    """The windows of a convolution or pooling; each tuple has a member for each axis."""

    in_size: Shape
    out_size: Shape
    size: Shape
    strides: Shape
    dilations: Shape
    padding: Sides
    pointwise: bool  # whether every output pixel reads just the input pixel at its position


def pair(value: Pair, name: str, least: int = 1) -> tuple[int, int]:
    """Height and width of an attribute that may be given as one number."""
    height, width = _numbers(value, name, 2, least)
    return height, width


def _numbers(value: int | Sequence[int], name: str, count: int, least: int = 1) -> Shape:
    """A number for each axis, of an attribute that may be given as one."""
    if type(value) is int and least <= value <= _LARGEST:
        return (value,) * count
    numbers = integers(value, name)
    numbers = numbers if isinstance(value, (tuple, list)) else numbers * count
    if len(numbers) != count or min(numbers) < least or max(numbers) > _LARGEST:
        raise CoreError(
            f"{name}={value!r} must be one or {count} numbers from {least} to {_LARGEST}"
        )
    return numbers


def new_size(size: Sequence[int], name: str = "size") -> tuple[int, int]:
    """Height and width of images that are made, checked."""
    height, width = pair(tuple(size), name)
    if max(height, width) > LONGEST_SIDE:
        raise CoreError(f"{name}={size} is too large: at most {LONGEST_SIDE} pixels a side")
    return height, width


def check_images(images: Spec) -> None:
    """Raise unless a tensor can be a batch of images."""
    if len(images.shape) != 4:
        raise CoreError(f"expected [batch, height, width, channels] images, got {images.shape}")


def check_format(data_format: Any, axes: int, channels_last: bool = False) -> None:
    """Raise unless a data format is one of rows (one axis), images (two) or volumes (three)."""
    known = FORMATS[axes][:1] if channels_last else FORMATS[axes]
    check_choice(data_format, "data_format", known)


def split_shape(shape: Shape, axes: int, data_format: str) -> tuple[int, Shape, int]:
    """Batch, size and channels of images (two axes) or volumes (three).

    >>> split_shape((5, 3, 20, 10), 2, "NCHW")
    (5, (20, 10), 3)
    """
    check_format(data_format, axes)
    if len(shape) != axes + 2:
        raise CoreError(
            f"expected a [batch, {_AXES[axes]}, channels] tensor (data_format gives the order of "
            f"axes), got shape {shape}"
        )
    if data_format[1] == "C":
        return shape[0], shape[2:], shape[1]
    return shape[0], shape[1:-1], shape[-1]


def join_shape(batch: int, size: Shape, channels: int, data_format: str) -> Shape:
    """The shape of the parts that `split_shape` returns."""
    return (batch, channels, *size) if data_format[1] == "C" else (batch, *size, channels)


def window(
    x: Shape,
    size: Pair,
    strides: Pair,
    pad: Padding,
    data_format: str,
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Window:
    """The windows of a size over images or volumes of shape ``x``.

    TensorFlow's rule: "same" gives ceil(input / stride) windows and puts the odd pixel of padding
    after; "valid" pads nothing. With given padding the number of windows is rounded by
    ``dim_rounding_mode``; a window that then exceeds the end reads padding.
    """
    axes = len(data_format) - 2
    return _window(
        split_shape(x, axes, data_format)[1],
        _numbers(size, "filter size", axes),
        _numbers(strides, "strides", axes),
        _checked_padding(pad, data_format, dim_rounding_mode),
        _numbers(dilations, "dilations", axes),
        dim_rounding_mode,
    )


def is_strided_and_dilated(w: Window) -> bool:
    """Whether windows have a step, and distances between their pixels, along one axis."""
    axes = zip(w.size, w.strides, w.dilations, strict=True)
    return any(k > 1 and s > 1 and d > 1 for k, s, d in axes)


def group_count(channels: int, filter: Shape) -> int:
    """The number of groups that channels are in for a filter [..., in, out]."""
    return channels // filter[-2] if filter[-2] else 1


def _checked_padding(pad: Padding, data_format: str, mode: str | None) -> str | Sides:
    if mode not in _FIT:
        raise CoreError(f"dim_rounding_mode={mode!r} must be 'floor', 'round', 'ceil' or None")
    if pad in ("same", "valid"):
        if mode is not None:
            raise CoreError(f"dim_rounding_mode={mode!r} needs pad in pixels, got {pad!r}")
        return pad
    return _sides(pad, data_format)


def _sides(pad: Padding, data_format: str) -> Sides:
    """Padding in pixels, for each axis before and after."""
    axes = len(data_format) - 2
    if isinstance(pad, int) and not isinstance(pad, bool):
        return (pair(pad, "pad", least=0),) * axes
    if isinstance(pad, (tuple, list)) and all(isinstance(p, (tuple, list)) for p in pad):
        sides = tuple(pair(p, "pad", least=0) for p in pad)
        if len(sides) == axes:
            return sides
        if len(sides) == axes + 2:
            batch, inner, channels = split_shape(sides, axes, data_format)  # type: ignore[arg-type]
            if batch == channels == (0, 0):
                return inner  # type: ignore[return-value]
    raise CoreError(
        f"pad={pad!r} must be 'same', 'valid', a number or (before, after) for each of the "
        f"{axes} axes, or for all of {data_format} with (0, 0) for batch and channels"
    )


@lru_cache(maxsize=1024)
def _window(
    in_size: Shape,
    size: Shape,
    strides: Shape,
    pad: str | Sides,
    dilations: Shape,
    mode: str | None,
) -> Window:
    reach = tuple((k - 1) * d + 1 for k, d in zip(size, dilations, strict=True))
    fits = [
        _fit(pad if isinstance(pad, str) else pad[i], in_size[i], reach[i], strides[i], mode)
        for i in range(len(size))
    ]
    out_size, padding = (tuple(part) for part in zip(*fits, strict=True))
    if min(out_size) < 1:
        raise CoreError(f"a window of {reach} pixels does not fit into {in_size} with pad={pad!r}")
    pointwise = max(size + strides) == 1 and not any(map(any, padding))
    return Window(in_size, out_size, size, strides, dilations, padding, pointwise)


def _fit(
    pad: str | tuple[int, int], length: int, reach: int, stride: int, mode: str | None
) -> tuple[int, tuple[int, int]]:
    """The number of windows along one axis, and the pixels of padding before and after."""
    if pad == "same":
        count = -(-length // stride)
        total = max((count - 1) * stride + reach - length, 0)
        return count, (total // 2, total - total // 2)
    before, after = (0, 0) if isinstance(pad, str) else pad
    count = _FIT[mode](length + before + after - reach, stride) + 1
    return count, (before, max(after, (count - 1) * stride + reach - length - before))


def pixels_read(w: Window, axis: int, block: slice | None = None) -> list[tuple[slice, slice]]:
    """For each position in a window along an axis: the windows with a pixel there, and the pixels.

    Padding is thus never read. The windows are those of a block, and counted from its start.
    """
    length, stride = w.in_size[axis], w.strides[axis]
    start, stop = (block.start, block.stop) if block else (0, w.out_size[axis])
    found = []
    for position in range(w.size[axis]):
        offset = position * w.dilations[axis] - w.padding[axis][0]
        first = max(start, -(offset // stride))
        last = max(first, min(stop, (length - 1 - offset) // stride + 1))
        pixels = slice(first * stride + offset, last * stride + offset, stride)
        found.append((slice(first - start, last - start), pixels))
    return found


def pixel_counts(w: Window) -> np.ndarray:
    """The number of pixels of each window, without padding: [*out_size]."""
    counts = [np.zeros(n) for n in w.out_size]
    for axis, along in enumerate(counts):
        for windows, _ in pixels_read(w, axis):
            along[windows] += 1
    return reduce(np.multiply.outer, counts)

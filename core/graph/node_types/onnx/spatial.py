"""Convolutions over images with their channels second.

Each is between two transpositions, as our ops have the channels last; plans have a pass that joins
these (`core.plan.passes.layouts`), so that few or none are left.
"""

from collections.abc import Sequence
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Function, Rows, numbers

Sides = tuple[tuple[int, int], ...]

#: Attributes of images of height 1, from those of rows of values.
_OF_IMAGES = {
    **dict.fromkeys(("dilations", "kernel_shape", "strides"), lambda given: (1, *given)),
    "output_padding": lambda given: (0, *given),
    "output_shape": lambda given: (1, *given),
    "pads": lambda given: (0, given[0], 0, given[1]),
}


def last(x: Tensor) -> Tensor:
    """Return images with the channels last."""
    return ops.transpose(x, perm=(0, *range(2, x.ndim), 1))


def first(x: Tensor) -> Tensor:
    """Return images with the channels second."""
    return ops.transpose(x, perm=(0, x.ndim - 1, *range(1, x.ndim - 1)))


def also_of_rows(row: Function) -> Function:
    """Return a row for images that takes [n, c, length], too: as images of height 1."""

    @wraps(row)
    def run(x: Tensor, *weights: Tensor | None, **how: Any) -> Any:
        if x.ndim != 3:
            return row(x, *weights, **how)
        wide = [w if w is None or w.ndim != 3 else ops.expand_dims(w, axis=2) for w in weights]
        how = {
            name: _OF_IMAGES[name](v) if v and name in _OF_IMAGES else v for name, v in how.items()
        }
        found = row(ops.expand_dims(x, axis=2), *wide, **how)
        if isinstance(found, list):
            return [ops.squeeze(each, axis=2) for each in found]
        return ops.squeeze(found, axis=2)

    return run


def along(values: Sequence[int], count: int, default: int = 1) -> tuple[int, ...]:
    """Return an attribute of each axis, or its default."""
    return tuple(values) or (default,) * count


def reach(size: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    """Return how far windows go along each axis, with the gaps in them."""
    return tuple((k - 1) * d + 1 for k, d in zip(size, dilations, strict=True))


def padding(
    auto_pad: str,
    pads: Sequence[int],
    lengths: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> Sides:
    """Return the padding before and after along each axis."""
    count = len(lengths)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        found = zip(lengths, sizes, strides, strict=True)
        totals = [max((-(-n // step) - 1) * step + size - n, 0) for n, size, step in found]
        return halves(totals, auto_pad)
    given = along(pads, 2 * count, 0) if auto_pad != "VALID" else (0,) * (2 * count)
    return tuple(zip(given[:count], given[count:], strict=True))


def halves(totals: Sequence[int], auto_pad: str) -> Sides:
    """Return both sides of a padding: an odd one has more at the end, or at the start for lower."""
    sides = ((total // 2, total - total // 2) for total in totals)
    return tuple(side[::-1] if auto_pad == "SAME_LOWER" else side for side in sides)


@also_of_rows
def convolution(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] = (),
    group: int = 1,
    kernel_shape: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """Convolve [n, c, ..] with weights [out, c / group, ..]."""
    count = x.ndim - 2
    if w.shape[1] * group != x.shape[1]:
        raise CoreError(
            f"{group} groups of {w.shape[1]} channels do not make the {x.shape[1]} channels of "
            f"the images {x.shape}"
        )
    strides, dilations = along(strides, count), along(dilations, count)
    sides = padding(auto_pad, pads, x.shape[2:], reach(w.shape[2:], dilations), strides)
    filters = ops.transpose(w, perm=(*range(2, w.ndim), 1, 0))
    how: dict[str, Any] = {"strides": strides, "pad": sides, "dilations": dilations}
    if count == 3:
        y = _per_group(ops.conv3d, last(x), filters, group, **how)
    elif 1 < group == x.shape[1]:
        kernel = ops.reshape(filters, shape=(*filters.shape[:2], group, w.shape[0] // group))
        y = ops.depthwise_conv2d(last(x), kernel, **how)
    else:
        y = ops.conv2d(last(x), filters, **how)  # knows the groups by the filters
    return first(y if b is None else y + b)


def _per_group(convolve: Function, x: Tensor, filters: Tensor, group: int, **how: Any) -> Tensor:
    """Convolve so many equal parts of the channels of volumes by themselves."""
    if group == 1:
        return convolve(x, filters, **how)
    parts = (ops.split(each, num_or_size_splits=group, axis=-1) for each in (x, filters))
    return ops.concat([convolve(*pair, **how) for pair in zip(*parts, strict=True)], axis=-1)


@also_of_rows
def _conv_transpose(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] = (),
    group: int = 1,
    kernel_shape: Sequence[int] = (),
    output_padding: Sequence[int] = (),
    output_shape: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """The gradient of a convolution for its input, whose size follows from the attributes."""
    count = x.ndim - 2
    strides, dilations = along(strides, count), along(dilations, count)
    sizes, more = reach(w.shape[2:], dilations), along(output_padding, count, 0)
    ends = zip(x.shape[2:], strides, sizes, more, strict=True)
    whole = [step * (n - 1) + size + extra for n, step, size, extra in ends]
    lengths = tuple(output_shape[-count:])
    if auto_pad.startswith("SAME") and not lengths:
        lengths = tuple(n * step for n, step in zip(x.shape[2:], strides, strict=True))
    if lengths:
        totals = [max(n - m, 0) for n, m in zip(whole, lengths, strict=True)]
        sides = halves(totals, auto_pad)
    else:
        sides = padding(auto_pad, pads, x.shape[2:], sizes, strides)
        lengths = tuple(n - sum(side) for n, side in zip(whole, sides, strict=True))
    filters = ops.transpose(w, perm=(*range(2, w.ndim), 1, 0))  # [.., out / group, in]
    how: dict[str, Any] = {"strides": strides, "pad": sides, "dilations": dilations}
    shape = (x.shape[0], *lengths, w.shape[1] * group)
    if 1 < group == x.shape[1] and count == 2 and w.shape[1] == 1:
        kernel = ops.reshape(filters, shape=(*filters.shape[:2], group, 1))
        y = ops.depthwise_conv2d_backprop_input(last(x), kernel, input_shape=shape, **how)
    elif count == 2:
        y = ops.conv2d_backprop_input(last(x), filters, input_shape=shape, **how)
    else:
        part = (*shape[:-1], w.shape[1])
        y = _per_group(ops.conv3d_backprop_input, last(x), filters, group, input_shape=part, **how)
    return first(y if b is None else y + b)


def _col2im(
    x: Tensor,
    image_shape: Tensor,
    block_shape: Tensor,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """Images whose pixels are the sums of the values at them in blocks [n, c * block, blocks]."""
    lengths, size = numbers(image_shape), numbers(block_shape)
    count = len(lengths)
    gaps, steps = along(dilations, count), along(strides, count)
    sides = padding("NOTSET", pads, lengths, size, steps)
    at = zip(lengths, size, gaps, steps, sides, strict=True)
    pixels = _pixels([_block_positions(*each) for each in at], lengths)
    channels = x.shape[1] // prod(size)
    values = ops.reshape(x, shape=(x.shape[0] * channels, pixels.size))
    sums = ops.unsorted_segment_sum(
        ops.transpose(values, perm=(1, 0)), tensor(pixels.ravel()), num_segments=prod(lengths)
    )
    return ops.reshape(ops.transpose(sums, perm=(1, 0)), shape=(x.shape[0], channels, *lengths))


def _block_positions(
    length: int, size: int, gap: int, step: int, sides: tuple[int, int]
) -> np.ndarray:
    """Return the positions along an axis of the values of blocks: [size, blocks]."""
    blocks = (length + sum(sides) - (size - 1) * gap - 1) // step + 1
    return np.arange(size)[:, None] * gap + np.arange(blocks) * step - sides[0]


def _pixels(positions: Sequence[np.ndarray], lengths: Sequence[int]) -> np.ndarray:
    """Return the pixel of each value of blocks, -1 outside: int32 [sizes .., blocks ..]."""
    count, index, inside = len(positions), np.zeros((1,), int), np.ones((1,), bool)
    for axis, (at, length) in enumerate(zip(positions, lengths, strict=True)):
        shape = [1] * (2 * count)
        shape[axis], shape[axis + count] = at.shape
        wide = at.reshape(shape)
        index = index * length + wide
        inside = inside & (wide >= 0) & (wide < length)
    return np.where(inside, index, -1).astype(np.int32)


ROWS: Rows = {
    "Col2Im": _col2im,
    "Conv": convolution,
    "ConvTranspose": _conv_transpose,
}

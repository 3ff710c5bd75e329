"""Kernels on spatial axes: padding and blocks."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import integer, integers, pairs, raw, scalar
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.ops.space import (
    Pads,
    blocks,
    depth_blocks,
    padded_shape,
    space_paddings,
    uncropped_shape,
)

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

#: The most axes that TensorFlow pads at once, and the most that it mirrors.
_PADDED_AXES, _MIRRORED_AXES = 8, 5


@kernel("pad", "tf")
def pad(x: "TfTensor", paddings: Pads, constant_value: Any) -> "TfTensor":
    """Pad with one value."""
    dtype = x.dtype.name
    value = scalar(constant_value, dtype) if dtype == "string" or constant_value else None
    if len(paddings) > _PADDED_AXES:
        return _padded_by_axis(x, paddings, constant_value)
    if value is None:
        return raw.Pad(input=x, paddings=_pairs(paddings))
    return raw.PadV2(input=x, paddings=_pairs(paddings), constant_values=value)


def _padded_by_axis(x: "TfTensor", paddings: Pads, constant_value: Any) -> "TfTensor":
    """Pad one axis after the other, with the axes before and after it as one each."""
    shape = [*x.shape]
    for axis, sides in enumerate(paddings):
        if any(sides):
            split = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
            rows = raw.Reshape(tensor=x, shape=integers(*split))
            shape[axis] += sum(sides)
            rows = pad(rows, ((0, 0), sides, (0, 0)), constant_value)
            x = raw.Reshape(tensor=rows, shape=integers(*shape))
    return x


def _pairs(paddings: Pads) -> "TfTensor":
    return pairs(tuple((int(before), int(after)) for before, after in paddings))


@kernel("mirror_pad", "tf")
def mirror_pad(x: "TfTensor", paddings: Pads, mode: str) -> "TfTensor":
    """Pad by mirroring the inside; shapes beyond TensorFlow's op are gathered axis by axis."""
    shape = tuple(x.shape)
    if 0 in shape:
        return zeros(padded_shape(shape, paddings), x.dtype)
    if len(shape) <= _MIRRORED_AXES:
        return raw.MirrorPad(input=x, paddings=_pairs(paddings), mode=mode.upper())
    for axis, (length, sides) in enumerate(zip(shape, paddings, strict=True)):
        if any(sides):
            positions = np.pad(np.arange(length), sides, mode)  # type: ignore[call-overload]
            x = raw.GatherV2(params=x, indices=integers(*positions.tolist()), axis=integer(axis))
    return x


def _moved(x: "TfTensor", split: Shape, order: Any, shape: Shape) -> "TfTensor":
    """Split, reorder and join axes."""
    parts = raw.Reshape(tensor=x, shape=integers(*split))
    parts = raw.Transpose(x=parts, perm=integers(*map(int, order)))
    return raw.Reshape(tensor=parts, shape=integers(*shape))


@kernel("space_to_batch_nd", "tf")
def space_to_batch_nd(x: "TfTensor", block_shape: Sequence[int], paddings: Pads) -> "TfTensor":
    """Split the spatial axes, and move the positions in blocks to the front."""
    if any(map(any, paddings)):
        x = pad(x, space_paddings(len(x.shape), paddings), b"" if x.dtype.name == "string" else 0)
    how = blocks(tuple(x.shape), block_shape)
    return _moved(x, how.split, how.order, how.batched)


@kernel("batch_to_space_nd", "tf")
def batch_to_space_nd(x: "TfTensor", block_shape: Sequence[int], crops: Pads) -> "TfTensor":
    """Invert `space_to_batch_nd`, and crop."""
    shape = uncropped_shape(tuple(x.shape), block_shape)
    how = blocks(shape, block_shape)
    split = tuple(how.split[axis] for axis in how.order)
    space = _moved(x, split, np.argsort(how.order), shape)
    if not any(map(any, crops)):
        return space
    sides = space_paddings(len(shape), crops)
    return raw.Slice(
        input=space,
        begin=integers(*(before for before, _ in sides)),
        size=integers(*(n - sum(side) for n, side in zip(shape, sides, strict=True))),
    )


@kernel("depth_to_space", "tf")
def depth_to_space(x: "TfTensor", block_size: int, data_format: str) -> "TfTensor":
    """Split the channels, and put their parts beside the pixels."""
    how = depth_blocks(tuple(x.shape), block_size, data_format)
    return _moved(x, how.split, how.order, how.result)

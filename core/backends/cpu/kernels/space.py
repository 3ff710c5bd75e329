"""Kernels on spatial axes: padding and blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.engine.dtypes import to_numpy
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.ops.space import Pads, blocks, depth_blocks, space_paddings, uncropped_shape


@kernel("pad", "cpu")
def pad(x: np.ndarray, paddings: Pads, constant_value: Any) -> np.ndarray:
    """Pad with one value, without np.pad, which takes ten times as long for small arrays."""
    shape = [before + n + after for n, (before, after) in zip(x.shape, paddings, strict=True)]
    if x.dtype == object:
        result = np.full(shape, to_numpy(constant_value, "string"))
    elif constant_value:
        result = np.full(shape, constant_value, x.dtype)
    else:
        result = np.zeros(shape, x.dtype)
    result[tuple(slice(b, b + n) for n, (b, _) in zip(x.shape, paddings, strict=True))] = x
    return result


@kernel("mirror_pad", "cpu")
def mirror_pad(x: np.ndarray, paddings: Pads, mode: str) -> np.ndarray:
    """Pad by mirroring the inside; NumPy's modes have the names used here."""
    return np.pad(x, paddings, mode)  # type: ignore[call-overload]


def _moved(x: np.ndarray, split: Shape, order: Any, shape: Shape) -> np.ndarray:
    """Split, reorder and join axes in one copy."""
    parts = x.reshape(split).transpose(order)
    result = np.empty(shape, x.dtype)
    result.reshape(parts.shape)[...] = parts
    return result


@kernel("space_to_batch_nd", "cpu")
def space_to_batch_nd(x: np.ndarray, block_shape: Sequence[int], paddings: Pads) -> np.ndarray:
    """Split the spatial axes, and move the positions in blocks to the front."""
    padded = pad(x, space_paddings(x.ndim, paddings), b"" if x.dtype == object else 0)
    how = blocks(padded.shape, block_shape)
    return _moved(padded, how.split, how.order, how.batched)


@kernel("batch_to_space_nd", "cpu")
def batch_to_space_nd(x: np.ndarray, block_shape: Sequence[int], crops: Pads) -> np.ndarray:
    """Invert `space_to_batch_nd`, and crop."""
    shape = uncropped_shape(x.shape, block_shape)
    how = blocks(shape, block_shape)
    split = tuple(how.split[axis] for axis in how.order)
    space = _moved(x, split, np.argsort(how.order), shape)
    if not np.any(crops):
        return space
    sides = zip(shape, space_paddings(x.ndim, crops), strict=True)
    return space[tuple(slice(b, n - a) for n, (b, a) in sides)].copy()


@kernel("depth_to_space", "cpu")
def depth_to_space(x: np.ndarray, block_size: int, data_format: str) -> np.ndarray:
    """Split the channels, and put their parts beside the pixels."""
    how = depth_blocks(x.shape, block_size, data_format)
    return _moved(x, how.split, how.order, how.result)

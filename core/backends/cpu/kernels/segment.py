"""Kernels that sum or count what belongs together."""

from math import prod

import numpy as np

from core.registry import kernel


def sum_rows(rows: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
    """Sums [count, n] of the rows [m, n] of each id [m]; ids outside are left out.

    In float64, which holds sums of int32 exactly. This takes a tenth of the time of ``np.add.at``.
    """
    counted = (ids >= 0) & (ids < count)
    if not counted.all():
        rows, ids = rows[counted], ids[counted]
    if rows.dtype.kind == "c":
        result = np.empty((count, rows.shape[1]), rows.dtype)
        result.real, result.imag = (sum_rows(part, ids, count) for part in (rows.real, rows.imag))
        return result
    width = rows.shape[1]
    places = ids[:, None] * np.int64(width) + np.arange(width)
    total = np.bincount(places.ravel(), rows.ravel(), minlength=count * width)
    return narrowed(total, rows.dtype).reshape(count, width)


def narrowed(total: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Sums as float32, or as int32 that wrap around."""
    if dtype.kind == "f":
        return total.astype(np.float32)
    return total.astype(np.int64).astype(np.int32)


@kernel("unsorted_segment_sum", "cpu")
def unsorted_segment_sum(x: np.ndarray, segment_ids: np.ndarray, num_segments: int) -> np.ndarray:
    """Sums of rows of a matrix."""
    rest = x.shape[segment_ids.ndim :]
    rows = x.reshape(segment_ids.size, prod(rest))
    return sum_rows(rows, segment_ids.ravel(), num_segments).reshape(num_segments, *rest)


def _checked(x: np.ndarray, size: int) -> np.ndarray:
    """Where the values lie below the size; negative ones are an error."""
    if x.size and x.min() < 0:
        raise ValueError(f"values to count must not be negative, there is {x.min()}")
    return x < size


@kernel("bincount", "cpu")
def bincount(x: np.ndarray, weights: np.ndarray | None, size: int) -> np.ndarray:
    """In float64, which holds sums of int32 exactly."""
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
    """Each row counts in a range of numbers of its own."""
    counted = _checked(x, size)
    rows = np.arange(prod(x.shape[:-1])).reshape(*x.shape[:-1], 1)
    places = (rows * size + x)[counted]
    if weights is None or weights.size == 0 or binary_output:
        total = np.bincount(places, minlength=rows.size * size)
    else:
        total = np.bincount(places, weights[counted], minlength=rows.size * size)
    total = np.minimum(total, 1) if binary_output else total
    return narrowed(total, _dtype_of(weights)).reshape(*x.shape[:-1], size)

"""Kernels that make values from shapes and numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.engine.dtypes import DTYPES, to_numpy
from core.engine.registry import kernel
from core.ops.create import fill_dtype, range_steps


@kernel("fill", "cpu")
def fill(shape: Sequence[int], value: Any, dtype: str | None) -> np.ndarray:
    """Return one value everywhere."""
    dtype = fill_dtype(value, dtype)
    if dtype == "string":
        value = to_numpy(value, dtype)
    return np.full(shape, value, DTYPES[dtype])


@kernel("range", "cpu")
def number_range(start: float, stop: float, step: float, dtype: str) -> np.ndarray:
    """Return start + i * step for each i, so that no errors add up."""
    count, step = range_steps(start, stop, step)
    return (np.arange(count) * step + start).astype(DTYPES[dtype])


@kernel("linspace", "cpu")
def linspace(start: float, stop: float, num: int) -> np.ndarray:
    """Return evenly spaced numbers, computed in float64 and rounded once."""
    return np.linspace(start, stop, num).astype(np.float32)


@kernel("diag", "cpu")
def diag(x: np.ndarray) -> np.ndarray:
    """Return a square matrix with all values on its diagonal."""
    result = np.zeros(x.shape * 2, x.dtype)
    result.reshape(-1)[:: x.size + 1] = x.ravel()
    return result


@kernel("one_hot", "cpu")
def one_hot(
    indices: np.ndarray, depth: int, on_value: float, off_value: float, dtype: str
) -> np.ndarray:
    """Return one-hot vectors; indices outside of the range set no value."""
    result = np.full((*indices.shape, depth), off_value, DTYPES[dtype])
    flat = indices.ravel()
    rows = np.flatnonzero((flat >= 0) & (flat < depth))
    result.reshape(-1)[rows * depth + flat[rows]] = on_value
    return result

"""Kernels that move values. The results are copies, never views."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.dtypes import DTYPES
from core.kernels import kernel
from core.ops.shape import split_sizes


@kernel("cast", "cpu")
def cast(x: np.ndarray, dtype: str) -> np.ndarray:
    """As JavaScript's typed arrays: NaN and infinity become 0, large numbers wrap around."""
    if dtype == "bool":
        return x != 0
    if x.dtype.kind == "c" and dtype != "complex64":
        x = x.real
    if dtype == "int32" and x.dtype.kind == "f":
        return np.fmod(np.where(np.isfinite(x), x, 0), 2.0**32).astype(np.int64).astype(np.int32)
    return x.astype(DTYPES[dtype])


@kernel("transpose", "cpu")
def transpose(x: np.ndarray, perm: Sequence[int] | None) -> np.ndarray:
    """The axes in another order."""
    return np.array(np.transpose(x, perm), order="C")


@kernel("broadcast_to", "cpu")
def broadcast_to(x: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Repeat along axes of length 1."""
    return np.array(np.broadcast_to(x, tuple(shape)), order="C")


@kernel("tile", "cpu")
def tile(x: np.ndarray, reps: Sequence[int]) -> np.ndarray:
    """Repeat the whole."""
    return np.tile(x, tuple(reps))


@kernel("concat", "cpu")
def concat(inputs: list[np.ndarray], axis: int) -> np.ndarray:
    """Join along an axis."""
    return np.concatenate(inputs, axis=axis)


@kernel("split", "cpu")
def split(x: np.ndarray, num_or_size_splits: Any, axis: int) -> tuple[np.ndarray, ...]:
    """Cut along an axis."""
    ends = np.cumsum(split_sizes(x.shape[axis], num_or_size_splits))[:-1]
    return tuple(np.array(part, order="C") for part in np.split(x, ends, axis=axis))


@kernel("pad", "cpu")
def pad(x: np.ndarray, paddings: Sequence[Sequence[int]], constant_value: float) -> np.ndarray:
    """A border of one value, without np.pad, which takes ten times as long for small arrays."""
    before = [p[0] for p in paddings]
    shape = [n + sum(p) for n, p in zip(x.shape, paddings, strict=True)]
    result = np.full(shape, constant_value, x.dtype)
    result[tuple(slice(b, b + n) for b, n in zip(before, x.shape, strict=True))] = x
    return result

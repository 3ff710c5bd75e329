"""Kernels that move values. The results are copies, never views."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.engine.dtypes import DTYPES
from core.engine.registry import kernel
from core.engine.specs import broadcast_shapes, normal_axes


@kernel("cast", "cpu")
def cast(x: np.ndarray, dtype: str) -> np.ndarray:
    """Convert as JavaScript's typed arrays do: NaN and infinity become 0, others wrap around."""
    if x.dtype.kind == "c" and dtype != "complex64":
        x = x.real
    if dtype == "bool":
        return x != 0
    if dtype == "int32" and x.dtype.kind == "f":
        return np.fmod(np.where(np.isfinite(x), x, 0), 2.0**32).astype(np.int64).astype(np.int32)
    return x.astype(DTYPES[dtype])


@kernel("transpose", "cpu")
def transpose(x: np.ndarray, perm: Sequence[int] | None, conjugate: bool) -> np.ndarray:
    """Permute the axes."""
    moved = x.transpose(perm)
    return np.conj(moved, order="C") if conjugate and x.dtype.kind == "c" else moved.copy()


@kernel("broadcast_to", "cpu")
def broadcast_to(
    x: np.ndarray, shape: Sequence[int], input_shape: Sequence[int] | None
) -> np.ndarray:
    """Repeat along axes of length 1."""
    result = np.empty(shape, x.dtype)
    result[...] = x  # several times as fast as a copy of np.broadcast_to
    return result


@kernel("broadcast_args", "cpu")
def broadcast_args(s0: np.ndarray, s1: np.ndarray) -> np.ndarray:
    """Return the common shape of two shapes."""
    return np.array(broadcast_shapes(tuple(s0.tolist()), tuple(s1.tolist())), np.int32)


@kernel("tile", "cpu")
def tile(x: np.ndarray, reps: int | Sequence[int]) -> np.ndarray:
    """Repeat the whole array."""
    return np.tile(x, reps)


@kernel("reverse", "cpu")
def reverse(x: np.ndarray, axis: int | Sequence[int] | None) -> np.ndarray:
    """Reverse the order along axes."""
    axes = normal_axes(axis, x.ndim)
    index: list[Any] = [slice(None, None, -1 if i in axes else 1) for i in range(x.ndim)]
    index.append(Ellipsis)  # it makes an array also of one string
    return x[tuple(index)].copy()

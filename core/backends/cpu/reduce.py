"""Reductions. Sums are made in float64 and rounded once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.kernels import kernel
from core.specs import normal_axes


def _wide(x: np.ndarray) -> type:
    return np.float64 if x.dtype == np.float32 else np.int64


def total(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> np.ndarray:
    """The sum; a sum of bools counts."""
    if x.dtype == np.complex64:
        return np.sum(x, axis=axis, keepdims=keepdims)
    dtype = np.int32 if x.dtype.kind == "b" else x.dtype
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=_wide(x)).astype(dtype)


def mean(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> np.ndarray:
    """The mean; of nothing it is NaN."""
    sums = np.sum(x, axis=axis, keepdims=keepdims, dtype=np.float64)
    return np.asarray(sums / np.prod([x.shape[a] for a in axis])).astype(np.float32)


def _least(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _greatest(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return True
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def largest(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> np.ndarray:
    """The maximum; of nothing it is the least number there is."""
    return np.max(x, axis=axis, keepdims=keepdims, initial=_least(x.dtype))


def smallest(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> np.ndarray:
    """The minimum; of nothing it is the greatest number there is."""
    return np.min(x, axis=axis, keepdims=keepdims, initial=_greatest(x.dtype))


REDUCE: dict[str, Callable[..., Any]] = {
    "sum": total,
    "mean": mean,
    "max": largest,
    "min": smallest,
    "all": lambda x, axis, keepdims: np.all(x, axis=axis, keepdims=keepdims),
    "any": lambda x, axis, keepdims: np.any(x, axis=axis, keepdims=keepdims),
}


def _with_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, keep_dims: function(x, normal_axes(axis, x.ndim), keep_dims)


for _name, _function in REDUCE.items():
    kernel(_name, "cpu")(_with_axes(_function))


@kernel("argmax", "cpu")
def argmax(x: np.ndarray, axis: int) -> np.ndarray:
    """NaN never wins, except in the first place, where nothing is larger (as in JavaScript)."""
    if x.dtype.kind != "f":
        return np.argmax(x, axis=axis).astype(np.int32)
    best = np.argmax(np.where(np.isnan(x), -np.inf, x), axis=axis)
    return np.where(np.isnan(np.take(x, 0, axis=axis)), 0, best).astype(np.int32)


@kernel("argmin", "cpu")
def argmin(x: np.ndarray, axis: int) -> np.ndarray:
    """As `argmax` for the smallest value."""
    if x.dtype.kind == "b":
        return np.argmin(x, axis=axis).astype(np.int32)
    return argmax(-x.astype(np.float64), axis)

"""Reductions. Sums and products are computed in float64 and rounded once; integers wrap around."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.engine.registry import kernel
from core.engine.specs import normal_axes

# The methods that np.sum and np.prod call; those take twice as long to get there.
_sum: Callable[..., Any] = np.add.reduce
_product: Callable[..., Any] = np.multiply.reduce

Axis = int | tuple[int, ...] | None

_WIDE = {"f": np.float64, "i": np.int64, "c": np.complex128}


def _in_wide(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """Return a reduction that is rounded, or wrapped, once at the end."""

    def reduction(x: np.ndarray, axis: Axis, keep_dims: bool) -> np.ndarray:
        wide = function(x, axis=axis, keepdims=keep_dims, dtype=_WIDE[x.dtype.kind])
        return np.asarray(wide).astype(x.dtype)

    return reduction


def mean(x: np.ndarray, axis: Axis, keep_dims: bool) -> np.ndarray:
    """Return the mean; of an empty axis it is 0."""
    sums = np.asarray(_sum(x, axis=axis, keepdims=keep_dims, dtype=np.float64))
    return np.asarray(sums / max(x.size // max(sums.size, 1), 1)).astype(np.float32)


def _extreme(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """Return a maximum or minimum; of an empty axis it is NaN, or 0 for integers and bools."""

    def reduction(x: np.ndarray, axis: Axis, keep_dims: bool) -> np.ndarray:
        if x.size or all(x.shape[a] for a in normal_axes(axis, x.ndim)):
            return function(x, axis=axis, keepdims=keep_dims)
        empty = np.sum(x, axis=axis, keepdims=keep_dims)
        return np.full(empty.shape, np.nan if x.dtype.kind == "f" else 0, x.dtype)

    return reduction


REDUCE: dict[str, Callable[..., Any]] = {
    "sum": _in_wide(_sum),
    "prod": _in_wide(_product),
    "mean": mean,
    "max": _extreme(np.max),
    "min": _extreme(np.min),
    "all": lambda x, axis, keep_dims: np.all(x, axis=axis, keepdims=keep_dims),
    "any": lambda x, axis, keep_dims: np.any(x, axis=axis, keepdims=keep_dims),
}


for _name, _function in REDUCE.items():
    kernel(_name, "cpu")(_function)


@kernel("sum_grad", "cpu")
def sum_grad(dy: np.ndarray, input_shape: tuple[int, ...], axis: Axis) -> np.ndarray:
    """Repeat gradients along the summed axes."""
    result = np.empty(input_shape, dy.dtype)
    if dy.ndim not in (0, result.ndim):
        summed = normal_axes(axis, result.ndim)
        dy = dy.reshape([1 if i in summed else n for i, n in enumerate(result.shape)])
    result[...] = dy
    return result


@kernel("argmax", "cpu")
def argmax(x: np.ndarray, axis: int) -> np.ndarray:
    """Return the index of the largest value; only a first NaN counts (as in JavaScript)."""
    if x.dtype.kind != "f":
        return np.argmax(x, axis=axis).astype(np.int32)
    best = np.argmax(np.where(np.isnan(x), -np.inf, x), axis=axis)
    return np.where(np.isnan(np.take(x, 0, axis=axis)), 0, best).astype(np.int32)


@kernel("argmin", "cpu")
def argmin(x: np.ndarray, axis: int) -> np.ndarray:
    """Return the index of the smallest value, by the rule of `argmax`."""
    if x.dtype.kind == "b":
        return np.argmin(x, axis=axis).astype(np.int32)
    return argmax(-x.astype(np.float64), axis)

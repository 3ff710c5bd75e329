"""Cumulative sums and products along an axis, in float64; integers wrap around."""

from functools import partial

import numpy as np

from core.engine.registry import kernel


def _running(
    function: np.ufunc, first: int, x: np.ndarray, axis: int, exclusive: bool, reverse: bool
) -> np.ndarray:
    """Return the results so far along an axis; an exclusive one begins with ``first``."""
    dtype = np.int32 if x.dtype == np.int32 else np.float64
    x = np.flip(x, axis) if reverse else x
    if exclusive:
        rest = np.moveaxis(np.moveaxis(x, axis, 0)[:-1], 0, axis)
        start = np.full_like(np.moveaxis(np.moveaxis(x, axis, 0)[:1], 0, axis), first)
        x = np.concatenate([start, rest], axis=axis)
    result = function.accumulate(x, axis=axis, dtype=dtype).astype(x.dtype)
    return np.ascontiguousarray(np.flip(result, axis)) if reverse else result


kernel("cumsum", "cpu")(partial(_running, np.add, 0))
kernel("cumprod", "cpu")(partial(_running, np.multiply, 1))

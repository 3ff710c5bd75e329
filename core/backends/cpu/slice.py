"""Kernels that take parts."""

from collections.abc import Sequence

import numpy as np

from core.kernels import kernel
from core.specs import normal_axes


@kernel("slice", "cpu")
def block(x: np.ndarray, begin: Sequence[int], size: Sequence[int]) -> np.ndarray:
    """A block; a size of -1 means up to the end."""
    ends = [None if s == -1 else b + s for b, s in zip(begin, size, strict=True)]
    return np.array(x[tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))], order="C")


@kernel("reverse", "cpu")
def reverse(x: np.ndarray, axis: int | Sequence[int] | None) -> np.ndarray:
    """Turn the order around."""
    return np.array(np.flip(x, normal_axes(axis, x.ndim)), order="C")

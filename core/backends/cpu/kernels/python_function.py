"""Kernels that check values, and kernels that call Python functions of arrays."""

from collections.abc import Callable

import numpy as np

from core.engine.nan_check import NotFiniteError, users_line
from core.engine.registry import kernel
from core.errors import CoreError


@kernel("check_numerics", "cpu")
def check_numerics(x: np.ndarray, message: str) -> np.ndarray:
    """Return the values unless one is NaN or infinite."""
    if not np.isfinite(x).all():
        value = x[~np.isfinite(x)].flat[0]
        raise NotFiniteError(f"{message} is {value}", "check_numerics", users_line())
    return x.copy()


@kernel("numpy_function", "cpu")
def numpy_function(x: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return what the function makes of the array."""
    shown = x.view()
    shown.setflags(write=False)
    found = np.array(function(shown), np.float32)
    if found.shape != x.shape:
        raise CoreError(f"the function made an array of shape {found.shape} of one of {x.shape}")
    return found

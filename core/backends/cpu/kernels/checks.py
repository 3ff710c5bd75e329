"""Kernels that check values while they pass."""

import numpy as np

from core.nan_check import NotFiniteError, users_line
from core.registry import kernel


@kernel("check_numerics", "cpu")
def check_numerics(x: np.ndarray, message: str) -> np.ndarray:
    """Return the values unless one is NaN or infinite."""
    if not np.isfinite(x).all():
        value = x[~np.isfinite(x)].flat[0]
        raise NotFiniteError(f"{message} is {value}", "check_numerics", users_line())
    return x.copy()

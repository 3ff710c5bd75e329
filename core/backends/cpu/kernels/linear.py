"""Matrix products, by NumPy's BLAS."""

import numpy as np

from core.engine.registry import kernel


@kernel("matmul", "cpu")
def matmul(a: np.ndarray, b: np.ndarray, transpose_a: bool, transpose_b: bool) -> np.ndarray:
    """Return the product of the last two axes."""
    if transpose_a:
        a = a.swapaxes(-1, -2)
    return np.matmul(a, b.swapaxes(-1, -2) if transpose_b else b)

"""Complex numbers and their parts."""

import numpy as np

from core.engine.registry import kernel


@kernel("complex", "cpu")
def complex(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Return complex numbers of their parts, also NaN and infinities (1j * inf would make NaN)."""
    result = np.empty(real.shape, np.complex64)
    result.real, result.imag = real, imag
    return result


kernel("real", "cpu")(lambda input: np.array(input.real))
kernel("imag", "cpu")(lambda input: np.array(input.imag))
kernel("complex_abs", "cpu")(np.abs)  # without overflow of intermediate values

"""Fourier transforms, computed in complex128."""

import numpy as np

from core.bounds import claim
from core.registry import kernel

#: Bytes per value of the axis that NumPy takes at most: where the length has a large prime factor,
#: tables and padded values, each of twice the length and more.
_WORK = 128


@kernel("fft", "cpu")
def fft(input: np.ndarray) -> np.ndarray:
    """Transform along the last axis."""
    return np.fft.fft(_in_complex128(input)).astype(np.complex64)


@kernel("ifft", "cpu")
def ifft(input: np.ndarray) -> np.ndarray:
    """Transform back along the last axis, divided by its length."""
    return np.fft.ifft(_in_complex128(input)).astype(np.complex64)


def _in_complex128(values: np.ndarray) -> np.ndarray:
    length = values.shape[-1]
    claim(16 * values.size + _WORK * length, f"a transform of {length:,} values, in 128 bits each")
    return values.astype(np.complex128)

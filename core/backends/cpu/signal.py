"""Fourier transforms, computed in complex128."""

import numpy as np

from core.kernels import kernel


@kernel("fft", "cpu")
def fft(input: np.ndarray) -> np.ndarray:
    """Along the last axis."""
    return np.fft.fft(input.astype(np.complex128)).astype(np.complex64)


@kernel("ifft", "cpu")
def ifft(input: np.ndarray) -> np.ndarray:
    """Along the last axis, divided by its length."""
    return np.fft.ifft(input.astype(np.complex128)).astype(np.complex64)

"""Fourier transforms, computed in complex128."""

from collections.abc import Callable
from functools import partial

import numpy as np

from core.engine.limits import claim
from core.engine.registry import kernel

#: Bytes per value of the axis that NumPy takes at most: where the length has a large prime factor,
#: tables and padded values, each of twice the length and more.
_WORK = 128


def _transform(function: Callable[..., np.ndarray], input: np.ndarray) -> np.ndarray:
    """Transform along the last axis."""
    length = input.shape[-1]
    claim(16 * input.size + _WORK * length, f"a transform of {length:,} values, in 128 bits each")
    return function(input.astype(np.complex128)).astype(np.complex64)


kernel("fft", "cpu")(partial(_transform, np.fft.fft))
kernel("ifft", "cpu")(partial(_transform, np.fft.ifft))

"""Rounding to quantized values in NumPy."""

import numpy as np

from core.engine.registry import kernel
from core.ops.quantisation import NUDGE


@kernel("quantise_round", "cpu")
def quantise_round(
    x: np.ndarray, scale: float, zero_point: int, low: int, high: int, nudge: bool
) -> np.ndarray:
    """Round to the nearest step from the zero point, halves away from 0; NaN stays."""
    quanta = quanta_of(x, scale, zero_point, low, high, nudge)
    quanta *= np.float32(scale)
    return quanta


def quanta_of(
    x: np.ndarray, scale: float, zero_point: int, low: int, high: int, nudge: bool
) -> np.ndarray:
    """Return the numbers of steps from 0 of what `quantise_round` rounds values to."""
    quanta = np.divide(x, np.float32(scale), out=np.empty_like(x))
    if nudge:
        quanta *= NUDGE
    quanta += np.copysign(np.float32(0.5), quanta)
    np.trunc(quanta, out=quanta)
    return np.clip(quanta, low - zero_point, high - zero_point, out=quanta)

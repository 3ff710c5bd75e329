"""Rounding to quanta in NumPy."""

import numpy as np

from core.registry import kernel

#: What arithmetic in float32 took from a half is given back before rounding, else what lies half
#: way between two quanta would fall either way: of one SUB of MoveNet on int8 a tenth then differs
#: from LiteRT's reference kernel, with this factor less than a hundredth. After convolutions it
#: does harm: no half is meant there, and the border moves away from where XNNPACK's kernels have
#: it.
NUDGE = np.float32(1 + 2**-20)


@kernel("quantise_round", "cpu")
def quantise_round(
    x: np.ndarray, scale: float, zero_point: int, low: int, high: int, nudge: bool
) -> np.ndarray:
    """Halves away from 0, counted from the zero point; NaN stays."""
    quanta = np.divide(x, np.float32(scale), out=np.empty_like(x))
    if nudge:
        quanta *= NUDGE
    quanta += np.copysign(np.float32(0.5), quanta)
    np.trunc(quanta, out=quanta)
    np.clip(quanta, low - zero_point, high - zero_point, out=quanta)
    quanta *= np.float32(scale)
    return quanta

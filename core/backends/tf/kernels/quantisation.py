"""Rounding to quantized values."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import number, raw
from core.engine.registry import kernel
from core.ops.quantisation import NUDGE

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("quantise_round", "tf")
def quantise_round(
    x: "TfTensor", scale: float, zero_point: int, low: int, high: int, nudge: bool
) -> "TfTensor":
    """Round to the nearest step from the zero point, halves away from 0; NaN stays."""
    quanta = raw.RealDiv(x=x, y=number(scale))
    if nudge:
        quanta = raw.Mul(x=quanta, y=number(float(NUDGE)))
    size = raw.Floor(x=raw.AddV2(x=raw.Abs(x=quanta), y=number(0.5)))
    limits = number(float(low - zero_point)), number(float(high - zero_point))
    rounded = raw.Mul(x=size, y=raw.Sign(x=quanta))
    clipped = raw.ClipByValue(t=rounded, clip_value_min=limits[0], clip_value_max=limits[1])
    return raw.Mul(x=clipped, y=number(scale))

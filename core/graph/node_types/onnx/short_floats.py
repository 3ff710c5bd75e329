"""Rounding to floats of at most 16 bits, which are float32 here with the values of their type."""

from typing import NamedTuple

import numpy as np

from core import ops
from core.autodiff.gradients import stop_gradient
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError


class ShortFloat(NamedTuple):
    """A type of floats.

    Attributes:
        mantissa: bits of the mantissa.
        lowest: exponent of the smallest normal number.
        largest: the largest number.
        has_infinity: numbers that are too large become infinite, else NaN, unless they saturate.
        saturates: numbers that are too large may become the largest one.
        has_nan: else NaN becomes 0.
    """

    mantissa: int
    lowest: int
    largest: float
    has_infinity: bool = False
    saturates: bool = True
    has_nan: bool = True


SHORT_FLOATS = {
    "float16": ShortFloat(10, -14, 65504.0, True, False),
    # Its subnormal numbers are fewer here: GPUs have no smaller step than 2 ** -126.
    "bfloat16": ShortFloat(7, -119, 3.3895313892515355e38, True, False),
    "float8e4m3fn": ShortFloat(3, -6, 448.0),
    "float8e4m3fnuz": ShortFloat(3, -7, 240.0),
    "float8e5m2": ShortFloat(2, -14, 57344.0, True),
    "float8e5m2fnuz": ShortFloat(2, -15, 57344.0),
    "float8e8m0": ShortFloat(0, -126, 2.0**127),
    "float4e2m1": ShortFloat(1, 0, 6.0, has_nan=False),
}

#: The smallest float8e8m0: it has neither 0 nor a sign.
_SMALLEST_SCALE = 2.0**-127

_POWERS = np.ldexp(1.0, np.arange(-127, 128)).astype(np.float32)

#: Roundings of positive numbers by ``round_mode``, which is an attribute for float8e8m0.
_ROUNDINGS = {
    "up": ops.ceil,
    "down": ops.floor,
    "nearest": lambda x: ops.floor(x + 0.5),
}


def rounded(x: Tensor, kind: str, saturate: bool = True, mode: str = "up") -> Tensor:
    """Return floats rounded to a type, halves to even; gradients pass as if it did nothing.

    Args:
        x: float32.
        kind: one of `SHORT_FLOATS`.
        saturate: what is too large becomes the largest number.
        mode: for float8e8m0 alone: "up", "down" or "nearest".
    """
    how = SHORT_FLOATS[kind]
    step = _step(x, how)
    if kind == "float8e8m0":
        near = ops.maximum(_rounding(mode)(x / step) * step, _SMALLEST_SCALE)
    else:
        near = ops.round(x / step) * step
    fits = ops.abs(near) <= how.largest
    return ops.where(fits, x + stop_gradient(near - x), _too_large(x, how, saturate))


def _rounding(mode: str):
    if mode not in _ROUNDINGS:
        raise CoreError(f"round_mode {mode!r:.40} is none of {', '.join(_ROUNDINGS)}")
    return _ROUNDINGS[mode]


def _step(x: Tensor, how: ShortFloat) -> Tensor:
    """Return the distance of the numbers of a type around values: a power of two."""
    size = ops.clip_by_value(ops.where(ops.is_finite(x), ops.abs(x), 1.0), _POWERS[1], _POWERS[-1])
    exponent = ops.cast(ops.floor(ops.log(size) * (1 / np.log(2))), dtype="int32")
    power = ops.gather(tensor(_POWERS), ops.maximum(exponent, -127) + 127)
    # The logarithm is not exact beside powers of two.
    exponent = exponent + ops.cast(size >= 2.0 * power, dtype="int32")
    exponent = exponent - ops.cast(size < power, dtype="int32")
    exponent = ops.maximum(exponent, how.lowest)
    return ops.gather(tensor(_POWERS), exponent - how.mantissa + 127)


def _too_large(x: Tensor, how: ShortFloat, saturate: bool) -> Tensor:
    """Return what stands for values beyond the largest number; NaN stays."""
    if saturate and how.saturates:
        limit = ops.clip_by_value(x, -how.largest, how.largest)
        return ops.where(ops.is_nan(x), x if how.has_nan else 0.0, limit)
    return x * (np.inf if how.has_infinity else np.nan)

"""Rounding to floats of at most 16 bits, which are float32 here with the values of their type."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core import ops
from core.autodiff.gradients import stop_gradient
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
    "bfloat16": ShortFloat(7, -126, 3.3895313892515355e38, True, False),
    "float8e4m3fn": ShortFloat(3, -6, 448.0),
    "float8e4m3fnuz": ShortFloat(3, -7, 240.0),
    "float8e5m2": ShortFloat(2, -14, 57344.0, True),
    "float8e5m2fnuz": ShortFloat(2, -15, 57344.0),
    "float8e8m0": ShortFloat(0, -127, 2.0**127),
    "float4e2m1": ShortFloat(1, 0, 6.0, has_nan=False),
}

#: Bits of float32's mantissa, and the exponent of its smallest normal number.
_MANTISSA, _LOWEST = 23, -126

#: Numbers above 1 are this much smaller while they are rounded, where products might not fit.
_SMALLER = 2.0**-64

#: Functions of the nearest power of two and x, by the ``round_mode`` of float8e8m0.
_MODES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "up": lambda near, x: ops.where(near < x, 2.0 * near, near),
    "down": lambda near, x: ops.where(near > x, 0.5 * near, near),
    "nearest": lambda near, x: near,
}


def rounded(x: Tensor, kind: str, saturate: bool = True, mode: str = "up") -> Tensor:
    """Return floats rounded to a type, halves to even; gradients pass as if it did nothing.

    Subnormal numbers of bfloat16 stay as they are.

    Args:
        x: float32.
        kind: one of `SHORT_FLOATS`.
        saturate: what is too large becomes the largest number.
        mode: for float8e8m0 alone: "up", "down" or "nearest".
    """
    how, values = SHORT_FLOATS[kind], stop_gradient(x)
    near = _nearest(values, how)
    if kind == "float8e8m0":  # it has neither 0 nor a sign
        if mode not in _MODES:
            raise CoreError(f"round_mode {mode!r:.40} must be one of {', '.join(_MODES)}")
        near = ops.maximum(_MODES[mode](near, values), 2.0**how.lowest)
    fits = ops.abs(near) <= how.largest
    return ops.where(fits, x + (near - values), _too_large(values, how, saturate))


def _nearest(x: Tensor, how: ShortFloat) -> Tensor:
    """Return values with as many bits of the mantissa as a type has, by Veltkamp's splitting."""
    factor, is_wide = float((1 << (_MANTISSA - how.mantissa)) + 1), how.lowest <= _LOWEST
    if is_wide:
        scale = ops.where(ops.abs(x) > 1.0, _SMALLER, 1.0)
        product = x * scale * factor
        return (product - (product - x * scale)) / scale
    x = ops.clip_by_value(x, -2 * how.largest, 2 * how.largest)
    product = x * factor
    step = 2.0 ** (how.lowest - how.mantissa)
    is_normal = ops.abs(x) >= 2.0**how.lowest
    return ops.where(is_normal, product - (product - x), ops.round(x / step) * step)


def _too_large(x: Tensor, how: ShortFloat, saturate: bool) -> Tensor:
    """Return what stands for values beyond the largest number; NaN stays."""
    if saturate and how.saturates:
        limit = ops.clip_by_value(x, -how.largest, how.largest)
        return ops.where(ops.is_nan(x), x if how.has_nan else 0.0, limit)
    return x * (np.inf if how.has_infinity else np.nan)

"""Element-wise kernels of one input: one op of TensorFlow each, where it agrees with cpu.

Eigen's float32 functions are within 8 units in the last place, but for these: ``Reciprocal`` of
numbers above 1e37 is 5,000 units off, ``Elu`` and ``Selu`` of small negative numbers are 0.
TensorFlow takes denormal numbers as 0, and gives 0 for them; cpu keeps them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf.raw_ops import dtypes, number, raw
from core.engine.registry import kernel
from core.ops.unary import SELU_SCALE, SELU_SCALE_ALPHA

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

#: The limits of int32.
_LOWEST, _HIGHEST = -(2**31), 2**31 - 1


def magnitude(x: "TfTensor") -> "TfTensor":
    """Return absolute values, of complex numbers without overflow on the way."""
    return raw.ComplexAbs(x=x) if x.dtype is dtypes.complex64 else raw.Abs(x=x)


def sign(x: "TfTensor") -> "TfTensor":
    """Return -1, 0 or 1; of NaN it is 0, which TensorFlow keeps."""
    signs = raw.Sign(x=x)
    if x.dtype is dtypes.int32:
        return signs
    return raw.SelectV2(condition=raw.IsNan(x=x), t=number(0.0), e=signs)


def elu(x: "TfTensor") -> "TfTensor":
    """Return x where positive, else e**x - 1."""
    is_below = raw.Less(x=x, y=number(0.0))
    return raw.SelectV2(condition=is_below, t=raw.Expm1(x=x), e=x)


def selu(x: "TfTensor") -> "TfTensor":
    """Return elu with the scales of selu."""
    is_below = raw.Less(x=x, y=number(0.0))
    below = raw.Mul(x=raw.Expm1(x=x), y=number(SELU_SCALE_ALPHA))
    return raw.SelectV2(condition=is_below, t=below, e=raw.Mul(x=x, y=number(SELU_SCALE)))


def leaky_relu(x: "TfTensor", alpha: float) -> "TfTensor":
    """Return x where positive, else alpha * x."""
    return raw.LeakyRelu(features=x, alpha=alpha)


def step(x: "TfTensor", alpha: float) -> "TfTensor":
    """Return 1 for positive x, NaN for NaN, else alpha, truncated for integers."""
    above = raw.Relu(features=raw.Sign(x=x))  # 0 or 1; NaN stays
    if x.dtype is dtypes.int32:
        alpha = int32_of(alpha)
    if alpha == 0:
        return above
    dtype = x.dtype.name
    is_low = raw.Equal(x=above, y=number(0, dtype))
    return raw.SelectV2(condition=is_low, t=number(alpha, dtype), e=above)


def clip(x: "TfTensor", clip_value_min: float, clip_value_max: float) -> "TfTensor":
    """Clip; NaN stays NaN; fractional limits are truncated for integers."""
    low, high = clip_value_min, clip_value_max
    if x.dtype is dtypes.int32:
        low, high = integer_limits(low, high)
    dtype = x.dtype.name
    limits = {"clip_value_min": number(low, dtype), "clip_value_max": number(high, dtype)}
    return raw.ClipByValue(t=x, **limits)


def integer_limits(low: float, high: float) -> tuple[int, int]:
    """Return limits of int32 for limits that may lie beyond it.

    Where no integer is within them, all results are one limit, converted as JavaScript does.

    >>> integer_limits(-1.5, 1e10), integer_limits(2.0**32 + 5, float("inf"))
    ((-1, 2147483647), (5, 5))
    """
    if low > _HIGHEST:
        return (int32_of(low),) * 2
    if high < _LOWEST:
        return (int32_of(high),) * 2
    return int(max(low, _LOWEST)), int(min(high, _HIGHEST))


def int32_of(value: float) -> int:
    """Return a number as JavaScript makes it an int32: NaN and infinity are 0, others wrap around.

    >>> int32_of(-1.5), int32_of(2.0**31), int32_of(float("inf"))
    (-1, -2147483648, 0)
    """
    if not np.isfinite(value):
        return 0
    return (int(value) - _LOWEST) % 2**32 + _LOWEST


def whole(function: Callable[..., Any]) -> Callable[["TfTensor"], "TfTensor"]:
    """Return a rounding function that leaves integers unchanged."""
    return lambda x: raw.Identity(input=x) if x.dtype is dtypes.int32 else function(x)


def never(x: "TfTensor") -> "TfTensor":
    """Return false everywhere."""
    return raw.NotEqual(x=x, y=x)


def always(x: "TfTensor") -> "TfTensor":
    """Return true everywhere."""
    return raw.Equal(x=x, y=x)


def of_floats(
    function: Callable[..., Any], integers: Callable[..., Any]
) -> Callable[["TfTensor"], "TfTensor"]:
    """Return one function for floats, and another one for integers."""
    return lambda x: integers(x) if x.dtype is dtypes.int32 else function(x)


UNARY: dict[str, Callable[..., Any]] = {
    "neg": lambda x: raw.Neg(x=x),
    "abs": magnitude,
    "sign": sign,
    "square": lambda x: raw.Square(x=x),
    "sqrt": lambda x: raw.Sqrt(x=x),
    "rsqrt": lambda x: raw.Rsqrt(x=x),
    "reciprocal": lambda x: raw.RealDiv(x=number(1.0), y=x),
    "exp": lambda x: raw.Exp(x=x),
    "expm1": lambda x: raw.Expm1(x=x),
    "log": lambda x: raw.Log(x=x),
    "log1p": lambda x: raw.Log1p(x=x),
    "sin": lambda x: raw.Sin(x=x),
    "cos": lambda x: raw.Cos(x=x),
    "tan": lambda x: raw.Tan(x=x),
    "asin": lambda x: raw.Asin(x=x),
    "acos": lambda x: raw.Acos(x=x),
    "atan": lambda x: raw.Atan(x=x),
    "sinh": lambda x: raw.Sinh(x=x),
    "cosh": lambda x: raw.Cosh(x=x),
    "tanh": lambda x: raw.Tanh(x=x),
    "asinh": lambda x: raw.Asinh(x=x),
    "acosh": lambda x: raw.Acosh(x=x),
    "atanh": lambda x: raw.Atanh(x=x),
    "erf": lambda x: raw.Erf(x=x),
    "sigmoid": lambda x: raw.Sigmoid(x=x),
    "softplus": lambda x: raw.Softplus(features=x),
    "relu": lambda x: raw.Relu(features=x),
    "relu6": lambda x: raw.Relu6(features=x),
    "elu": elu,
    "selu": selu,
    "leaky_relu": leaky_relu,
    "step": step,
    "clip_by_value": clip,
    "floor": whole(lambda x: raw.Floor(x=x)),
    "ceil": whole(lambda x: raw.Ceil(x=x)),
    "round": whole(lambda x: raw.Round(x=x)),  # halves to even; of many integers it makes 0
    "is_nan": of_floats(lambda x: raw.IsNan(x=x), never),
    "is_inf": of_floats(lambda x: raw.IsInf(x=x), never),
    "is_finite": of_floats(lambda x: raw.IsFinite(x=x), always),
    "logical_not": lambda x: raw.LogicalNot(x=x),
    "zeros_like": lambda x: raw.ZerosLike(x=x),
    "ones_like": lambda x: raw.OnesLike(x=x),
}

for _name, _function in UNARY.items():
    kernel(_name, "tf")(_function)

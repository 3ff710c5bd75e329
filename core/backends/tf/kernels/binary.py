"""Element-wise kernels of two inputs of one dtype.

Integers are divided in float64, which is exact: TensorFlow's own division of integers stops at a
divisor of 0, and ends the process at the lowest integer divided by -1.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.backends.tf.kernels.shape import to_int32
from core.backends.tf.raw_ops import dtypes, number, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def divide(a: "TfTensor", b: "TfTensor") -> "TfTensor":
    """Divide; integers give integers, rounded down."""
    return floor_divide(a, b) if a.dtype is dtypes.int32 else raw.RealDiv(x=a, y=b)


def floor_divide(a: "TfTensor", b: "TfTensor") -> "TfTensor":
    """Divide and round down to int32; NaN, infinity and integers divided by 0 give 0."""
    return to_int32(raw.Floor(x=raw.RealDiv(x=_wide(a), y=_wide(b))))


def remainder(a: "TfTensor", b: "TfTensor") -> "TfTensor":
    """Return the remainder with the sign of b; NaN if a is infinite, or b with another sign."""
    wide_a, wide_b = _wide(a), _wide(b)
    rest = raw.Mod(x=wide_a, y=wide_b)
    moved = raw.AddV2(x=rest, y=wide_b)
    whole = raw.Equal(x=moved, y=wide_b)
    zero = number(0.0, "float64")
    moved = raw.SelectV2(condition=whole, t=raw.Mul(x=zero, y=wide_b), e=moved)
    below = raw.LogicalAnd(x=raw.Less(x=wide_a, y=zero), y=raw.Less(x=wide_b, y=zero))
    above = raw.LogicalAnd(
        x=raw.GreaterEqual(x=wide_a, y=zero), y=raw.GreaterEqual(x=wide_b, y=zero)
    )
    alike = raw.LogicalOr(x=below, y=above)
    result = raw.SelectV2(condition=alike, t=rest, e=moved)
    return to_int32(result) if a.dtype is dtypes.int32 else raw.Cast(x=result, DstT=dtypes.float32)


def power(base: "TfTensor", exp: "TfTensor") -> "TfTensor":
    """Return powers; as in JavaScript, 1 and -1 to the power of NaN or an infinity is NaN."""
    if base.dtype is dtypes.int32:
        return to_int32(raw.Pow(x=_wide(base), y=_wide(exp)))
    is_one = raw.Equal(x=raw.Abs(x=base), y=number(1.0))
    unknown = raw.LogicalAnd(x=is_one, y=raw.LogicalNot(x=raw.IsFinite(x=exp)))
    powers = raw.Pow(x=base, y=exp)
    return raw.SelectV2(condition=unknown, t=number(float("nan")), e=powers)


def prelu(x: "TfTensor", alpha: "TfTensor") -> "TfTensor":
    """Return x where it is not negative, else alpha * x."""
    is_below = raw.Less(x=x, y=number(0.0))
    return raw.SelectV2(condition=is_below, t=raw.Mul(x=alpha, y=x), e=x)


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.float64)


BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: raw.AddV2(x=a, y=b),
    "sub": lambda a, b: raw.Sub(x=a, y=b),
    "mul": lambda a, b: raw.Mul(x=a, y=b),
    "div": divide,
    "floor_div": floor_divide,
    "mod": remainder,
    "pow": power,
    "maximum": lambda a, b: raw.Maximum(x=a, y=b),
    "minimum": lambda a, b: raw.Minimum(x=a, y=b),
    "squared_difference": lambda a, b: raw.SquaredDifference(x=a, y=b),
    "atan2": lambda a, b: raw.Atan2(y=a, x=b),
    "prelu": prelu,
    "bitwise_and": lambda x, y: raw.BitwiseAnd(x=x, y=y),
}

for _name, _function in BINARY.items():
    kernel(_name, "tf")(_function)


@kernel("add_n", "tf")
def add_n(inputs: "list[TfTensor]") -> "TfTensor":
    """Return the sum of several tensors."""
    return raw.AddN(inputs=inputs)

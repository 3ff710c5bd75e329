"""Rounding of sums of integers in float32, by int64, as LiteRT's reference kernels do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import dtypes, number, raw
from core.engine.registry import kernel
from core.plan.integer_ops import SUM_BITS

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.int64)


def _number(value: int) -> "TfTensor":
    return number(value, "int64")


def _rounded(sums: "TfTensor", multiplier: "TfTensor", right: "TfTensor") -> "TfTensor":
    """Return products divided by 2**31, then by powers of two; rounded both times."""
    products = raw.AddV2(x=raw.Mul(x=sums, y=multiplier), y=_number(1 << 30))
    values = raw.RightShift(x=products, y=_number(31))
    half = raw.RightShift(x=raw.LeftShift(x=_number(1), y=right), y=_number(1))
    is_moved = raw.Minimum(x=right, y=_number(1))
    is_below = raw.Mul(x=_wide(raw.Less(x=values, y=_number(0))), y=is_moved)
    return raw.RightShift(x=raw.Sub(x=raw.AddV2(x=values, y=half), y=is_below), y=right)


def _clipped(values: "TfTensor", least: int, most: int) -> "TfTensor":
    made = raw.Cast(x=values, DstT=dtypes.float32)
    limits = number(float(least)), number(float(most))
    return raw.ClipByValue(t=made, clip_value_min=limits[0], clip_value_max=limits[1])


@kernel("requantise", "tf")
def requantise(
    x: "TfTensor", upper: "TfTensor", lower: "TfTensor", least: int, most: int, is_small: bool
) -> "TfTensor":
    """Return the quantized values of sums, in steps from 0."""
    rest = _wide(lower)
    multiplier = raw.AddV2(
        x=raw.Mul(x=_wide(upper), y=_number(1 << 16)), y=raw.RightShift(x=rest, y=_number(6))
    )
    shift = raw.Sub(x=raw.BitwiseAnd(x=rest, y=_number(63)), y=_number(32))
    left = raw.Maximum(x=shift, y=_number(0))
    right = raw.Maximum(x=raw.Neg(x=shift), y=_number(0))
    return _clipped(_rounded(raw.LeftShift(x=_wide(x), y=left), multiplier, right), least, most)


@kernel("quanta_binary", "tf")
def quanta_binary(
    a: "TfTensor", b: "TfTensor", kind: str, numbers: Sequence[int], least: int, most: int
) -> "TfTensor":
    """Return the sum, difference or product of steps from 0."""
    _, first, right_of_first, _, second, right_of_second, last, left, right = map(_number, numbers)
    if kind == "mul":
        total = raw.Mul(x=_wide(a), y=_wide(b))
    else:
        moved = [
            _rounded(raw.LeftShift(x=_wide(x), y=_number(SUM_BITS)), multiplier, by)
            for x, multiplier, by in ((a, first, right_of_first), (b, second, right_of_second))
        ]
        total = (
            raw.AddV2(x=moved[0], y=moved[1]) if kind == "add" else raw.Sub(x=moved[0], y=moved[1])
        )
    return _clipped(_rounded(raw.LeftShift(x=total, y=left), last, right), least, most)

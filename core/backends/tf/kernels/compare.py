"""Element-wise comparison and logic."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.backends.tf.raw_ops import dtypes, integer, integers, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def ordered(
    compare: "Callable[[TfTensor, TfTensor], TfTensor]",
) -> "Callable[[TfTensor, TfTensor], TfTensor]":
    """Return a comparison that takes bools and strings, too, which TensorFlow does not order."""

    def compared(a: "TfTensor", b: "TfTensor") -> "TfTensor":
        dtype = a.dtype
        if dtype is dtypes.bool:
            a, b = (raw.Cast(x=each, DstT=dtypes.uint8) for each in (a, b))
        elif dtype is dtypes.string:
            a, b = byte_order(a, b), integer(0)
        return compare(a, b)

    return compared


def byte_order(a: "TfTensor", b: "TfTensor") -> "TfTensor":
    """Return a negative integer where string a comes before b by its bytes, 0 where they are equal.

    Each string becomes a vector: of its bytes, from 1 on, then zeros. The first difference counts.
    """
    counts = [raw.StringLength(input=each) for each in (a, b)]
    longest = raw.Maximum(x=_largest(counts[0]), y=_largest(counts[1]))
    room = raw.Maximum(x=longest, y=integer(1))  # TensorFlow refuses to read no byte
    first, second = (_from_one(s, n, room) for s, n in zip((a, b), counts, strict=True))
    differences = raw.Sub(x=first, y=second)
    is_other = raw.NotEqual(x=differences, y=integer(0))
    at = raw.ArgMax(input=is_other, dimension=integer(-1), output_type=dtypes.int32)
    marks = raw.OneHot(indices=at, depth=room, on_value=integer(1), off_value=integer(0), axis=-1)
    found = raw.Mul(x=differences, y=marks)
    return raw.Sum(input=found, axis=integer(-1), keep_dims=False)


def _largest(counts: "TfTensor") -> "TfTensor":
    flat = raw.Reshape(tensor=counts, shape=integers(-1))
    return raw.Max(input=raw.ConcatV2(values=[flat, integers(0)], axis=integer(0)), axis=integer(0))


def _from_one(strings: "TfTensor", counts: "TfTensor", room: "TfTensor") -> "TfTensor":
    """Return the bytes, from 1 on, of each string as an int32 vector filled up with zeros."""
    codes = raw.DecodePaddedRaw(input_bytes=strings, fixed_length=room, out_type=dtypes.uint8)
    positions = raw.Range(start=integer(0), limit=room, delta=integer(1))
    is_there = raw.Less(x=positions, y=raw.ExpandDims(input=counts, axis=integer(-1)))
    from_one = raw.AddV2(x=raw.Cast(x=codes, DstT=dtypes.int32), y=integer(1))
    return raw.SelectV2(condition=is_there, t=from_one, e=integer(0))


def exclusive_or(a: "TfTensor", b: "TfTensor") -> "TfTensor":
    """Return whether exactly one of two bools is true."""
    return raw.NotEqual(x=a, y=b)


COMPARE: dict[str, Callable[..., Any]] = {
    "equal": lambda a, b: raw.Equal(x=a, y=b),
    "not_equal": lambda a, b: raw.NotEqual(x=a, y=b),
    "less": ordered(lambda a, b: raw.Less(x=a, y=b)),
    "less_equal": ordered(lambda a, b: raw.LessEqual(x=a, y=b)),
    "greater": ordered(lambda a, b: raw.Greater(x=a, y=b)),
    "greater_equal": ordered(lambda a, b: raw.GreaterEqual(x=a, y=b)),
    "logical_and": lambda a, b: raw.LogicalAnd(x=a, y=b),
    "logical_or": lambda a, b: raw.LogicalOr(x=a, y=b),
    "logical_xor": exclusive_or,
    "select": lambda condition, t, e: raw.SelectV2(condition=condition, t=t, e=e),
}

for _name, _function in COMPARE.items():
    kernel(_name, "tf")(_function)

"""Kernels that move or convert values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import axes_of, dtypes, integers, number, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def to_int32(x: "TfTensor") -> "TfTensor":
    """Convert floats as JavaScript's typed arrays do: NaN and infinity become 0, others wrap.

    A conversion by way of int64 wraps. float32 beyond 2**62 is a multiple of 2**32, as are the
    limits. float64 is not: it becomes its remainder first, which is exact, and NaN for infinity.
    The low bits of the int64 that processors make of NaN are 0.
    """
    if x.dtype is dtypes.float32:
        x = raw.ClipByValue(t=x, clip_value_min=number(-(2.0**62)), clip_value_max=number(2.0**62))
    else:
        turns = raw.Round(x=raw.Mul(x=x, y=number(2.0**-32, "float64")))
        x = raw.Sub(x=x, y=raw.Mul(x=turns, y=number(2.0**32, "float64")))
    return raw.Cast(x=raw.Cast(x=x, DstT=dtypes.int64), DstT=dtypes.int32)


@kernel("cast", "tf")
def cast(x: "TfTensor", dtype: str) -> "TfTensor":
    """Convert as JavaScript's typed arrays do; of complex numbers the real part."""
    if x.dtype is dtypes.complex64 and dtype != "complex64":
        x = raw.Real(input=x)
    if dtype == "int32" and x.dtype is dtypes.float32:
        return to_int32(x)
    return raw.Cast(x=x, DstT=getattr(dtypes, dtype))


@kernel("transpose", "tf")
def transpose(x: "TfTensor", perm: Sequence[int] | None, conjugate: bool) -> "TfTensor":
    """Permute the axes."""
    order = integers(*(range(x.shape.rank)[::-1] if perm is None else perm))
    if conjugate and x.dtype is dtypes.complex64:
        return raw.ConjugateTranspose(x=x, perm=order)
    return raw.Transpose(x=x, perm=order)


@kernel("broadcast_to", "tf")
def broadcast_to(
    x: "TfTensor", shape: Sequence[int], input_shape: Sequence[int] | None
) -> "TfTensor":
    """Repeat along axes of length 1."""
    return raw.BroadcastTo(input=x, shape=integers(*shape))


@kernel("broadcast_args", "tf")
def broadcast_args(s0: "TfTensor", s1: "TfTensor") -> "TfTensor":
    """Return the common shape of two shapes."""
    return raw.BroadcastArgs(s0=s0, s1=s1)


@kernel("tile", "tf")
def tile(x: "TfTensor", reps: int | Sequence[int]) -> "TfTensor":
    """Repeat the whole tensor."""
    return raw.Tile(input=x, multiples=integers(*((reps,) if isinstance(reps, int) else reps)))


@kernel("reverse", "tf")
def reverse(x: "TfTensor", axis: int | Sequence[int] | None) -> "TfTensor":
    """Reverse the order along axes."""
    return raw.ReverseV2(tensor=x, axis=axes_of(axis, x))

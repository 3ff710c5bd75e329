"""Kernels that sum or count the values of each group."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import dtypes, integer, integers, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def rounded_once(function: "Callable[[TfTensor], TfTensor]", x: "TfTensor") -> "TfTensor":
    """Return a sum of values computed in float64 and rounded once; integers wrap around."""
    dtype = x.dtype
    if dtype is dtypes.int32:
        return function(x)
    wide = dtypes.float64 if dtype is dtypes.float32 else dtypes.complex128
    return raw.Cast(x=function(raw.Cast(x=x, DstT=wide)), DstT=dtype)


@kernel("unsorted_segment_sum", "tf")
def unsorted_segment_sum(x: "TfTensor", segment_ids: "TfTensor", num_segments: int) -> "TfTensor":
    """Sum rows by segment; ids beyond the last become -1, which TensorFlow leaves out."""
    count = integer(num_segments)
    below = raw.Less(x=segment_ids, y=count)
    ids = raw.SelectV2(condition=below, t=segment_ids, e=integer(-1))
    return rounded_once(
        lambda x: raw.UnsortedSegmentSum(data=x, segment_ids=ids, num_segments=count), x
    )


@kernel("bincount", "tf")
def bincount(x: "TfTensor", weights: "TfTensor | None", size: int) -> "TfTensor":
    """Count or sum weights."""
    return rounded_once(
        lambda weights: raw.Bincount(arr=x, size=integer(size), weights=weights), _or_empty(weights)
    )


@kernel("dense_bincount", "tf")
def dense_bincount(
    x: "TfTensor", weights: "TfTensor | None", size: int, binary_output: bool
) -> "TfTensor":
    """Count or sum weights, row by row."""
    how = {"size": integer(size), "binary_output": bool(binary_output)}
    return rounded_once(
        lambda weights: raw.DenseBincount(input=x, weights=weights, **how), _or_empty(weights)
    )


def _or_empty(weights: "TfTensor | None") -> "TfTensor":
    return integers() if weights is None else weights

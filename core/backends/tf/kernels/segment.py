"""Kernels that sum or count the values of each group."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import integer, integers, raw
from core.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("unsorted_segment_sum", "tf")
def unsorted_segment_sum(x: "TfTensor", segment_ids: "TfTensor", num_segments: int) -> "TfTensor":
    """Sum rows by segment; ids beyond the last become -1, which TensorFlow leaves out."""
    count = integer(num_segments)
    below = raw.Less(x=segment_ids, y=count)
    ids = raw.SelectV2(condition=below, t=segment_ids, e=integer(-1))
    return raw.UnsortedSegmentSum(data=x, segment_ids=ids, num_segments=count)


@kernel("bincount", "tf")
def bincount(x: "TfTensor", weights: "TfTensor | None", size: int) -> "TfTensor":
    """Count or sum weights."""
    return raw.Bincount(arr=x, size=integer(size), weights=_given(weights))


@kernel("dense_bincount", "tf")
def dense_bincount(
    x: "TfTensor", weights: "TfTensor | None", size: int, binary_output: bool
) -> "TfTensor":
    """Count or sum weights, row by row."""
    return raw.DenseBincount(
        input=x, size=integer(size), weights=_given(weights), binary_output=bool(binary_output)
    )


def _given(weights: "TfTensor | None") -> "TfTensor":
    return integers() if weights is None else weights

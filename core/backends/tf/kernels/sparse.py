"""Kernels of sparse tensors and of segments. TensorFlow takes 64-bit indices of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.tf.kernels.segment import rounded_once
from core.backends.tf.raw_ops import dtypes, integer, integers, raw, scalar
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT="int64")


def _narrow(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT="int32")


@kernel("sparse_fill_empty_rows", "tf")
def sparse_fill_empty_rows(
    indices: "TfTensor", values: "TfTensor", dense_shape: "TfTensor", default_value: "TfTensor"
) -> "tuple[TfTensor, ...]":
    """Fill empty rows; the values of a row keep their order."""
    if default_value.dtype != values.dtype:
        default_value = raw.Cast(x=default_value, DstT=values.dtype)
    found = raw.SparseFillEmptyRows(
        indices=_wide(indices),
        values=values,
        dense_shape=_wide(dense_shape),
        default_value=default_value,
    )
    return (
        _narrow(found.output_indices),
        found.output_values,
        found.empty_row_indicator,
        _narrow(found.reverse_index_map),
    )


@kernel("sparse_reshape", "tf")
def sparse_reshape(
    input_indices: "TfTensor", input_shape: "TfTensor", new_shape: "TfTensor"
) -> "tuple[TfTensor, TfTensor]":
    """Reshape by way of the index in the flattened tensor."""
    found = raw.SparseReshape(
        input_indices=_wide(input_indices),
        input_shape=_wide(input_shape),
        new_shape=_wide(new_shape),
    )
    return _narrow(found.output_indices), _narrow(found.output_shape)


@kernel("sparse_segment_sum", "tf")
def sparse_segment_sum(
    data: "TfTensor", indices: "TfTensor", segment_ids: "TfTensor"
) -> "TfTensor":
    """Sum segments."""
    how = {"indices": indices, "segment_ids": segment_ids}
    return rounded_once(lambda data: raw.SparseSegmentSum(data=data, **how), data)


@kernel("sparse_segment_mean", "tf")
def sparse_segment_mean(
    data: "TfTensor", indices: "TfTensor", segment_ids: "TfTensor"
) -> "TfTensor":
    """Return means; those of integers, which TensorFlow has none of, are truncated."""
    how = {"indices": indices, "segment_ids": segment_ids}
    if data.dtype is dtypes.float32:
        return rounded_once(lambda data: raw.SparseSegmentMean(data=data, **how), data)
    sums = raw.SparseSegmentSum(data=data, **how)
    counts = raw.SparseSegmentSum(data=raw.OnesLike(x=data), **how)
    return raw.TruncateDiv(x=sums, y=raw.Maximum(x=counts, y=integer(1)))


@kernel("sparse_to_dense", "tf")
def sparse_to_dense(
    sparse_indices: "TfTensor",
    sparse_values: "TfTensor",
    default_value: "TfTensor | None",
    output_shape: Sequence[int],
) -> "TfTensor":
    """Write values; of several with one index the kernel of the CPU keeps the last."""
    shape = tuple(output_shape)
    if default_value is None:
        dtype = sparse_values.dtype.name
        default_value = scalar(b"" if dtype == "string" else 0, dtype)
    return raw.SparseToDense(
        sparse_indices=sparse_indices,
        output_shape=integers(*shape),
        sparse_values=sparse_values,
        default_value=raw.Reshape(tensor=default_value, shape=integers()),
        validate_indices=False,
    )

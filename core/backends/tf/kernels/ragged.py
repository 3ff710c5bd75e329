"""Kernels of ragged tensors."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import integer, integers, raw
from core.errors import CoreError
from core.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("ragged_gather_parts", "tf")
def ragged_gather_parts(
    params_nested_splits: "list[TfTensor]",
    params_dense_values: "TfTensor",
    indices: "TfTensor",
    output_ragged_rank: int | None,
) -> "tuple[TfTensor, ...]":
    """Gather rows; their splits are one for each axis of the indices, less one, and of the rows."""
    found = raw.RaggedGather(
        params_nested_splits=params_nested_splits,
        params_dense_values=params_dense_values,
        indices=indices,
        OUTPUT_RAGGED_RANK=len(params_nested_splits) + len(indices.shape) - 1,
    )
    return *found.output_nested_splits, found.output_dense_values


@kernel("ragged_range", "tf")
def ragged_range(
    starts: "TfTensor", limits: "TfTensor", deltas: "TfTensor"
) -> "tuple[TfTensor, TfTensor]":
    """Return ranges; TensorFlow adds the steps up, which takes 64 bits for floats."""
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    if starts.dtype.name != "float32":
        found = raw.RaggedRange(**given, Tsplits="int32")
        return found.rt_nested_splits, found.rt_dense_values
    wide = {name: raw.Cast(x=x, DstT="float64") for name, x in given.items()}
    found = raw.RaggedRange(**wide, Tsplits="int32")
    return found.rt_nested_splits, raw.Cast(x=found.rt_dense_values, DstT="float32")


@kernel("ragged_tensor_to_tensor", "tf")
def ragged_tensor_to_tensor(
    shape: "TfTensor",
    values: "TfTensor",
    default_value: "TfTensor",
    row_partition_tensors: "list[TfTensor]",
    row_partition_types: Sequence[str],
) -> "TfTensor":
    """Pad or cut rows; a default value as large as a value gets its shape."""
    inner = tuple(values.shape)[1:]
    if default_value.dtype != values.dtype:
        default_value = raw.Cast(x=default_value, DstT=values.dtype)
    if prod(default_value.shape) == prod(inner):
        default_value = raw.Reshape(tensor=default_value, shape=integers(*inner))
    return raw.RaggedTensorToTensor(
        shape=shape,
        values=_used(values, row_partition_tensors[-1], row_partition_types[-1]),
        default_value=default_value,
        row_partition_tensors=row_partition_tensors,
        row_partition_types=list(row_partition_types),
    )


def _used(values: "TfTensor", partition: "TfTensor", kind: str) -> "TfTensor":
    """Return the values that a partition is made for; TensorFlow would read beyond them."""
    count, *inner = values.shape
    if kind == "VALUE_ROWIDS":
        size = partition.shape[0]
        if size > count:
            raise CoreError(f"the partitions need {size} values, there are {count}")
        return values
    if kind == "FIRST_DIM_SIZE":
        ends = raw.Reshape(tensor=partition, shape=integers(1))
    else:
        ends = raw.StridedSlice(
            input=partition, begin=integers(-1), end=integers(0), strides=integers(1), end_mask=1
        )
    sizes = raw.ConcatV2(values=[ends, integers(*inner)], axis=integer(0))
    return raw.Slice(input=values, begin=integers(*[0] * (1 + len(inner))), size=sizes)

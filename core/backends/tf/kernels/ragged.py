"""Kernels of ragged tensors."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from core.backends.tf.ragged_rows import check, checked_count, partitions_of, positions_of
from core.backends.tf.raw_ops import integer, integers, raw
from core.engine.registry import kernel
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


_GREATEST = 2**31 - 1


@kernel("ragged_gather_parts", "tf")
def ragged_gather_parts(
    params_nested_splits: "list[TfTensor]",
    params_dense_values: "TfTensor",
    indices: "TfTensor",
    output_ragged_rank: int | None,
) -> "tuple[TfTensor, ...]":
    """Gather rows; their splits are one for each axis of the indices, less one, and of the rows."""
    counts = [splits.shape[0] - 1 for splits in params_nested_splits[1:]]
    counts.append(params_dense_values.shape[0])
    found = raw.RaggedGather(
        params_nested_splits=list(map(_within, params_nested_splits, counts)),
        params_dense_values=params_dense_values,
        indices=indices,
        OUTPUT_RAGGED_RANK=len(params_nested_splits) + len(indices.shape) - 1,
    )
    return *found.output_nested_splits, found.output_dense_values


def _within(splits: "TfTensor", count: int) -> "TfTensor":
    """Return splits, checked, beyond which TensorFlow reads nothing even if it does not wait."""
    fits = raw.All(input=raw.LessEqual(x=splits, y=integer(count)), axis=integer(0))
    check("Ragged splits must not point past values", fits)
    return raw.Minimum(x=splits, y=integer(count))


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
    """Find the row of the result for each value; TensorFlow's op crashes for wrong partitions."""
    count, *inner = values.shape
    rows, partitions = partitions_of(row_partition_tensors, row_partition_types)
    used = checked_count(rows, partitions, count)
    known = raw.Pack(values=[rows, *(p.longest() for p in partitions)], axis=0)
    size = _checked_size(shape, known, inner)
    outer = raw.Slice(input=size, begin=integers(0), size=integers(known.shape[0]))
    positions = positions_of(used, partitions, outer)
    numbers = raw.Range(start=integer(1), limit=raw.AddV2(x=used, y=integer(1)), delta=integer(1))
    most = raw.Prod(input=outer, axis=integer(0))
    sources = raw.UnsortedSegmentMax(data=numbers, segment_ids=positions, num_segments=most)
    sources = raw.Maximum(x=sources, y=integer(0))  # no value has the number 0
    table = raw.ConcatV2(values=[_default_row(default_value, values), values], axis=integer(0))
    found = raw.GatherV2(params=table, indices=sources, axis=integer(0))
    return raw.Reshape(tensor=found, shape=size)


def _checked_size(shape: "TfTensor", known: "TfTensor", inner: Sequence[int]) -> "TfTensor":
    """Return the lengths of the result, int64: -1 stands for a known length."""
    outer = known.shape[0]
    known = raw.ConcatV2(values=[known, integers(*inner)], axis=integer(0))
    lengths = ", ".join(["any"] * outer + [str(n) for n in inner])
    text = f"shape must be the scalar -1, or lengths of which each is -1 or as in ({lengths})"
    is_free = raw.Equal(x=shape, y=integer(-1))
    if len(shape.shape) == 0:
        check(text, is_free)
        return raw.Cast(x=known, DstT="int64")
    if shape.shape[0] != outer + len(inner):
        raise CoreError(
            f"rt input.shape and shape are incompatible: rt input.rank = {outer + len(inner)}, but "
            f"shape.rank = {shape.shape[0]}"
        )
    low, high = integers(*[0] * outer, *inner), integers(*[_GREATEST] * outer, *inner)
    fits = raw.LogicalAnd(x=raw.GreaterEqual(x=shape, y=low), y=raw.LessEqual(x=shape, y=high))
    check(text, raw.All(input=raw.LogicalOr(x=is_free, y=fits), axis=integer(0)))
    return raw.Cast(x=raw.SelectV2(condition=is_free, t=known, e=shape), DstT="int64")


def _default_row(default_value: "TfTensor", values: "TfTensor") -> "TfTensor":
    """Return the default value as a row of values [1, ...]."""
    row = (1, *values.shape[1:])
    if default_value.dtype != values.dtype:
        default_value = raw.Cast(x=default_value, DstT=values.dtype)
    if prod(default_value.shape) == prod(row):
        return raw.Reshape(tensor=default_value, shape=integers(*row))
    return raw.BroadcastTo(input=default_value, shape=integers(*row))

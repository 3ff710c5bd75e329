"""Ops on ragged tensors: rows of different lengths, as their values and where the rows end."""

from collections.abc import Sequence
from typing import NamedTuple

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import spec_of, specs_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, check_rank, require
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.ops.sparse import check_default


class GatheredRows(NamedTuple):
    """A ragged tensor: splits from the outermost axis to the innermost, and values."""

    output_nested_splits: list[Tensor]
    output_dense_values: Tensor


@op(kernel_name="RaggedGather", input_dtype={"params_nested_splits": "int32", "indices": "int32"})
def ragged_gather_parts(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int | None = None,
) -> tuple[Spec, ...] | None:
    """The results of `core.ragged_gather` as one list: the splits, and last the values.

    Args:
        params_nested_splits: see `ragged_gather`, like the rest.
        params_dense_values: see `ragged_gather`.
        indices: see `ragged_gather`.
        output_ragged_rank: see `ragged_gather`.

    >>> splits, values = core.ragged_gather_parts([[0, 2, 3]], ["a", "b", "c"], [1, 0])
    >>> splits.numpy(), values.numpy()
    (array([0, 1, 3], dtype=int32), array([b'c', b'a', b'b'], dtype=object))
    """
    specs = specs_of(params_nested_splits)
    params_dense_values = spec_of(params_dense_values)
    for splits in specs:
        check_rank(splits, 1, "params_nested_splits")
    needs = {
        "params.rank must be nonzero": params_dense_values.shape != (),
        "Ragged splits may not be empty": all(s.shape != (0,) for s in specs),
    }
    require(needs, f"{params_nested_splits=}, {params_dense_values=}: splits of no rows are [0]")
    return None


@ragged_gather_parts.gradient("params_dense_values")
def _(g, params_nested_splits, params_dense_values_spec, indices):
    rows = params_dense_values_spec.shape[0]
    taken = ops.ragged_gather_parts(params_nested_splits, _numbers(rows), indices)[-1]
    return ops.unsorted_segment_sum(g[-1], taken, num_segments=rows)


def _numbers(count: int, first: int = 0) -> Tensor:
    """Integers that show, after an op has moved them, the source of each value."""
    return tensor(range(first, first + count), "int32")


@composite
def ragged_gather(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int | None = None,
) -> GatheredRows:
    """Rows of a ragged tensor.

    Args:
        params_nested_splits: for each ragged axis, from the outermost on, int32 [rows + 1]: where
            its rows begin and end in the next axis.
        params_dense_values: [n, ...], the values of the innermost rows.
        indices: int32 of any shape, which rows of the outermost axis to take.
        output_ragged_rank: the number of splits in the result; it follows from the rest.

    Returns:
        A named tuple: output_nested_splits, a list, and output_dense_values.

    Raises:
        CoreError: an index is outside of the rows, or splits fall or point past the values.

    >>> import core
    >>> rows = core.ragged_gather([[0, 2, 3]], [1.0, 2.0, 3.0], [1, 0])
    >>> rows.output_nested_splits[0].numpy(), rows.output_dense_values.numpy()
    (array([0, 1, 3], dtype=int32), array([3., 1., 2.], dtype=float32))
    """
    *splits, values = ops.ragged_gather_parts(
        params_nested_splits,
        params_dense_values,
        indices,
        output_ragged_rank=output_ragged_rank,
    )
    return GatheredRows(splits, values)


class RaggedRangeResults(NamedTuple):
    """The results of `ragged_range`."""

    rt_nested_splits: Tensor
    rt_dense_values: Tensor


@op(promote=True, input_dtype="real", results=RaggedRangeResults)
def ragged_range(starts: TensorLike, limits: TensorLike, deltas: TensorLike) -> None:
    """Sequences of numbers, one for each row.

    Args:
        starts: first number of each row: [rows], or a scalar for all.
        limits: where each row ends, itself not included: [rows] or a scalar.
        deltas: step of each row, not 0: [rows] or a scalar.

    Returns:
        A named tuple: rt_nested_splits int32 [rows + 1] and rt_dense_values, of the dtype of the
        inputs. A row whose step leads away from its limit is empty.

    >>> ranges = core.ragged_range([2, 5], [4, 9], [1, 3])
    >>> ranges.rt_nested_splits.numpy(), ranges.rt_dense_values.numpy()
    (array([0, 2, 4], dtype=int32), array([2, 3, 5, 8], dtype=int32))
    """
    starts, limits, deltas = spec_of(starts), spec_of(limits), spec_of(deltas)
    shapes = {"starts": starts.shape, "limits": limits.shape, "deltas": deltas.shape}
    needs = {f"{name} must be a scalar or vector": len(s) < 2 for name, s in shapes.items()}
    one_length = len({shape for shape in shapes.values() if shape}) < 2
    require(
        {**needs, "starts, limits, and deltas must have the same shape": one_length},
        f"got shapes {shapes}",
    )


#: Kinds of the partition of an axis; the first axis has no row ids.
_FIRST_TYPES = ("FIRST_DIM_SIZE", "ROW_SPLITS")
_OTHER_TYPES = ("VALUE_ROWIDS", "ROW_SPLITS")


def has_row_count(row_partition_types: Sequence[str]) -> bool:
    """Whether the first partition tensor is just the number of rows."""
    return row_partition_types[0] == "FIRST_DIM_SIZE"


@op(input_dtype={"shape": "int32", "row_partition_tensors": "int32"})
def ragged_tensor_to_tensor(
    shape: TensorLike,
    values: TensorLike,
    default_value: TensorLike,
    row_partition_tensors: Sequence[TensorLike],
    row_partition_types: Sequence[str],
) -> None:
    """A ragged tensor as a dense one: short rows are padded, long rows cut.

    Args:
        shape: int32 [rank], of the result; -1 for as long as the longest row. A scalar -1 for
            that everywhere.
        values: [n, ...], of any dtype.
        default_value: fills rows, of the values' dtype: a scalar or as large as a value.
        row_partition_tensors: how the values are parted into rows, from the outermost axis on.
        row_partition_types: the kind of each of these tensors: ``"FIRST_DIM_SIZE"`` (a scalar;
            only the first), ``"ROW_SPLITS"`` (where rows begin and end) or ``"VALUE_ROWIDS"`` (for
            each value its row, never falling; not the first).

    Raises:
        CoreError: partitions, values, default and shape do not fit together.

    >>> core.ragged_tensor_to_tensor(
    ...     [-1, -1], [1, 2, 3], 0, [[0, 1, 1, 3]], row_partition_types=["ROW_SPLITS"]
    ... ).numpy()
    array([[1, 0],
           [0, 0],
           [2, 3]], dtype=int32)
    """
    specs = specs_of(row_partition_tensors)
    shape, values, default_value = spec_of(shape), spec_of(values), spec_of(default_value)
    _check_partitions(specs, row_partition_types)
    if len(shape.shape) > 1:
        raise CoreError(f"shape must be a vector or the scalar -1, got shape {shape.shape}")
    check_default(default_value, values)
    default, inner = default_value.shape, values.shape[1:]
    if not values.shape or len(default) > len(inner):
        raise CoreError(f"default_value {default} must have fewer axes than values {values.shape}")
    if any(d not in (1, n) for d, n in zip(default, inner, strict=False)):
        raise CoreError(f"default_value {default} does not fit into values {values.shape}")


def _check_partitions(tensors: list[Spec], types: Sequence[str]) -> None:
    if isinstance(types, str) or len(types) != len(tensors):
        raise CoreError(f"row_partition_types {types!r} must be one for each of {len(tensors)}")
    for i, (spec, kind) in enumerate(zip(tensors, types, strict=True)):
        known = _OTHER_TYPES if i else _FIRST_TYPES
        if kind not in known:
            raise CoreError(f"row_partition_types[{i}]={kind!r} must be one of {known}")
        check_rank(spec, int(kind != "FIRST_DIM_SIZE"), f"row_partition_tensors[{i}]")
    if tensors[0].shape == (0,):
        raise CoreError("the first of row_partition_tensors must not be empty")


@ragged_tensor_to_tensor.gradient("values")
def _(g, shape, values_spec, row_partition_tensors, row_partition_types):
    flows = _flows(g, shape, values_spec, row_partition_tensors, row_partition_types)
    return ops.slice(flows, begin=(1, *[0] * len(values_spec.shape[1:])), size=values_spec.shape)


@ragged_tensor_to_tensor.gradient("default_value")
def _(g, shape, values_spec, default_value_spec, row_partition_tensors, row_partition_types):
    inner, default = values_spec.shape[1:], default_value_spec
    flows = _flows(g, shape, values_spec, row_partition_tensors, row_partition_types)
    flow = ops.slice(flows, begin=[0] * (1 + len(inner)), size=(1, *inner))
    same_size = default.size == Spec(inner).size
    return ops.reshape(flow, shape=default.shape if same_size else inner)


def _flows(g, shape, values_spec: Spec, row_partition_tensors, row_partition_types):
    """The gradient of the default value in row 0, and of value i in row i + 1.

    Numbers that are moved like the values give the source of each position of the result.
    """
    count, inner = values_spec.shape[0], values_spec.shape[1:]
    outer = g.shape[: len(g.shape) - len(inner)]
    sources = ops.ragged_tensor_to_tensor(
        tensor(outer, "int32"),
        _numbers(count, 1),
        0,
        row_partition_tensors,
        row_partition_types=row_partition_types,
    )
    positions = ops.reshape(sources, shape=(-1,))
    rows = ops.reshape(g, shape=(positions.size, *inner))
    return ops.unsorted_segment_sum(rows, positions, num_segments=count + 1)

"""Ops on sparse tensors (indices, values, dense shape) and on segments of rows."""

from collections.abc import Sequence
from typing import NamedTuple

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dtypes import promote
from core.engine.operation import Spellings, spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_rank, checked_shape
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.ops.indexing import where_last

_INDICES = {"indices": "int32"}


def check_default(default_value: Spec, values: Spec) -> None:
    """Raise if a default value would change the dtype of the values."""
    if promote(values.dtype, default_value.dtype) != values.dtype:
        raise CoreError(
            f"default_value is {default_value.dtype}, which {values.dtype} values cannot hold"
        )


class SparseFillEmptyRowsResults(NamedTuple):
    """The results of `sparse_fill_empty_rows`."""

    output_indices: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor


@op(input_dtype={**_INDICES, "dense_shape": "int32"}, results=SparseFillEmptyRowsResults)
def sparse_fill_empty_rows(
    indices: TensorLike, values: TensorLike, dense_shape: TensorLike, default_value: TensorLike
) -> None:
    """Give each empty row of a sparse tensor one value, at its first position.

    Args:
        indices: int32 [n, rank], where the values are.
        values: [n], of any dtype.
        dense_shape: int32 [rank], the shape of the tensor.
        default_value: a scalar of the values' dtype.

    Returns:
        A named tuple: output_indices [m, rank] and output_values [m], by rows; empty_row_indicator
        bool [rows]; reverse_index_map int32 [n], the new position of each value.

    Raises:
        CoreError: a value is outside of the rows.

    >>> filled = core.sparse_fill_empty_rows([[0, 1], [2, 0]], [7.0, 8.0], [3, 2], -1.0)
    >>> filled.output_values.numpy(), filled.empty_row_indicator.numpy()
    (array([ 7., -1.,  8.], dtype=float32), array([False,  True, False]))
    """
    indices, values, dense_shape = spec_of(indices), spec_of(values), spec_of(dense_shape)
    default_value = spec_of(default_value)
    check_rank(indices, 2, "indices")
    check_rank(values, 1, "values")
    check_rank(dense_shape, 1, "dense_shape")
    check_rank(default_value, 0, "default_value")
    check_default(default_value, values)
    if indices.shape[0] != values.shape[0] or 0 in (indices.shape[1], dense_shape.shape[0]):
        raise CoreError(
            f"indices {indices.shape} need a row for each of {values.shape[0]} values, and "
            f"columns; dense_shape {dense_shape.shape} needs a length for each column"
        )


sparse_fill_empty_rows.gradient("values")(lambda g, y: ops.gather(g[1], y[3]))


@sparse_fill_empty_rows.gradient("default_value")
def _(g, y):
    rows = ops.reshape(ops.slice(y[0], begin=(0, 0), size=(-1, 1)), shape=(-1,))
    filled = ops.gather(y[2], rows)
    return ops.sum(ops.select(filled, g[1], ops.zeros_like(g[1])))


class SparseReshapeResults(NamedTuple):
    """The results of `sparse_reshape`."""

    output_indices: Tensor
    output_shape: Tensor


@op(input_dtype="int32", results=SparseReshapeResults)
def sparse_reshape(
    input_indices: TensorLike, input_shape: TensorLike, new_shape: TensorLike
) -> tuple[Spec, Spec]:
    """The indices of a sparse tensor's values after a reshape.

    Args:
        input_indices: int32 [n, rank].
        input_shape: int32 [rank], the dense shape.
        new_shape: int32 [new rank], with as many values; one length may be -1.

    Returns:
        A named tuple: output_indices int32 [n, new rank] and output_shape int32 [new rank].

    >>> moved = core.sparse_reshape([[0, 1], [1, 2]], [2, 3], [3, -1])
    >>> moved.output_indices.numpy().tolist(), moved.output_shape.numpy()
    ([[0, 1], [2, 1]], array([3, 2], dtype=int32))
    """
    input_indices, input_shape, new_shape = (
        spec_of(input_indices),
        spec_of(input_shape),
        spec_of(new_shape),
    )
    check_rank(input_indices, 2, "input_indices")
    check_rank(input_shape, 1, "input_shape")
    check_rank(new_shape, 1, "new_shape")
    if input_indices.shape[1] != input_shape.shape[0]:
        raise CoreError(
            f"input_indices {input_indices.shape} need a column for each of the "
            f"{input_shape.shape[0]} lengths of input_shape"
        )
    count, rank = input_indices.shape[0], new_shape.shape[0]
    return Spec((count, rank), "int32"), Spec((rank,), "int32")


def _check_segments(data: Spec, indices: Spec, segment_ids: Spec) -> None:
    if not data.shape:
        raise CoreError("data must have at least one axis, got a scalar")
    check_rank(indices, 1, "indices")
    check_rank(segment_ids, 1, "segment_ids")
    if indices.shape != segment_ids.shape:
        raise CoreError(
            f"indices {indices.shape} and segment_ids {segment_ids.shape} must be of one size"
        )


_SEGMENTS = {"data": "real", **_INDICES, "segment_ids": "int32"}


@op(input_dtype=_SEGMENTS, spellings=Spellings(("SparseSegmentSum",)))
def sparse_segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> None:
    """The sums of chosen rows, segment by segment.

    Args:
        data: [rows, ...], real.
        indices: int32 [n], the rows to add.
        segment_ids: int32 [n], to which row of the result; never falling.

    Returns:
        [last segment + 1, ...]; a segment without rows is 0.

    Raises:
        CoreError: an index is outside of the data, or the segments are negative or fall.

    >>> core.sparse_segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[6, 8],
           [3, 4]], dtype=int32)
    """
    data, indices, segment_ids = spec_of(data), spec_of(indices), spec_of(segment_ids)
    _check_segments(data, indices, segment_ids)


@sparse_segment_sum.gradient("data")
def _spread_segments(g, indices, segment_ids, data_spec: Spec):
    """Each row's share: the sum of the gradients of the segments that it went into."""
    flows = ops.gather(g, segment_ids)
    return ops.unsorted_segment_sum(flows, indices, num_segments=data_spec.shape[0])


@op(input_dtype=_SEGMENTS, spellings=Spellings(("SparseSegmentMean",)))
def sparse_segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> None:
    """The means of chosen rows, segment by segment; means of integers are truncated.

    Args:
        data: [rows, ...], real.
        indices: int32 [n], the rows to take.
        segment_ids: int32 [n], to which row of the result; never falling.

    Returns:
        [last segment + 1, ...]; a segment without rows is 0.

    Raises:
        CoreError: an index is outside of the data, or the segments are negative or fall.

    >>> core.sparse_segment_mean([1.0, 3.0, 5.0], [0, 2, 1], [0, 0, 1]).numpy()
    array([3., 3.], dtype=float32)
    """
    data, indices, segment_ids = spec_of(data), spec_of(indices), spec_of(segment_ids)
    _check_segments(data, indices, segment_ids)


@sparse_segment_mean.gradient("data")
def _(g, indices, segment_ids, data_spec):
    rows = g.shape[0]
    ones = ops.fill(shape=indices.shape, value=1.0)
    counts = ops.unsorted_segment_sum(ones, segment_ids, num_segments=rows)
    counts = ops.reshape(ops.maximum(counts, 1.0), shape=(rows, *[1] * (len(g.shape) - 1)))
    return _spread_segments(g / counts, indices, segment_ids, data_spec)


@op(promote=("sparse_values", "default_value"), input_dtype={"sparse_indices": "int32"})
def sparse_to_dense(
    sparse_indices: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike | None = None,
    *,
    output_shape: Sequence[int],
) -> Spec:
    """A tensor of one value except at some indices; of values with one index the last counts.

    Args:
        sparse_indices: [n, axes of the result] int32, or a vector of n for one axis, or a number.
        sparse_values: n values, or one for all indices.
        default_value: of all other indices, 0 if absent.
        output_shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.sparse_to_dense([1, 3], [5, 6], output_shape=(4,)).numpy()
    array([0, 5, 0, 6], dtype=int32)
    """
    sparse_indices, sparse_values, default_value = (
        spec_of(sparse_indices),
        spec_of(sparse_values),
        spec_of(default_value),
    )
    shape = checked_shape(output_shape)
    found = sparse_indices.shape
    depth = found[1] if len(found) == 2 else 1
    count = found[0] if found else 1
    if len(found) > 2 or len(shape) != depth:
        raise CoreError(f"sparse_indices {found} must be [n, {len(shape)}] for {shape}")
    if sparse_values.shape not in ((), (count,)):
        raise CoreError(f"sparse_values have shape {sparse_values.shape}, not () or ({count},)")
    if default_value is not None and default_value.size != 1:
        raise CoreError(f"default_value must be one value, got shape {default_value.shape}")
    return Spec(shape, sparse_values.dtype)


@sparse_to_dense.gradient("sparse_values")
def _of_positions(g, sparse_indices):
    """The gradient at each index whose value is in the result."""
    lists = ops.reshape(sparse_indices, shape=(-1, g.ndim))
    return where_last(lists, g.shape, ops.gather_nd(g, lists))


@sparse_to_dense.gradient("default_value")
def _(g, sparse_indices, default_value_spec):
    rest = ops.sum(g) - ops.sum(_of_positions(g, sparse_indices))
    return ops.reshape(rest, shape=default_value_spec.shape)

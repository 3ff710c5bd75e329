"""Ops that sum or count entries by ids or values."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import spec_of
from core.engine.registry import composite, op
from core.engine.specs import Shape, Spec, integer
from core.engine.tensors import Tensor
from core.errors import CoreError


@op(input_dtype={"x": "number", "segment_ids": "int32"}, method=True)
def unsorted_segment_sum(x: TensorLike, segment_ids: TensorLike, num_segments: int) -> Spec:
    """Sums of the entries that have the same id.

    Args:
        x: the entries.
        segment_ids: int32, of the shape of the first axes of x; entries whose id is negative or
            ``num_segments`` and more are left out.
        num_segments: how many sums.

    Returns:
        [num_segments, rest of the shape of x].

    >>> core.unsorted_segment_sum([1.0, 2.0, 4.0], [1, 0, 1], num_segments=3).numpy()
    array([2., 5., 0.], dtype=float32)
    """
    x, segment_ids = spec_of(x), spec_of(segment_ids)
    count, lead = integer(num_segments, "num_segments", 0), len(segment_ids.shape)
    if x.shape[:lead] != segment_ids.shape:
        raise CoreError(f"segment_ids {segment_ids.shape} must be for the first axes of {x.shape}")
    return Spec((count, *x.shape[lead:]), x.dtype)


@unsorted_segment_sum.gradient("x")
def _(g, segment_ids, x_spec, num_segments):
    if num_segments == 0:
        return ops.zeros(x_spec.shape)
    counted = ops.logical_and(segment_ids >= 0, segment_ids < num_segments)
    rows = ops.gather(g, ops.select(counted, segment_ids, 0))
    aligned = ops.reshape(counted, shape=(*counted.shape, *[1] * (rows.ndim - counted.ndim)))
    return ops.select(aligned, rows, ops.zeros_like(rows))


def _check_weights(x: Spec, weights: Spec | None) -> str:
    """The dtype of counts, with weights that fit."""
    if x.dtype != "int32":
        raise CoreError(f"only int32 values are counted, got {x.dtype}: cast them")
    if weights is not None and weights.size and weights.shape != x.shape:
        raise CoreError(f"weights {weights.shape} must have the shape of x, {x.shape}, or be empty")
    return "int32" if weights is None else weights.dtype


@op(input_dtype={"x": "int32", "weights": "real"})
def bincount(x: TensorLike, weights: TensorLike | None = None, *, size: int) -> Spec:
    """Count how often each number from 0 to ``size - 1`` occurs.

    Args:
        x: int32, from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, of the shape of x; 1 if absent or empty.
        size: how many numbers.

    Returns:
        [size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative.

    >>> core.bincount([1, 1, 2], size=4).numpy()
    array([0, 2, 1, 0], dtype=int32)
    """
    x, weights = spec_of(x), spec_of(weights)
    return Spec((integer(size, "size", 0),), _check_weights(x, weights))


@op(input_dtype={"x": "int32", "weights": "real"})
def dense_bincount(
    x: TensorLike, weights: TensorLike | None = None, *, size: int, binary_output: bool = False
) -> Spec:
    """Count how often each number from 0 to ``size - 1`` occurs in each row.

    Args:
        x: int32 vector or matrix, from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, of the shape of x; 1 if absent or empty.
        size: how many numbers.
        binary_output: say only whether a number occurs, as 1 or 0.

    Returns:
        [size] or [rows, size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative.

    >>> core.dense_bincount([[1, 1], [0, 2]], size=3).numpy()
    array([[0, 2, 0],
           [1, 0, 1]], dtype=int32)
    """
    x, weights = spec_of(x), spec_of(weights)
    if len(x.shape) not in (1, 2):
        raise CoreError(f"dense_bincount needs a vector or a matrix, got shape {x.shape}")
    rows: Shape = x.shape[:-1]
    return Spec((*rows, integer(size, "size", 0)), _check_weights(x, weights))


@composite
def ragged_bincount(
    splits: TensorLike,
    values: TensorLike,
    weights: TensorLike | None = None,
    *,
    size: int,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each number from 0 to ``size - 1`` occurs in each row of a ragged tensor.

    Args:
        splits: int32 [rows + 1], where the values of each row begin and end.
        values: int32 [n], from 0 on; numbers of ``size`` and more are left out.
        weights: the count of each value, [n]; 1 if absent or empty.
        size: how many numbers.
        binary_output: say only whether a number occurs, as 1 or 0.

    Returns:
        [rows, size], of the dtype of the weights (int32 without).

    Raises:
        CoreError: a value is negative, or splits and values do not fit together.

    >>> import core
    >>> core.ragged_bincount([0, 2, 2, 3], [1, 1, 0], size=2).numpy()
    array([[0, 2],
           [0, 0],
           [1, 0]], dtype=int32)
    """
    splits, values = tensor(splits).cast("int32"), tensor(values).cast("int32")
    if splits.ndim != 1 or values.ndim != 1 or not splits.size:
        raise CoreError(f"splits {splits.shape} and values {values.shape} must be vectors")
    count, rows = integer(size, "size", 0), splits.size - 1
    if splits[0].item() != 0 or splits[rows].item() != values.size:
        raise CoreError(f"the splits of {values.size} values must go from 0 to {values.size}")
    row_of = ops.upper_bound(splits[1:], ops.range(0, values.size, 1, "int32"))
    places = ops.select(values < count, row_of * count + values, rows * count)
    places = ops.select(values < 0, -1, places)
    counts = ops.bincount(places, weights, size=rows * count)
    if binary_output:
        counts = ops.cast(counts > 0, dtype=counts.dtype)
    return ops.reshape(counts, shape=(rows, count))


@composite
def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int) -> Tensor:
    """Count how often each class was predicted for each true class.

    Args:
        labels: vector of the true classes, as numbers.
        predictions: vector of the classes that were predicted.
        num_classes: how many classes; numbers outside of them are left out.

    Returns:
        int32 [num_classes, num_classes]: a row for each label, a column for each prediction.

    >>> import core
    >>> core.confusion_matrix([0, 1, 1], [0, 1, 0], 2).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    labels, predictions = tensor(labels).cast("int32"), tensor(predictions).cast("int32")
    if labels.ndim != 1 or labels.shape != predictions.shape:
        raise CoreError(
            f"labels {labels.shape} and predictions {predictions.shape} must be vectors of one "
            f"length"
        )
    count = integer(num_classes, "num_classes", 1)
    first, last = ops.minimum(labels, predictions), ops.maximum(labels, predictions)
    known = ops.logical_and(first >= 0, last < count)
    pairs = ops.select(known, labels * count + predictions, count * count)
    return ops.reshape(ops.bincount(pairs, size=count * count), shape=(count, count))

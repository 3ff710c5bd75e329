"""Ops that sort values, or search in sorted values."""

from typing import NamedTuple

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import Spellings, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, check_choice, integer, normal_axis
from core.engine.tensors import Tensor
from core.errors import CoreError


class TopkResults(NamedTuple):
    """The results of `topk`."""

    values: Tensor
    indices: Tensor


@op(kernel_name="TopK", method=True, results=TopkResults)
def topk(x: TensorLike, k: int = 1, sorted: bool = True) -> tuple[Spec, Spec]:
    """The largest values along the last axis, and their indices.

    Args:
        x: numbers; NaN counts as the largest of all.
        k: how many, up to the length of the last axis.
        sorted: the largest first, as they always are on these backends.

    Returns:
        ``values`` and ``indices``, both [..., k]; of equal values the first ones are taken.

    >>> values, indices = core.topk([1, 5, 3, 5], k=3)
    >>> values.numpy(), indices.numpy()
    (array([5, 5, 3], dtype=int32), array([1, 3, 2], dtype=int32))
    """
    x = spec_of(x)
    if not x.shape or x.dtype in ("complex64", "string"):
        raise CoreError(f"topk needs numbers along an axis, got {x.dtype} {x.shape}")
    count = integer(k, "k")
    if not 0 <= count <= x.shape[-1]:
        raise CoreError(f"k={k} must be a number from 0 to {x.shape[-1]}, the last axis")
    shape = (*x.shape[:-1], count)
    return Spec(shape, x.dtype), Spec(shape, "int32")


@topk.gradient("x")
def _(g, y, x_spec):
    length, k = x_spec.shape[-1], y[1].shape[-1]
    if x_spec.size == 0 or k == 0:
        return ops.zeros(x_spec.shape)
    rows = x_spec.size // length
    starts = ops.range(start=0, stop=rows, dtype="int32") * length
    positions = ops.reshape(y[1], shape=(rows, k)) + ops.reshape(starts, shape=(rows, 1))
    flat = ops.unsorted_segment_sum(
        ops.reshape(g[0], shape=(rows * k,)),
        ops.reshape(positions, shape=(rows * k,)),
        num_segments=x_spec.size,
    )
    return ops.reshape(flat, shape=x_spec.shape)


class UniqueResults(NamedTuple):
    """The results of `unique`."""

    values: Tensor
    indices: Tensor


@op(method=True, results=UniqueResults)
def unique(x: TensorLike, axis: int = 0) -> None:
    """The different entries along an axis, in the order in which they first occur.

    Args:
        x: tensor of one axis at least; all NaN are one, and so are 0 and -0.
        axis: whose entries are compared.

    Returns:
        ``values``: x with just the first entry of each kind; ``indices``: for each entry along
        the axis, int32, which of the values it is.

    >>> values, indices = core.unique([7, 9, 7, 8])
    >>> values.numpy(), indices.numpy()
    (array([7, 9, 8], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    x = spec_of(x)
    normal_axis(axis, len(x.shape))


def _positions(sorted_sequence: TensorLike, values: TensorLike) -> Spec:
    """The result of a search in rows: int32 [..., m], from 0 to n."""
    a, b = spec_of(sorted_sequence).shape, spec_of(values).shape
    if not a or not b or Spec(a[:-1]).size != Spec(b[:-1]).size:
        raise CoreError(f"sorted_sequence {a} and values {b} must agree in all axes but the last")
    return Spec(b, "int32")


@op(promote=True, input_dtype="real", spellings=Spellings(("LowerBound",)))
def lower_bound(sorted_sequence: TensorLike, values: TensorLike) -> Spec:
    """For each value, the first position in a sorted row that has no smaller value.

    Args:
        sorted_sequence: [..., n], rows in ascending order, float32 or int32; bool becomes int32.
        values: [..., m], as many rows; mixed dtypes become their common one.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.lower_bound([1, 3, 3, 5], [3, 4, 9]).numpy()
    array([1, 3, 4], dtype=int32)
    """
    return _positions(sorted_sequence, values)


@op(promote=True, input_dtype="real", spellings=Spellings(("UpperBound",)))
def upper_bound(sorted_sequence: TensorLike, values: TensorLike) -> Spec:
    """For each value, the first position in a sorted row that has a larger value.

    Args:
        sorted_sequence: [..., n], rows in ascending order, float32 or int32; bool becomes int32.
        values: [..., m], as many rows; mixed dtypes become their common one.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.upper_bound([1, 3, 3, 5], [3, 4, 9]).numpy()
    array([3, 3, 4], dtype=int32)
    """
    return _positions(sorted_sequence, values)


@op(promote=True, input_dtype="real")
def search_sorted(sorted_sequence: TensorLike, values: TensorLike, side: str = "left") -> Spec:
    """The positions of values in sorted rows.

    Args:
        sorted_sequence: [..., n], each row in ascending order.
        values: [..., m]; NaN belongs to the start.
        side: ``"left"`` of equal values or ``"right"`` of them.

    Returns:
        int32 [..., m], from 0 to n.

    >>> core.search_sorted([1, 3, 3, 5], [3, 6], side="right").numpy()
    array([3, 4], dtype=int32)
    """
    check_choice(side, "side", ("left", "right"))
    return _positions(sorted_sequence, values)


@composite
def in_top_k(predictions: TensorLike, targets: TensorLike, k: int = 1) -> Tensor:
    """Whether the right class is among the k classes with the highest scores.

    Args:
        predictions: [..., classes], a score for each class.
        targets: [...], the right class as a number.
        k: from 1 to the number of classes.

    Returns:
        bool, of the shape of targets.

    >>> import core
    >>> core.in_top_k([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], [1, 2], k=2).numpy()
    array([ True, False])
    """
    predictions, targets = tensor(predictions), tensor(targets)
    if predictions.ndim < 2 or predictions.shape[:-1] != targets.shape:
        raise CoreError(
            f"predictions {predictions.shape} must be [..., classes] for targets {targets.shape}"
        )
    best = ops.topk(predictions, k=integer(k, "k", 1)).indices
    return ops.any(ops.equal(best, ops.expand_dims(targets, axis=-1)), axis=-1)


class Difference(NamedTuple):
    """The results of `setdiff1d`."""

    values: Tensor
    indices: Tensor


@composite
def setdiff1d(x: TensorLike, y: TensorLike) -> Difference:
    """The values of one vector that do not occur in another one, in their order.

    Args:
        x: vector of any dtype.
        y: vector of the same dtype.

    Returns:
        ``values``, and as int32 their ``indices`` in x.

    >>> import core
    >>> values, indices = core.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> values.numpy(), indices.numpy()
    (array([1, 3], dtype=int32), array([0, 2], dtype=int32))
    """
    x, y = tensor(x), tensor(y)
    if not x.ndim == y.ndim == 1:
        raise CoreError(f"setdiff1d needs two vectors, got shapes {x.shape} and {y.shape}")
    if x.dtype != y.dtype:
        raise CoreError(f"x is {x.dtype} and y is {y.dtype}: cast one")
    a, b = np.asarray(x), np.asarray(y)
    missing = ~np.isin(a, b)
    if a.dtype.kind in "fc" and np.isnan(b).any():
        missing &= ~np.isnan(a)
    indices = tensor(np.flatnonzero(missing))
    return Difference(ops.gather(x, indices), indices)

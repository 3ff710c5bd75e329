"""Ops that take and put values by index: gather, scatter, masks."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core.declare import composite, op
from core.engine import tensor
from core.errors import CoreError
from core.kernels import ops
from core.ops.create import checked_shape
from core.specs import Shape, Spec, normal_axis, whole_numbers


def gather_axes(x: Shape, indices: Shape, axis: int, batch_dims: int) -> tuple[int, int]:
    """The axis and the number of batch axes as non-negative numbers, checked."""
    at = normal_axis(axis, len(x))
    (batch,) = whole_numbers(batch_dims, "batch_dims")
    rank = len(indices)
    if not -rank <= batch <= rank:
        raise CoreError(f"Expect batchDims in the range of [-{rank}, {rank}], but got {batch}")
    batch += rank if batch < 0 else 0
    if batch > at:
        raise CoreError(f"batchDims ({batch}) must be less than or equal to axis ({at})")
    if x[:batch] != indices[:batch]:
        raise CoreError(
            f"the first {batch} axes of x.shape {x} should be equal to indices.shape {indices}"
        )
    return at, batch


@op(kernel_name="GatherV2", input_dtype={"indices": "int32"})
def gather(x: Spec, indices: Spec, *, axis: int = 0, batch_dims: int = 0) -> Spec:
    """Take the entries along an axis that indices name, in their order.

    Args:
        x: tensor of one axis at least.
        indices: int32, each from 0 to one less than the length of the axis.
        axis: which axis of x.
        batch_dims: so many first axes of x and of indices run together.

    Returns:
        A tensor of x's shape, with the shape of indices (without batch axes) in place of the axis.

    Raises:
        CoreError: an index is outside of the axis.

    >>> core.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy()
    array([[5, 6],
           [1, 2]], dtype=int32)
    """
    at, batch = gather_axes(x.shape, indices.shape, axis, batch_dims)
    return Spec((*x.shape[:at], *indices.shape[batch:], *x.shape[at + 1 :]), x.dtype)


@gather.gradient("x")
def _(g, indices, x_spec, axis, batch_dims):
    shape = x_spec.shape
    at, batch = gather_axes(shape, indices.shape, axis, batch_dims)
    batches, outer, length, inner = (
        prod(shape[:batch]),
        prod(shape[batch:at]),
        shape[at],
        prod(shape[at + 1 :]),
    )
    count = prod(indices.shape[batch:])
    rows = ops.reshape(g, shape=(batches, outer, count, inner))
    rows = _swap_middle(rows) if outer != 1 else rows
    ids = ops.reshape(indices, shape=(batches, count))
    if batches > 1:
        starts = ops.range(start=0, stop=batches, dtype="int32") * length
        ids = ids + ops.reshape(starts, shape=(batches, 1))
    total = ops.unsorted_segment_sum(
        ops.reshape(rows, shape=(batches * count, outer * inner)),
        ops.reshape(ids, shape=(batches * count,)),
        num_segments=batches * length,
    )
    total = ops.reshape(total, shape=(batches, length, outer, inner))
    return ops.reshape(_swap_middle(total) if outer != 1 else total, shape=shape)


def _swap_middle(x):
    return ops.transpose(x, perm=(0, 2, 1, 3))


@gather.gradient("indices")
def _(g, indices_spec):
    return ops.zeros(indices_spec.shape)


def nd_depth(indices: Shape, target: Shape) -> int:
    """How many axes of a target each index of several numbers names."""
    if not indices or not target or indices[-1] > len(target):
        raise CoreError(
            f"indices {indices} must be lists of at most {len(target)} numbers, one for each of "
            f"the first axes of {target}"
        )
    return indices[-1]


@op(input_dtype={"indices": "int32"})
def gather_nd(params: Spec, indices: Spec) -> Spec:
    """Take the entries that lists of numbers name.

    Args:
        params: tensor of one axis at least.
        indices: [..., depth] int32; each list of ``depth`` numbers names a place on the first
            ``depth`` axes of params.

    Returns:
        A tensor of the shape of indices without its last axis, then the rest of that of params.

    Raises:
        CoreError: an index is outside of params.

    >>> core.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
    array([3, 2], dtype=int32)
    """
    depth = nd_depth(indices.shape, params.shape)
    return Spec((*indices.shape[:-1], *params.shape[depth:]), params.dtype)


@gather_nd.gradient("params")
def _(g, indices, params_spec):
    shape, depth = params_spec.shape, indices.shape[-1]
    count = prod(indices.shape[:-1])
    return ops.scatter_nd(
        ops.reshape(indices, shape=(count, depth)),
        ops.reshape(g, shape=(count, *shape[depth:])),
        shape=shape,
    )


def scatter_depth(indices: Shape, updates: Shape, shape: Shape) -> int:
    """How many axes each index names; a vector of indices names entries of the first axis."""
    if not indices or not updates or not shape:
        raise CoreError(f"indices {indices}, updates {updates} and shape {shape} need an axis each")
    depth = indices[-1] if len(indices) > 1 else 1
    lead = indices[:-1] if len(indices) > 1 else indices
    if depth > len(shape) or updates != (*lead, *shape[depth:]):
        raise CoreError(
            f"updates {updates} do not fit indices {indices} into {shape}: they need the shape "
            f"{(*lead, *shape[depth:])}"
        )
    return depth


def _as_lists(indices, depth: int):
    """Indices as [..., depth], also where they are a vector."""
    return indices if indices.ndim > 1 else ops.reshape(indices, shape=(*indices.shape, depth))


@op(input_dtype={"indices": "int32", "updates": "number"})
def scatter_nd(indices: Spec, updates: Spec, *, shape: Sequence[int]) -> Spec:
    """Put values at places of a tensor of zeros; those for the same place are added.

    Args:
        indices: [..., depth] int32, the places on the first ``depth`` axes; or a vector of places
            on the first axis.
        updates: [..., rest of shape], what goes there.
        shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.scatter_nd([[1], [3], [1]], [5, 6, 7], shape=(4,)).numpy()
    array([ 0, 12,  0,  6], dtype=int32)
    """
    wanted = checked_shape(shape)
    scatter_depth(indices.shape, updates.shape, wanted)
    return Spec(wanted, updates.dtype)


@scatter_nd.gradient("updates")
def _(g, indices):
    return ops.gather_nd(g, _as_lists(indices, 1))


@op(kernel_name="TensorScatterUpdate", input_dtype={"indices": "int32"})
def tensor_scatter_update(tensor: Spec, indices: Spec, updates: Spec) -> Spec:
    """A copy of a tensor with other values at some places; of several for one the last counts.

    Args:
        tensor: tensor of one axis at least.
        indices: [..., depth] int32, the places on the first ``depth`` axes; or a vector of places
            on the first axis.
        updates: [..., rest of the shape], what goes there, of the tensor's dtype.

    Raises:
        CoreError: an index is outside of the tensor.

    >>> core.tensor_scatter_update([1, 2, 3], [[0], [2]], [9, 8]).numpy()
    array([9, 2, 8], dtype=int32)
    """
    scatter_depth(indices.shape, updates.shape, tensor.shape)
    if tensor.dtype != updates.dtype:
        raise CoreError(f"updates are {updates.dtype}, the tensor is {tensor.dtype}: cast one")
    return tensor


@tensor_scatter_update.gradient("tensor")
def _(g, indices, updates_spec):
    return ops.tensor_scatter_update(g, indices, ops.zeros(updates_spec.shape, g.dtype))


@tensor_scatter_update.gradient("updates")
def _(g, indices, tensor_spec):
    lists = _as_lists(indices, 1)
    return _where_last(lists, tensor_spec.shape, ops.gather_nd(g, lists))


def _where_last(lists, shape: Shape, g):
    """The gradient where the update counted; 0 where a later one replaced it."""
    lead, depth = lists.shape[:-1], lists.shape[-1]
    turns = ops.reshape(ops.range(start=0, stop=prod(lead), dtype="int32"), shape=lead)
    if depth == 0:
        last = ops.equal(turns, prod(lead) - 1)
    else:
        board = ops.fill(shape=shape[:depth], value=-1, dtype="int32")
        board = ops.tensor_scatter_update(board, lists, turns)
        last = ops.equal(ops.gather_nd(board, lists), turns)
    aligned = ops.reshape(last, shape=(*lead, *[1] * (g.ndim - len(lead))))
    return ops.select(aligned, g, ops.zeros_like(g))


@op(promote=("sparse_values", "default_value"), input_dtype={"sparse_indices": "int32"})
def sparse_to_dense(
    sparse_indices: Spec,
    sparse_values: Spec,
    default_value: Spec | None = None,
    *,
    output_shape: Sequence[int],
) -> Spec:
    """A tensor of one value but for some places; of several for one the last counts.

    Args:
        sparse_indices: [n, axes of the result] int32, or a vector of n for one axis, or a number.
        sparse_values: n values, or one for all places.
        default_value: of all other places, 0 if absent.
        output_shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.sparse_to_dense([1, 3], [5, 6], output_shape=(4,)).numpy()
    array([0, 5, 0, 6], dtype=int32)
    """
    shape = checked_shape(output_shape)
    places = sparse_indices.shape
    depth = places[1] if len(places) == 2 else 1
    count = places[0] if places else 1
    if len(places) > 2 or len(shape) != depth:
        raise CoreError(f"sparse_indices {places} must be [n, {len(shape)}] for {shape}")
    if sparse_values.shape not in ((), (count,)):
        raise CoreError(f"sparse_values have shape {sparse_values.shape}, not () or ({count},)")
    if default_value is not None and default_value.size != 1:
        raise CoreError(f"default_value must be one value, got shape {default_value.shape}")
    return Spec(shape, sparse_values.dtype)


@sparse_to_dense.gradient("sparse_values")
def _(g, sparse_indices, output_shape):
    return _of_places(g, sparse_indices)


@sparse_to_dense.gradient("default_value")
def _(g, sparse_indices, default_value_spec):
    rest = ops.sum(g) - ops.sum(_of_places(g, sparse_indices))
    return ops.reshape(rest, shape=default_value_spec.shape)


def _of_places(g, sparse_indices):
    """The gradient at each place, where its value counted."""
    lists = ops.reshape(sparse_indices, shape=(-1, g.ndim))
    return _where_last(lists, g.shape, ops.gather_nd(g, lists))


@composite
def where(condition: Any, a: Any = None, b: Any = None) -> Any:
    """Values of ``a`` where a condition is true and of ``b`` elsewhere; or where it is true.

    Args:
        condition: bool tensor.
        a: values where true, of a shape that broadcasts with the others.
        b: values where false.

    Returns:
        The chosen values; or, without a and b, the coordinates of all trues as int32
        [trues, axes].

    >>> import core
    >>> core.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4], dtype=int32)
    >>> core.where([[False, True], [True, False]]).numpy()
    array([[0, 1],
           [1, 0]], dtype=int32)
    """
    if (a is None) != (b is None):
        raise CoreError("where needs both a and b, or none of them")
    condition = tensor(condition)
    if condition.dtype != "bool":
        raise CoreError(f"where needs a bool condition, got {condition.dtype}: compare first")
    if a is None:
        return tensor(np.argwhere(np.asarray(condition)))
    return ops.select(condition, a, b)


@composite
def boolean_mask(x: Any, mask: Any, axis: int = 0) -> Any:
    """The entries of a tensor where a mask is true.

    Args:
        x: any tensor.
        mask: bool tensor of the shape of some axes of x that follow each other.
        axis: the first of them.

    Returns:
        A tensor in which one axis, of the true entries, stands for those of the mask.

    >>> import core
    >>> core.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x, mask = tensor(x), tensor(mask)
    if mask.dtype != "bool" or not mask.shape:
        raise CoreError(f"a mask is a bool tensor with axes, got {mask.dtype} {mask.shape}")
    at = normal_axis(axis, x.ndim)
    after = at + mask.ndim
    if x.shape[at:after] != mask.shape:
        raise CoreError(f"a mask of shape {mask.shape} does not fit {x.shape} from axis {at} on")
    if mask.ndim > 1:
        x = ops.reshape(x, shape=(*x.shape[:at], mask.size, *x.shape[after:]))
    return ops.gather(x, np.flatnonzero(np.asarray(mask)), axis=at)

"""Ops that read and write values by index: gather and scatter."""

from collections.abc import Sequence
from math import prod

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero_gradient
from core.engine.operation import Spellings, spec_of
from core.engine.registry import op
from core.engine.specs import Shape, Spec, checked_shape, integer, normal_axis
from core.errors import CoreError


def gather_axes(x: Shape, indices: Shape, axis: int, batch_dims: int) -> tuple[int, int]:
    """The axis and the number of batch axes as non-negative numbers, checked."""
    at = normal_axis(axis, len(x))
    batch = integer(batch_dims, "batch_dims")
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


@op(kernel_name="GatherV2", input_dtype={"indices": "int32"}, method=True)
def gather(x: TensorLike, indices: TensorLike, axis: int = 0, batch_dims: int = 0) -> Spec:
    """Return the entries along an axis at given indices, in their order.

    Args:
        x: tensor of one axis at least.
        indices: int32, each from 0 to one less than the length of the axis.
        axis: which axis of x.
        batch_dims: so many first axes of x and of indices run together.

    Returns:
        A tensor of x's shape, with the shape of indices (without batch axes) instead of the axis.

    Raises:
        CoreError: an index is outside of the axis.

    >>> core.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy()
    array([[5, 6],
           [1, 2]], dtype=int32)
    """
    x, indices = spec_of(x), spec_of(indices)
    at, batch = gather_axes(x.shape, indices.shape, axis, batch_dims)
    return Spec((*x.shape[:at], *indices.shape[batch:], *x.shape[at + 1 :]), x.dtype)


@gather.gradient("x")
def _(g, indices, x_spec, axis, batch_dims):
    shape = x_spec.shape
    at, batch = gather_axes(shape, indices.shape, axis, batch_dims)
    batches, outer = prod(shape[:batch]), prod(shape[batch:at])
    length, inner = shape[at], prod(shape[at + 1 :])
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


zero_gradient(gather, "indices")


def nd_depth(indices: Shape, target: Shape) -> int:
    """The number of axes of a target that each index of several numbers selects."""
    if not indices or not target or indices[-1] > len(target):
        raise CoreError(
            f"indices {indices} must be lists of at most {len(target)} numbers, one for each of "
            f"the first axes of {target}"
        )
    return indices[-1]


@op(input_dtype={"indices": "int32"}, js_names={"x": "params"}, spellings=Spellings(("GatherNd",)))
def gather_nd(x: TensorLike, indices: TensorLike) -> Spec:
    """Return the entries at given index tuples.

    Args:
        x: tensor of one axis at least.
        indices: [..., depth] int32; each list of ``depth`` numbers names a position on the first
            ``depth`` axes of x.

    Returns:
        A tensor of the shape of indices without its last axis, then the rest of that of x.

    Raises:
        CoreError: an index is outside of x.

    >>> core.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
    array([3, 2], dtype=int32)
    """
    x, indices = spec_of(x), spec_of(indices)
    depth = nd_depth(indices.shape, x.shape)
    return Spec((*indices.shape[:-1], *x.shape[depth:]), x.dtype)


@gather_nd.gradient("x")
def _(g, indices, x_spec):
    shape, depth = x_spec.shape, indices.shape[-1]
    count = prod(indices.shape[:-1])
    return ops.scatter_nd(
        ops.reshape(indices, shape=(count, depth)),
        ops.reshape(g, shape=(count, *shape[depth:])),
        shape=shape,
    )


def scatter_depth(indices: Shape, updates: Shape, shape: Shape) -> int:
    """The number of axes that each index selects; a vector of indices selects on the first axis."""
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


def _as_lists(indices):
    """Indices as [..., depth], also where they are a vector."""
    return indices if indices.ndim > 1 else ops.reshape(indices, shape=(*indices.shape, 1))


@op(input_dtype={"indices": "int32", "updates": "number"})
def scatter_nd(indices: TensorLike, updates: TensorLike, shape: Sequence[int]) -> Spec:
    """Write values at indices into a tensor of zeros; values with one index are added.

    Args:
        indices: [..., depth] int32, positions on the first ``depth`` axes; or a vector of positions
            on the first axis.
        updates: [..., rest of shape], the values to put.
        shape: of the result.

    Raises:
        CoreError: an index is outside of the shape.

    >>> core.scatter_nd([[1], [3], [1]], [5, 6, 7], shape=(4,)).numpy()
    array([ 0, 12,  0,  6], dtype=int32)
    """
    indices, updates = spec_of(indices), spec_of(updates)
    wanted = checked_shape(shape)
    scatter_depth(indices.shape, updates.shape, wanted)
    return Spec(wanted, updates.dtype)


scatter_nd.gradient("updates")(lambda g, indices: ops.gather_nd(g, _as_lists(indices)))


@op(
    kernel_name="TensorScatterUpdate",
    input_dtype={"indices": "int32"},
    spellings=Spellings(("TensorScatterUpdate",)),
)
def tensor_scatter_update(tensor: TensorLike, indices: TensorLike, updates: TensorLike) -> Spec:
    """A copy of a tensor with some values replaced; of values with one index the last counts.

    Args:
        tensor: tensor of one axis at least.
        indices: [..., depth] int32, positions on the first ``depth`` axes; or a vector of positions
            on the first axis.
        updates: [..., rest of the shape], the new values, of the tensor's dtype.

    Raises:
        CoreError: an index is outside of the tensor.

    >>> core.tensor_scatter_update([1, 2, 3], [[0], [2]], [9, 8]).numpy()
    array([9, 2, 8], dtype=int32)
    """
    tensor, indices, updates = spec_of(tensor), spec_of(indices), spec_of(updates)
    scatter_depth(indices.shape, updates.shape, tensor.shape)
    if tensor.dtype != updates.dtype:
        raise CoreError(f"updates are {updates.dtype}, the tensor is {tensor.dtype}: cast one")
    return tensor


@tensor_scatter_update.gradient("tensor")
def _(g, indices, updates_spec):
    return ops.tensor_scatter_update(g, indices, ops.zeros(updates_spec.shape, g.dtype))


@tensor_scatter_update.gradient("updates")
def _(g, indices, tensor_spec):
    lists = _as_lists(indices)
    return where_last(lists, tensor_spec.shape, ops.gather_nd(g, lists))


def where_last(lists, shape: Shape, g):
    """The gradient where an update is in the result; 0 where a later one replaced it."""
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

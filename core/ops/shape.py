"""Ops that change the shape, order or dtype of values, but not the values."""

from collections.abc import Sequence

from core.declare import composite, op
from core.dtypes import check_dtype
from core.errors import CoreError
from core.kernels import ops
from core.specs import (
    Shape,
    Spec,
    broadcast_shapes,
    normal_axes,
    normal_axis,
    normal_shape,
    whole_numbers,
)


@op(alias=True)
def identity(x: Spec) -> Spec:
    """Another tensor of the same data.

    >>> core.identity([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return x


@identity.gradient("x")
def _(g):
    return g


@op(alias=True)
def reshape(x: Spec, *, shape: Sequence[int]) -> Spec:
    """The same data in another shape; one length may be -1.

    >>> core.reshape([1, 2, 3, 4, 5, 6], shape=(2, -1)).shape
    (2, 3)
    """
    return Spec(normal_shape(shape, x.size), x.dtype)


@reshape.gradient("x")
def _(g, x_spec):
    return ops.reshape(g, shape=x_spec.shape)


@op(alias=True, js_names={"axis": "dim"})
def expand_dims(input: Spec, *, axis: int = 0) -> Spec:
    """The same data with a new axis of length 1 at ``axis``.

    >>> core.expand_dims([1.0, 2.0], axis=1).shape
    (2, 1)
    """
    at = normal_axis(axis, len(input.shape) + 1)
    return Spec((*input.shape[:at], 1, *input.shape[at:]), input.dtype)


@expand_dims.gradient("input")
def _(g, input_spec):
    return ops.reshape(g, shape=input_spec.shape)


@op(alias=True)
def cast(x: Spec, *, dtype: str) -> Spec:
    """The values converted to another dtype; fractions are cut off, all but 0 is true.

    >>> core.cast([1.7, -1.7], dtype="int32").numpy()
    array([ 1, -1], dtype=int32)
    """
    if x.dtype != check_dtype(dtype) and "string" in (x.dtype, dtype):
        raise CoreError(f"cannot cast {x.dtype} to {dtype}: strings are not converted")
    return Spec(x.shape, dtype)


@cast.gradient("x")
def _(g, x_spec):
    return ops.cast(g, dtype="complex64" if x_spec.dtype == "complex64" else "float32")


@op()
def transpose(x: Spec, *, perm: Sequence[int] | None = None, conjugate: bool = False) -> Spec:
    """The axes in another order, reversed by default.

    Args:
        x: any tensor.
        perm: for each axis of the result, the axis of x that it was.
        conjugate: turn complex values into their conjugates too.

    >>> core.transpose([[1, 2, 3]]).shape
    (3, 1)
    """
    rank = len(x.shape)
    order = range(rank)[::-1] if perm is None else whole_numbers(perm, "perm")
    valid = all(-rank <= p < rank for p in order)
    if not valid or sorted(p % rank for p in order) != list(range(rank)):
        raise CoreError(f"perm {perm} must name each of the {rank} axes of {x.shape} once")
    return Spec(tuple(x.shape[p] for p in order), x.dtype)


@transpose.gradient("x")
def _(g, x_spec, perm, conjugate):
    rank = len(x_spec.shape)
    back = None if perm is None else sorted(range(rank), key=lambda axis: perm[axis] % rank)
    return ops.transpose(g, perm=back, conjugate=conjugate)


@op()
def broadcast_to(
    x: Spec, *, shape: Sequence[int], input_shape: Sequence[int] | None = None
) -> Spec:
    """Repeat along axes of length 1 until the shape is reached.

    Args:
        x: any tensor.
        shape: of the result; its last axes are as long as those of x, or those are 1.
        input_shape: that of x, if it shall be checked.

    >>> core.broadcast_to([[1.0], [2.0]], shape=(2, 3)).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    wanted = whole_numbers(shape, "shape")
    if broadcast_shapes(x.shape, wanted) != wanted:
        raise CoreError(f"shape {x.shape} does not broadcast to {wanted}")
    if input_shape is not None and whole_numbers(input_shape, "input_shape") != x.shape:
        raise CoreError(f"input_shape={input_shape} is not the shape of x, {x.shape}")
    return Spec(wanted, x.dtype)


@broadcast_to.gradient("x")
def _(g):
    return g  # the tape sums it back to the shape of x


@op(input_dtype="int32")
def broadcast_args(s0: Spec, s1: Spec) -> Spec:
    """The shape that two shapes, given as vectors, have in common when they broadcast.

    >>> core.broadcast_args([2, 1], [5]).numpy()
    array([2, 5], dtype=int32)
    """
    if not len(s0.shape) == len(s1.shape) == 1:
        raise CoreError(f"broadcast_args needs two vectors, got shapes {s0.shape} and {s1.shape}")
    return Spec(max(s0.shape, s1.shape), "int32")


@op()
def tile(x: Spec, *, reps: int | Sequence[int]) -> Spec:
    """Repeat the whole tensor ``reps`` times along each axis.

    >>> core.tile([1, 2], reps=(2,)).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    counts = whole_numbers(reps, "reps")
    if len(counts) != len(x.shape) or any(r < 0 for r in counts):
        raise CoreError(f"reps {counts} must be one count for each axis of {x.shape}")
    return Spec(tuple(n * r for n, r in zip(x.shape, counts, strict=True)), x.dtype)


@tile.gradient("x")
def _(g, x_spec, reps):
    counts = whole_numbers(reps, "reps")
    split_up = tuple(n for pair in zip(counts, x_spec.shape, strict=True) for n in pair)
    repeats = tuple(range(0, len(split_up), 2))
    return ops.sum(ops.reshape(g, shape=split_up), axis=repeats)


@op(js_names={"axis": "dims"})
def reverse(x: Spec, *, axis: int | Sequence[int] | None = None) -> Spec:
    """Turn the order around along some axes (all by default).

    >>> core.reverse([1, 2, 3]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    normal_axes(axis, len(x.shape))
    return x


@reverse.gradient("x")
def _(g, axis):
    return ops.reverse(g, axis=axis)


@composite
def squeeze(x, axis: int | Sequence[int] | None = None):
    """The same data without its axes of length 1 (all of them, or those given).

    >>> import core
    >>> core.squeeze([[[1.0], [2.0]]]).shape
    (2,)
    """
    x = ops.identity(x)
    axes = normal_axes(axis, x.ndim)
    if axis is not None and any(x.shape[a] != 1 for a in axes):
        raise CoreError(f"cannot squeeze axis {axis} of shape {x.shape}: its length is not 1")
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axes or n != 1)
    return ops.reshape(x, shape=kept)


@composite
def clone(x):
    """Another tensor of the same data, as `core.identity` gives.

    >>> import core
    >>> core.clone([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return ops.identity(x)


@composite
def ensure_shape(x, shape: Sequence[int | None]):
    """The same tensor, or an error if it has another shape; a length of None may be any.

    >>> import core
    >>> core.ensure_shape([[1.0], [2.0]], (None, 1)).shape
    (2, 1)
    """
    x = ops.identity(x)
    if not _agrees(x.shape, shape):
        raise CoreError(f"the tensor has shape {x.shape}, not {tuple(shape)}")
    return x


def _agrees(shape: Shape, wanted: Sequence[int | None]) -> bool:
    return len(shape) == len(wanted) and all(
        n in (None, m) for n, m in zip(wanted, shape, strict=True)
    )

"""Ops that change the shape, order or dtype of values, but not the values."""

from collections.abc import Sequence

from core import ops
from core.autodiff.tape import gradient_dtype
from core.engine.argument_types import TensorLike
from core.engine.dtypes import DType, check_dtype
from core.engine.operation import Spellings, Traits, spec_of
from core.engine.registry import composite, op
from core.engine.specs import (
    Spec,
    broadcast_shapes,
    integers,
    normal_axes,
    normal_axis,
    normal_shape,
)
from core.engine.tensors import Tensor
from core.errors import CoreError


@op(traits=Traits(view=True))
def identity(x: TensorLike) -> Spec:
    """A tensor that shares the data.

    Args:
        x: any tensor.

    >>> core.identity([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return spec_of(x)


identity.gradient("x")(lambda g: g)


@op(traits=Traits(view=True))
def reshape(x: TensorLike, shape: Sequence[int]) -> Spec:
    """Return the data in another shape; one length may be -1.

    Args:
        x: any tensor.
        shape: length of each axis, with as many values in all; one may be -1: it follows from
            the others.

    Returns:
        A tensor that shares the data of x.

    Raises:
        CoreError: the values do not fill that shape.

    >>> core.reshape([1, 2, 3, 4, 5, 6], shape=(2, -1)).shape
    (2, 3)
    """
    x = spec_of(x)
    return Spec(normal_shape(shape, x.size), x.dtype)


reshape.gradient("x")(lambda g, x_spec: ops.reshape(g, shape=x_spec.shape))


@op(traits=Traits(view=True), js_names={"x": "input", "axis": "dim"}, method=True)
def expand_dims(x: TensorLike, axis: int = 0) -> Spec:
    """Return the data with a new axis of length 1 at ``axis``.

    Args:
        x: any tensor.
        axis: where the new axis shall be, from 0 to the number of axes; negative ones count from
            behind the last: -1 makes it the last.

    Returns:
        A tensor that shares the data of x.

    >>> core.expand_dims([1.0, 2.0], axis=1).shape
    (2, 1)
    """
    x = spec_of(x)
    at = normal_axis(axis, len(x.shape) + 1)
    return Spec((*x.shape[:at], 1, *x.shape[at:]), x.dtype)


expand_dims.gradient("x")(lambda g, x_spec: ops.reshape(g, shape=x_spec.shape))


@op(traits=Traits(view=True))
def cast(x: TensorLike, dtype: DType) -> Spec:
    """The values converted to another dtype; fractions are truncated, every value but 0 is true.

    Args:
        x: any tensor; strings stay strings.
        dtype: ``"float32"``, ``"int32"``, ``"bool"`` or ``"complex64"``.

    Raises:
        CoreError: strings to numbers, or the other way round.

    >>> core.cast([1.7, -1.7], dtype="int32").numpy()
    array([ 1, -1], dtype=int32)
    """
    x = spec_of(x)
    if x.dtype != check_dtype(dtype) and "string" in (x.dtype, dtype):
        raise CoreError(f"cannot cast {x.dtype} to {dtype}: strings are not converted")
    return Spec(x.shape, dtype)


cast.gradient("x")(lambda g, x_spec: ops.cast(g, dtype=gradient_dtype(x_spec)))


@op()
def transpose(x: TensorLike, perm: Sequence[int] | None = None, conjugate: bool = False) -> Spec:
    """Permute the axes; by default reverse them.

    Args:
        x: any tensor.
        perm: for each axis of the result, the axis of x that it was.
        conjugate: turn complex values into their conjugates too.

    >>> core.transpose([[1, 2, 3]]).shape
    (3, 1)
    """
    x = spec_of(x)
    rank = len(x.shape)
    order = range(rank)[::-1] if perm is None else integers(perm, "perm")
    valid = all(-rank <= p < rank for p in order)
    if not valid or sorted(p % rank for p in order) != list(range(rank)):
        raise CoreError(f"perm {perm} must name each of the {rank} axes of {x.shape} once")
    return Spec(tuple(x.shape[p] for p in order), x.dtype)


@transpose.gradient("x")
def _(g, x_spec, perm, conjugate):
    rank = len(x_spec.shape)
    back = None if perm is None else sorted(range(rank), key=lambda axis: perm[axis] % rank)
    return ops.transpose(g, perm=back, conjugate=conjugate)


@op(method=True)
def broadcast_to(
    x: TensorLike, shape: Sequence[int], input_shape: Sequence[int] | None = None
) -> Spec:
    """Repeat along axes of length 1 until the shape is reached.

    Args:
        x: any tensor.
        shape: of the result; its last axes are as long as the axes of x, or these are 1.
        input_shape: that of x, if it shall be checked.

    >>> core.broadcast_to([[1.0], [2.0]], shape=(2, 3)).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    x = spec_of(x)
    wanted = integers(shape, "shape")
    if broadcast_shapes(x.shape, wanted) != wanted:
        raise CoreError(f"shape {x.shape} does not broadcast to {wanted}")
    if input_shape is not None and integers(input_shape, "input_shape") != x.shape:
        raise CoreError(f"input_shape={input_shape} is not the shape of x, {x.shape}")
    return Spec(wanted, x.dtype)


broadcast_to.gradient("x")(lambda g: g)  # the tape sums it back to the shape of x


@op(input_dtype="int32", spellings=Spellings(("BroadcastArgs",)))
def broadcast_args(s0: TensorLike, s1: TensorLike) -> Spec:
    """The shape that two shapes, given as vectors, have in common when they broadcast.

    Args:
        s0: int32 [axes]: lengths.
        s1: int32 [axes], as many or not.

    Returns:
        int32 [axes of the longer one]

    Raises:
        CoreError: the shapes do not broadcast.

    >>> core.broadcast_args([2, 1], [5]).numpy()
    array([2, 5], dtype=int32)
    """
    s0, s1 = spec_of(s0), spec_of(s1)
    if not len(s0.shape) == len(s1.shape) == 1:
        raise CoreError(f"broadcast_args needs two vectors, got shapes {s0.shape} and {s1.shape}")
    return Spec(max(s0.shape, s1.shape), "int32")


@op(method=True)
def tile(x: TensorLike, reps: int | Sequence[int]) -> Spec:
    """Repeat the whole tensor ``reps`` times along each axis.

    Args:
        x: any tensor.
        reps: how many times, one integer from 0 on for each axis.

    Returns:
        A tensor whose lengths are the lengths of x times ``reps``.

    >>> core.tile([1, 2], reps=(2,)).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    x = spec_of(x)
    counts = integers(reps, "reps")
    if len(counts) != len(x.shape) or any(r < 0 for r in counts):
        raise CoreError(f"reps {counts} must be one count for each axis of {x.shape}")
    return Spec(tuple(n * r for n, r in zip(x.shape, counts, strict=True)), x.dtype)


@tile.gradient("x")
def _(g, x_spec, reps):
    counts = integers(reps, "reps")
    split_up = tuple(n for pair in zip(counts, x_spec.shape, strict=True) for n in pair)
    repeats = tuple(range(0, len(split_up), 2))
    return ops.sum(ops.reshape(g, shape=split_up), axis=repeats)


@op(js_names={"axis": "dims"}, method=True)
def reverse(x: TensorLike, axis: int | Sequence[int] | None = None) -> Spec:
    """Reverse the order along some axes (all by default).

    Args:
        x: any tensor.
        axis: a number, several, or None for all; negative ones count from the last.

    >>> core.reverse([1, 2, 3]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    x = spec_of(x)
    normal_axes(axis, len(x.shape))
    return x


reverse.gradient("x")(lambda g, axis: ops.reverse(g, axis=axis))


@composite(method=True)
def squeeze(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return the data without axes of length 1 (all of them, or those given).

    Args:
        x: any tensor.
        axis: a number or several; by default all axes of length 1.

    Returns:
        A tensor that shares the data of x.

    Raises:
        CoreError: an axis that is given has another length.

    >>> import core
    >>> core.squeeze([[[1.0], [2.0]]]).shape
    (2,)
    """
    whole = ops.identity(x)
    axes = normal_axes(axis, whole.ndim)
    if axis is not None and any(whole.shape[a] != 1 for a in axes):
        raise CoreError(f"cannot squeeze axis {axis} of shape {whole.shape}: its length is not 1")
    kept = tuple(n for i, n in enumerate(whole.shape) if i not in axes or n != 1)
    return ops.reshape(whole, shape=kept)


@composite
def clone(x: TensorLike) -> Tensor:
    """A tensor that shares the data, as `core.identity` returns it.

    Args:
        x: any tensor.

    >>> import core
    >>> core.clone([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return ops.identity(x)


@composite
def ensure_shape(x: TensorLike, shape: Sequence[int | None]) -> Tensor:
    """Return the tensor; raise if its shape is another one. A length of None may be any.

    Args:
        x: any tensor.
        shape: the length that each axis must have, or None.

    Raises:
        CoreError: it has another shape.

    >>> import core
    >>> core.ensure_shape([[1.0], [2.0]], (None, 1)).shape
    (2, 1)
    """
    same = ops.identity(x)
    pairs = zip(same.shape, shape, strict=False)
    if len(same.shape) != len(shape) or any(n not in (m, None) for m, n in pairs):
        raise CoreError(f"the tensor has shape {same.shape}, not {tuple(shape)}")
    return same

"""Ops that change the shape, order or dtype of values, but not the values."""

from collections.abc import Sequence

from core.declare import composite, op
from core.dtypes import check_dtype, check_value
from core.errors import CoreError
from core.kernels import ops
from core.specs import (
    Spec,
    broadcast_shapes,
    normal_axes,
    normal_axis,
    normal_shape,
    whole_numbers,
)

Pads = Sequence[Sequence[int]]


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
def _(g):
    return ops.cast(g, dtype="float32")


@op()
def transpose(x: Spec, *, perm: Sequence[int] | None = None) -> Spec:
    """The axes in another order, reversed by default.

    Args:
        x: any tensor.
        perm: for each axis of the result, the axis of x that it was.

    >>> core.transpose([[1, 2, 3]]).shape
    (3, 1)
    """
    rank = len(x.shape)
    perm = tuple(range(rank))[::-1] if perm is None else tuple(perm)
    valid = all(-rank <= p < rank for p in whole_numbers(perm, "perm"))
    if not valid or sorted(p % rank for p in perm) != list(range(rank)):
        raise CoreError(f"perm {perm} must name each of the {rank} axes of {x.shape} once")
    return Spec(tuple(x.shape[p] for p in perm), x.dtype)


@transpose.gradient("x")
def _(g, x_spec, perm):
    if perm is None:
        return ops.transpose(g)
    normal = [p % len(x_spec.shape) for p in perm]
    return ops.transpose(g, perm=tuple(normal.index(i) for i in range(len(normal))))


@op()
def broadcast_to(x: Spec, *, shape: Sequence[int]) -> Spec:
    """Repeat along axes of length 1 until the shape is reached.

    >>> core.broadcast_to([[1.0], [2.0]], shape=(2, 3)).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    wanted = whole_numbers(shape, "shape")
    if broadcast_shapes(x.shape, wanted) != wanted:
        raise CoreError(f"shape {x.shape} does not broadcast to {wanted}")
    return Spec(wanted, x.dtype)


@broadcast_to.gradient("x")
def _(g):
    return g  # the tape sums it back to the shape of x


@op()
def tile(x: Spec, *, reps: Sequence[int]) -> Spec:
    """Repeat the whole tensor ``reps`` times along each axis.

    >>> core.tile([1, 2], reps=(2,)).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    if len(reps) != len(x.shape) or any(r < 0 for r in reps):
        raise CoreError(f"reps {tuple(reps)} must be one count for each axis of {x.shape}")
    return Spec(tuple(n * r for n, r in zip(x.shape, reps, strict=True)), x.dtype)


@tile.gradient("x")
def _(g, x_spec, reps):
    split_up = tuple(n for pair in zip(reps, x_spec.shape, strict=True) for n in pair)
    repeats = tuple(range(0, len(split_up), 2))
    return ops.sum(ops.reshape(g, shape=split_up), axis=repeats)


@op(promote=True)
def concat(inputs: list[Spec], *, axis: int = 0) -> Spec:
    """Join tensors along an axis; their other lengths must agree.

    >>> core.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    first = inputs[0]
    at = normal_axis(axis, len(first.shape))
    rest = [(*s.shape[:at], *s.shape[at + 1 :]) for s in inputs]
    if any(len(s.shape) != len(first.shape) for s in inputs) or len(set(rest)) > 1:
        raise CoreError(f"cannot join shapes {[s.shape for s in inputs]} along axis {axis}")
    total = sum(s.shape[at] for s in inputs)
    return Spec((*first.shape[:at], total, *first.shape[at + 1 :]), first.dtype)


@concat.gradient("inputs")
def _(g, inputs_spec, axis):
    return ops.split(g, num_or_size_splits=[s.shape[axis] for s in inputs_spec], axis=axis)


def split_sizes(length: int, num_or_size_splits: int | Sequence[int]) -> list[int]:
    """The lengths of the parts; one may be given as -1."""
    if isinstance(num_or_size_splits, int):
        if num_or_size_splits < 1 or length % num_or_size_splits:
            raise CoreError(f"cannot split {length} into {num_or_size_splits} equal parts")
        return [length // num_or_size_splits] * num_or_size_splits
    sizes = list(num_or_size_splits)
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = length - sum(sizes) - 1
    if sum(sizes) != length or any(n < 0 for n in sizes):
        raise CoreError(f"parts of {list(num_or_size_splits)} do not add up to {length}")
    return sizes


@op(kernel_name="SplitV")
def split(x: Spec, *, num_or_size_splits: int | Sequence[int], axis: int = 0) -> tuple[Spec, ...]:
    """Cut along an axis into equal parts (a number) or parts of given lengths.

    Returns:
        A list of tensors.

    >>> [part.shape for part in core.split([1, 2, 3], num_or_size_splits=[1, 2])]
    [(1,), (2,)]
    """
    at = normal_axis(axis, len(x.shape))
    sizes = split_sizes(x.shape[at], num_or_size_splits)
    return tuple(Spec((*x.shape[:at], n, *x.shape[at + 1 :]), x.dtype) for n in sizes)


@split.gradient("x")
def _(g, axis):
    return ops.concat(g, axis=axis)


@op(kernel_name="PadV2")
def pad(x: Spec, *, paddings: Pads, constant_value: float = 0) -> Spec:
    """Put a border of one value around a tensor.

    Args:
        x: any tensor.
        paddings: for each axis how much before and after.
        constant_value: of the border.

    >>> core.pad([1, 2], paddings=[(1, 2)]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    """
    check_value(constant_value, x.dtype)
    if len(paddings) != len(x.shape) or any(len(p) != 2 or min(p) < 0 for p in paddings):
        raise CoreError(f"paddings {paddings} must be (before, after) for each axis of {x.shape}")
    sizes = tuple(n + sum(p) for n, p in zip(x.shape, paddings, strict=True))
    return Spec(sizes, x.dtype)


@pad.gradient("x")
def _(g, x_spec, paddings):
    return ops.slice(g, begin=tuple(before for before, _ in paddings), size=x_spec.shape)


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

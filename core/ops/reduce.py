"""Ops that reduce axes to one value."""

import math
from collections.abc import Sequence

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero_gradient
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Shape, Spec, checked_shape, normal_axes, normal_axis
from core.errors import CoreError

Axis = int | Sequence[int] | None


def reduced_shape(shape: Shape, axis: Axis, keep_dims: bool) -> Shape:
    """The shape after a reduction; kept axes have length 1."""
    if not keep_dims and axis is None:
        return ()
    if not keep_dims and type(axis) is int and 0 <= axis < len(shape):
        return shape[:axis] + shape[axis + 1 :]
    axes = normal_axes(axis, len(shape))
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _restore(g, x_spec: Spec, axis: Axis):
    """Insert the reduced axes into a gradient, with length 1."""
    shape = reduced_shape(x_spec.shape, axis, True)
    return g if g.shape == shape else ops.reshape(g, shape=shape)


def _spread(g, x_spec: Spec, axis: Axis):
    return ops.sum_grad(g, input_shape=x_spec.shape, axis=axis)


def _spread_mean(g, x_spec: Spec, axis: Axis):
    count = (x_spec.size or 1) // (Spec(reduced_shape(x_spec.shape, axis, False)).size or 1)
    return _spread(g / float(count), x_spec, axis)


def _to_extremes(g, x, y, x_spec: Spec, axis: Axis):
    """Every value that equals the extreme gets the gradient, as in TensorFlow.js."""
    return _restore(g, x_spec, axis) * ops.equal(x, _restore(y, x_spec, axis))


def _to_factors(g, x, x_spec: Spec, axis: Axis):
    """Each value gets the product of the others, without a division by zeros."""
    reduced = normal_axes(axis, len(x_spec.shape))
    if not reduced:
        return g
    perm = (*(i for i in range(len(x_spec.shape)) if i not in reduced), *reduced)
    last = ops.transpose(x, perm=perm)
    kept = last.shape[: len(perm) - len(reduced)]
    flat = ops.reshape(last, shape=(*kept, math.prod(last.shape[len(kept) :])))
    before = ops.cumprod(flat, axis=-1, exclusive=True)
    after = ops.cumprod(flat, axis=-1, exclusive=True, reverse=True)
    flow = ops.reshape(g, shape=(*kept, 1)) * before * after
    back = tuple(perm.index(i) for i in range(len(perm)))
    return ops.transpose(ops.reshape(flow, shape=last.shape), perm=back)


def _reduced(x: TensorLike, axis: Axis, keep_dims: bool) -> Spec:
    """The result of a reduction."""
    x = spec_of(x)
    return Spec(reduced_shape(x.shape, axis, keep_dims), x.dtype)


def _check_order(x: TensorLike, name: str) -> None:
    dtype = spec_of(x).dtype
    if dtype in ("complex64", "string"):
        raise CoreError(f"{name} needs real numbers, got {dtype}")


@op(input_dtype="number", gradients={"x": _spread}, method=True)
def sum(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """The sum over some axes; 0 without values.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.sum([[1, 2], [3, 4]], axis=1).numpy()
    array([3, 7], dtype=int32)
    """
    return _reduced(x, axis, keep_dims)


@op(input_dtype="real", gradients={"x": _to_factors}, method=True)
def prod(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """The product over some axes; 1 without values.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)
    """
    return _reduced(x, axis, keep_dims)


@op(input_dtype="float32", gradients={"x": _spread_mean}, method=True)
def mean(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """The mean over some axes; 0 without values.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.mean([[1, 2], [3, 4]], axis=0, keep_dims=True).numpy()
    array([[2., 3.]], dtype=float32)
    """
    return _reduced(x, axis, keep_dims)


@op(js_names={"axis": "reductionIndices"}, gradients={"x": _to_extremes}, method=True)
def max(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """The largest value over some axes; NaN with a NaN among them, or without values.

    Args:
        x: a tensor of any shape, float32, int32 or bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.max([[1, 2], [3, 4]], axis=1).numpy()
    array([2, 4], dtype=int32)
    """
    _check_order(x, "max")
    return _reduced(x, axis, keep_dims)


@op(gradients={"x": _to_extremes}, method=True)
def min(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """The smallest value over some axes; NaN with a NaN among them, or without values.

    Args:
        x: a tensor of any shape, float32, int32 or bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.min([[1, 2], [3, 4]], axis=1).numpy()
    array([1, 3], dtype=int32)
    """
    _check_order(x, "min")
    return _reduced(x, axis, keep_dims)


@op(input_dtype="bool", method=True)
def all(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """Whether all values along axes are true; true without values.

    Args:
        x: a tensor of any shape, bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """
    return _reduced(x, axis, keep_dims)


@op(input_dtype="bool", method=True)
def any(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Spec:
    """Whether any value along axes is true; false without values.

    Args:
        x: a tensor of any shape, bool.
        axis: a number, several, or None for all; negative ones count from the last.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A tensor of that dtype without the reduced axes.

    >>> core.any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    return _reduced(x, axis, keep_dims)


@op(input_dtype="number")
def sum_grad(dy: TensorLike, input_shape: Sequence[int], axis: Axis = None) -> Spec:
    """The gradient of `core.sum`: each value repeated along the axes that were summed.

    Args:
        dy: the gradient of the sums, with or without the summed axes.
        input_shape: the shape of the input of `core.sum`.
        axis: as given to `core.sum`.

    >>> core.sum_grad([1.0, 2.0], input_shape=(2, 3), axis=1).numpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    dy = spec_of(dy)
    shape = checked_shape(input_shape)
    if dy.shape != reduced_shape(shape, axis, len(dy.shape) == len(shape)):
        raise CoreError(f"dy of shape {dy.shape} is not that of sums of {shape} over axis {axis}")
    return Spec(shape, dy.dtype)


@sum_grad.gradient("dy")
def _(g, dy_spec, axis):
    return ops.sum(g, axis=axis, keep_dims=len(dy_spec.shape) == len(g.shape))


def _position(x: TensorLike, axis: int, name: str, value: str) -> Spec:
    """The result of a search for an extreme value."""
    _check_order(x, name)
    shape = spec_of(x).shape
    if shape[normal_axis(axis, len(shape))] == 0:
        raise CoreError(f"axis {axis} of shape {shape} is empty: it has no {value} value")
    return Spec(reduced_shape(shape, axis, False), "int32")


@op(kernel_name="ArgMax", method=True)
def argmax(x: TensorLike, axis: int = 0) -> Spec:
    """Index of the largest value along an axis; the first of equal values.

    Args:
        x: float32, int32 or bool, at least one axis.
        axis: the axis to search; negative ones count from the last.

    Returns:
        int32, without that axis; an axis of length 0 is refused.

    >>> core.argmax([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([1, 0], dtype=int32)
    """
    return _position(x, axis, "argmax", "largest")


zero_gradient(argmax, "x")


@op(kernel_name="ArgMin", method=True)
def argmin(x: TensorLike, axis: int = 0) -> Spec:
    """Index of the smallest value along an axis; the first of equal values.

    Args:
        x: float32, int32 or bool, at least one axis.
        axis: the axis to search; negative ones count from the last.

    Returns:
        int32, without that axis; an axis of length 0 is refused.

    >>> core.argmin([[1, 5, 2], [9, 0, 3]], axis=1).numpy()
    array([0, 1], dtype=int32)
    """
    return _position(x, axis, "argmin", "smallest")


zero_gradient(argmin, "x")

"""Functions made of element-wise ops and reductions, or that choose values by a condition."""

from math import inf
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.registry import composite
from core.engine.specs import normal_axes, normal_axis
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.ops.reduce import Axis, reduced_shape


class Moments(NamedTuple):
    """Mean and variance."""

    mean: Tensor
    variance: Tensor


@composite(method=True)
def div_no_nan(a: TensorLike, b: TensorLike) -> Tensor:
    """Element-wise a / b, but 0 where b is 0; rounded down where both are integers.

    Args:
        a: a tensor of numbers.
        b: a tensor of a shape that broadcasts with it.

    >>> import core
    >>> core.div_no_nan([1.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """
    b = tensor(b)
    nothing = ops.equal(b, ops.zeros_like(b))
    quotient = ops.div(a, ops.select(nothing, ops.ones_like(b), b))
    return ops.select(nothing, ops.zeros_like(quotient), quotient)


@composite(method=True)
def log_sigmoid(x: TensorLike) -> Tensor:
    """Element-wise log(1 / (1 + e**-x)), exact where that is near 0.

    Args:
        x: a tensor of real numbers.

    >>> import core
    >>> core.log_sigmoid([0.0, 100.0]).numpy()
    array([-6.931472e-01, -3.783506e-44], dtype=float32)
    """
    return -ops.softplus(-_as_float(x))


@composite(method=True)
def log_sum_exp(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The logarithm of the sum of e**x over some axes, where e**x may be infinite.

    Args:
        x: a tensor of real numbers.
        axis: a number, several, or None for all.
        keep_dims: keep the reduced axes with length 1.

    >>> import core
    >>> core.log_sum_exp([1000.0, -1000.0]).item()
    1000.0
    """
    x = _as_float(x)
    largest = ops.max(x, axis=axis, keep_dims=True)
    offset = ops.select(ops.is_finite(largest), largest, 0.0)
    sums = ops.sum(ops.exp(x - offset), axis=axis, keep_dims=keep_dims)
    return ops.log(sums) + ops.reshape(offset, shape=sums.shape)


@composite
def moments(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Moments:
    """Mean and variance over some axes.

    Args:
        x: a tensor of real numbers.
        axis: a number, several, or None for all.
        keep_dims: keep the reduced axes with length 1.

    Returns:
        A named tuple ``(mean, variance)``; the variance is the mean squared distance from the mean.

    >>> import core
    >>> mean, variance = core.moments([1.0, 2.0, 3.0, 4.0])
    >>> mean.item(), variance.item()
    (2.5, 1.25)
    """
    x = _as_float(x)
    mean = ops.mean(x, axis=axis, keep_dims=True)
    variance = ops.mean(ops.square(x - mean), axis=axis, keep_dims=keep_dims)
    return Moments(ops.reshape(mean, shape=variance.shape), variance)


@composite(method=True)
def norm(
    x: TensorLike, ord: float | str = "euclidean", axis: Axis = None, keep_dims: bool = False
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        x: a tensor of numbers.
        ord: of vectors ``"euclidean"`` or 2, 1 (the sum of magnitudes), or plus or minus
            infinity (the largest or smallest magnitude); of matrices ``"euclidean"`` or ``"fro"``,
            1 (the largest sum of a column), or plus or minus infinity (the largest or smallest
            sum of a row).
        axis: one axis for vectors, two (rows, columns) for matrices, None for one vector of all
            values.
        keep_dims: keep the reduced axes with length 1.

    Raises:
        CoreError: more than two axes, or no such norm.

    >>> import core
    >>> core.norm([3.0, 4.0]).item(), core.norm([[1.0, -2.0], [3.0, 4.0]], 1, (0, 1)).item()
    (5.0, 6.0)
    """
    x = tensor(x)
    if x.dtype == "string":
        raise CoreError("norm needs numbers, got string")
    if not x.shape:
        return ops.abs(x)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) > 2 or (len(axes) == 2 and None in axes) or not axes:
        raise CoreError(f"axis={axis!r} must be one axis of vectors or two of matrices")
    normal_axes(axis, x.ndim)
    found = _matrix_norm(x, ord, axes) if len(axes) == 2 else _vector_norm(x, ord, axes[0])
    return found if keep_dims else ops.reshape(found, shape=reduced_shape(x.shape, axis, False))


@composite(method=True)
def euclidean_norm(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The square root of the sum of squares over some axes; see `core.norm`.

    Args:
        x: a tensor of numbers.
        axis: one axis, two, or None for all.
        keep_dims: keep the reduced axes with length 1.

    >>> import core
    >>> core.euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    """
    return ops.norm(x, "euclidean", axis, keep_dims)


def _as_float(x: TensorLike) -> Any:
    """A float32 tensor of real numbers."""
    x = tensor(x)
    if x.dtype == "complex64":
        raise CoreError("expected real numbers, got complex64: take core.real, imag or abs of them")
    return ops.cast(x, dtype="float32")


def _vector_norm(x, ord: float | str, axis: int | None):
    if ord in ("euclidean", 2):
        return _root_of_squares(x, axis)
    named = {1: ops.sum, inf: ops.max, -inf: ops.min}
    if ord not in named:
        raise CoreError(
            f"ord={ord!r} must be 'euclidean', 1, 2, inf or -inf for vectors; for the norm of a "
            f"matrix say which axes are its rows and columns, such as axis=(0, 1)"
        )
    return named[ord](ops.abs(x), axis=axis, keep_dims=True)


def _matrix_norm(x, ord: float | str, axes: tuple[int, ...]):
    rows, columns = axes
    if ord in ("euclidean", "fro"):
        return _root_of_squares(x, axes)
    sizes = ops.abs(x)
    if ord == 1:
        return ops.max(ops.sum(sizes, axis=rows, keep_dims=True), axis=columns, keep_dims=True)
    named = {inf: ops.max, -inf: ops.min}
    if ord not in named:
        raise CoreError(f"ord={ord!r} must be 'euclidean', 'fro', 1, inf or -inf for matrices")
    sums = ops.sum(sizes, axis=columns, keep_dims=True)
    return named[ord](sums, axis=rows, keep_dims=True)


def _root_of_squares(x, axis: Axis):
    # Not of magnitudes, which have no second derivative at 0.
    if x.dtype == "complex64":
        squares = ops.square(ops.real(x)) + ops.square(ops.imag(x))
    else:
        squares = ops.square(_as_float(x))
    return ops.sqrt(ops.sum(squares, axis=axis, keep_dims=True))


@composite
def where(
    condition: TensorLike, a: TensorLike | None = None, b: TensorLike | None = None
) -> Tensor:
    """Values of ``a`` where a condition is true, else of ``b``; or the indices of true values.

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
    if a is None or b is None:
        marked = np.asarray(condition)
        claim(8 * np.count_nonzero(marked) * marked.ndim, "coordinates, in 64 bits")
        return tensor(np.argwhere(marked))
    return ops.select(condition, a, b)


@composite
def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: int = 0) -> Tensor:
    """The entries of a tensor where a mask is true.

    Args:
        tensor: any tensor.
        mask: bool tensor of the shape of some axes of it that follow each other.
        axis: the first of them.

    Returns:
        A tensor in which one axis, of the true entries, replaces the axes of the mask.

    >>> import core
    >>> core.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x = ops.identity(tensor)
    chosen = ops.identity(mask)
    if chosen.dtype != "bool" or not chosen.shape:
        raise CoreError(f"a mask is a bool tensor with axes, got {chosen.dtype} {chosen.shape}")
    at = normal_axis(axis, x.ndim)
    after = at + chosen.ndim
    if x.shape[at:after] != chosen.shape:
        raise CoreError(f"a mask of shape {chosen.shape} does not fit {x.shape} from axis {at} on")
    if chosen.ndim > 1:
        x = x.reshape((*x.shape[:at], chosen.size, *x.shape[after:]))
    return ops.gather(x, np.flatnonzero(np.asarray(chosen)), axis=at)

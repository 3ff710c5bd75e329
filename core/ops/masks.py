"""Functions that choose values by a condition."""

from typing import Any

import numpy as np

from core.declare import composite
from core.engine import tensor
from core.errors import CoreError
from core.kernels import ops
from core.specs import normal_axis


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
def boolean_mask(tensor: Any, mask: Any, axis: int = 0) -> Any:
    """The entries of a tensor where a mask is true.

    Args:
        tensor: any tensor.
        mask: bool tensor of the shape of some axes of it that follow each other.
        axis: the first of them.

    Returns:
        A tensor in which one axis, of the true entries, stands for those of the mask.

    >>> import core
    >>> core.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x, mask = ops.identity(tensor), ops.identity(mask)
    if mask.dtype != "bool" or not mask.shape:
        raise CoreError(f"a mask is a bool tensor with axes, got {mask.dtype} {mask.shape}")
    at = normal_axis(axis, x.ndim)
    after = at + mask.ndim
    if x.shape[at:after] != mask.shape:
        raise CoreError(f"a mask of shape {mask.shape} does not fit {x.shape} from axis {at} on")
    if mask.ndim > 1:
        x = ops.reshape(x, shape=(*x.shape[:at], mask.size, *x.shape[after:]))
    return ops.gather(x, np.flatnonzero(np.asarray(mask)), axis=at)

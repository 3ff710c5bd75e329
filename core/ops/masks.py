"""Functions that choose values by a condition."""

import numpy as np

from core.annotations import TensorLike
from core.bounds import claim
from core.dispatch import tensor
from core.errors import CoreError
from core.registry import composite, ops
from core.specs import normal_axis
from core.tensors import Tensor


@composite
def where(
    condition: TensorLike, a: TensorLike | None = None, b: TensorLike | None = None
) -> Tensor:
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
        A tensor in which one axis, of the true entries, stands for those of the mask.

    >>> import core
    >>> core.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x: Tensor = ops.identity(tensor)
    chosen: Tensor = ops.identity(mask)
    if chosen.dtype != "bool" or not chosen.shape:
        raise CoreError(f"a mask is a bool tensor with axes, got {chosen.dtype} {chosen.shape}")
    at = normal_axis(axis, x.ndim)
    after = at + chosen.ndim
    if x.shape[at:after] != chosen.shape:
        raise CoreError(f"a mask of shape {chosen.shape} does not fit {x.shape} from axis {at} on")
    if chosen.ndim > 1:
        x = x.reshape((*x.shape[:at], chosen.size, *x.shape[after:]))
    return ops.gather(x, np.flatnonzero(np.asarray(chosen)), axis=at)

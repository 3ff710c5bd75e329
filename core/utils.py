"""Helpers of training by Keras's names: ``core.utils.to_categorical([0, 2], 3)``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.specs import integer
from core.engine.tensors import Tensor
from core.errors import CoreError
from weights_cache.common.similar_names import missing_from

__all__ = ["to_categorical"]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)

_MOST_CLASSES = 2**31 - 1


def to_categorical(x: Any, num_classes: int | None = None) -> np.ndarray:
    """Return numbers of classes as vectors with a 1 in the place of the class.

    Args:
        x: numbers of classes, from 0, of any shape; a last axis of length 1 is left out.
        num_classes: number of classes; by default the largest number in ``x``, plus 1.

    Returns:
        A float32 array with one more axis, of length ``num_classes``.

    Raises:
        CoreError: a number is no integer from 0 to ``num_classes - 1``, or neither numbers nor
            ``num_classes`` are given.

    >>> import core
    >>> core.utils.to_categorical([0, 2], num_classes=4)
    array([[1., 0., 0., 0.],
           [0., 0., 1., 0.]], dtype=float32)
    """
    classes = _classes(x)
    if num_classes:
        count = integer(num_classes, "num_classes", 1)
    elif classes.size:
        count = int(classes.max()) + 1
    else:
        raise CoreError("x has no class: give num_classes")
    wrong = (classes < 0) | (classes >= count)
    if wrong.any():
        raise CoreError(
            f"x has the class {classes[wrong][0]}, but the {count} classes are numbered from 0 to "
            f"{count - 1}: give a larger num_classes, or number the classes from 0"
        )
    if classes.size * count > _MOST_CLASSES:
        raise CoreError(
            f"{classes.size} vectors of {count} classes are too large: train on the numbers with "
            f"the loss 'sparse_categorical_crossentropy'"
        )
    found = np.zeros((classes.size, count), np.float32)
    found[np.arange(classes.size), classes.reshape(-1)] = 1
    return found.reshape(*classes.shape, count)


def _classes(x: Any) -> np.ndarray:
    """Return numbers of classes as integers."""
    array = np.asarray(x.numpy() if isinstance(x, Tensor) else x)
    if array.dtype.kind in "OSU":
        raise CoreError(
            f"x has labels such as {array.reshape(-1)[0]!r:.40}, not numbers: number them, as by "
            f"`names, x = numpy.unique(x, return_inverse=True)`"
        )
    if array.dtype.kind == "f" and not (array == np.trunc(array)).all():
        raise CoreError("x has fractions or NaN: classes are integers from 0")
    found = array.astype(np.int64)
    return found.reshape(found.shape[:-1]) if found.ndim > 1 and found.shape[-1] == 1 else found

"""Raw ops, dtypes and constants of TensorFlow, which is imported when the first kernel runs."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from core.backends.tf.starting import load_tensorflow

if TYPE_CHECKING:
    #: A tensor of TensorFlow: with values, or of a function that is being traced.
    TfTensor: TypeAlias = Any
    #: A dtype of TensorFlow.
    TfDtype: TypeAlias = Any


class _Names:
    """Attributes of a module of TensorFlow, looked up at their first use.

    Args:
        find: returns the attribute of a name.
    """

    def __init__(self, find: Callable[[str], Any]):
        self._find = find

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # doctest, inspect and copy look for such names in every object
            raise AttributeError(name)
        found = self._find(name)
        setattr(self, name, found)  # found without this method from now on
        return found


#: ``tensorflow.raw_ops``.
raw = _Names(lambda name: getattr(load_tensorflow().raw_ops, name))

#: The dtypes of TensorFlow by their names: ops take them faster than names, and
#: ``x.dtype is dtypes.bool`` is faster than a comparison.
dtypes = _Names(lambda name: getattr(load_tensorflow().dtypes, name))


@lru_cache(maxsize=4096)
def integers(*values: int) -> "TfTensor":
    """Return an int32 vector: shapes, axes and paddings as ops take them.

    Made once for equal values: an op takes four times as long to convert a list. In a function
    that is being traced TensorFlow makes a constant of it.

    >>> integers(1, 2)  # doctest: +SKIP
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return _eager(np.array(values, np.int32))


@lru_cache(maxsize=4096)
def integer(value: int) -> "TfTensor":
    """Return an int32 scalar, made once for each value."""
    return _eager(np.array(value, np.int32))


@lru_cache(maxsize=4096)
def number(value: float, dtype: str = "float32") -> "TfTensor":
    """Return a scalar of a dtype, float32 by default, made once for each value.

    -0.0 may give 0.0, as the two are equal.
    """
    return _eager(np.array(value, dtype))


def axes_of(axis: int | Sequence[int] | None, x: "TfTensor") -> "TfTensor":
    """Return the axes of a reduction as an int32 vector; None stands for all of a tensor."""
    if axis is None:
        return integers(*range(x.shape.rank))
    return integers(axis) if isinstance(axis, int) else integers(*axis)


def array(values: np.ndarray) -> "TfTensor":
    """Return a constant of an array, in a function that is being traced as a part of it."""
    return load_tensorflow().constant(values)


def _eager(values: np.ndarray) -> "TfTensor":
    tf = load_tensorflow()
    with tf.init_scope():  # outside of a function that is being traced, where it is kept
        return tf.constant(values)


@lru_cache(maxsize=4096)
def pairs(values: tuple[tuple[int, ...], ...]) -> "TfTensor":
    """Return an int32 matrix of two columns, such as paddings, made once for equal values."""
    return _eager(np.array(values, np.int32).reshape(-1, 2))


@lru_cache(maxsize=4096)
def scalar(value: float | complex | str | bytes, dtype: str) -> "TfTensor":
    """Return a scalar of any dtype, texts included, made once for each value."""
    return _eager(np.array(value, object if dtype == "string" else dtype))

"""Tensors made from nothing."""

from collections.abc import Sequence
from typing import Any

from core.declare import composite, op
from core.dtypes import check_dtype, check_value
from core.errors import CoreError
from core.kernels import ops
from core.specs import Spec, whole_numbers


@op()
def fill(*, shape: Sequence[int], value: Any, dtype: str = "float32") -> Spec:
    """A tensor of one value.

    Args:
        shape: length of each axis.
        value: a number.
        dtype: of the result.

    >>> core.fill(shape=(2, 2), value=7, dtype="int32").numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    shape = whole_numbers(shape, "shape")
    if any(n < 0 for n in shape):
        raise CoreError(f"shape {shape} has a negative length")
    check_value(value, check_dtype(dtype))
    return Spec(shape, dtype)


@composite
def zeros(shape: Sequence[int], dtype: str = "float32") -> Any:
    """A tensor of zeros.

    >>> import core
    >>> core.zeros((2,)).numpy()
    array([0., 0.], dtype=float32)
    """
    return ops.fill(shape=shape, value=0, dtype=dtype)


@composite
def ones(shape: Sequence[int], dtype: str = "float32") -> Any:
    """A tensor of ones.

    >>> import core
    >>> core.ones((2,)).numpy()
    array([1., 1.], dtype=float32)
    """
    return ops.fill(shape=shape, value=1, dtype=dtype)

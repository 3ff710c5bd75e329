"""Penalties on weights that are added to the loss, with the names and defaults of Keras 3.

>>> import core
>>> core.regularizers.l2(0.5)([1.0, -2.0]).item()
2.5
>>> core.regularizers.get({"class_name": "L1", "config": {"l1": 0.5}})
L1(l1=0.5)
"""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.keras.configured import Configured, NamedClasses
from core.keras.documents import plain_document
from weights_cache.common.similar_names import missing_from

__all__ = [
    "L1",
    "L1L2",
    "L2",
    "OrthogonalRegularizer",
    "Regularizer",
    "get",
    "l1",
    "l1_l2",
    "l2",
    "orthogonal_regularizer",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)


class Regularizer(Configured):
    """Base of regularizers: a call with a weight returns a penalty, a scalar.

    A class of yours defines ``__call__``, and stores its arguments as attributes of their names.

    >>> import core
    >>> class Sum(core.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return core.sum(x)
    >>> Sum()([1.0, 2.0]).item()
    3.0
    """

    def __call__(self, x: TensorLike) -> Tensor:
        """Return the penalty of a weight of any shape."""
        raise CoreError(f"{type(self).__name__} must define __call__(x), as its base does not")


class L1L2(Regularizer):
    """A factor times the sum of absolute values, plus a factor times the sum of squares.

    Args:
        l1: factor of the absolute values, 0 or more.
        l2: factor of the squares, 0 or more.

    Raises:
        CoreError: a factor is negative or not finite.

    >>> import core
    >>> core.regularizers.L1L2(l1=0.5, l2=0.25)([1.0, -2.0]).item()
    2.75
    """

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0):
        self.l1, self.l2 = _factor(l1, "l1", 0.0), _factor(l2, "l2", 0.0)

    def __call__(self, x: TensorLike) -> Tensor:
        """Return the penalty of a weight of any shape."""
        parts = [
            ops.mul(self.l1, ops.sum(ops.abs(x))) if self.l1 else None,
            ops.mul(self.l2, ops.sum(ops.square(x))) if self.l2 else None,
        ]
        found = [part for part in parts if part is not None]
        return ops.add_n(found) if found else tensor(0.0)


class L1(Regularizer):
    """A factor times the sum of absolute values, which makes weights zero.

    Args:
        l1: the factor, 0 or more.

    Raises:
        CoreError: the factor is negative or not finite.

    >>> import core
    >>> core.regularizers.L1(0.5)([1.0, -2.0]).item()
    1.5
    """

    def __init__(self, l1: float | None = 0.01):
        self.l1 = _factor(l1, "l1", 0.01)

    def __call__(self, x: TensorLike) -> Tensor:
        """Return the penalty of a weight of any shape."""
        return ops.mul(self.l1, ops.sum(ops.abs(x)))


class L2(Regularizer):
    """A factor times the sum of squares, which keeps weights small.

    Args:
        l2: the factor, 0 or more.

    Raises:
        CoreError: the factor is negative or not finite.

    >>> import core
    >>> core.regularizers.L2(0.5)([1.0, -2.0]).item()
    2.5
    """

    def __init__(self, l2: float | None = 0.01):
        self.l2 = _factor(l2, "l2", 0.01)

    def __call__(self, x: TensorLike) -> Tensor:
        """Return the penalty of a weight of any shape."""
        return ops.mul(self.l2, ops.sum(ops.square(x)))


class OrthogonalRegularizer(Regularizer):
    """A factor times the mean cosine, without sign, between the rows or columns of a matrix.

    Args:
        factor: of the mean, 0 or more.
        mode: ``"rows"`` or ``"columns"``, which are to become orthogonal to each other.

    Raises:
        CoreError: the factor is negative or not finite, there is no such mode, or the weight has
            not two axes, or fewer than two rows or columns.

    >>> import core
    >>> core.regularizers.OrthogonalRegularizer(0.5)([[1.0, 0.0], [2.0, 0.0]]).item()
    0.5
    """

    def __init__(self, factor: float = 0.01, mode: Literal["rows", "columns"] = "rows"):
        self.factor = _factor(factor, "factor", 0.01)
        if mode not in ("rows", "columns"):
            raise CoreError(f"mode must be 'rows' or 'columns', got {mode!r}")
        self.mode = mode

    def __call__(self, x: TensorLike) -> Tensor:
        """Return the penalty of a matrix."""
        matrix = tensor(x)
        axis = 1 if self.mode == "rows" else 0
        if len(matrix.shape) != 2 or matrix.shape[1 - axis] < 2:
            raise CoreError(
                f"OrthogonalRegularizer needs a matrix of two {self.mode} or more, got the shape "
                f"{matrix.shape}: take another regularizer"
            )
        squares = ops.sum(ops.square(matrix), axis=axis, keep_dims=True)
        unit = ops.mul(matrix, ops.rsqrt(ops.maximum(squares, _LEAST_SQUARES)))
        cosines = ops.matmul(unit, unit, transpose_a=axis == 0, transpose_b=axis == 1)
        size = cosines.shape[0]
        others = ops.mul(ops.abs(cosines), ops.sub(1.0, ops.eye(size)))
        return ops.mul(self.factor / (size * (size - 1)), ops.sum(others))


l1, l2, orthogonal_regularizer = L1, L2, OrthogonalRegularizer


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Return an `L1L2` whose factors are 0.01 unless others are given.

    Args:
        l1: factor of the absolute values, 0 or more.
        l2: factor of the squares, 0 or more.

    >>> import core
    >>> core.regularizers.l1_l2(l2=0.5)
    L1L2(l1=0.01, l2=0.5)
    """
    return L1L2(l1, l2)


#: Squares of norms are not below that, so that rows of zeros stay zeros; as in Keras.
_LEAST_SQUARES = 1e-14

NAMED: NamedClasses[Regularizer] = NamedClasses(
    "regularizer",
    Regularizer,
    {each.__name__: each for each in (L1, L2, L1L2, OrthogonalRegularizer)},
)

#: Types from which `get` makes a regularizer.
RegularizerLike = (
    str | Mapping[str, Any] | Regularizer | type[Regularizer] | Callable[[Tensor], Tensor] | None
)


def get(identifier: RegularizerLike) -> Regularizer | Callable[[Tensor], Tensor] | None:
    """Return the regularizer that a name, a config or an object stands for.

    Args:
        identifier: a name such as ``"l2"`` or ``"L1L2"``; a config of Keras 2, Keras 3 or
            TensorFlow.js; a regularizer, which is returned as it is, or a class; a function of
            a weight; None, for which None is returned. The name ``"l1_l2"`` stands for factors
            of 0.01.

    Raises:
        CoreError: there is no such regularizer; the message lists the names.

    >>> import core
    >>> core.regularizers.get("l2")
    L2(l2=0.01)
    """
    if identifier is None or isinstance(identifier, Regularizer):
        return identifier
    if callable(identifier) and not isinstance(identifier, type):
        return identifier
    found = NAMED.get(plain_document(identifier))
    return l1_l2() if isinstance(identifier, str) and isinstance(found, L1L2) else found


def _factor(value: float | None, name: str, default: float) -> float:
    if value is None:  # in files of TensorFlow.js
        return default
    if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise CoreError(f"{name}={value!r} must be a finite number, 0 or more")
    return float(value)

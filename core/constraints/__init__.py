"""Projections of weights after each training step, with the names and defaults of Keras 3.

>>> import core
>>> core.constraints.non_neg()([1.0, -2.0]).numpy()
array([1., 0.], dtype=float32)
>>> core.constraints.get("max_norm")
MaxNorm(max_value=2, axis=0)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.settings import epsilon
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.keras.configured import Configured, NamedClasses
from core.keras.documents import plain_document
from weights_cache.common.similar_names import missing_from

__all__ = [
    "Constraint",
    "MaxNorm",
    "MinMaxNorm",
    "NonNeg",
    "UnitNorm",
    "get",
    "max_norm",
    "min_max_norm",
    "non_neg",
    "unit_norm",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)


class Constraint(Configured):
    """Base of constraints: a call with a weight returns the weight that it becomes.

    A class of yours defines ``__call__``, and stores its arguments as attributes of their names.

    >>> import core
    >>> class Below(core.constraints.Constraint):
    ...     def __init__(self, limit=1.0):
    ...         self.limit = limit
    ...     def __call__(self, w):
    ...         return core.minimum(w, self.limit)
    >>> Below()([0.5, 2.0]).numpy()
    array([0.5, 1. ], dtype=float32)
    """

    def __call__(self, w: TensorLike) -> Tensor:
        """Return the weight that a weight of any shape becomes."""
        raise CoreError(f"{type(self).__name__} must define __call__(w), as its base does not")


class MaxNorm(Constraint):
    """Weights of a unit are scaled so that their norm is at most a value.

    Args:
        max_value: the greatest norm, 0 or more.
        axis: the axis or axes of the weights of one unit: 0 for a dense layer's kernel,
            ``[0, 1, 2]`` for that of a 2D convolution.

    Raises:
        CoreError: the greatest norm is negative, or the axis is not an integer or integers.

    Source: Srivastava et al. 2014, http://jmlr.org/papers/v15/srivastava14a.html

    >>> import core
    >>> core.constraints.MaxNorm(1.0)([[3.0, 0.6], [4.0, 0.0]]).numpy()
    array([[0.6      , 0.5999999],
           [0.8      , 0.       ]], dtype=float32)
    """

    def __init__(self, max_value: float = 2, axis: int | Sequence[int] = 0):
        if not max_value >= 0:
            raise CoreError(f"max_value={max_value} must be 0 or more")
        self.max_value, self.axis = max_value, _axis(axis)

    def __call__(self, w: TensorLike) -> Tensor:
        """Return the weight that a weight becomes."""
        norms = _norms(w, self.axis)
        return _scaled(w, norms, ops.minimum(norms, float(self.max_value)))


class NonNeg(Constraint):
    """Weights below 0 become 0.

    >>> import core
    >>> core.constraints.NonNeg()([1.0, -2.0]).numpy()
    array([1., 0.], dtype=float32)
    """

    def __call__(self, w: TensorLike) -> Tensor:
        """Return the weight that a weight becomes."""
        return ops.maximum(w, 0.0)


class UnitNorm(Constraint):
    """Weights of a unit are scaled so that their norm is 1.

    Args:
        axis: the axis or axes of the weights of one unit: 0 for a dense layer's kernel,
            ``[0, 1, 2]`` for that of a 2D convolution.

    Raises:
        CoreError: the axis is not an integer or integers.

    >>> import core
    >>> core.constraints.UnitNorm()([[3.0], [4.0]]).numpy()
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, axis: int | Sequence[int] = 0):
        self.axis = _axis(axis)

    def __call__(self, w: TensorLike) -> Tensor:
        """Return the weight that a weight becomes."""
        return ops.div(w, ops.add(_norms(w, self.axis), epsilon()))


class MinMaxNorm(Constraint):
    """Weights of a unit are scaled so that their norm is in a range, or comes nearer to it.

    Args:
        min_value: the least norm, 0 or more.
        max_value: the greatest norm, not below the least one.
        rate: share of the way to the range that one call goes, from 0 to 1.
        axis: the axis or axes of the weights of one unit: 0 for a dense layer's kernel,
            ``[0, 1, 2]`` for that of a 2D convolution.

    Raises:
        CoreError: a value is out of its range, or the axis is not an integer or integers.

    >>> import core
    >>> core.constraints.MinMaxNorm(min_value=2.0, max_value=4.0)([[3.0], [4.0]]).numpy()
    array([[2.4],
           [3.2]], dtype=float32)
    """

    def __init__(
        self,
        min_value: float = 0.0,
        max_value: float = 1.0,
        rate: float = 1.0,
        axis: int | Sequence[int] = 0,
    ):
        if not 0 <= min_value <= max_value:
            raise CoreError(
                f"min_value={min_value} must be 0 or more, and max_value={max_value} not below it"
            )
        if not 0 <= rate <= 1:
            raise CoreError(f"rate={rate} must be from 0 to 1")
        self.min_value, self.max_value, self.rate = min_value, max_value, rate
        self.axis = _axis(axis)

    def __call__(self, w: TensorLike) -> Tensor:
        """Return the weight that a weight becomes."""
        norms = _norms(w, self.axis)
        inside = ops.clip_by_value(norms, float(self.min_value), float(self.max_value))
        desired = ops.add(ops.mul(self.rate, inside), ops.mul(1 - self.rate, norms))
        return _scaled(w, norms, desired)


max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm

NAMED: NamedClasses[Constraint] = NamedClasses(
    "constraint",
    Constraint,
    {each.__name__: each for each in (MaxNorm, MinMaxNorm, NonNeg, UnitNorm)},
)

#: Types from which `get` makes a constraint.
ConstraintLike = (
    str | Mapping[str, Any] | Constraint | type[Constraint] | Callable[[Tensor], Tensor] | None
)


def get(identifier: ConstraintLike) -> Constraint | Callable[[Tensor], Tensor] | None:
    """Return the constraint that a name, a config or an object stands for.

    Args:
        identifier: a name such as ``"MaxNorm"``, ``"max_norm"`` or TensorFlow.js's ``"maxNorm"``;
            a config of Keras 2, Keras 3 or TensorFlow.js; a constraint, which is returned as it
            is, or a class; a function of a weight; None, for which None is returned.

    Raises:
        CoreError: there is no such constraint; the message lists the names.

    >>> import core
    >>> core.constraints.get({"class_name": "UnitNorm", "config": {"axis": 1}})
    UnitNorm(axis=1)
    """
    if identifier is None or isinstance(identifier, Constraint):
        return identifier
    if callable(identifier) and not isinstance(identifier, type):
        return identifier
    return NAMED.get(plain_document(identifier))


def _norms(w: TensorLike, axis: int | list[int]) -> Tensor:
    """Return the norms along the axes, which stay with a length of 1."""
    return ops.sqrt(ops.sum(ops.square(w), axis=axis, keep_dims=True))


def _scaled(w: TensorLike, norms: Tensor, desired: Tensor) -> Tensor:
    """Return weights of the desired norms, but for an epsilon that keeps zeros as they are."""
    return ops.mul(w, ops.div(desired, ops.add(norms, epsilon())))


def _axis(axis: int | Sequence[int]) -> int | list[int]:
    if isinstance(axis, int):
        return axis
    axes = list(axis) if isinstance(axis, Sequence) and not isinstance(axis, str) else [None]
    if not all(isinstance(one, int) for one in axes):
        raise CoreError(f"axis={axis!r} must be an integer or a list of integers")
    return axes

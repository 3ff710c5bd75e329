"""Hinge losses: correct scores with a margin of 1 cost nothing."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.losses.base import NamedLoss, as_floats


def _shortfall(y_true: TensorLike, y_pred: TensorLike, loss: str) -> Tensor:
    """Return how far each score is from its margin."""
    y_true, y_pred = as_floats(y_true, y_pred, loss)
    is_binary = ops.all(ops.logical_or(ops.equal(y_true, 0.0), ops.equal(y_true, 1.0)))
    signs = ops.select(is_binary, 2.0 * y_true - 1.0, y_true)
    return ops.maximum(1.0 - signs * y_pred, 0.0)


def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``max(1 - y_true * y_pred, 0)`` along the last axis.

    Args:
        y_true: labels -1 and 1, [batch, ..., n]; if all are 0 or 1, 0 counts as -1.
        y_pred: scores of that shape, negative for the label -1.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.hinge([[-1.0, 1.0]], [[-3.0, 0.5]]).numpy()
    array([0.25], dtype=float32)
    """
    return ops.mean(_shortfall(y_true, y_pred, "hinge"), axis=-1)


def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``max(1 - y_true * y_pred, 0)**2`` along the last axis.

    Args:
        y_true: labels -1 and 1, [batch, ..., n]; if all are 0 or 1, 0 counts as -1.
        y_pred: scores of that shape, negative for the label -1.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.squared_hinge([[-1.0, 1.0]], [[-3.0, 0.5]]).numpy()
    array([0.125], dtype=float32)
    """
    return ops.mean(ops.square(_shortfall(y_true, y_pred, "squared_hinge")), axis=-1)


def categorical_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """``max(1 + best wrong score - right score, 0)`` along the last axis.

    Args:
        y_true: one-hot labels, [batch, ..., classes].
        y_pred: scores of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.categorical_hinge([[0.0, 1.0, 0.0]], [[0.25, 0.75, 0.0]]).numpy()
    array([0.5], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "categorical_hinge")
    right = ops.sum(y_true * y_pred, axis=-1)
    wrong = ops.max((1.0 - y_true) * y_pred, axis=-1)
    return ops.maximum(wrong - right + 1.0, 0.0)


class Hinge(NamedLoss):
    """Hinge loss of labels -1 and 1; the function is `core.losses.hinge`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.Hinge()([[-1.0, 1.0]], [[-3.0, 0.5]]).item()
    0.25
    """

    function = staticmethod(hinge)


class SquaredHinge(NamedLoss):
    """Squared hinge loss of labels -1 and 1; the function is `core.losses.squared_hinge`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.SquaredHinge()([[-1.0, 1.0]], [[-3.0, 0.5]]).item()
    0.125
    """

    function = staticmethod(squared_hinge)


class CategoricalHinge(NamedLoss):
    """Hinge loss of one-hot labels; the function is `core.losses.categorical_hinge`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.CategoricalHinge()([[0.0, 1.0, 0.0]], [[0.25, 0.75, 0.0]]).item()
    0.5
    """

    function = staticmethod(categorical_hinge)

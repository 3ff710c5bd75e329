"""Losses of numbers: distances between labels and outputs."""

from math import log

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, NamedLoss, ReductionName, as_floats


def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``(y_true - y_pred)**2`` along the last axis.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy()
    array([2.5], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "mean_squared_error")
    return ops.mean(ops.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``abs(y_true - y_pred)`` along the last axis.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.mean_absolute_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy()
    array([1.5], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "mean_absolute_error")
    return ops.mean(ops.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``100 * abs((y_true - y_pred) / y_true)``; divisors are at least 1e-7.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...], in percent.

    >>> import core
    >>> core.losses.mean_absolute_percentage_error([[2.0, 4.0]], [[1.0, 3.0]]).numpy()
    array([37.5], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "mean_absolute_percentage_error")
    error = ops.abs((y_true - y_pred) / ops.maximum(ops.abs(y_true), EPSILON))
    return 100.0 * ops.mean(error, axis=-1)


def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``(log(1 + y_true) - log(1 + y_pred))**2``; values below 1e-7 count as 1e-7.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.mean_squared_logarithmic_error([[1.0]], [[3.0]]).numpy().round(3)
    array([0.48], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "mean_squared_logarithmic_error")
    logs = [ops.log1p(ops.maximum(y, EPSILON)) for y in (y_pred, y_true)]
    return ops.mean(ops.squared_difference(*logs), axis=-1)


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """Minus the cosine of the angle between labels and outputs: -1 where they point one way.

    Args:
        y_true: labels, vectors along the axis.
        y_pred: outputs of that shape.
        axis: along which a vector lies.

    Returns:
        float32 without the axis, from -1 to 1; 0 where a vector is 0.

    >>> import core
    >>> core.losses.cosine_similarity([[0.0, 2.0], [1.0, 0.0]], [[0.0, 5.0], [0.0, 3.0]]).numpy()
    array([-1., -0.], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "cosine_similarity")
    lengths = [
        ops.rsqrt(ops.maximum(ops.sum(ops.square(y), axis=axis), EPSILON**2))
        for y in (y_true, y_pred)
    ]
    return -ops.sum(y_true * y_pred, axis=axis) * lengths[0] * lengths[1]


def huber(y_true: TensorLike, y_pred: TensorLike, delta: float = 1.0) -> Tensor:
    """Mean of ``error**2 / 2`` up to an error of delta, of ``delta * (error - delta / 2)`` above.

    Source: Huber 1964, https://doi.org/10.1214/aoms/1177703732

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.
        delta: from which error on the loss is linear; positive.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.huber([[0.0, 0.0]], [[0.5, 4.0]]).numpy()
    array([1.8125], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "huber")
    error = ops.abs(y_pred - y_true)
    near = ops.minimum(error, delta)
    return ops.mean(near * (error - 0.5 * near), axis=-1)


def log_cosh(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Mean of ``log(cosh(y_pred - y_true))``: about half the square where small, linear where not.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.

    Returns:
        float32 [batch, ...].

    >>> import core
    >>> core.losses.log_cosh([[0.0, 0.0]], [[0.0, 200.0]]).numpy().round(2)
    array([99.65], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "log_cosh")
    error = y_pred - y_true
    return ops.mean(error + ops.softplus(error * -2.0) - log(2.0), axis=-1)


class MeanSquaredError(NamedLoss):
    """Mean of ``(y_true - y_pred)**2``; the function is `core.losses.mean_squared_error`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.MeanSquaredError()([[0.0, 1.0]], [[1.0, 3.0]]).item()
    2.5
    """

    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(NamedLoss):
    """Mean of ``abs(y_true - y_pred)``; the function is `core.losses.mean_absolute_error`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.MeanAbsoluteError()([[0.0, 1.0]], [[1.0, 3.0]]).item()
    1.5
    """

    function = staticmethod(mean_absolute_error)


class MeanAbsolutePercentageError(NamedLoss):
    """Mean error in percent; see `core.losses.mean_absolute_percentage_error`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.MeanAbsolutePercentageError()([[2.0, 4.0]], [[1.0, 3.0]]).item()
    37.5
    """

    function = staticmethod(mean_absolute_percentage_error)


class MeanSquaredLogarithmicError(NamedLoss):
    """Mean squared difference of logarithms; see `core.losses.mean_squared_logarithmic_error`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> round(core.losses.MeanSquaredLogarithmicError()([[1.0]], [[3.0]]).item(), 4)
    0.4805
    """

    function = staticmethod(mean_squared_logarithmic_error)


class CosineSimilarity(NamedLoss):
    """Minus the cosine of an angle; the function is `core.losses.cosine_similarity`.

    Args:
        axis: along which a vector lies.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> core.losses.CosineSimilarity()([[0.0, 2.0]], [[0.0, 5.0]]).item()
    -1.0
    """

    function = staticmethod(cosine_similarity)

    def __init__(
        self,
        axis: int = -1,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.axis = axis


class Huber(NamedLoss):
    """Squares of small errors, linear in large ones; the function is `core.losses.huber`.

    Args:
        delta: from which error on the loss is linear; positive.
        reduction: as in `core.losses.Loss`.
        name: for logs.

    Raises:
        CoreError: delta is not positive.

    >>> import core
    >>> core.losses.Huber()([[0.0, 0.0]], [[0.5, 4.0]]).item()
    1.8125
    """

    function = staticmethod(huber)
    default_name = "huber_loss"

    def __init__(
        self,
        delta: float = 1.0,
        reduction: ReductionName | None = "sum_over_batch_size",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        if not delta > 0:
            raise CoreError(f"delta of Huber must be positive, got {delta!r}")
        self.delta = delta


class LogCosh(NamedLoss):
    """Logarithm of the hyperbolic cosine of errors; the function is `core.losses.log_cosh`.

    Args:
        reduction: as in `core.losses.Loss`.
        name: for logs.

    >>> import core
    >>> round(core.losses.LogCosh()([[0.0]], [[1.0]]).item(), 4)
    0.4338
    """

    function = staticmethod(log_cosh)

"""Metrics of numbers: means of errors and of angles."""

from core import losses, ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.losses.base import as_floats
from core.metrics.means import NamedMean


def _squared_errors(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    y_true, y_pred = as_floats(y_true, y_pred, "root_mean_squared_error")
    return ops.squared_difference(y_pred, y_true)


def _cosine(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    return ops.neg(losses.cosine_similarity(y_true, y_pred, axis))


class MeanSquaredError(NamedMean):
    """Mean of ``(y_true - y_pred)**2``.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.MeanSquaredError()([[0.0, 1.0]], [[1.0, 3.0]]).item()
    2.5
    """

    function = staticmethod(losses.mean_squared_error)


class RootMeanSquaredError(NamedMean):
    """Square root of the mean of ``(y_true - y_pred)**2``.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.RootMeanSquaredError()([[0.0, 0.0]], [[2.0, 2.0]]).item()
    2.0
    """

    function = staticmethod(_squared_errors)

    def result(self) -> Tensor:
        """Return the root of the mean."""
        return ops.sqrt(super().result())


class MeanAbsoluteError(NamedMean):
    """Mean of ``abs(y_true - y_pred)``.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.MeanAbsoluteError()([[0.0, 1.0]], [[1.0, 3.0]]).item()
    1.5
    """

    function = staticmethod(losses.mean_absolute_error)


class MeanAbsolutePercentageError(NamedMean):
    """Mean error in percent of the labels.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.MeanAbsolutePercentageError()([[2.0, 4.0]], [[1.0, 3.0]]).item()
    37.5
    """

    function = staticmethod(losses.mean_absolute_percentage_error)


class MeanSquaredLogarithmicError(NamedMean):
    """Mean of ``(log(1 + y_true) - log(1 + y_pred))**2``.

    Args:
        name: for logs.

    >>> import core
    >>> round(core.metrics.MeanSquaredLogarithmicError()([[1.0]], [[3.0]]).item(), 4)
    0.4805
    """

    function = staticmethod(losses.mean_squared_logarithmic_error)


class LogCoshError(NamedMean):
    """Mean of ``log(cosh(y_pred - y_true))``.

    Args:
        name: for logs.

    >>> import core
    >>> round(core.metrics.LogCoshError()([[0.0]], [[1.0]]).item(), 4)
    0.4338
    """

    function = staticmethod(losses.log_cosh)
    default_name = "logcosh"


class CosineSimilarity(NamedMean):
    """Mean cosine of the angle between labels and outputs: 1 where they point one way.

    Args:
        name: for logs.
        axis: along which a vector lies.

    >>> import core
    >>> core.metrics.CosineSimilarity()([[0.0, 2.0]], [[0.0, 5.0]]).item()
    1.0
    """

    function = staticmethod(_cosine)

    def __init__(self, name: str | None = None, axis: int = -1):
        super().__init__(name)
        self.axis = axis


class CosineProximity(NamedMean):
    """Mean of minus the cosine, as TensorFlow.js's metric ``cosineProximity`` has it.

    Args:
        name: for logs.

    >>> import core
    >>> core.metrics.CosineProximity()([[0.0, 2.0]], [[0.0, 5.0]]).item()
    -1.0
    """

    function = staticmethod(losses.cosine_similarity)

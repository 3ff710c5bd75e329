"""Metrics of how labels and outputs vary together: correlations, coefficient of determination."""

from collections.abc import Sequence
from typing import Literal

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, as_float, as_floats, fitted_weights
from core.metrics.base import Metric, add, columns
from core.metrics.means import NamedMean


def pearson_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """Covariance of labels and outputs, divided by both standard deviations.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.
        axis: along which the values of one correlation lie.

    Returns:
        float32 without the axis, from -1 to 1; NaN where all values are equal.

    >>> import core
    >>> core.metrics.pearson_correlation([[0.0, 1.0, 2.0]], [[1.0, 3.0, 5.0]]).numpy().round(3)
    array([1.], dtype=float32)
    """
    a, b = (_centred(y, axis) for y in as_floats(y_true, y_pred, "pearson_correlation"))
    lengths = [ops.sqrt(ops.mean(ops.square(each), axis=axis)) for each in (a, b)]
    return ops.mean(a * b, axis=axis) / (lengths[0] * lengths[1])


def concordance_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """Concordance of labels and outputs: a correlation that falls with their distance, too.

    Source: Lin 1989, https://doi.org/10.2307/2532051, with the covariance that Keras 3 computes.

    Args:
        y_true: labels, [batch, ..., n].
        y_pred: outputs of that shape.
        axis: along which the values of one correlation lie.

    Returns:
        float32 without the axis.

    >>> import core
    >>> core.metrics.concordance_correlation([[0.0, 2.0]], [[1.0, 3.0]]).numpy().round(3)
    array([0.667], dtype=float32)
    """
    y_true, y_pred = as_floats(y_true, y_pred, "concordance_correlation")
    mean_true, mean_pred = (ops.mean(y, axis=axis, keep_dims=True) for y in (y_true, y_pred))
    spread = [
        ops.mean(ops.square(_centred(y, axis)), axis=axis, keep_dims=True) for y in (y_true, y_pred)
    ]
    scale = spread[0] + spread[1] + ops.squared_difference(mean_true, mean_pred)
    common = (y_true - mean_pred) * (y_pred - mean_pred)
    return ops.mean(2.0 * common / (scale + EPSILON), axis=axis)


def _centred(y: Tensor, axis: int) -> Tensor:
    return y - ops.mean(y, axis=axis, keep_dims=True)


class PearsonCorrelation(NamedMean):
    """Mean correlation of labels and outputs.

    Args:
        name: for logs.
        axis: along which the values of one correlation lie.

    >>> import core
    >>> round(core.metrics.PearsonCorrelation()([[0.0, 1.0]], [[1.0, 3.0]]).item(), 4)
    1.0
    """

    function = staticmethod(pearson_correlation)

    def __init__(self, name: str | None = None, axis: int = -1):
        super().__init__(name)
        self.axis = axis


class ConcordanceCorrelation(NamedMean):
    """Mean concordance of labels and outputs.

    Args:
        name: for logs.
        axis: along which the values of one correlation lie.

    >>> import core
    >>> round(core.metrics.ConcordanceCorrelation()([[0.0, 2.0]], [[1.0, 3.0]]).item(), 3)
    0.667
    """

    function = staticmethod(concordance_correlation)

    def __init__(self, name: str | None = None, axis: int = -1):
        super().__init__(name)
        self.axis = axis


_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


class R2Score(Metric):
    """Coefficient of determination: which share of the labels' variance the outputs explain.

    Args:
        class_aggregation: ``"uniform_average"``, the mean over the outputs;
            ``"variance_weighted_average"``; or None, a value for each output.
        num_regressors: number of inputs for the adjusted coefficient; 0: not adjusted.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> core.metrics.R2Score()([[1.0], [2.0], [3.0]], [[1.0], [2.0], [2.0]]).item()
    0.5
    """

    def __init__(
        self,
        class_aggregation: Literal["uniform_average", "variance_weighted_average"]
        | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = None,
    ):
        super().__init__(name)
        if class_aggregation not in _AGGREGATIONS:
            raise CoreError(
                f"class_aggregation must be one of {_AGGREGATIONS}, got {class_aggregation!r}"
            )
        if num_regressors < 0:
            raise CoreError(f"num_regressors must be 0 or more, got {num_regressors}")
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable((), name="num_samples")

    def build(self, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]) -> None:
        """Make the sums of each output.

        Args:
            y_true_shape: shape of the labels, [batch, outputs].
            y_pred_shape: shape of the outputs.
        """
        if len(self.variables) > 1:
            return
        count = (columns("R2Score", y_pred_shape, y_pred_shape),)
        self.squared_sum = self.add_variable(count, name="squared_sum")
        self.sum = self.add_variable(count, name="sum")
        self.total_mse = self.add_variable(count, name="residual")
        self.count = self.add_variable(count, name="count")

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take a batch into account.

        Args:
            y_true: labels, [batch, outputs].
            y_pred: outputs of that shape.
            sample_weight: a factor for each sample.
        """
        labels, outputs = as_floats(y_true, y_pred, self.name)
        self.build(labels.shape, outputs.shape)
        weights = fitted_weights(1.0 if sample_weight is None else sample_weight, labels.shape)
        weights = ops.broadcast_to(weights, shape=labels.shape)
        weighted = labels * weights
        add(self.sum, ops.sum(weighted, axis=0))
        add(self.squared_sum, ops.sum(labels * weighted, axis=0))
        add(self.total_mse, ops.sum(ops.squared_difference(labels, outputs) * weights, axis=0))
        add(self.count, ops.sum(weights, axis=0))
        add(self.num_samples, float(labels.size))

    def result(self) -> Tensor:
        """Return the coefficient, or that of each output."""
        if len(self.variables) == 1:
            raise CoreError(f"{self.name} has no result before the first batch")
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1.0 - self.total_mse / total
        scores = ops.select(ops.is_inf(scores), 0.0, scores)
        if self.class_aggregation == "uniform_average":
            scores = ops.mean(scores)
        elif self.class_aggregation:
            scores = ops.sum(total * scores) / ops.sum(total)
        return self._adjusted(scores) if self.num_regressors else as_float(scores)

    def _adjusted(self, scores: Tensor) -> Tensor:
        """Return scores adjusted for the number of inputs, where there are more samples."""
        left = self.num_samples - (1.0 + self.num_regressors)
        adjusted = 1.0 - (1.0 - scores) * (self.num_samples - 1.0) / left
        return ops.select(ops.greater(left, 0.0), adjusted, scores)

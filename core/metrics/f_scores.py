"""F scores: weighted harmonic means of precision and recall."""

from collections.abc import Sequence
from typing import Literal

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, as_float, as_floats
from core.metrics.base import Metric, add, columns

_AVERAGES = (None, "micro", "macro", "weighted")

Average = Literal["micro", "macro", "weighted"] | None


class FBetaScore(Metric):
    """``(1 + beta**2) * precision * recall / (beta**2 * precision + recall)`` of each class.

    Args:
        average: None, a value for each class; ``"macro"``, their mean; ``"weighted"``, their mean
            by the numbers of labels; ``"micro"``, of all classes together.
        beta: how much more recall counts than precision; positive.
        threshold: outputs above it name a class, from 0 (not included) to 1; None: the largest
            output does.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> metric = core.metrics.FBetaScore(beta=2.0)
    >>> metric([[1, 0], [1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]).numpy().round(3)
    array([0.556, 0.833], dtype=float32)
    """

    default_name = "fbeta_score"

    def __init__(
        self,
        average: Average = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = None,
    ):
        super().__init__(name)
        if average not in _AVERAGES:
            raise CoreError(f"average must be one of {_AVERAGES}, got {average!r}")
        if not beta > 0:
            raise CoreError(f"beta must be positive, got {beta!r}")
        if threshold is not None and not 0 < threshold <= 1:
            raise CoreError(f"threshold must be above 0 and up to 1, got {threshold!r}")
        self.average, self.beta, self.threshold = average, beta, threshold

    def build(self, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]) -> None:
        """Make the counts of each class.

        Args:
            y_true_shape: shape of the labels, [batch, classes].
            y_pred_shape: shape of the outputs.
        """
        count = columns(type(self).__name__, y_true_shape, y_pred_shape)
        if self.variables:
            return
        shape = () if self.average == "micro" else (count,)
        self.true_positives = self.add_variable(shape, name="true_positives")
        self.false_positives = self.add_variable(shape, name="false_positives")
        self.false_negatives = self.add_variable(shape, name="false_negatives")
        self.intermediate_weights = self.add_variable(shape, name="intermediate_weights")

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Take a batch into account.

        Args:
            y_true: labels 0 and 1, [batch, classes].
            y_pred: outputs of that shape.
            sample_weight: a factor for each sample, [batch].
        """
        labels, outputs = as_floats(y_true, y_pred, self.name)
        self.build(labels.shape, outputs.shape)
        if self.threshold is None:
            best = ops.greater_equal(outputs, ops.max(outputs, axis=-1, keep_dims=True))
            named = ops.logical_and(best, ops.greater(ops.abs(outputs), 1e-9))
        else:
            named = ops.greater(outputs, self.threshold)
        chosen = as_float(named)
        add(self.true_positives, self._sum(chosen * labels, sample_weight))
        add(self.false_positives, self._sum(chosen * (1.0 - labels), sample_weight))
        add(self.false_negatives, self._sum((1.0 - chosen) * labels, sample_weight))
        add(self.intermediate_weights, self._sum(labels, sample_weight))

    def _sum(self, values: Tensor, sample_weight: TensorLike | None) -> Tensor:
        if sample_weight is not None:
            values = values * ops.reshape(as_float(sample_weight), shape=(-1, 1))
        return ops.sum(values, axis=None if self.average == "micro" else 0)

    def result(self) -> Tensor:
        """Return the score, or that of each class."""
        if not self.variables:
            raise CoreError(f"{self.name} has no result before the first batch")
        hits, square = self.true_positives, self.beta**2
        precision = hits / (hits + self.false_positives + EPSILON)
        recall = hits / (hits + self.false_negatives + EPSILON)
        mean = precision * recall / (square * precision + recall + EPSILON)
        scores = mean * (1.0 + square)
        if self.average == "weighted":
            total = ops.sum(self.intermediate_weights) + EPSILON
            return ops.sum(scores * (self.intermediate_weights / total))
        return scores if self.average is None else ops.mean(scores)


class F1Score(FBetaScore):
    """Harmonic mean of precision and recall of each class.

    Args:
        average: None, a value for each class; ``"macro"``, their mean; ``"weighted"``, their mean
            by the numbers of labels; ``"micro"``, of all classes together.
        threshold: outputs above it name a class, from 0 (not included) to 1; None: the largest
            output does.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> metric = core.metrics.F1Score("macro")
    >>> round(metric([[1, 0], [1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]).item(), 3)
    0.667
    """

    default_name = "f1_score"

    def __init__(
        self, average: Average = None, threshold: float | None = None, name: str | None = None
    ):
        super().__init__(average, 1.0, threshold, name)

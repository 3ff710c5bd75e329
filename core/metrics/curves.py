"""Areas under curves of two rates over all thresholds."""

from collections.abc import Sequence
from typing import Literal

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import EPSILON, as_float
from core.metrics.base import columns, quotient
from core.metrics.confusion import Counts, Decided, Decisions
from core.metrics.threshold_metrics import fall_out_of, inner_thresholds, precision_of, recall_of

_CURVES = ("ROC", "PR", "PRGAIN")
_METHODS = ("interpolation", "majoring", "minoring")


class AUC(Decided):
    """Area under a curve of two rates over all thresholds.

    Args:
        num_thresholds: number of even thresholds, 2 or more.
        curve: ``"ROC"``, recall over the share of wrong alarms; ``"PR"``, precision over recall;
            or ``"PRGAIN"``, the gains of both.
        summation_method: ``"interpolation"``, the curve between thresholds is a line (for PR that
            of Davis and Goadrich 2006, https://doi.org/10.1145/1143844.1143874);
            ``"majoring"`` or ``"minoring"``, the larger or smaller of both ends.
        name: for logs.
        thresholds: limits from 0 to 1 instead of even ones; 0 and 1 are added.
        multi_label: compute an area for each column, and return their mean.
        num_labels: number of columns, if it is known with multi_label.
        label_weights: a factor for each column.
        from_logits: outputs are logits.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> core.metrics.AUC(num_thresholds=3)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]).item()
    0.75
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Literal["ROC", "PR", "PRGAIN"] = "ROC",
        summation_method: Literal["interpolation", "majoring", "minoring"] = "interpolation",
        name: str | None = None,
        thresholds: Sequence[float] | None = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Sequence[float] | None = None,
        from_logits: bool = False,
    ):
        self.curve = _one_of(str(curve).upper(), _CURVES, "curve")
        self.summation_method = _one_of(str(summation_method).lower(), _METHODS, "summation_method")
        limits = inner_thresholds(num_thresholds, thresholds)
        limits = [-EPSILON, *limits, 1.0 + EPSILON]
        weights = None if multi_label else label_weights
        decisions = Decisions(limits, by_label=multi_label, label_weights=weights)
        super().__init__(name, decisions)
        self.num_thresholds, self.thresholds = num_thresholds, thresholds
        self.multi_label, self.num_labels = multi_label, num_labels
        self.label_weights, self.from_logits = label_weights, from_logits
        if num_labels or not multi_label:
            self.make_counts(num_labels if multi_label else None)

    def build(self, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]) -> None:
        """Make the counts of each column with multi_label.

        Args:
            y_true_shape: shape of the labels, [batch, columns].
            y_pred_shape: shape of the outputs.
        """
        if not self.variables:
            self.make_counts(columns("AUC with multi_label", y_true_shape, y_pred_shape))

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Count the decisions of a batch at each threshold.

        Args:
            y_true: labels 0 and 1, [batch, ...].
            y_pred: outputs from 0 to 1, of that shape.
            sample_weight: a factor for each sample.
        """
        outputs = as_float(y_pred)
        if not self.variables:
            self.build(outputs.shape, outputs.shape)
        if self.from_logits:
            outputs = ops.sigmoid(outputs)
        super().update_state(y_true, outputs, sample_weight)

    def result(self) -> Tensor:
        """Return the area, between 0 and 1."""
        if not self.variables:
            raise CoreError(f"{self.name} has no result before the first batch")
        counts = Counts(*(self.counts[name].read() for name in Counts._fields))
        if self.curve == "PR" and self.summation_method == "interpolation":
            areas = _interpolated(counts)
        else:
            x, y = _rates(self.curve, counts)
            areas = (x[:-1] - x[1:]) * self._heights(y[:-1], y[1:])
        areas = ops.sum(areas, axis=0)
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return ops.mean(areas)
        weights = as_float(list(self.label_weights))
        return quotient(ops.sum(areas * weights), ops.sum(weights))

    def _heights(self, left: Tensor, right: Tensor) -> Tensor:
        if self.summation_method == "interpolation":
            return (left + right) / 2.0
        if self.summation_method == "minoring":
            return ops.minimum(left, right)
        return ops.maximum(left, right)


def _rates(curve: str, c: Counts) -> tuple[Tensor, Tensor]:
    """Return the coordinates of a curve."""
    if curve == "ROC":
        return fall_out_of(c), recall_of(c)
    if curve == "PR":
        return recall_of(c), precision_of(c)
    scale = quotient(c.true_positives + c.false_negatives, c.true_negatives + c.false_positives)
    none = ops.equal(c.true_positives, 0.0)
    gain = 1.0 - scale * quotient(c.false_negatives, c.true_positives)
    recall = ops.maximum(ops.select(none, 0.0, gain), 0.0)
    gain = 1.0 - scale * quotient(c.false_positives, c.true_positives)
    return recall, ops.select(none, 1.0, gain)


def _interpolated(c: Counts) -> Tensor:
    """Return the areas between thresholds under precision over recall.

    Between two thresholds the number of right alarms is linear in that of all alarms.
    """
    hits, alarms = c.true_positives, c.true_positives + c.false_positives
    more_hits, more_alarms = hits[:-1] - hits[1:], alarms[:-1] - alarms[1:]
    ratio = quotient(more_hits, ops.maximum(more_alarms, 0.0))
    start = hits[1:] - ratio * alarms[1:]
    both = ops.logical_and(ops.greater(alarms[:-1], 0.0), ops.greater(alarms[1:], 0.0))
    growth = ops.select(both, quotient(alarms[:-1], ops.maximum(alarms[1:], 0.0)), 1.0)
    positives = ops.maximum(c.true_positives[1:] + c.false_negatives[1:], 0.0)
    return quotient(ratio * (more_hits + start * ops.log(growth)), positives)


def _one_of(value: str, names: tuple[str, ...], what: str) -> str:
    if value not in names:
        raise CoreError(f"there is no {what} {value!r}; the names are {', '.join(names)}")
    return value

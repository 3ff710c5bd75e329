"""Counts of true and false decisions at thresholds, and metrics made of them."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.losses.base import as_float, as_floats, fitted_weights
from core.metrics.base import Metric, add, quotient

#: Score below all outputs, for classes that are not among the top k.
LOWEST = -1e10


class Counts(NamedTuple):
    """Weighted counts at each threshold, [thresholds] or [thresholds, labels]."""

    true_positives: Tensor
    false_positives: Tensor
    true_negatives: Tensor
    false_negatives: Tensor


class Decisions(NamedTuple):
    """Rules that turn outputs into decisions, 0 or 1.

    Args:
        thresholds: outputs above one stand for 1.
        top_k: only so many of the largest outputs of a sample may stand for 1.
        class_id: the only column that counts.
        by_label: count each column by itself.
        label_weights: a factor for each column.
    """

    thresholds: Sequence[float]
    top_k: int | None = None
    class_id: int | None = None
    by_label: bool = False
    label_weights: Sequence[float] | None = None

    @property
    def are_even(self) -> bool:
        """Whether the thresholds part 0..1 into equal intervals, ends included."""
        count = len(self.thresholds)
        even = np.arange(count) / max(count - 1, 1)
        return count >= 3 and np.allclose(self.thresholds, even, atol=2e-7)

    def counts(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None
    ) -> Counts:
        """Return the counts of a batch."""
        labels, outputs = as_floats(y_true, y_pred, "a metric of decisions")
        weights = self._weights(sample_weight, outputs.shape)
        if self.top_k is not None:
            outputs = _among_best(outputs, self.top_k)
        if self.class_id is not None:
            if len(outputs.shape) < 2:
                raise CoreError(f"class_id needs outputs of several classes, got {outputs.shape}")
            column = slice(self.class_id, self.class_id + 1)
            labels, outputs, weights = (t[..., column] for t in (labels, outputs, weights))
        right = ops.select(ops.not_equal(labels, 0.0), weights, 0.0)
        parts = ops.stack([right, weights - right])  # [2, ...]: of labels 1, of labels 0
        columns = outputs.shape[-1] if self.by_label else 1
        parts = ops.reshape(parts, shape=(2, -1, columns))
        outputs = ops.reshape(outputs, shape=(-1, columns))
        chosen = self._above(outputs, parts)
        if not self.by_label:
            chosen, parts = ops.squeeze(chosen, axis=-1), ops.squeeze(parts, axis=-1)
        all_true, all_false = ops.unstack(ops.sum(parts, axis=1))
        hits, alarms = ops.unstack(chosen)
        return Counts(hits, alarms, all_false - alarms, all_true - hits)

    def _weights(self, sample_weight: TensorLike | None, shape: tuple[int, ...]) -> Tensor:
        weights = fitted_weights(1.0 if sample_weight is None else sample_weight, shape)
        if self.label_weights is not None:
            weights = weights * as_float(list(self.label_weights))
        return ops.broadcast_to(weights, shape=shape)

    def _above(self, outputs: Tensor, parts: Tensor) -> Tensor:
        """Return the sums of parts [2, n, columns] above each threshold: [2, thresholds, columns].

        Even thresholds part the outputs into intervals, which are summed from the end.
        """
        if not self.are_even:
            limits = np.array(self.thresholds, np.float32).reshape(-1, 1, 1)
            above = as_float(ops.greater(outputs, limits))
            return ops.sum(ops.expand_dims(parts, axis=1) * above, axis=2)
        count, columns = len(self.thresholds), outputs.shape[-1]
        positions = ops.ceil(ops.clip_by_value(outputs, 0.0, 1.0) * (count - 1.0))
        if self.thresholds[0] < 0:  # then 0 is above the first one
            positions = ops.maximum(positions, 1.0)
        positions = (
            ops.cast(positions, dtype="int32") + ops.range(0, columns, dtype="int32") * count
        )
        flat = ops.reshape(positions, shape=(-1,))
        sums = [
            ops.unsorted_segment_sum(ops.reshape(p, (-1,)), flat, num_segments=count * columns)
            for p in ops.unstack(parts)
        ]
        rows = ops.reshape(ops.stack(sums), shape=(2, columns, count))
        above = ops.cumsum(rows, axis=2, exclusive=True, reverse=True)
        return ops.transpose(above, perm=(0, 2, 1))


def _among_best(outputs: Tensor, k: int) -> Tensor:
    """Return outputs with all but the top k of each sample replaced by the lowest score."""
    best = ops.topk(outputs, k=k).indices
    chosen = ops.sum(ops.one_hot(best, depth=outputs.shape[-1]), axis=-2)
    return ops.select(ops.greater(chosen, 0), outputs, LOWEST)


def checked_thresholds(
    thresholds: float | Sequence[float] | None, default: float = 0.5
) -> list[float]:
    """Return thresholds as a list.

    Raises:
        CoreError: one is not from 0 to 1.
    """
    if thresholds is None:
        return [default]
    found = [float(t) for t in np.ravel(thresholds)]
    bad = [t for t in found if not 0 <= t <= 1]
    if bad or not found:
        raise CoreError(f"thresholds must be from 0 to 1, got {bad[0] if bad else thresholds!r}")
    return found


class Decided(Metric):
    """Base of metrics that keep some of the counts."""

    #: Names of the counts that are kept, in the order of the variables.
    kept: ClassVar[tuple[str, ...]] = Counts._fields

    def __init__(self, name: str | None, decisions: Decisions):
        super().__init__(name)
        self.decisions = decisions

    def make_counts(self, labels: int | None = None) -> None:
        """Make a variable for each kept count."""
        shape = (len(self.decisions.thresholds), *([] if labels is None else [labels]))
        self.counts = {name: self.add_variable(shape, name=name) for name in self.kept}

    def update_state(
        self,
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: TensorLike | None = None,
    ) -> None:
        """Count the decisions of a batch.

        Args:
            y_true: labels 0 and 1, [batch, ...].
            y_pred: outputs from 0 to 1, of that shape.
            sample_weight: a factor for each sample.
        """
        found = self.decisions.counts(y_true, y_pred, sample_weight)
        for name, variable in self.counts.items():
            add(variable, getattr(found, name))

    def one_or_all(self, values: Tensor) -> Tensor:
        """Return the value of the only threshold, or those of all."""
        return values[0] if len(self.decisions.thresholds) == 1 else values


class _Count(Decided):
    """Base of metrics that are one of the counts."""

    def __init__(self, thresholds: float | Sequence[float] | None = None, name: str | None = None):
        super().__init__(name, Decisions(checked_thresholds(thresholds)))
        self.thresholds = thresholds
        self.make_counts()

    def result(self) -> Tensor:
        """Return the count at each threshold."""
        return self.one_or_all(self.counts[self.kept[0]].read())


class TruePositives(_Count):
    """Number of labels 1 with outputs above a threshold.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.TruePositives()([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1]).item()
    1.0
    """

    kept = ("true_positives",)


class FalsePositives(_Count):
    """Number of labels 0 with outputs above a threshold.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.FalsePositives()([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1]).item()
    1.0
    """

    kept = ("false_positives",)


class TrueNegatives(_Count):
    """Number of labels 0 with outputs up to a threshold.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.TrueNegatives()([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1]).item()
    1.0
    """

    kept = ("true_negatives",)


class FalseNegatives(_Count):
    """Number of labels 1 with outputs up to a threshold.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.FalseNegatives()([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1]).item()
    1.0
    """

    kept = ("false_negatives",)


class _Share(Decided):
    """Base of metrics that divide one count by its sum with another one."""

    def __init__(
        self,
        thresholds: float | Sequence[float] | None = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
    ):
        limits = checked_thresholds(thresholds, 0.5 if top_k is None else LOWEST)
        super().__init__(name, Decisions(limits, top_k, class_id))
        self.thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.make_counts()

    def result(self) -> Tensor:
        """Return the share at each threshold; 0 without decisions."""
        right, wrong = self.counts.values()
        return self.one_or_all(quotient(right, right + wrong))


class Precision(_Share):
    """Share of labels 1 among outputs above a threshold.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default, with top_k none.
        top_k: only so many of the largest outputs of a sample may stand for 1.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.Precision()([1, 1, 0, 1], [0.9, 0.2, 0.8, 0.1]).item()
    0.5
    """

    kept = ("true_positives", "false_positives")


class Recall(_Share):
    """Share of outputs above a threshold among labels 1.

    Args:
        thresholds: one or more limits from 0 to 1; 0.5 by default, with top_k none.
        top_k: only so many of the largest outputs of a sample may stand for 1.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: a threshold is not from 0 to 1.

    >>> import core
    >>> core.metrics.Recall()([1, 1, 0, 1, 1], [0.9, 0.2, 0.8, 0.1, 0.3]).item()
    0.25
    """

    kept = ("true_positives", "false_negatives")

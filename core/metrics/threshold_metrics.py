"""Metrics at thresholds: the largest rate where another rate is at least a value."""

from collections.abc import Sequence
from typing import ClassVar

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.metrics.base import quotient
from core.metrics.confusion import Counts, Decided, Decisions, checked_thresholds


def recall_of(c: Counts) -> Tensor:
    """Recall: TP / (TP + FN)."""
    return quotient(c.true_positives, c.true_positives + c.false_negatives)


def specificity_of(c: Counts) -> Tensor:
    """Specificity: TN / (TN + FP)."""
    return quotient(c.true_negatives, c.true_negatives + c.false_positives)


def precision_of(c: Counts) -> Tensor:
    """Precision: TP / (TP + FP)."""
    return quotient(c.true_positives, c.true_positives + c.false_positives)


def fall_out_of(c: Counts) -> Tensor:
    """False positive rate: FP / (FP + TN)."""
    return quotient(c.false_positives, c.false_positives + c.true_negatives)


def inner_thresholds(count: int, thresholds: Sequence[float] | None) -> list[float]:
    """Return the thresholds between 0 and 1 in ascending order."""
    if thresholds is not None:
        return sorted(checked_thresholds(thresholds))
    if count < 2:
        raise CoreError(f"num_thresholds must be 2 or more, got {count}")
    return [(i + 1) / (count - 1) for i in range(count - 2)]


class _RateAtRate(Decided):
    """Base of the largest rate where another rate is at least a value."""

    #: Name of the argument that is the least value.
    argument: ClassVar[str]

    def __init__(self, value: float, num_thresholds: int, class_id: int | None, name: str | None):
        if not 0 <= value <= 1:
            raise CoreError(f"{self.argument} must be from 0 to 1, got {value!r}")
        if num_thresholds < 1:
            raise CoreError(f"num_thresholds must be 1 or more, got {num_thresholds}")
        even = [0.5] if num_thresholds == 1 else [0.0, *inner_thresholds(num_thresholds, None), 1.0]
        super().__init__(name, Decisions(even, class_id=class_id))
        self.value, self.num_thresholds, self.class_id = value, num_thresholds, class_id
        self.make_counts()

    def rates(self, counts: Counts) -> tuple[Tensor, Tensor]:
        """Return the rate that is at least the value, and the one that is to be large."""
        raise NotImplementedError

    def result(self) -> Tensor:
        """Return the largest rate over the thresholds; 0 if none fulfils the condition."""
        counts = Counts(*(self.counts[name].read() for name in Counts._fields))
        given, sought = self.rates(counts)
        return ops.max(ops.select(ops.greater_equal(given, self.value), sought, 0.0))


class SensitivityAtSpecificity(_RateAtRate):
    """Largest sensitivity (recall) where the specificity is at least a value.

    Args:
        specificity: the value, from 0 to 1.
        num_thresholds: number of even thresholds.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> metric = core.metrics.SensitivityAtSpecificity(0.5)
    >>> metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]).item()
    0.5
    """

    argument = "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
    ):
        self.specificity = specificity
        super().__init__(specificity, num_thresholds, class_id, name)

    def rates(self, counts: Counts) -> tuple[Tensor, Tensor]:
        """Return specificity and sensitivity."""
        return specificity_of(counts), recall_of(counts)


class SpecificityAtSensitivity(_RateAtRate):
    """Largest specificity where the sensitivity (recall) is at least a value.

    Args:
        sensitivity: the value, from 0 to 1.
        num_thresholds: number of even thresholds.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> metric = core.metrics.SpecificityAtSensitivity(0.5)
    >>> round(metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]).item(), 4)
    0.6667
    """

    argument = "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
    ):
        self.sensitivity = sensitivity
        super().__init__(sensitivity, num_thresholds, class_id, name)

    def rates(self, counts: Counts) -> tuple[Tensor, Tensor]:
        """Return sensitivity and specificity."""
        return recall_of(counts), specificity_of(counts)


class PrecisionAtRecall(_RateAtRate):
    """Largest precision where the recall is at least a value.

    Args:
        recall: the value, from 0 to 1.
        num_thresholds: number of even thresholds.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> core.metrics.PrecisionAtRecall(0.5)([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]).item()
    1.0
    """

    argument = "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
    ):
        self.recall = recall
        super().__init__(recall, num_thresholds, class_id, name)

    def rates(self, counts: Counts) -> tuple[Tensor, Tensor]:
        """Return recall and precision."""
        return recall_of(counts), precision_of(counts)


class RecallAtPrecision(_RateAtRate):
    """Largest recall where the precision is at least a value.

    Args:
        precision: the value, from 0 to 1.
        num_thresholds: number of even thresholds.
        class_id: the only class that counts; None: all.
        name: for logs.

    Raises:
        CoreError: an argument is invalid.

    >>> import core
    >>> core.metrics.RecallAtPrecision(0.8)([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]).item()
    0.5
    """

    argument = "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
    ):
        self.precision = precision
        super().__init__(precision, num_thresholds, class_id, name)

    def rates(self, counts: Counts) -> tuple[Tensor, Tensor]:
        """Return precision and recall."""
        return precision_of(counts), recall_of(counts)

"""Scores of a classifier as numbers: accuracy, accuracy of each class, confusion matrix."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.plots.values import Numbers

#: Classes of examples: integers [n].
Classes = Tensor | np.ndarray | Sequence[int]


class ClassAccuracies(NamedTuple):
    """Shares of right predictions of each class.

    Attributes:
        accuracy: float64 [classes], 0..1; NaN for a class that no example has.
        counts: int64 [classes], the number of examples of each class.
    """

    accuracy: np.ndarray
    counts: np.ndarray


def accuracy(labels: Classes, predictions: Classes) -> float:
    """Return the share of predictions that are right.

    Args:
        labels: the class of each example, integers [n].
        predictions: the predicted class of each, integers [n].

    Returns:
        A number 0..1; NaN if there are no examples.

    Raises:
        CoreError: they differ in length, or are not integers.

    >>> import core
    >>> core.plots.accuracy([0, 1, 1, 2], [0, 1, 2, 2])
    0.75
    """
    true, predicted = pairs_of(labels, predictions)
    return float(np.mean(true == predicted)) if len(true) else float("nan")


def confusion_matrix_values(
    labels: Classes,
    predictions: Classes,
    num_classes: int | None = None,
    *,
    normalize: bool = False,
) -> np.ndarray:
    """Return how many examples of each class are predicted as each class.

    Args:
        labels: the class of each example, integers [n].
        predictions: the predicted class of each, integers [n].
        num_classes: how many classes there are; by default one more than the largest class.
        normalize: whether to divide by the number of examples of each class.

    Returns:
        An array [classes, classes]: a row for each label, a column for each prediction. int64, or
        shares in float64, where a class without examples has a row of NaN.

    Raises:
        CoreError: they differ in length, are not integers, or a class is out of range.

    >>> import core
    >>> core.plots.confusion_matrix_values([0, 1, 1, 1], [0, 1, 0, 1])
    array([[1, 0],
           [1, 2]])
    """
    true, predicted = pairs_of(labels, predictions)
    count = class_count(true, predicted, num_classes)
    matrix = np.bincount(true * count + predicted, minlength=count * count).reshape(count, count)
    return shares_of_rows(matrix) if normalize else matrix


def per_class_accuracy_values(
    labels: Classes, predictions: Classes, num_classes: int | None = None
) -> ClassAccuracies:
    """Return the share of right predictions among the examples of each class.

    Args:
        labels: the class of each example, integers [n].
        predictions: the predicted class of each, integers [n].
        num_classes: how many classes there are; by default one more than the largest class.

    Raises:
        CoreError: they differ in length, are not integers, or a class is out of range.

    >>> import core
    >>> core.plots.per_class_accuracy_values([0, 1, 1, 1, 1], [0, 1, 0, 1, 1]).accuracy
    array([1.  , 0.75])
    """
    matrix = confusion_matrix_values(labels, predictions, num_classes)
    return ClassAccuracies(shares_of_rows(matrix).diagonal().copy(), matrix.sum(axis=1))


def shares_of_rows(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix of counts divided by the sums of its rows; NaN where a sum is 0."""
    sums = matrix.sum(axis=1, keepdims=True)
    return np.where(sums > 0, matrix / np.maximum(sums, 1), np.nan)


def pairs_of(labels: Classes, predictions: Classes) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and predictions as int64 [n], where they are of equal length."""
    true, predicted = _classes(labels, "labels"), _classes(predictions, "predictions")
    if len(true) != len(predicted):
        raise CoreError(
            f"there are {len(true):,} labels and {len(predicted):,} predictions: give one "
            "prediction for each label"
        )
    return true, predicted


def class_count(true: np.ndarray, predicted: np.ndarray, requested: int | None) -> int:
    """Return the number of classes, where all classes are below it."""
    if requested is not None and not (isinstance(requested, (int, np.integer)) and requested > 0):
        raise CoreError(f"num_classes is {requested!r}: it must be a positive integer, or None")
    largest = max(true.max(initial=-1), predicted.max(initial=-1))
    count = int(largest) + 1 if requested is None else int(requested)
    for name, classes in (("labels", true), ("predictions", predicted)):
        wrong = np.flatnonzero((classes < 0) | (classes >= count))
        if len(wrong):
            raise CoreError(
                f"{name}[{wrong[0]}] is {classes[wrong[0]]}, where classes are 0..{count - 1}"
            )
    return count


def _classes(values: Classes | Numbers, name: str) -> np.ndarray:
    array = np.asarray(values.numpy() if isinstance(values, Tensor) else values)
    if array.ndim == 2:
        raise CoreError(
            f"{name} must be classes [n], got shape {array.shape}: give core.argmax({name}, axis=1)"
        )
    if array.ndim != 1:
        raise CoreError(f"{name} must be classes [n], got shape {array.shape}")
    if not array.size:
        return np.zeros(0, np.int64)
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64) if array.dtype.kind in "biuf" else None
    if whole is None or (whole != array).any():
        raise CoreError(f"{name} must be integers, got {array!r:.80}")
    return whole

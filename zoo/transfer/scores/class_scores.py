"""Scores of a classifier from held-out predictions."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.transfer.scores.review_list import NotedImage, margins_of, note_images
from zoo.transfer.scores.statistics import (
    Interval,
    calibration_error,
    log_loss,
    percent,
    wilson_interval,
)
from zoo.transfer.scores.texts import (
    as_json,
    class_warnings,
    confusion_lines,
    folds_text,
    image_lines,
    interval_text,
)

LISTED = 10  # doubtful and damaging images


@dataclass(frozen=True)
class ClassScores:
    """Scores of one class.

    Attributes:
        images: number of held-out images of the class.
        recall: share of them that were recognized, 0..1; None without images.
        precision: share of the images predicted as this class that are of it; likewise.
    """

    images: int
    recall: float | None
    precision: float | None


@dataclass(frozen=True)
class Scores:
    """Scores of a classifier on images that it was not trained on.

    Attributes:
        images: number of images that were held out once.
        folds: number of parts that the images were dealt to.
        accuracy: share of right predictions, 0..1.
        interval: range in which the accuracy lies with a probability of 95 %.
        majority: accuracy of a guess that always names the largest class.
        log_loss: mean negative logarithm of the probability of the true class.
        calibration: expected calibration error, 0..1: how far scores are from shares of right ones.
        classes: recall and precision by label.
        confusion: numbers of images by label and predicted label.
        doubtful: the ten images with the smallest margin between the two best labels.
        damaging: the ten images that most worsen the predictions of others, worst first.
        warnings: sentences on what limits the value of these scores.
    """

    images: int
    folds: int
    accuracy: float
    interval: Interval
    majority: float
    log_loss: float
    calibration: float
    classes: Mapping[str, ClassScores]
    confusion: Mapping[str, Mapping[str, int]]
    doubtful: tuple[NotedImage, ...]
    damaging: tuple[NotedImage, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return all of it as values that JSON can hold."""
        return {"kind": "classification", **as_json(self)}

    def __str__(self) -> str:
        share = percent(self.accuracy) if self.images else "unknown"
        lines = [
            f"{share} ({interval_text(self.interval)}) of {self.images} images right"
            f"{folds_text(self.folds)}; guessing: {percent(self.majority)}",
            *confusion_lines(self.confusion),
            *image_lines("most doubtful", self.doubtful),
            *image_lines("most damaging", self.damaging),
            *(f"warning: {sentence}" for sentence in self.warnings),
        ]
        return "\n".join(lines)


def score_classes(
    probabilities: np.ndarray,
    truth: Sequence[int] | np.ndarray,
    labels: Sequence[str],
    folds: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None = None,
    harm: np.ndarray | None = None,
    warnings: Sequence[str] = (),
) -> Scores:
    """Score predictions of images, each made by a classifier that was not trained on it.

    Args:
        probabilities: float [n, classes], 0..1; rows of images that were never held out are unused.
        truth: class indices, integers [n].
        labels: of the classes.
        folds: fold of each image, integers [n], as `zoo.transfer.folds.stratified_folds` deals
            them; negative for images that were never held out.
        names: of the images; by default their indices.
        harm: float [n], see `zoo.transfer.scores.review_list.harm_of`; without it, no image is
            damaging.
        warnings: sentences to put before those found here.

    Returns:
        The scores.

    Raises:
        ZooError: arguments differ in length, or probabilities of held-out images are not numbers.

    >>> likely = np.array([[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]])
    >>> scores = score_classes(likely, [0, 0, 1, 1], ["ants", "bees"], [0, 1, 0, 1])
    >>> scores.accuracy, scores.confusion["bees"]
    (0.75, {'ants': 1, 'bees': 1})
    """
    truth, folds = np.asarray(truth, np.intp), np.asarray(folds, np.intp)
    names = [str(i) for i in range(len(truth))] if names is None else names
    check_lengths(probabilities, truth, folds, names, columns=len(labels))
    held = np.flatnonzero(folds >= 0)
    likely, true = finite_rows(probabilities, held), truth[held]
    matrix = _confusion(true, likely.argmax(axis=1), len(labels))
    right, majority = int(matrix.trace()), int(matrix.sum(axis=1).max(initial=0))
    doubtful = held[np.argsort(margins_of(likely), kind="stable")[:LISTED]]
    found = (probabilities, truth, labels, names, harm)
    count = max(1, len(held))
    return Scores(
        images=len(held),
        folds=len(np.unique(folds[held])),
        accuracy=right / count,
        interval=wilson_interval(right, len(held)),
        majority=majority / count,
        log_loss=log_loss(likely, true),
        calibration=calibration_error(likely, true),
        classes=_by_class(matrix, labels),
        confusion={
            label: dict(zip(labels, row, strict=True))
            for label, row in zip(labels, matrix.tolist(), strict=True)
        },
        doubtful=note_images(doubtful, *found),
        damaging=note_images(most_harmful(harm), *found),
        warnings=(*warnings, *class_warnings(truth, folds, labels, right, majority / count)),
    )


def _confusion(truth: np.ndarray, predicted: np.ndarray, count: int) -> np.ndarray:
    """Return how many images of each class are predicted as each class, [classes, classes]."""
    return np.bincount(truth * count + predicted, minlength=count**2).reshape(count, count)


def check_lengths(
    probabilities: np.ndarray, truth: Sized, folds: Sized, names: Sized, *, columns: int
) -> None:
    """Raise a ZooError unless there is one row, truth, fold and name for each image."""
    if probabilities.ndim != 2 or probabilities.shape[1] != columns:
        raise ZooError(f"predictions of shape {probabilities.shape} need {columns} columns")
    lengths = [len(probabilities), len(truth), len(folds), len(names)]
    if len(set(lengths)) > 1:
        raise ZooError(f"predictions, truth, folds and names differ in length: {lengths}")


def finite_rows(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return rows of an array, or raise a ZooError if a value in them is not a number."""
    chosen = values[rows]
    if not np.isfinite(chosen).all():
        bad = rows[~np.isfinite(chosen).all(axis=1)]
        raise ZooError(f"predictions of {len(bad)} held-out images are not finite numbers")
    return chosen


def most_harmful(harm: np.ndarray | None) -> np.ndarray:
    """Return the indices of the ten images that harm most, as far as they do."""
    if harm is None:
        return np.empty(0, np.intp)
    order = np.argsort(-harm, kind="stable")[:LISTED]
    return order[harm[order] > 0]


def _by_class(matrix: np.ndarray, labels: Sequence[str]) -> dict[str, ClassScores]:
    right = matrix.diagonal()
    images, predicted = matrix.sum(axis=1), matrix.sum(axis=0)
    return {
        label: ClassScores(
            int(images[i]),
            float(right[i] / images[i]) if images[i] else None,
            float(right[i] / predicted[i]) if predicted[i] else None,
        )
        for i, label in enumerate(labels)
    }

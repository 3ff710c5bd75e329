"""Scores of multi-label classifiers and of regressors from held-out predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zoo.transfer.scores.class_scores import LISTED, check_lengths, finite_rows, most_harmful
from zoo.transfer.scores.review_list import NotedImage
from zoo.transfer.scores.statistics import (
    Interval,
    average_precision,
    bootstrap_interval,
    percent,
    wilson_interval,
)
from zoo.transfer.scores.texts import (
    as_json,
    few_images,
    folds_text,
    image_lines,
    interval_text,
    join_limited,
)

_MOST_LINES = 8  # of labels or values, in a text
_FEW = 20  # images, below which errors of values are of little value


@dataclass(frozen=True)
class LabelScores:
    """Scores of one label that does not exclude others.

    Attributes:
        images: number of held-out images with the label.
        accuracy: share of the held-out images for which it was rightly predicted or not, 0..1.
        precision: share of the predictions that are right, at a probability of 0.5; None if the
            label was never predicted.
        recall: share of the images with the label that were recognized; None without images.
        f1: harmonic mean of precision and recall; None if both are unknown.
        average_precision: area below the curve of precision over recall; None without images.
    """

    images: int
    accuracy: float
    precision: float | None
    recall: float | None
    f1: float | None
    average_precision: float | None


@dataclass(frozen=True)
class MultiLabelScores:
    """Scores of a classifier of images with several labels, on images it was not trained on.

    Attributes:
        images: number of images that were held out once.
        folds: number of parts that the images were dealt to.
        accuracy: share of the images of which all labels are right, 0..1.
        interval: range in which the accuracy lies with a probability of 95 %.
        mean_average_precision: mean of the labels' average precisions, 0..1.
        labels: scores by label.
        doubtful: the ten images with a probability nearest to 0.5, which is that of ``predicted``;
            ``label`` names all that the image was given.
        damaging: the ten images that most worsen the predictions of others, worst first.
        warnings: sentences on what limits the value of these scores.
    """

    images: int
    folds: int
    accuracy: float
    interval: Interval
    mean_average_precision: float
    labels: Mapping[str, LabelScores]
    doubtful: tuple[NotedImage, ...]
    damaging: tuple[NotedImage, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return all of it as values that JSON can hold."""
        return {"kind": "multi_label", **as_json(self)}

    def __str__(self) -> str:
        lines = [
            f"all labels right in {percent(self.accuracy)} ({interval_text(self.interval)}) of "
            f"{self.images} images{folds_text(self.folds)}; mean average precision: "
            f"{self.mean_average_precision:.2f}"
        ]
        for label, scores in list(self.labels.items())[:_MOST_LINES]:
            f1 = "unknown" if scores.f1 is None else f"{scores.f1:.2f}"
            lines.append(
                f"{label}: right in {percent(scores.accuracy)}, F1 {f1}, {scores.images} images"
            )
        return "\n".join([*lines, *_last_lines(self.doubtful, self.damaging, self.warnings)])


@dataclass(frozen=True)
class ValueScores:
    """Scores of one predicted value.

    Attributes:
        mean_absolute_error: in the unit of the value.
        interval: range in which the error lies with a probability of 95 %, by bootstrap.
        guessing: mean absolute error of a guess that is always the median.
        r2: share of the variance that is explained, at most 1; None if the value never varies.
    """

    mean_absolute_error: float
    interval: Interval
    guessing: float
    r2: float | None


@dataclass(frozen=True)
class RegressionScores:
    """Scores of predicted values, on images that were not trained on.

    Attributes:
        images: number of images that were held out once.
        folds: number of parts that the images were dealt to.
        values: scores by the name of the value.
        doubtful: the ten images with the largest errors; ``score`` is the absolute error, and
            ``margin`` the error in standard deviations of the value, of the value with most.
        damaging: the ten images that most worsen the predictions of others, worst first.
        warnings: sentences on what limits the value of these scores.
    """

    images: int
    folds: int
    values: Mapping[str, ValueScores]
    doubtful: tuple[NotedImage, ...]
    damaging: tuple[NotedImage, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Return all of it as values that JSON can hold."""
        return {"kind": "regression", **as_json(self)}

    def __str__(self) -> str:
        lines = [f"{self.images} images{folds_text(self.folds)}"]
        for name, scores in list(self.values.items())[:_MOST_LINES]:
            low, high = scores.interval
            r2 = "unknown" if scores.r2 is None else f"{scores.r2:.2f}"
            lines.append(
                f"{name}: mean absolute error {scores.mean_absolute_error:.3g} "
                f"({low:.3g} to {high:.3g}), guessing the median: {scores.guessing:.3g}; R2: {r2}"
            )
        return "\n".join([*lines, *_last_lines(self.doubtful, self.damaging, self.warnings)])


def _last_lines(
    doubtful: Sequence[NotedImage], damaging: Sequence[NotedImage], warnings: Sequence[str]
) -> list[str]:
    return [
        *image_lines("most doubtful", doubtful),
        *image_lines("most damaging", damaging),
        *(f"warning: {sentence}" for sentence in warnings),
    ]


def score_labels(
    probabilities: np.ndarray,
    truth: np.ndarray,
    labels: Sequence[str],
    folds: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None = None,
    harm: np.ndarray | None = None,
    warnings: Sequence[str] = (),
) -> MultiLabelScores:
    """Score predictions of several labels, each made by a head that was not trained on the image.

    Args:
        probabilities: float [n, labels], 0..1.
        truth: 0 or 1 [n, labels].
        labels: of the columns.
        folds: integers [n], negative for images that were never held out.
        names: of the images; by default their indices.
        harm: float [n], see `zoo.transfer.scores.review_list.harm_of`.
        warnings: sentences to put before those found here.

    Raises:
        ZooError: arguments differ in length, or probabilities of held-out images are not numbers.

    >>> likely = np.array([[0.9, 0.2], [0.8, 0.7], [0.1, 0.4]])
    >>> scores = score_labels(likely, np.array([[1, 0], [1, 1], [0, 1]]), "ab", [0, 1, 2])
    >>> scores.labels["b"].recall, scores.labels["a"].f1
    (0.5, 1.0)
    """
    given, folds = np.asarray(truth) > 0, np.asarray(folds, np.intp)
    names = [str(i) for i in range(len(given))] if names is None else names
    check_lengths(probabilities, given, folds, names, columns=len(labels))
    held = np.flatnonzero(folds >= 0)
    likely = finite_rows(probabilities, held)
    by_label = {
        label: _label_scores(given[held, i], likely[:, i]) for i, label in enumerate(labels)
    }
    exact = int(((likely >= 0.5) == given[held]).all(axis=1).sum())
    known = [s.average_precision for s in by_label.values() if s.average_precision is not None]

    def note(i: int) -> NotedImage:
        nearest = int(np.abs(probabilities[i] - 0.5).argmin())
        share = float(probabilities[i, nearest])
        own = ", ".join(label for label, has in zip(labels, given[i], strict=True) if has)
        damage = 0.0 if harm is None else float(harm[i])
        margin = abs(2 * share - 1)
        return NotedImage(int(i), names[i], own, labels[nearest], share, margin, damage)

    margins = np.abs(likely - 0.5).min(axis=1, initial=1)
    counts = dict(zip(labels, given.sum(axis=0).tolist(), strict=True))
    return MultiLabelScores(
        images=len(held),
        folds=len(np.unique(folds[held])),
        accuracy=exact / max(1, len(held)),
        interval=wilson_interval(exact, len(held)),
        mean_average_precision=float(np.mean(known)) if known else 0.0,
        labels=by_label,
        doubtful=tuple(note(i) for i in held[np.argsort(margins, kind="stable")[:LISTED]]),
        damaging=tuple(note(i) for i in most_harmful(harm)),
        warnings=(*warnings, *few_images(counts), *_never_held_out(folds)),
    )


def _label_scores(truth: np.ndarray, likely: np.ndarray) -> LabelScores:
    predicted = likely >= 0.5
    right, found, images = int((predicted & truth).sum()), int(predicted.sum()), int(truth.sum())
    return LabelScores(
        images=images,
        accuracy=float((predicted == truth).mean()) if len(truth) else 0.0,
        precision=right / found if found else None,
        recall=right / images if images else None,
        f1=2 * right / (found + images) if found + images else None,
        average_precision=average_precision(truth, likely),
    )


def _never_held_out(folds: np.ndarray) -> list[str]:
    count = int((folds < 0).sum())
    if not count:
        return []
    return [
        f"{count} of {len(folds)} images cannot be scored: they are the only ones of a label, or "
        "near-duplicates of all others of it"
    ]


def score_values(
    predictions: np.ndarray,
    truth: np.ndarray,
    labels: Sequence[str],
    folds: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None = None,
    harm: np.ndarray | None = None,
    warnings: Sequence[str] = (),
) -> RegressionScores:
    """Score predicted values, each made by a head that was not trained on the image.

    Args:
        predictions: float [n, values].
        truth: float [n, values].
        labels: names of the values.
        folds: integers [n], negative for images that were never held out.
        names: of the images; by default their indices.
        harm: float [n], see `zoo.transfer.scores.review_list.harm_of`.
        warnings: sentences to put before those found here.

    Raises:
        ZooError: arguments differ in length, or predictions of held-out images are not numbers.

    >>> truth = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> score_values(truth + 0.5, truth, ["age"], [0, 1, 0, 1]).values["age"].mean_absolute_error
    0.5
    """
    wanted, folds = np.asarray(truth, np.float64), np.asarray(folds, np.intp)
    names = [str(i) for i in range(len(wanted))] if names is None else names
    check_lengths(predictions, wanted, folds, names, columns=len(labels))
    held = np.flatnonzero(folds >= 0)
    errors = finite_rows(predictions, held).astype(np.float64) - wanted[held]
    spread = wanted.std(axis=0) if len(wanted) else np.ones(len(labels))
    spread = np.where(spread > 0, spread, 1)

    def note(i: int) -> NotedImage:
        missed = np.abs(predictions[i] - wanted[i])
        worst = int((missed / spread).argmax())
        texts = (f"{wanted[i, worst]:.4g}", f"{predictions[i, worst]:.4g}")
        margin = float(missed[worst] / spread[worst])
        damage = 0.0 if harm is None else float(harm[i])
        return NotedImage(int(i), names[i], *texts, float(missed[worst]), margin, damage)

    order = np.argsort(-(np.abs(errors) / spread).max(axis=1, initial=0), kind="stable")
    by_name = {
        label: _value_scores(errors[:, i], wanted[held, i]) for i, label in enumerate(labels)
    }
    return RegressionScores(
        images=len(held),
        folds=len(np.unique(folds[held])),
        values=by_name if len(held) else {},
        doubtful=tuple(note(i) for i in held[order[:LISTED]]),
        damaging=tuple(note(i) for i in most_harmful(harm)),
        warnings=(*warnings, *_value_warnings(by_name, len(held)), *_never_held_out(folds)),
    )


def _value_scores(errors: np.ndarray, wanted: np.ndarray) -> ValueScores:
    if not len(errors):
        return ValueScores(0.0, (0.0, 0.0), 0.0, None)
    missed = np.abs(errors)
    total = float(((wanted - wanted.mean()) ** 2).sum())
    return ValueScores(
        mean_absolute_error=float(missed.mean()),
        interval=bootstrap_interval(missed, lambda part: float(part.mean())),
        guessing=float(np.abs(wanted - np.median(wanted)).mean()),
        r2=1 - float((errors**2).sum()) / total if total else None,
    )


def _value_warnings(by_name: Mapping[str, ValueScores], count: int) -> list[str]:
    sentences = []
    if count < _FEW:
        sentences.append(
            f"errors of {count} images are of little value: add images, {_FEW} or more"
        )
    unsure = [name for name, scores in by_name.items() if scores.interval[1] >= scores.guessing]
    if unsure and count:
        sentences.append(
            f"{join_limited(unsure)}: always guessing the median is not surely worse than the "
            "predictions"
        )
    return sentences

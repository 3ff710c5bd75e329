"""Scores of any kind of head: made from held-out predictions, and read from files."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.transfer.scores.class_scores import ClassScores, Scores, score_classes
from zoo.transfer.scores.other_scores import (
    LabelScores,
    MultiLabelScores,
    RegressionScores,
    ValueScores,
    score_labels,
    score_values,
)
from zoo.transfer.scores.review_list import NotedImage
from zoo.transfer.targets import Kind

#: Scores of a head for classes, labels that exclude none, or values.
AnyScores = Scores | MultiLabelScores | RegressionScores


def score_held_out(
    kind: Kind,
    predictions: np.ndarray,
    truth: np.ndarray,
    labels: Sequence[str],
    folds: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None = None,
    harm: np.ndarray | None = None,
    warnings: Sequence[str] = (),
) -> AnyScores:
    """Score predictions of a head, each made while the image was held out of training.

    Args:
        kind: of the head.
        predictions: float [n, outputs]: probabilities, or values.
        truth: class indices [n]; 0 and 1 [n, labels]; or values [n, values].
        labels: of the outputs.
        folds: integers [n], negative for images that were never held out.
        names: of the images; by default their indices.
        harm: float [n], see `zoo.transfer.scores.review_list.harm_of`.
        warnings: sentences to put before those found here.

    Raises:
        ZooError: arguments differ in length, or predictions of held-out images are not numbers.

    >>> likely = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> score_held_out("classification", likely, np.array([0, 1]), "ab", [0, 1]).accuracy
    1.0
    """
    given = (predictions, truth, labels, folds)
    if kind == "multi_label":
        return score_labels(*given, names=names, harm=harm, warnings=warnings)
    if kind == "regression":
        return score_values(*given, names=names, harm=harm, warnings=warnings)
    return score_classes(*given, names=names, harm=harm, warnings=warnings)


def scores_from(stored: Mapping[str, Any]) -> AnyScores:
    """Return scores from what their ``as_dict`` gave, such as read from JSON.

    Args:
        stored: what `Scores.as_dict`, or that of scores of another kind, returned.

    Raises:
        ZooError: values are missing, of wrong types, or not finite.

    >>> likely = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> scores = score_classes(likely, [0, 1], ["ants", "bees"], [0, 1])
    >>> scores_from(scores.as_dict()) == scores
    True
    """
    readers: dict[str, Callable[[Mapping[str, Any]], AnyScores]] = {
        "classification": _scores,
        "multi_label": _label_scores,
        "regression": _value_scores,
    }
    try:
        return readers[stored["kind"]](stored)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ZooError(f"stored scores are damaged: {type(error).__name__}: {error}") from error


def _scores(stored: Mapping[str, Any]) -> Scores:
    confusion = {
        str(label): {str(other): _count(count) for other, count in row.items()}
        for label, row in stored["confusion"].items()
    }
    if any(row.keys() != confusion.keys() for row in confusion.values()):
        raise ValueError("rows and columns of the confusion matrix differ")
    return Scores(
        accuracy=_number(stored["accuracy"]),
        interval=_interval(stored["interval"]),
        majority=_number(stored["majority"]),
        log_loss=_number(stored["log_loss"]),
        calibration=_number(stored["calibration"]),
        classes={
            str(label): ClassScores(
                _count(one["images"]), _known(one["recall"]), _known(one["precision"])
            )
            for label, one in stored["classes"].items()
        },
        confusion=confusion,
        **_common(stored),
    )


def _label_scores(stored: Mapping[str, Any]) -> MultiLabelScores:
    unknown = ("precision", "recall", "f1", "average_precision")
    return MultiLabelScores(
        accuracy=_number(stored["accuracy"]),
        interval=_interval(stored["interval"]),
        mean_average_precision=_number(stored["mean_average_precision"]),
        labels={
            str(label): LabelScores(
                images=_count(one["images"]),
                accuracy=_number(one["accuracy"]),
                **{name: _known(one[name]) for name in unknown},
            )
            for label, one in stored["labels"].items()
        },
        **_common(stored),
    )


def _value_scores(stored: Mapping[str, Any]) -> RegressionScores:
    return RegressionScores(
        values={
            str(name): ValueScores(
                _number(one["mean_absolute_error"]),
                _interval(one["interval"]),
                _number(one["guessing"]),
                _known(one["r2"]),
            )
            for name, one in stored["values"].items()
        },
        **_common(stored),
    )


def _common(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that scores of all kinds share."""
    return {
        "images": _count(stored["images"]),
        "folds": _count(stored["folds"]),
        "doubtful": tuple(_noted(image) for image in stored["doubtful"]),
        "damaging": tuple(_noted(image) for image in stored["damaging"]),
        "warnings": tuple(str(sentence) for sentence in stored["warnings"]),
    }


def _noted(image: Mapping[str, Any]) -> NotedImage:
    return NotedImage(
        position=_count(image["position"]),
        name=str(image["name"]),
        label=str(image["label"]),
        predicted=str(image["predicted"]),
        score=_number(image["score"]),
        margin=_number(image["margin"]),
        harm=_number(image["harm"]),
    )


def _interval(value: Sequence[Any]) -> tuple[float, float]:
    low, high = value
    return _number(low), _number(high)


def _known(value: object) -> float | None:
    return None if value is None else _number(value)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r:.80} is no count")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r:.80} is no finite number")
    return float(value)

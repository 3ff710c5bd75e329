"""Predictions of taught models, from the features of an image."""

from collections.abc import Mapping
from typing import TypedDict

from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.lessons import Lesson
from zoo.transfer.targets import NONE, own_none

_LEAST_SCORE = 0.5  # of a label that excludes no others


class Prediction(TypedDict, total=False):
    """Prediction of a taught model; the keys depend on what was taught."""

    label: str  # of classes: the best one, or "none of these"
    score: float  # of that label, 0..1
    labels: list[str]  # of labels that exclude none: those with scores of 0.5 and more
    scores: dict[str, float]  # of all labels, 0..1
    values: dict[str, float]  # of a regression
    familiar: float  # how like the examples the image is, 0..1: below 0.5 it is unlike them all
    missing: str  # why there are no features, such as "no hand was found"


def labels_of(lesson: Lesson) -> tuple[str, ...]:
    """Return the labels of predictions; of classes "none of these" comes last.

    A class that users call so, or "none", stands for it.
    """
    own = lesson.labels
    return own if lesson.kind != "classification" or own_none(own) else (*own, NONE)


def prediction_of(lesson: Lesson, vector: FeatureVector) -> Prediction:
    """Return what features say by a lesson.

    Args:
        lesson: what was learnt.
        vector: features of an image; without values the label is "none of these".

    Returns:
        The prediction, whose scores are in the order of `labels_of`.
    """
    if vector.values is None:
        return {**_without_features(lesson), "familiar": 0.0, "missing": vector.missing}
    row = vector.values[None]
    none = float(lesson.familiarity.probability_of_none(row)[0])
    likely = dict(zip(lesson.labels, lesson.head.predict(row)[0].tolist(), strict=True))
    if lesson.kind == "regression":
        return {"values": likely, "familiar": 1 - none}
    if lesson.kind == "multi_label":
        applying = [label for label, score in likely.items() if score >= _LEAST_SCORE]
        return {"labels": applying, "scores": likely, "familiar": 1 - none}
    return {**_of_classes(lesson, likely, none), "familiar": 1 - none}


def _of_classes(lesson: Lesson, likely: Mapping[str, float], none: float) -> Prediction:
    """Return the prediction of classes; their probabilities and "none of these" sum to 1."""
    scores = {label: score * (1 - none) for label, score in likely.items()}
    own = own_none(labels_of(lesson))
    scores[own] = scores.get(own, 0.0) + none
    best = max(scores, key=lambda label: scores[label])
    return {"label": best, "score": scores[best], "scores": scores}


def _without_features(lesson: Lesson) -> Prediction:
    nothing = dict.fromkeys(lesson.labels, 0.0)
    if lesson.kind == "regression":
        return {"values": {}}
    if lesson.kind == "multi_label":
        return {"labels": [], "scores": nothing}
    return _of_classes(lesson, nothing, 1.0)

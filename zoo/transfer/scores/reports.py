"""Scores of a lesson: of held-out examples, and of images for validation."""

from collections.abc import Sequence

import numpy as np

from zoo.transfer.distances import Familiarity
from zoo.transfer.duplicates import Duplicates, duplicate_warnings, find_duplicates
from zoo.transfer.examples import Examples
from zoo.transfer.heads import Head, normalized
from zoo.transfer.learning import Learnt
from zoo.transfer.scores.review_list import harm_of
from zoo.transfer.scores.scores import AnyScores, score_held_out
from zoo.transfer.targets import NONE, Kind, encoded, own_none

_OF_STOPPING = (
    "these images decided when training stopped, so their scores are a little too good: images "
    "for validation of a folder val are not used for that"
)


def scores_of_lesson(
    kind: Kind,
    labels: Sequence[str],
    learnt: Learnt,
    examples: Examples,
    alike: Duplicates,
) -> AnyScores:
    """Return the scores of cross-validation.

    Args:
        kind: of the targets.
        labels: of the outputs.
        learnt: of the examples.
        examples: all of them.
        alike: near-duplicates among them.
    """
    held_out = learnt.held_out
    truth = encoded(kind, examples.targets, labels)
    found = held_out.predictions(kind)
    targets = truth if kind == "classification" else truth.astype(np.float32)
    harm = harm_of(
        normalized(examples.features, learnt.head.normalize),
        np.nan_to_num(found),
        targets,
        held_out.folds,
    )
    warnings = [
        *duplicate_warnings(alike, examples.names, examples.targets),
        *_none_warnings(kind, labels, found, 1 - held_out.familiar),
    ]
    folds, names = held_out.folds, examples.names
    return score_held_out(
        kind, found, truth, labels, folds, names=names, harm=harm, warnings=warnings
    )


def _none_warnings(
    kind: Kind, labels: Sequence[str], found: np.ndarray, none: np.ndarray
) -> list[str]:
    """Return a sentence on images that are of a class, but too unlike the others.

    Args:
        kind: of the targets.
        labels: of the outputs.
        found: probabilities [n, outputs]; rows of images never held out are NaN.
        none: probability that an image has none of the labels, [n].
    """
    if kind != "classification" or own_none(labels):
        return []
    held = np.isfinite(none)
    count = int((found[held].max(axis=1, initial=0) * (1 - none[held]) < none[held]).sum())
    if not count:
        return []
    verb = "is" if count == 1 else "are"
    return [
        f"{count} of {int(held.sum())} images {verb} so unlike the other examples that {NONE!r} is "
        "predicted; scores are those of the classes alone"
    ]


def scores_of_others(
    kind: Kind,
    labels: Sequence[str],
    head: Head,
    familiarity: Familiarity,
    examples: Examples,
    others: Examples,
) -> AnyScores:
    """Return the scores of images for validation.

    Args:
        kind: of the targets.
        labels: of the outputs.
        head: learnt from the examples.
        familiarity: likewise.
        examples: of which near-duplicates among the others are warned of.
        others: images for validation.
    """
    both = examples.joined(others)
    splits = ["train"] * len(examples) + ["val"] * len(others)
    alike = find_duplicates(both.fingerprints, both.hashes)
    warnings = duplicate_warnings(alike, both.names, both.targets, splits)
    none = familiarity.probability_of_none(others.features) if len(others) else np.empty(0)
    warnings += _none_warnings(kind, labels, head.predict(others.features), none)
    return _scored_by(kind, labels, head, others, warnings)


def scores_of_stopping(
    kind: Kind, labels: Sequence[str], head: Head, examples: Examples
) -> AnyScores:
    """Return the scores of images that decided when training stopped."""
    return _scored_by(kind, labels, head, examples, [_OF_STOPPING] if len(examples) else [])


def _scored_by(
    kind: Kind, labels: Sequence[str], head: Head, examples: Examples, warnings: Sequence[str]
) -> AnyScores:
    count = len(examples)
    found = head.predict(examples.features) if count else np.empty((0, len(labels)))
    truth = encoded(kind, examples.targets, labels)
    together = np.zeros(count, np.intp)
    names = examples.names
    return score_held_out(kind, found, truth, labels, together, names=names, warnings=warnings)

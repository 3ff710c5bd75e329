"""Scores of what was learnt: of held-out examples, and of images for validation."""

from collections.abc import Sequence

import numpy as np

from zoo.transfer.doubts import harm_of
from zoo.transfer.duplicates import Duplicates, duplicate_warnings, find_duplicates
from zoo.transfer.examples import Examples
from zoo.transfer.heads import activated
from zoo.transfer.learning import Learnt
from zoo.transfer.lessons import Skipped
from zoo.transfer.scores import Scores, score_classes
from zoo.transfer.targets import Kind, encoded


def scores_of_lesson(
    kind: Kind,
    labels: Sequence[str],
    learnt: Learnt,
    examples: Examples,
    alike: Duplicates,
    skipped: Sequence[Skipped],
) -> Scores:
    held, folds = learnt.held_out, learnt.held_out.folds
    truth = encoded(kind, examples.targets, labels)
    likely = held.predictions(kind)
    harm = harm_of(examples.features, np.nan_to_num(likely), truth, folds)
    warnings = duplicate_warnings(alike, examples.names, examples.targets)
    return score_classes(likely, truth, labels, folds, names=examples.names, harm=harm, warnings=warnings)


def scores_of_others(kind, labels, learnt, examples, kept) -> Scores:
    likely = activated(kind, learnt.head.scores(kept.features).astype(float))
    truth = encoded(kind, kept.targets, labels)
    return score_classes(likely, truth, labels, np.zeros(len(kept), int), names=kept.names)

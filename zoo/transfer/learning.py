"""Learning from examples: the head, its held-out scores, and the detector of unknown images."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from zoo.transfer.distances import Familiarity
from zoo.transfer.examples import Examples
from zoo.transfer.folds import stratified_folds
from zoo.transfer.heads import PENALTY, Head, activated, fit_path
from zoo.transfer.solvers import temperature_of
from zoo.transfer.targets import Kind, Target, encoded

#: Candidate L2 penalties; the one with the fewest mistakes on held-out images is used.
PENALTIES = (0.003, 0.03, 0.3, 3.0)

FOLDS = 5


class HeldOut(NamedTuple):
    """Results of heads on images that they were not trained with.

    Attributes:
        logits: float64 [n, outputs], already divided by the temperature; NaN where an image was
            never held out.
        folds: integers [n], negative for images that never were.
        familiar: float64 [n], 0..1; NaN likewise.
        penalty: the one with the best results.
        temperature: of classes; 1 for other kinds.
    """

    logits: np.ndarray
    folds: np.ndarray
    familiar: np.ndarray
    penalty: float
    temperature: float

    def predictions(self, kind: Kind) -> np.ndarray:
        """Return probabilities or values, [n, outputs]."""
        found = np.full_like(self.logits, np.nan)
        held = self.folds >= 0
        if held.any():
            found[held] = activated(kind, self.logits[held])
        return found


class Learnt(NamedTuple):
    """A head for all examples, with its scores."""

    head: Head
    familiarity: Familiarity
    held_out: HeldOut


def learn(
    kind: Kind,
    labels: Sequence[str],
    examples: Examples,
    *,
    normalize: bool,
    folds: int = FOLDS,
    groups: np.ndarray | None = None,
    penalty: float | None = None,
    seed: int = 0,
) -> Learnt:
    """Return a head that learnt from examples, with the results of cross-validation.

    Args:
        kind: of the head.
        labels: of its outputs.
        examples: features and targets.
        normalize: see `zoo.transfer.heads.Head`.
        folds: number of parts, of which each is held out once.
        groups: integers [n], equal for images that are held out together.
        penalty: of the head; by default the best of `PENALTIES` by cross-validation.
        seed: that deals examples to folds.

    Raises:
        ZooError: the examples are invalid, or there is one class only.
    """
    penalties = PENALTIES if penalty is None else (penalty,)
    template = Head(kind, normalize=normalize)
    dealt = stratified_folds(stratified_by(kind, examples.targets), folds, seed, groups)
    held_out = _cross_validated(template, labels, examples, dealt, penalties, groups)
    head = Head(kind, penalty=held_out.penalty, normalize=normalize)
    head = head.fit(examples.features, examples.targets, labels).scaled(held_out.temperature)
    return Learnt(head, _familiarity(template, examples, groups), held_out)


def _familiarity(template: Head, examples: Examples, groups: np.ndarray | None) -> Familiarity:
    classes = cast(Any, examples.targets) if template.kind == "classification" else None
    return Familiarity.fit(
        examples.features, targets=classes, groups=groups, normalize=template.normalize
    )


def stratified_by(kind: Kind, targets: Sequence[Target]) -> Sequence[Target]:
    """Return the targets by which folds are stratified: the first number of each image."""
    if kind != "regression":
        return targets
    return [float(np.ravel(cast(Any, target))[0]) for target in targets]


def _cross_validated(
    template: Head,
    labels: Sequence[str],
    examples: Examples,
    folds: np.ndarray,
    penalties: Sequence[float],
    groups: np.ndarray | None,
) -> HeldOut:
    """Return the results of heads, each trained without a fold.

    The penalty of a fold is the best one of the other folds, so that the choice does not flatter.
    """
    outputs, held = len(labels), folds >= 0
    logits = np.full((len(penalties), len(examples), outputs), np.nan)
    familiar = np.full(len(examples), np.nan)
    numbers = np.unique(folds[held])
    most = max((int((folds == number).sum()) for number in numbers), default=0)
    if len(numbers) < 2 or len(examples) - most < 2:  # distances need two images
        nothing = np.full_like(folds, -1)
        default = penalties[0] if len(penalties) == 1 else PENALTY
        return HeldOut(logits[0], nothing, familiar, default, 1.0)
    for number in numbers:
        inside, outside = np.flatnonzero(folds == number), np.flatnonzero(folds != number)
        train = examples.part(outside)
        heads = fit_path(template, train.features, train.targets, penalties, labels)
        for row, head in zip(logits, heads, strict=True):
            row[inside] = head.scores(examples.features[inside])
        known = _familiarity(template, train, None if groups is None else groups[outside])
        familiar[inside] = 1 - known.probability_of_none(examples.features[inside])
    truth = encoded(template.kind, examples.targets, labels)
    costs = np.stack([_costs(template.kind, row, truth) for row in logits])
    chosen = np.full((len(examples), outputs), np.nan)
    for number in numbers:
        best = _best(costs[:, held & (folds != number)])
        chosen[folds == number] = logits[best, folds == number]
    temperature = 1.0
    if template.kind == "classification":
        temperature = temperature_of(chosen[held], truth[held])
    penalty = penalties[_best(costs[:, held])]
    return HeldOut(chosen / temperature, folds, familiar, penalty, temperature)


def _costs(kind: Kind, logits: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return mistakes and losses of images, [n, 2]; those never held out are NaN."""
    if kind == "regression":
        error = ((logits - truth) ** 2).sum(axis=1)
        return np.stack([error, error], axis=1)
    if kind == "multi_label":
        wrong = ((logits > 0) != (truth > 0)).sum(axis=1)
        with np.errstate(invalid="ignore"):  # NaN of images that were never held out
            loss = (np.logaddexp(0, logits) - truth * logits).sum(axis=1)
        return np.stack([wrong, loss], axis=1)
    wrong = logits.argmax(axis=1) != truth
    highest = logits.max(axis=1)
    total = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
    return np.stack([wrong, total - logits[np.arange(len(truth)), truth]], axis=1)


def _best(costs: np.ndarray) -> int:
    """Return the index of the penalty with the fewest mistakes; of equal ones the least loss."""
    totals = costs.sum(axis=1)
    return int(np.lexsort((totals[:, 1], totals[:, 0]))[0])

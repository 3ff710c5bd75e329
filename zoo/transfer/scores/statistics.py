"""Statistics of held-out predictions: intervals, calibration, average precision."""

import math
from collections.abc import Callable

import numpy as np

#: An interval: lower and upper end.
Interval = tuple[float, float]

_Z = 1.959964  # of a normal distribution: 95 % lie within so many standard deviations
_RESAMPLES = 1000


def wilson_interval(right: int, count: int) -> Interval:
    """Return the range in which a share lies with a probability of 95 %.

    By E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927):
    also usable for few images, and for shares of 0 and 1.

    Args:
        right: number of successes, 0..count.
        count: number of trials.

    Returns:
        Lower and upper end, 0..1; all of it where there are no trials.

    >>> [round(end, 3) for end in wilson_interval(9, 10)]
    [0.596, 0.982]
    """
    if count == 0:
        return 0.0, 1.0
    share = right / count
    scale = 1 + _Z**2 / count
    middle = (share + _Z**2 / (2 * count)) / scale
    half = _Z / scale * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap_interval(
    values: np.ndarray, statistic: Callable[[np.ndarray], float], seed: int = 0
) -> Interval:
    """Return the 95 % interval of a statistic, from 1000 resamples (Efron, 1979).

    Args:
        values: [n, ...], of which rows are drawn with replacement.
        statistic: from rows to a number.
        seed: of the draws.

    >>> bootstrap_interval(np.full(20, 2.5), np.mean)
    (2.5, 2.5)
    """
    rng = np.random.default_rng(seed)
    found = [
        statistic(values[rng.integers(0, len(values), len(values))]) for _ in range(_RESAMPLES)
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def calibration_error(probabilities: np.ndarray, truth: np.ndarray, bins: int = 10) -> float:
    """Return the expected calibration error: mean distance of confidence and accuracy.

    By Guo et al., "On Calibration of Modern Neural Networks" (2017): the best probabilities are
    put into bins of equal width; each bin counts by its number of images.

    Args:
        probabilities: float [n, classes].
        truth: class indices, integers [n].
        bins: number of bins.

    Returns:
        A number 0..1, 0 for a perfectly calibrated classifier.

    >>> round(calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1])), 3)
    0.4
    """
    if not len(truth):
        return 0.0
    best = probabilities.max(axis=1).astype(np.float64)
    gaps = (probabilities.argmax(axis=1) == truth) - best
    numbers = np.clip((best * bins).astype(int), 0, bins - 1)
    return float(np.abs(np.bincount(numbers, gaps, bins)).sum() / len(truth))


def log_loss(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean negative logarithm of the probability of the true class, limited to 1e-7.

    Args:
        probabilities: float [n, classes].
        truth: class indices, integers [n].

    >>> round(log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])), 4)
    0.4904
    """
    if not len(truth):
        return 0.0
    likely = probabilities[np.arange(len(truth)), truth].astype(np.float64)
    return float(-np.log(np.maximum(likely, 1e-7)).mean())


def average_precision(truth: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the area below the steps of precision over recall, as scikit-learn defines it.

    Args:
        truth: booleans [n], which images have the label.
        scores: float [n]; equal scores are one step.

    Returns:
        A number 0..1; None if no image has the label.

    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]))
    0.8333333333333333
    """
    if not truth.any():
        return None
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(truth[order])[ends]
    recalls = np.diff(hits, prepend=0) / hits[-1]
    return float(np.sum(recalls * hits / (ends + 1)))


def percent(share: float) -> str:
    """Return a share as text, and 100 % for all of it alone.

    >>> percent(0.934), percent(0.9971), percent(1)
    ('93 %', '99.7 %', '100 %')
    """
    value = 100 * share
    if 0 < value < 0.5 or 99.5 <= value < 100:
        return f"{min(max(value, 0.1), 99.9):.1f} %"
    return f"{value:.0f} %"

"""The logistic function and its inverse: logits and probabilities."""

import numpy as np


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of log-odds, without overflow and in the same dtype.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    chances: np.ndarray = np.exp(-np.logaddexp(0, -logits))
    return chances


def log_odds(probability: float) -> float:
    """Return the logarithm of p / (1 - p).

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, inf)
    """
    with np.errstate(divide="ignore"):
        return float(np.log(probability) - np.log1p(-probability))


def logits(probabilities: np.ndarray) -> np.ndarray:
    """Return the log-odds of probabilities, finite and in the same dtype, as `sigmoid` takes them.

    >>> logits(np.array([0.5, 1.0])).round(1).tolist()
    [0.0, 36.0]
    """
    least = np.finfo(probabilities.dtype).eps
    inside = np.clip(probabilities, least, 1 - least)
    odds: np.ndarray = np.log(inside) - np.log1p(-inside)
    return odds

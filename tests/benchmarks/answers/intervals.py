"""Figures with the interval in which they lie on other photos of the kind."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")

_DRAWS = 1000
_BOUNDS = (2.5, 97.5)  # per cent


class Figure(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.2f}-{self.high:.2f})"


def figure(function: Callable[[Sequence[T]], float], photos: Sequence[T]) -> Figure:
    """The figure of all photos, and of samples drawn from them with replacement (bootstrap).

    The draws are the same for all models, and a sample without a figure (NaN) does not count.
    """
    if not photos:
        return Figure(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(0)
    draws = rng.integers(0, len(photos), (_DRAWS, len(photos)))
    values = [function([photos[i] for i in draw]) for draw in draws]
    low, high = np.nanpercentile(values, _BOUNDS) if np.isfinite(values).any() else (np.nan, np.nan)
    return Figure(float(function(photos)), float(low), float(high))

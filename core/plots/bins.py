"""Intervals of histograms."""

from math import ceil

import numpy as np

from core.errors import CoreError

_FEWEST, _USUAL_MOST, _MOST = 8, 60, 1000


def check_bins(bins: int | None) -> None:
    """Raise an error for a number of intervals out of range."""
    if bins is not None and not (isinstance(bins, (int, np.integer)) and 1 <= bins <= _MOST):
        raise CoreError(f"bins is {bins!r}: it must be an integer 1..{_MOST}, or None")


def binned(values: np.ndarray, bins: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of equal intervals, and how many values each has.

    Args:
        values: finite numbers [n].
        bins: how many intervals; None: 8..60, after Freedman and Diaconis (1981).

    >>> [n.tolist() for n in binned(np.array([1.0, 2.0, 2.5, 9.0]), 4)]
    [[1.0, 3.0, 5.0, 7.0, 9.0], [3, 0, 0, 1]]
    """
    if not len(values):
        return np.array([0.0, 1.0]), np.array([], np.int64)
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # one value: an interval has it in the middle
        margin = max(abs(low), abs(high)) * 0.1 or 0.5
        edges = np.linspace(low - margin, high + margin, (bins or 11) + 1)
    else:
        edges = np.linspace(low, high, (bins or _usual_count(values, high - low)) + 1)
    counts, _ = np.histogram(values, edges)
    return edges, counts


def _usual_count(values: np.ndarray, span: float) -> int:
    """NumPy's own rule asks for 1e9 intervals where one value is far from the others."""
    below, above = np.percentile(values, [25, 75])
    width = 2 * (above - below) / len(values) ** (1 / 3)
    count = ceil(min(span / width, 1e6)) if width > span * 1e-6 else _USUAL_MOST
    return min(max(count, _FEWEST), _USUAL_MOST)

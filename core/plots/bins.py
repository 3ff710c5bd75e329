"""Intervals of histograms."""

from math import ceil, floor

import numpy as np

from core.errors import CoreError
from core.plots.scales import nice_step

_FEWEST, _USUAL_MOST, _MOST = 8, 60, 1000


def check_bins(bins: int | None) -> None:
    """Raise an error for a number of intervals out of range."""
    if bins is not None and not (isinstance(bins, (int, np.integer)) and 1 <= bins <= _MOST):
        raise CoreError(f"bins is {bins!r}: it must be an integer 1..{_MOST}, or None")


def binned(values: np.ndarray, bins: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of equal intervals, and how many values each has.

    Args:
        values: finite numbers [n].
        bins: how many intervals; None: after Freedman and Diaconis (1981), with round edges.

    >>> [n.tolist() for n in binned(np.array([1.0, 2.0, 2.5, 9.0]), 4)]
    [[1.0, 3.0, 5.0, 7.0, 9.0], [3, 0, 0, 1]]
    """
    if not len(values):
        return np.array([0.0, 1.0]), np.array([], np.int64)
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        margin = max(abs(low), abs(high)) * 0.1 or 0.5
        low, high = low - margin, high + margin
        edges = np.linspace(low, high, (bins or 11) + 1)
    elif bins is not None:
        edges = np.linspace(low, high, bins + 1)
    else:
        edges = _round_edges(low, high, _usual_count(values, high - low))
    counts, _ = np.histogram(values, edges)
    return edges, counts


def _usual_count(values: np.ndarray, span: float) -> int:
    below, above = np.percentile(values, [25, 75])
    width = 2 * (above - below) / len(values) ** (1 / 3)
    count = ceil(min(span / width, 1e6)) if width > span * 1e-6 else _USUAL_MOST
    return min(max(count, _FEWEST), _USUAL_MOST)


def _round_edges(low: float, high: float, count: int) -> np.ndarray:
    step = nice_step(high - low, count)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    edges = np.arange(first, last + 1) * step
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges

"""The weights of Pillow's bilinear filter: the pixels that each new one mixes, and their shares.

After ``precompute_coeffs`` in Pillow's Resample.c, in the same operations, so that sums agree to
the last bit.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

#: Axes whose weights are kept: those of a few cameras and networks.
_MOST_KEPT = 32


class Taps(NamedTuple):
    """The old pixels that each new pixel along an axis mixes. Arrays are read-only.

    Attributes:
        first: of each new pixel, the first old one; int64 [new].
        counts: how many old ones follow one another; int64 [new].
        weights: their shares, zeros after the last one; float64 [new, most].
    """

    first: np.ndarray
    counts: np.ndarray
    weights: np.ndarray


@lru_cache(maxsize=_MOST_KEPT)
def bilinear_taps(old: int, low: float, high: float, new: int) -> Taps:
    """Return the weights for a part of an axis that is resized.

    Args:
        old: pixels of the axis.
        low: where the part begins, in old pixels.
        high: where it ends.
        new: pixels that it becomes.

    >>> taps = bilinear_taps(2, 0.0, 2.0, 4)
    >>> taps.first.tolist(), taps.weights[1].tolist()
    ([0, 0, 0, 1], [0.75, 0.25])
    """
    start = np.float32(low)  # as Pillow takes it
    low, scale = float(start), float(np.float32(high) - start) / new
    reach = max(scale, 1.0)
    middle = low + (np.arange(new) + 0.5) * scale
    first = np.maximum((middle - reach + 0.5).astype(np.int64), 0)
    count = np.minimum((middle + reach + 0.5).astype(np.int64), old) - first
    step = np.arange(int(count.max()))
    away = (step + first[:, None] - middle[:, None] + 0.5) * (1 / reach)
    weights = np.where(step < count[:, None], np.maximum(1 - np.abs(away), 0), 0)
    total = np.zeros(new)
    for column in weights.T:
        total += column
    weights /= np.where(total == 0, 1, total)[:, None]
    for array in (first, count, weights):
        array.flags.writeable = False
    return Taps(first, count, weights)

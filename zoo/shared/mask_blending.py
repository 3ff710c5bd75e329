"""Masks of probabilities that are steadied from frame to frame.

Source: MediaPipe's SegmentationSmoothingCalculator.
"""

import numpy as np

from zoo.shared.filters import GAP

#: The share of the last mask where the new one is not sure at all, at so many frames per second.
_LAST_MASK, _FRAMES = 0.7, 30.0

#: The polynomial of the uncertainty of a probability.
_UNCERTAINTY = (5.68842, -0.748699, -57.8051, 291.309, -624.717)


class MaskBlender:
    """Blends each mask of probabilities with the one before, most where the new one is unsure."""

    def __init__(self) -> None:
        self._last: np.ndarray | None = None
        self._time = 0.0

    def __call__(self, probability: np.ndarray, time: float) -> np.ndarray:
        """Return the blended probabilities, float32 [height, width]."""
        last, step = self._last, time - self._time
        self._last = probability
        self._time = time
        if last is None or last.shape != probability.shape or step > GAP:
            return probability
        share = uncertainty(probability)
        share *= np.float32(_LAST_MASK ** (step * _FRAMES))
        share *= last - probability
        share += probability
        self._last = share
        return share


def uncertainty(probability: np.ndarray) -> np.ndarray:
    """Return how unsure a probability is: 1 at 0.5, 0 at 0 and 1.

    >>> uncertainty(np.float32([0.0, 0.5])).round(2).tolist()
    [0.0, 1.0]
    """
    away = probability - np.float32(0.5)
    away *= away
    total = np.full_like(away, np.float32(_UNCERTAINTY[-1]))
    for factor in _UNCERTAINTY[-2::-1]:
        total *= away
        total += np.float32(factor)
    total *= away
    np.minimum(total, 1, out=total)
    return np.float32(1) - total

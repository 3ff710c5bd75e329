"""The one-euro filter, which steadies values that are still and follows those that move fast.

Source: Casiez, Roussel and Vogel, "1 Euro Filter: A Simple Speed-based Low-pass Filter for Noisy
Input in Interactive Systems", CHI 2012; speeds in sizes of the object as MediaPipe's
LandmarksSmoothingCalculator has them, so that near and far objects are treated alike.
"""

import math
from typing import NamedTuple, TypeVar

import numpy as np

#: A number, or one for each value.
Cutoff = TypeVar("Cutoff", float, np.ndarray)

#: Seconds without values after which filters start anew.
GAP = 0.3


class OneEuro(NamedTuple):
    """Parameters of the filter.

    The cutoff frequency is ``min_cutoff + beta * speed``, with the speed in sizes of the object per
    second.
    """

    min_cutoff: float  # Hz, of what is still: lower is steadier
    beta: float  # Hz per object size and second: higher follows sooner
    speed_cutoff: float = 1.0  # Hz, of the speed itself


class OneEuroFilter:
    """The filter for an array of values of one object.

    >>> steady = OneEuroFilter(OneEuro(min_cutoff=1.0, beta=0.0))
    >>> [round(float(steady(np.array(x), t, 1.0)), 2) for t, x in ((0.0, 0.0), (0.1, 1.0))]
    [0.0, 0.39]
    """

    def __init__(self, parameters: OneEuro):
        self._parameters = parameters
        self._time = 0.0
        self._values: np.ndarray | None = None
        self._speeds: np.ndarray | None = None

    def __call__(self, values: np.ndarray, time: float, size: float) -> np.ndarray:
        """Return the filtered values.

        Args:
            values: of one shape in all calls, in any unit.
            time: in seconds, later than in the call before.
            size: of the object, above 0, in the unit of the values.
        """
        if self._values is None or self._speeds is None:
            self._time, self._values = time, values.astype(np.float64)
            self._speeds = np.zeros_like(self._values)
            return self._values
        step, self._time = time - self._time, time
        how, change = self._parameters, values - self._values
        speeds = change / (step * size)  # then filtered; in place, as a mesh has 1404 values
        speeds -= self._speeds
        speeds *= weight(how.speed_cutoff, step)
        speeds += self._speeds
        cutoffs = np.abs(speeds)
        cutoffs *= how.beta
        cutoffs += how.min_cutoff
        change *= weight(cutoffs, step)
        change += self._values
        self._speeds, self._values = speeds, change
        return change


def weight(cutoff: Cutoff, step: float) -> Cutoff:
    """Return the weight of a new value in a low-pass filter of a cutoff in Hz, after a step in s.

    >>> round(weight(1.0, 0.1), 3)
    0.386
    """
    ratio = 2 * math.pi * step * cutoff
    return ratio / (ratio + 1)

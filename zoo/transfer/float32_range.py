"""The range of values of which float32 holds the squares and products that heads compute."""

import numpy as np

LARGEST_VALUE = 1e15


def are_in_range(values: np.ndarray) -> bool:
    """Return whether no value is NaN or above `LARGEST_VALUE`, by its size.

    >>> are_in_range(np.array([0, -2])), are_in_range(np.array([1e16])), are_in_range(np.zeros(0))
    (True, False, True)
    """
    return bool((np.abs(values) <= LARGEST_VALUE).all())

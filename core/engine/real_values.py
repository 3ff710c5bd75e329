"""The real values that integers of a quantised network stand for."""

import numpy as np


def write_real_values(
    integers: np.ndarray, scale: float, zero_point: int, target: np.ndarray
) -> None:
    """Write the real values into a float32 array; the difference of integers is exact.

    >>> target = np.empty(2, np.float32)
    >>> write_real_values(np.uint8([128, 130]), 0.5, 128, target)
    >>> target.tolist()
    [0.0, 1.0]
    """
    np.subtract(integers, np.float32(zero_point), out=target)
    np.multiply(target, np.float32(scale), out=target)

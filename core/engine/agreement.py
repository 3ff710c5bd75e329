"""Whether two computations of the same outputs agree, as far as floats can."""

from collections.abc import Mapping

import numpy as np

#: Largest difference of floats, of the range of the output; of integers the share that differs.
MOST = 1e-4

#: Largest distance of quantized outputs, in steps, at a percentile: one step, which as a product of
#: floats is a little more.
_QUANTUM, _PERCENTILE = 1.001, 99


def find_difference(
    expected: Mapping[str, np.ndarray],
    found: Mapping[str, np.ndarray],
    steps: Mapping[str, float],
) -> str:
    """Return how outputs differ by more than rounding from others; empty if they do not.

    Args:
        expected: outputs by name.
        found: those of another backend, or of other kernels.
        steps: distance of two neighbouring values of quantised outputs, by name.

    >>> x = np.float32([0, 1])
    >>> find_difference({"y": x}, {"y": x + np.float32(0.01)}, {})
    "output 'y' differs by 0.01 of its range"
    """
    for name, first in expected.items():
        fault = _difference(first, found[name], steps.get(name))
        if fault:
            return f"output {name!r} {fault}"
    return ""


def _difference(first: np.ndarray, other: np.ndarray, step: float | None) -> str:
    if first.shape != other.shape or first.dtype != other.dtype:
        return f"is {other.dtype} {other.shape} instead of {first.dtype} {first.shape}"
    if not first.size:
        return ""
    if first.dtype.kind not in "fc":
        share = np.count_nonzero(first != other) / first.size
        return f"differs in {share:.2g} of its values" if share > MOST else ""
    is_finite = np.isfinite(first) & np.isfinite(other)
    if not np.array_equal(first[~is_finite], other[~is_finite], equal_nan=True):
        return "has NaN or infinity elsewhere"
    distances = np.abs(first[is_finite] - other[is_finite])
    if not distances.size:
        return ""
    if step is not None and np.percentile(distances, _PERCENTILE) <= step * _QUANTUM:
        return ""
    largest = float(distances.max()) / _extent(first[is_finite])
    return "" if largest <= MOST else f"differs by {largest:.2g} of its range"


def _extent(values: np.ndarray) -> float:
    """Return the range of values; of equal ones their size, of zeros 1."""
    sizes = np.abs(values)
    extent = np.ptp(values) if values.dtype.kind == "f" else sizes.max()
    return float(extent or sizes.max() or 1)

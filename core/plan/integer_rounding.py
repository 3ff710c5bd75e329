"""Rounding of sums of integers as LiteRT's reference kernels round them, and the same in float64.

A sum is multiplied by a fixed-point number and rounded twice: to parts of a step of quantized
values, then to a step. These functions of arrays are the definition of right for all kernels.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.plan.integer_ops import SUM_BITS


def doubled_high(values: np.ndarray, multiplier: Any) -> np.ndarray:
    """Return products divided by 2**31, rounded to the nearest, halves up; int64.

    >>> doubled_high(np.array([3, -3]), 1 << 30).tolist()
    [2, -1]
    """
    return (values.astype(np.int64) * multiplier + (1 << 30)) >> 31


def shifted(values: np.ndarray, right: Any) -> np.ndarray:
    """Return values divided by powers of two, rounded to the nearest, halves away from 0.

    >>> shifted(np.array([3, 5, -3, -5]), 1).tolist()
    [2, 3, -2, -3]
    """
    right = np.asarray(right, np.int64)
    if not right.any():
        return values
    return (values + ((1 << right) >> 1) - ((values < 0) & (right > 0))) >> right


def rounded(sums: np.ndarray, multiplier: Any, shift: Any, how: Any) -> np.ndarray:
    """Return the bytes of sums.

    Args:
        sums: int64 [..., channels].
        multiplier: parts of 2**31, for each channel.
        shift: powers of two by which products are multiplied after that.
        how: attributes of the step.
    """
    left, right = np.maximum(shift, 0).astype(np.int64), np.maximum(-shift, 0)
    sums = sums << left if left.any() else sums
    values = shifted(doubled_high(sums, multiplier), right) + how["zero_point"]
    return np.clip(values, how["low"], how["high"])


def rounded_pair(a: np.ndarray, b: np.ndarray, numbers: Sequence[int], how: Any) -> np.ndarray:
    """Return the sum, difference or product of two arrays of integers, rounded.

    Args:
        a: integers.
        b: integers.
        numbers: as of `core.plan.integer_ops.INTEGER_BINARY`.
        how: likewise, the attributes.
    """
    if how["kind"] == "mul":
        a, b = a.astype(np.int64) - numbers[0], b.astype(np.int64) - numbers[3]
    else:
        a, b = _moved(a, *numbers[:3]), _moved(b, *numbers[3:6])
    total = _joined(how["kind"], a, b)
    return rounded(total, numbers[6], np.int64(numbers[7] - numbers[8]), how)


def _moved(x: np.ndarray, zero: int, multiplier: int, right: int) -> np.ndarray:
    """Return an operand of a sum, moved up."""
    return shifted(doubled_high((x.astype(np.int64) - zero) << SUM_BITS, multiplier), right)


#: Bits that float64 has beside those of a multiplier: for a result and the parts of a quantum.
_ALL_PARTS = 53 - 31


def known_numbers(
    upper: np.ndarray, lower: np.ndarray, attributes: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `requantise` reads instead of the operands of a step.

    Returns:
        Factors, and what is added before results are rounded down, in float64: of sums below 0
        with the other sign, and without the half, where there are such results. Else multipliers
        and shifts, in int64.
    """
    multiplier = (upper.astype(np.int64) << 16) + (lower.astype(np.int64) >> 6)
    shift = (lower.astype(np.int64) & 63) - 32
    factor, parts = _in_float64(multiplier, shift)
    most = max(-attributes["least"], attributes["most"])
    is_far = 2.0 ** (_ALL_PARTS + shift) <= most
    if is_far.any() and not _is_exact(multiplier[is_far], shift[is_far], attributes):
        return multiplier, shift
    return factor, parts + (0 if attributes["least"] < 0 else 0.5)


def _in_float64(multiplier: Any, shift: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return factors, and half a part: results so far below a half are rounded as a half is."""
    shift = np.asarray(shift, np.float64)
    return multiplier * 2.0 ** (shift - 31), np.where(shift < 0, 2.0 ** (shift - 1), 0.0)


def _is_exact(multiplier: np.ndarray, shift: np.ndarray, attributes: Mapping[str, Any]) -> bool:
    """Return whether float64 rounds the sums to both sides of each step of results rightly."""
    least, most = attributes["least"], attributes["most"]
    factor, parts = _in_float64(multiplier, shift)
    steps = np.arange(least + 1, most + 1)[:, None, None] - 0.5
    sums = np.rint(steps / factor) + np.arange(-2, 3)[:, None]
    found = _rounded_values(sums * factor, parts, attributes)
    right = rounded(sums.astype(np.int64), multiplier, shift, limits_of(attributes))
    return np.array_equal(found, right)


def _rounded_values(values: Any, parts: Any, attributes: Mapping[str, Any]) -> np.ndarray:
    """Return values rounded in float64, added up in the order in which kernels and files do it."""
    if attributes["least"] < 0:
        found = np.floor(values + 0.5 + np.copysign(parts, values))
    else:
        found = np.floor(values + (parts + 0.5))
    return found.clip(attributes["least"], attributes["most"])


class BinaryNumbers(NamedTuple):
    """The numbers of a sum, difference or product of bytes in float64.

    Attributes:
        first: by which the first operand is multiplied; or, where products must be rounded, the
            results for `STEPS`.
        second: likewise for the second one.
        factor: by which the sum, difference or product is multiplied.
        parts: half a part, as of `known_numbers`.
    """

    first: float | np.ndarray
    second: float | np.ndarray
    factor: float
    parts: float


#: Bytes in steps from 0, whatever their zero point.
STEPS = np.arange(-255, 256)


def binary_numbers(attributes: Mapping[str, Any]) -> BinaryNumbers | None:
    """Return the numbers with which float64 gives `rounded_pair` of every two bytes.

    Args:
        attributes: as of `core.plan.integer_ops.QUANTA_BINARY`.

    Returns:
        The numbers; None if some two would be rounded to another side.
    """
    kind, numbers = attributes["kind"], attributes["numbers"]
    right = rounded_pair(STEPS[:, None], STEPS, numbers, {"kind": kind, **limits_of(attributes)})
    factor, parts = map(float, _in_float64(numbers[6], numbers[7] - numbers[8]))
    operands = (numbers[:3], numbers[3:6])
    factors = [1.0 if kind == "mul" else m * 2.0 ** (SUM_BITS - 31 - s) for _, m, s in operands]
    tables = [] if kind == "mul" else [_moved(STEPS, *each).astype(np.float64) for each in operands]
    for first, second in (factors, tables) if tables else (factors,):
        a, b = _times(STEPS[:, None], first), _times(STEPS, second)
        values = _joined(kind, a, b) * factor
        if np.array_equal(_rounded_values(values, parts, attributes), right):
            return BinaryNumbers(first, second, factor, parts)
    return None


def _times(x: np.ndarray, factor: float | np.ndarray) -> np.ndarray:
    """Return steps times a factor, or what a table has for them."""
    return factor[x - STEPS[0]] if isinstance(factor, np.ndarray) else x * factor


def _joined(kind: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a * b if kind == "mul" else a + b if kind == "add" else a - b


def limits_of(attributes: Mapping[str, Any]) -> dict[str, int]:
    """Return the limits of steps from 0 as those of integers whose zero point is 0."""
    return {"zero_point": 0, "low": attributes["least"], "high": attributes["most"]}

"""Rounding of sums of integers as LiteRT's reference kernels round them, and as steps of chains.

A sum is multiplied by a fixed-point number and rounded twice: to parts of a step of quantized
values, then to a step. Formulas of chains do so in float64 where that is exact.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.numpy_steps.float64_formulas import Arrays, between, in_halves, wide
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.numpy_steps.row_blocks import cut_into_blocks
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

    def moved(x: np.ndarray, zero: int, multiplier: int, right: int) -> np.ndarray:
        return shifted(doubled_high((x.astype(np.int64) - zero) << SUM_BITS, multiplier), right)

    if how["kind"] == "mul":
        total = (a.astype(np.int64) - numbers[0]) * (b.astype(np.int64) - numbers[3])
    else:
        second = moved(b, *numbers[3:6])
        total = moved(a, *numbers[:3]) + (second if how["kind"] == "add" else -second)
    return rounded(total, numbers[6], np.int64(numbers[7] - numbers[8]), how)


#: Bits that float64 has beside those of a multiplier: for a result and the parts of a quantum.
_ALL_PARTS = 53 - 31

#: Values whose integers in int64 are temporaries that stay in the cache.
_IN_CACHE = 1 << 13

_SIGN, _HALF = np.array(-(2**63), np.int64), np.array(0.5)


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
    factor = multiplier * 2.0 ** (shift - 31)
    # Rounded to parts first, what is half of a part below a half of a quantum becomes one.
    parts = np.where(shift < 0, 2.0 ** (shift - 1), 0.0)
    most = max(-attributes["least"], attributes["most"])
    is_far = 2.0 ** (_ALL_PARTS + shift) <= most
    if is_far.any() and not _is_exact(multiplier[is_far], shift[is_far], attributes):
        return multiplier, shift
    return factor, parts + (0 if attributes["least"] < 0 else 0.5)


def _is_exact(multiplier: np.ndarray, shift: np.ndarray, attributes: Mapping[str, Any]) -> bool:
    """Return whether float64 rounds the sums to both sides of each step of results rightly."""
    least, most = attributes["least"], attributes["most"]
    factor, parts = multiplier * 2.0 ** (shift - 31), 2.0 ** (shift - 1)
    steps = np.arange(least + 1, most + 1)[:, None, None] - 0.5
    sums = np.rint(steps / factor) + np.arange(-2, 3)[:, None]
    values = sums * factor
    found = np.floor(values + (0.5 + np.copysign(parts, values))).clip(least, most)
    right = rounded(sums.astype(np.int64), multiplier, shift, _limits(attributes))
    return np.array_equal(found, right)


def with_bias(
    bias: np.ndarray, factor: np.ndarray, parts: np.ndarray, attributes: Mapping[str, Any]
) -> np.ndarray | None:
    """Return what is added where the bias is not yet; None where that is not exact, or not faster.

    Args:
        bias: integers for each channel.
        factor: of `known_numbers`, like what is added after it.
        parts: likewise.
        attributes: of the step.
    """
    if factor.dtype != np.float64 or attributes["least"] < 0 or not attributes["is_small"]:
        return None
    made = bias * factor + parts
    # Of products with factors, float64 holds all below this.
    bound = np.where(parts > 0.5, parts - 0.5, 0.5) * 2.0**23
    return made if (bound >= 512).all() and (abs(made) < bound).all() else None


def requantise(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Return the calls of `core.plan.integer_ops.REQUANTISE` for `known_numbers`."""
    least, most = attributes["least"], attributes["most"]
    if xs[1].dtype == np.int64:
        return [partial(_round_into, out, xs, _limits(attributes))]
    works: list[Work] = []
    for y, x, factor, parts in in_halves(out, *xs):
        value = wide(temps[0], y)
        works.append(partial(np.multiply, x, factor, out=value))
        if least < 0:  # the sign of a value by its bits: np.copysign takes twice as long
            parts, whole = wide(temps[1], y), parts
            bits = parts.view(np.int64)
            works += [
                partial(np.bitwise_and, value.view(np.int64), _SIGN, out=bits),
                partial(np.bitwise_or, bits, whole.view(np.int64), out=bits),
                partial(np.add, value, _HALF, out=value),
            ]
        works += [
            partial(np.add, value, parts, out=value),
            partial(np.floor, value, out=value),
            partial(np.copyto, y, value, casting="same_kind"),
        ]
    return [*works, between(out, least, most, out)]


def _round_into(out: np.ndarray, xs: Arrays, limits: Mapping[str, int]) -> None:
    sums, multiplier, shift = xs
    out[...] = rounded(sums.astype(np.int64), multiplier, shift, limits)


def _limits(attributes: Mapping[str, Any]) -> dict[str, int]:
    return {"zero_point": 0, "low": attributes["least"], "high": attributes["most"]}


def quanta_binary(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Return the calls of `core.plan.integer_ops.QUANTA_BINARY`."""
    how = {"kind": attributes["kind"], **_limits(attributes)}

    def run(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        y[...] = rounded_pair(a, b, attributes["numbers"], how)

    return [partial(run, *block) for block in cut_into_blocks([out, *xs], _IN_CACHE)]

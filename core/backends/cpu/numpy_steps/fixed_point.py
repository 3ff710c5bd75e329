"""The steps of chains that round sums of integers: in float64 where that is exact."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.numpy_steps.float64_formulas import Arrays, between, in_halves, wide
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.numpy_steps.row_blocks import cut_into_blocks
from core.plan.integer_rounding import limits_of, rounded, rounded_pair

#: Values whose integers in int64 are temporaries that stay in the cache.
_IN_CACHE = 1 << 13

_SIGN, _HALF = np.array(-(2**63), np.int64), np.array(0.5)


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
        return [partial(_round_into, out, xs, limits_of(attributes))]
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


def quanta_binary(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Return the calls of `core.plan.integer_ops.QUANTA_BINARY`."""
    how = {"kind": attributes["kind"], **limits_of(attributes)}

    def run(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        y[...] = rounded_pair(a, b, attributes["numbers"], how)

    return [partial(run, *block) for block in cut_into_blocks([out, *xs], _IN_CACHE)]

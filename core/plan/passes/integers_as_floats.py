"""The pass that makes networks of integers compute with them where values are float32.

A value is given in steps from 0: the integer without its zero point, so that it is 0 around images,
too. Sums of products of such values are exact below 2**24, so that float kernels give those of
LiteRT's kernels, and `core.plan.integer_ops.REQUANTISE` rounds them as those do, to the bit.
"""

from collections.abc import Sequence
from weakref import ref

import numpy as np

from core.engine.program import HERE, Program, Step, StoredIntegers
from core.engine.registry import OPS
from core.engine.specs import Shape
from core.plan.integer_ops import INTEGER_RESIZE, QUANTA_BINARY, REQUANTISE
from core.plan.passes.integer_numbers import Numbers, Quanta, are_exact, sum_limits
from core.plan.passes.integers import PRODUCTS, Parts, Rewriting, as_filter, windows_of

#: The end of the integers that float32 holds.
_EXACT = 1 << 24

#: The end of the integers whose products with multipliers float64 holds.
_SMALL = 1 << 22


def with_quanta(program: Program, *, is_exact: bool = False) -> Program:
    """Return a program that computes with steps in float32 what `integers` says.

    Args:
        program: the program.
        is_exact: whether sums that float32 may not hold are those of the twins in NumPy of the
            kernels of bytes. Else they are those of float32, and the resizing of images by other
            factors than powers of two that of real values.
    """
    return _AsFloats(program, is_exact).result()


#: Integers of constants and these in float32, by the address of the integers, while both are there.
_known: "dict[int, tuple[ref[np.ndarray], ref[np.ndarray]]]" = {}


def _quanta_of(stored: StoredIntegers) -> np.ndarray:
    """Return a constant in steps from 0, which all plans share."""
    values, key = stored.values, id(stored.values)
    if key in _known:
        integers, kept = (each() for each in _known[key])
        if integers is values and kept is not None:
            return kept
    quanta = values.astype(np.float32)
    quanta -= np.float32(stored.zero_point)
    quanta.flags.writeable = False
    _known[key] = ref(values), ref(quanta, lambda _: _known.pop(key, None))
    return quanta


class _AsFloats(Rewriting):
    """Integers as steps from 0, in float32."""

    dtype, ending = "float32", "quanta"

    def __init__(self, program: Program, is_exact: bool):
        super().__init__(program)
        self._is_exact = is_exact

    def to_integers(self, x: str, quanta: Quanta, nudge: bool) -> Step:
        """Return the quotient by the scale, rounded."""
        how = {"scale": 1.0, **quanta.limits, "nudge": nudge}
        epilogue = (Step(OPS["quantise_round"], (HERE,), how),)
        return Step(OPS["div"], (x, self._number(quanta.scale)), {}, epilogue)

    def to_real(self, x: str, quanta: Quanta) -> Step:
        """Return the product with the scale."""
        return Step(OPS["mul"], (x, self._number(quanta.scale)), {})

    def _number(self, value: float) -> str:
        return self.constant("number", np.array(value, np.float32))

    def constant_integers(self, reference: str, how: Quanta, shape: Shape) -> str:
        """Return the steps of a constant, which broadcasts."""
        found = _quanta_of(self._program.integers[reference])
        return self.constant(f"{reference}/quanta", found)

    def product(self, step: Step, x: str, parts: Parts) -> Step:
        """Return the op itself on steps."""
        given, (parts, taps, most) = parts, _settled(parts)
        if self._is_exact and most >= _EXACT:
            return self._exact_product(step, x, given)
        inputs = (x, self.constant(f"{step.inputs[1]}/quanta", taps))
        rounding = self._rounding(step, parts.numbers, parts.quanta, is_small=most < _SMALL)
        if not parts.bias.any():
            return Step(step.op, inputs, step.attributes, (rounding,))
        bias = self.constant(f"{step.name}/bias", parts.bias.astype(np.float32))
        return Step(
            step.op, inputs, step.attributes, (Step(OPS["add"], (HERE, bias), {}), rounding)
        )

    def _exact_product(self, step: Step, x: str, parts: Parts) -> Step:
        """Return a product whose sums are those of float64."""
        inputs = (
            x,
            self.constant(f"{step.inputs[1]}/integers", as_filter(parts.filter.values)),
            self.constant(f"{step.name}/bias", parts.bias),
            *(self.constant(f"{step.name}/numbers", each) for each in parts.numbers),
        )
        least, most = parts.quanta.real_limits
        attributes = {
            **windows_of(step),
            "x_zero": 0,
            "filter_zero": parts.filter.zero_point,
            **{"zero_point": 0, "low": least, "high": most},
        }
        return Step(PRODUCTS[step.op.name], inputs, attributes)

    def _rounding(self, step: Step, numbers: Numbers, how: Quanta, *, is_small: bool) -> Step:
        """Return the rounding of sums, which stands in an epilogue."""
        upper, lower = numbers.in_floats()
        names = (
            self.constant(f"{step.name}/upper", upper),
            self.constant(f"{step.name}/lower", lower),
        )
        least, most = how.real_limits
        attributes = {"least": least, "most": most, "is_small": is_small}
        return Step(REQUANTISE, (HERE, *names), attributes)

    def binary(self, step: Step, both: list[str], numbers: np.ndarray, quanta: Quanta) -> Step:
        """Return the op of two arrays of steps."""
        moved = numbers.copy()
        moved[[0, 3]] = 0
        least, most = quanta.real_limits
        how = {"kind": step.op.name, "numbers": tuple(moved.tolist()), "least": least, "most": most}
        return Step(QUANTA_BINARY, (*both,), how)

    def resize(self, step: Step, x: str, tables: Sequence[np.ndarray], how: Quanta) -> Step | None:
        """Return the op itself, with halves rounded away from the integer 0, where it is exact."""
        zero = how.zero_point - how.base
        old, new = (self.specs[reference].shape[1:3] for reference in (step.inputs[0], step.name))
        is_aligned = bool(step.attributes["align_corners"])
        if not all(are_exact(*each, is_aligned) for each in zip(old, new, tables, strict=True)):
            if not self._is_exact:
                return None
            names = [self.constant(f"{step.name}/positions", table) for table in tables]
            return Step(INTEGER_RESIZE, (x, *names), {"base": -zero})
        offset = self._number(zero)
        limits = {"zero_point": 0, "low": how.low - how.base, "high": how.high - how.base}
        epilogue = (
            Step(OPS["add"], (HERE, offset), {}),
            Step(OPS["quantise_round"], (HERE,), {"scale": 1.0, **limits, "nudge": False}),
            Step(OPS["sub"], (HERE, offset), {}),
        )
        return Step(step.op, (x, *step.inputs[1:]), step.attributes, epilogue)

    def mean(self, step: Step, x: str, given: Quanta, numbers: Numbers, how: Quanta) -> Step:
        """Return the sum, rounded as the mean."""
        rounding = self._rounding(step, numbers, how, is_small=True)
        return Step(OPS["sum"], (x,), step.attributes, (rounding,))


def _settled(parts: Parts) -> tuple[Parts, np.ndarray, float]:
    """Return a product, its filter in steps from 0, and how large its sums may be on the way.

    Results of a channel that only large sums have, and that are all beyond one limit, become
    constants: files have such channels, with a bias of any size.
    """
    taps, bias, (multiplier, shift) = _quanta_of(parts.filter), parts.bias, parts.numbers
    limits, zero = np.iinfo(parts.filter.values.dtype), parts.filter.zero_point
    factors = max(limits.max - zero, zero - limits.min) * max(map(abs, parts.given.real_limits))
    widest = factors * (taps.size // len(bias)) + max(int(bias.max()), -int(bias.min()))
    if widest < _EXACT:
        return parts, taps, widest
    low, high = sum_limits(taps, parts.given, len(bias))
    sums = np.maximum(high, -low) + abs(bias.astype(np.float64))
    if sums.max() < _EXACT:
        return parts, taps, sums.max()
    factor = multiplier * 2.0 ** (shift - 31)
    least, most = parts.quanta.real_limits
    is_least, is_most = (bias + high) * factor < least - 1, (bias + low) * factor > most + 1
    is_settled = (sums >= _EXACT) & (is_least | is_most)
    if not is_settled.any():
        return parts, taps, sums.max()
    by_channel = taps.reshape(-1, len(bias)) * ~is_settled
    constants = np.where(is_least, least, most)
    numbers = Numbers(
        np.where(is_settled, 1 << 30, multiplier).astype(np.int32),
        np.where(is_settled, 1, shift).astype(np.int32),
    )
    changed = parts._replace(
        bias=np.where(is_settled, constants, bias).astype(np.int32), numbers=numbers
    )
    return changed, by_channel.reshape(taps.shape), sums[~is_settled].max(initial=0)

"""The pass that makes networks of integers compute with integers, for generated kernels."""

from collections.abc import Callable, Sequence
from math import floor, frexp
from typing import Any, NamedTuple

import numpy as np

from core.engine.program import HERE, Program, Step, StoredIntegers, is_alias
from core.engine.specs import Shape, Spec
from core.plan.integer_ops import (
    FROM_BYTES,
    INTEGER_BINARY,
    INTEGER_CONV2D,
    INTEGER_DEPTHWISE,
    INTEGER_RESIZE,
    TO_BYTES,
)
from core.plan.passes.program_passes import is_replaced, without_unread

#: The ops that have a form for integers.
_PRODUCTS = {"conv2d": INTEGER_CONV2D, "depthwise_conv2d": INTEGER_DEPTHWISE}

#: Bits by which operands of a sum are moved up, so that little of them is lost.
_SUM_BITS = 20

#: The most products of a sum that surely fit into int32.
_MOST_PRODUCTS = 2**31 // 2**16 - 1


class Quanta(NamedTuple):
    """How bytes stand for real values: ``(byte - zero_point) * scale``, from low to high.

    The integers of the file are ``byte - base``.
    """

    scale: float
    zero_point: int
    low: int
    high: int
    base: int

    @classmethod
    def of(cls, step: Step) -> "Quanta | None":
        """Return those to which a step rounds; None if it does not, or to more than bytes have."""
        if step.op.name != "quantise_round" or is_replaced(step.op):
            return None
        return cls.between(**{name: step.attributes[name] for name in cls._fields[:4]})

    @classmethod
    def between(cls, scale: float, zero_point: int, low: int, high: int) -> "Quanta | None":
        """Return those of integers between limits; None if bytes do not have room for them."""
        base = 0 if low >= 0 else 128
        if not -base <= low <= high <= 255 - base or not -base <= zero_point <= 255 - base:
            return None
        return cls(scale, zero_point + base, low + base, high + base, base)

    @property
    def limits(self) -> dict[str, int]:
        """Return zero point and limits as attributes."""
        return {"zero_point": self.zero_point, "low": self.low, "high": self.high}


def with_integers(program: Program) -> Program:
    """Return a program in which sums of quantised products are those of integers.

    Convolutions, depthwise ones and matrix products of quantised values with constants that stand
    for integers, whose result is rounded to quanta, compute with bytes, as do sums of two such
    values; what they pass on to each other stays bytes. Other steps read and give real values as
    before, which are exactly those that the bytes stand for.
    """
    if not program.integers:
        return program
    made = _Rewriting(program)
    for step in program.steps:
        made.add(step)
    outputs = tuple(made.real(reference) for reference in program.outputs)
    rewritten = program._replace(
        steps=tuple(made.steps), constants=made.constants, specs=made.specs, outputs=outputs
    )
    return without_unread(rewritten) if made.is_of_use else program


class _Rewriting:
    """The steps so far, and in which form each value is there.

    Attributes:
        steps: the new steps.
        constants: of the new program.
        specs: likewise.
        is_of_use: whether a product is one of integers.
    """

    def __init__(self, program: Program):
        self._program = program
        self.steps: list[Step] = []
        self.constants, self.specs = dict(program.constants), dict(program.specs)
        self.is_of_use = False
        self._quanta: dict[str, Quanta] = {}
        self._bytes: dict[str, str] = {}
        self._reals = {*program.inputs, *program.constants}
        for reference, how in program.quantised.items():
            quanta = Quanta.between(how.scale, how.zero_point, *how.limits)
            if quanta is not None:
                self._quanta[reference] = quanta

    def add(self, step: Step) -> None:
        """Add a step, with integers if it can be."""
        if is_replaced(step.op) or any(is_replaced(each.op) for each in step.epilogue):
            self._add_real(step)
        elif not any(add(step) for add in self._forms):
            self._add_real(step)

    @property
    def _forms(self) -> Sequence[Callable[[Step], bool]]:
        """Return what adds a step with integers, or returns False."""
        return (
            self._add_product,
            self._add_binary,
            self._add_resize,
            self._add_rounding,
            self._add_before_rounding,
            self._add_view,
        )

    def real(self, reference: str) -> str:
        """Return the reference to a value as real values, which are computed if need be."""
        if reference not in self._reals:
            how = self._quanta[reference]
            told = {"scale": how.scale, "zero_point": how.zero_point}
            self.steps.append(
                Step(FROM_BYTES, (self._bytes[reference],), told, (), (reference,))
            )
            self._reals.add(reference)
        return reference

    def _add_real(self, step: Step) -> None:
        """Add a step as it is; where it ends in rounding, bytes may be made of what was rounded."""
        for reference in step.reads():
            self.real(reference)
        last = (step, *step.epilogue)[-1]
        quanta = Quanta.of(last) if len(step.outputs) == 1 else None
        self.steps.append(step)
        self._reals.update(step.outputs)
        if quanta is not None:
            self._quanta[step.name] = quanta

    def _as_bytes(self, reference: str) -> str | None:
        """Return the reference to the bytes of a value; None if it is not quantised."""
        quanta = self._quanta.get(reference)
        if quanta is None:
            return None
        if reference not in self._bytes:
            how = {"scale": quanta.scale, **quanta.limits, "nudge": True}
            self._give(reference, quanta, Step(TO_BYTES, (reference,), how))
        return self._bytes[reference]

    def _give(self, reference: str, quanta: Quanta, step: Step) -> None:
        """Add a step whose results are the bytes of a value."""
        name = self._named(f"{reference}/bytes", Spec(self.specs[reference].shape, "uint8"))
        self.steps.append(step._replace(outputs=(name,)))
        self._bytes[reference], self._quanta[reference] = name, quanta

    def _named(self, name: str, spec: Spec) -> str:
        while name in self.specs:
            name += "_"
        self.specs[name] = spec
        return name

    def _constant(self, name: str, array: np.ndarray) -> str:
        name = self._named(name, Spec(array.shape, str(array.dtype)))
        self.constants[name] = array
        return name

    def _add_view(self, step: Step) -> bool:
        """Add a view of bytes; return whether that is what the step is."""
        if not is_alias(step, self._program) or step.epilogue:
            return False
        (x,) = step.inputs
        if x in self._reals or x not in self._bytes:
            return False
        self._give(step.name, self._quanta[x], step._replace(inputs=(self._bytes[x],)))
        return True

    def _add_product(self, step: Step) -> bool:
        """Add a convolution with integers; return False if the step is none of them."""
        op, parts = _PRODUCTS.get(step.op.name), self._parts(step)
        if op is None or parts is None:
            return False
        x = self._as_bytes(step.inputs[0])
        given, filter = self._quanta[step.inputs[0]], parts.filter
        assert x is not None
        multiplier, shift = _fixed_points(_ratios(given.scale, filter, parts.quanta.scale))
        channels = self.specs[step.name].shape[-1]
        inputs = (
            x,
            self._constant(f"{step.inputs[1]}/integers", filter.values),
            self._constant(f"{step.name}/bias", parts.bias),
            self._constant(f"{step.name}/multiplier", _spread(multiplier, channels)),
            self._constant(f"{step.name}/shift", _spread(shift, channels)),
        )
        zeros = {"x_zero": given.zero_point, "filter_zero": filter.zero_point}
        attributes = {**step.attributes, **zeros, **parts.quanta.limits}
        self._add_with_rest(step, Step(op, inputs, attributes), parts.quanta, parts.rest)
        self.is_of_use = True
        return True

    def _parts(self, step: Step) -> "_Parts | None":
        """Return what a product of integers needs; None if something of it is missing."""
        if len(step.inputs) != 2 or step.attributes.get("data_format") != "NHWC":
            return None
        integers, specs = self._program.integers, self.specs
        filter, channels = integers.get(step.inputs[1]), specs[step.name].shape[-1]
        if filter is None or step.inputs[0] not in self._quanta:
            return None
        epilogue, bias = step.epilogue, np.zeros(channels, np.int32)
        if epilogue and epilogue[0].op.name == "add":
            stored = self._bias(epilogue[0], channels)
            if stored is None:
                return None
            bias, epilogue = stored, epilogue[1:]
        quanta = Quanta.of(epilogue[0]) if epilogue else None
        x, shape = specs[step.inputs[0]].shape, filter.values.shape
        products = filter.values.size // channels
        is_usual = (
            len(shape) == 4
            and shape[2] == x[-1]
            and filter.values.dtype in (np.int8, np.uint8)
            and len(filter.scales) in (1, channels)
            and products <= _MOST_PRODUCTS
            and (step.op.name == "conv2d" or shape[3] == 1)
        )
        if quanta is None or not is_usual:
            return None
        return _Parts(filter, bias, quanta, epilogue[1:])

    def _bias(self, step: Step, channels: int) -> np.ndarray | None:
        """Return the integers of a bias; None if the step adds something else."""
        others = [reference for reference in step.inputs if reference != HERE]
        stored = self._program.integers.get(others[0]) if len(others) == 1 else None
        if stored is None or stored.values.dtype != np.int32:
            return None
        return stored.values if stored.values.shape == (channels,) else None

    def _add_with_rest(
        self, step: Step, integers: Step, quanta: Quanta, rest: Sequence[Step]
    ) -> None:
        """Add a step of integers and the epilogue after it: sums with integers, others as floats.

        Args:
            step: the step that both replace.
            integers: the step of integers, still without a name.
            quanta: of its result.
            rest: the rest of the epilogue.
        """
        if not rest:
            self._give(step.name, quanta, integers)
            return
        between = self._named(f"{step.name}/{len(rest)}", self.specs[step.name])
        self._give(between, quanta, integers)
        self._add_rest(step, between, rest)

    def _add_rest(self, step: Step, between: str, rest: Sequence[Step]) -> None:
        """Add what follows a value that is rounded, under the name of the step."""
        first, *others = rest
        after = step._replace(op=first.op, attributes=first.attributes)
        inputs = tuple(between if reference == HERE else reference for reference in first.inputs)
        after = after._replace(inputs=inputs, epilogue=tuple(others))
        if not self._add_binary(after):
            self._add_real(after)

    def _add_binary(self, step: Step) -> bool:
        """Add a sum, difference or product of two quantised values that is rounded."""
        quanta = Quanta.of(step.epilogue[0]) if step.epilogue else None
        if step.op.name not in _BINARY or quanta is None or len(step.inputs) != 2:
            return False
        shape = self.specs[step.name].shape
        known = [self._operand(reference, shape) for reference in step.inputs]
        first, second = known
        if first is None or second is None:
            return False
        numbers = _BINARY[step.op.name](first, second, quanta)
        if numbers is None:
            return False
        both = [self._operand_bytes(reference, shape) for reference in step.inputs]
        inputs = (*both, self._constant(f"{step.name}/numbers", numbers))
        how = {"kind": step.op.name, **quanta.limits}
        self._add_with_rest(step, Step(INTEGER_BINARY, inputs, how), quanta, step.epilogue[1:])
        return True

    def _operand(self, reference: str, shape: Shape) -> Quanta | None:
        """Return the quanta of an operand of some shape, or of a constant that broadcasts to it."""
        stored = self._program.integers.get(reference)
        if stored is None:
            is_whole = self.specs[reference].shape == shape
            return self._quanta.get(reference) if is_whole else None
        if stored.values.dtype not in (np.int8, np.uint8) or len(stored.scales) > 1:
            return None
        low, high = (int(n) for n in (np.iinfo(stored.values.dtype).min, 127))
        return Quanta.between(float(stored.scales[0]), stored.zero_point, low, max(high, low + 255))

    def _operand_bytes(self, reference: str, shape: Shape) -> str:
        """Return the reference to the bytes of an operand of that shape."""
        stored = self._program.integers.get(reference)
        if stored is None:
            found = self._as_bytes(reference)
            assert found is not None
            return found
        base = 128 if stored.values.dtype == np.int8 else 0
        moved = (stored.values.astype(np.int16) + base).astype(np.uint8)
        whole = np.ascontiguousarray(np.broadcast_to(moved, shape))
        return self._constant(f"{reference}/bytes", whole)

    def _add_resize(self, step: Step) -> bool:
        """Add bilinear resizing of quantised images to the same quanta."""
        quanta = Quanta.of(step.epilogue[0]) if step.epilogue else None
        if step.op.name != "resize_bilinear" or quanta is None or self.specs[step.name].size == 0:
            return False
        given = self._quanta.get(step.inputs[0])
        shapes = [self.specs[reference].shape for reference in (step.inputs[0], step.name)]
        if given is None or given[:2] != quanta[:2] or len(shapes[0]) != 4:
            return False
        how = step.attributes
        tables = [
            _positions(shapes[0][axis], shapes[1][axis], how["align_corners"], how["half_pixel_centers"])
            for axis in (1, 2)
        ]
        x = self._as_bytes(step.inputs[0])
        assert x is not None
        names = [self._constant(f"{step.name}/positions", table) for table in tables]
        made = Step(INTEGER_RESIZE, (x, *names), {"base": quanta.base})
        self._add_with_rest(step, made, quanta, step.epilogue[1:])
        return True

    def _add_before_rounding(self, step: Step) -> bool:
        """Add a step of real values up to its first rounding, and what follows that for itself."""
        end = next((i for i, s in enumerate(step.epilogue, 1) if Quanta.of(s)), len(step.epilogue))
        rest = step.epilogue[end:]
        if not rest or rest[0].op.name not in _BINARY:
            return False
        name = self._named(f"{step.name}/{len(rest)}", self.specs[step.name])
        self._add_real(step._replace(epilogue=step.epilogue[:end], outputs=(name,)))
        self._add_rest(step, name, rest)
        return True

    def _add_rounding(self, step: Step) -> bool:
        """Add rounding of real values to quanta, where what follows it takes bytes."""
        quanta = Quanta.of(step)
        if quanta is None or not step.epilogue or step.inputs[0] not in self._reals:
            return False
        how = {"scale": quanta.scale, **quanta.limits, "nudge": step.attributes["nudge"]}
        self._add_with_rest(step, Step(TO_BYTES, step.inputs, how), quanta, step.epilogue)
        return True


class _Parts(NamedTuple):
    """A product of integers: filter, bias, what its result is rounded to, and what follows."""

    filter: StoredIntegers
    bias: np.ndarray
    quanta: Quanta
    rest: Sequence[Step]


def _ratios(given: float, filter: StoredIntegers, result: float) -> np.ndarray:
    """Return by which numbers sums of products are multiplied, in float64.

    As LiteRT: uint8 models multiply the two scales in float32.
    """
    scale, scales = np.float32(given), filter.scales.astype(np.float32)
    if filter.values.dtype == np.uint8:
        return (scale * scales).astype(np.float64) / np.float64(np.float32(result))
    return np.float64(scale) * scales.astype(np.float64) / np.float64(np.float32(result))


def _fixed_point(number: float) -> tuple[int, int]:
    """Return a number as parts of 2**31, and a power of two (LiteRT's QuantizeMultiplier).

    >>> _fixed_point(0.75), _fixed_point(1.5)
    ((1610612736, 0), (1610612736, 1))
    """
    part, shift = frexp(number)
    parts = floor(part * 2**31 + 0.5)
    if parts == 2**31:
        parts, shift = parts // 2, shift + 1
    return (0, 0) if shift < -31 else (parts, shift)


def _fixed_points(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return those of several numbers as int32 arrays."""
    multiplier, shift = zip(*map(_fixed_point, numbers.tolist()), strict=True)
    return np.array(multiplier, np.int32), np.array(shift, np.int32)


def _spread(numbers: np.ndarray, channels: int) -> np.ndarray:
    """Return a number for each channel."""
    return np.ascontiguousarray(np.broadcast_to(numbers, (channels,)))


def _sum_numbers(a: Quanta, b: Quanta, result: Quanta) -> np.ndarray | None:
    """Return the numbers of a sum or difference; None where LiteRT's rule has no room for them."""
    scales = [float(np.float32(each.scale)) for each in (a, b, result)]
    twice = 2 * max(scales[:2])
    points = [_fixed_point(scale / twice) for scale in scales[:2]]
    points.append(_fixed_point(twice / (2**_SUM_BITS * scales[2])))
    if any(shift > 0 for _, shift in points):
        return None
    (m_a, s_a), (m_b, s_b), (m, s) = points
    return np.array((a.zero_point, m_a, -s_a, b.zero_point, m_b, -s_b, m, 0, -s), np.int32)


def _product_numbers(a: Quanta, b: Quanta, result: Quanta) -> np.ndarray | None:
    """Return the numbers of a product."""
    scales = [np.float32(each.scale) for each in (a, b, result)]
    multiplier, shift = _fixed_point(float(scales[0] * scales[1] / scales[2]))
    if shift > _MOST_LEFT:
        return None
    moves = max(shift, 0), max(-shift, 0)
    return np.array((a.zero_point, 0, 0, b.zero_point, 0, 0, multiplier, *moves), np.int32)


#: The most bits by which a product of two bytes may be moved up within int32.
_MOST_LEFT = 14

#: Ops of two operands that have a form for integers, and their numbers.
_BINARY = {"add": _sum_numbers, "sub": _sum_numbers, "mul": _product_numbers}

#: Positions between pixels are parts of this.
_PARTS_OF_PIXEL = 1 << 10


def _positions(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Return the pixels around each new one, and the share of the second, int32 [new, 3].

    As LiteRT's reference kernel for integers computes them.
    """
    parts = _PARTS_OF_PIXEL
    scale = (parts * old + new // 2) // new
    if align_corners and new > 1:
        scale = (parts * (old - 1) + (new - 1) // 2) // (new - 1)
    at = np.arange(new) * scale
    if half_pixel_centers:
        at = at + scale // 2 - parts // 2
    before = np.maximum(at // parts, 0)
    after = np.minimum((at + parts - 1) // parts, old - 1)
    return np.stack((before, np.maximum(after, 0), at - before * parts), 1).astype(np.int32)

"""The pass that makes networks of integers compute with integers, for generated kernels."""

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

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
from core.plan.passes.integer_numbers import (
    BINARY,
    Quanta,
    fits_sums,
    fixed_points,
    mean_numbers,
    positions,
    ratios,
)
from core.plan.passes.program_passes import is_replaced, without_unread

#: The ops that have a form for integers.
_PRODUCTS = {
    "conv2d": INTEGER_CONV2D,
    "depthwise_conv2d": INTEGER_DEPTHWISE,
    "matmul": INTEGER_CONV2D,
}

#: Attributes of the product of rows with a matrix as a convolution.
_POINTWISE = {
    "strides": 1,
    "pad": "valid",
    "data_format": "NHWC",
    "dilations": 1,
    "dim_rounding_mode": None,
}

#: Pixels of a window whose products are integers: kernels have text for each.
_MOST_PIXELS = 256

#: Values of a constant that is repeated for each value of a result; more would take much memory.
_MOST_REPEATED = 1 << 20


def with_integers(program: Program) -> Program:
    """Return a program in which sums of quantised products are those of integers.

    Convolutions, depthwise ones and matrix products of quantised values with constants that stand
    for integers compute with bytes, if their result is rounded to quantised values; so do sums,
    differences and products of two such values, and resizing. What they pass on to each other stays
    bytes. Other steps read and give real values as before, which are exactly those that the bytes
    stand for.
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
        is_own = any(is_replaced(each.op) for each in (step, *step.epilogue))
        if is_own or not any(add(step) for add in self._forms):
            self._add_real(step)

    @property
    def _forms(self) -> Sequence[Callable[[Step], bool]]:
        """Return what adds a step with integers, or returns False."""
        return (
            self._add_product,
            self._add_binary,
            self._add_resize,
            self._add_mean,
            self._add_rounding,
            self._add_before_rounding,
            self._add_view,
        )

    def real(self, reference: str) -> str:
        """Return the reference to a value as real values, which are computed if need be."""
        if reference not in self._reals:
            how = self._quanta[reference]
            told = {"scale": how.scale, "zero_point": how.zero_point}
            self.steps.append(Step(FROM_BYTES, (self._bytes[reference],), told, (), (reference,)))
            self._reals.add(reference)
        return reference

    def _add_real(self, step: Step) -> None:
        """Add a step as it is; where it ends in rounding, bytes may be made of what was rounded."""
        for reference in step.reads():
            self.real(reference)
        last = (step, *step.epilogue)[-1]
        if is_alias(last, self._program):
            quanta = self._quanta.get(last.inputs[0])
        else:
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
        """Add a convolution with integers; return False for other steps."""
        op, parts = _PRODUCTS.get(step.op.name), self._parts(step)
        if op is None or parts is None:
            return False
        x = self._as_bytes(step.inputs[0])
        given, filter = self._quanta[step.inputs[0]], parts.filter
        assert x is not None
        inputs = (
            x,
            self._constant(f"{step.inputs[1]}/integers", _as_filter(filter.values)),
            self._constant(f"{step.name}/bias", parts.bias),
            self._constant(f"{step.name}/multiplier", parts.multiplier),
            self._constant(f"{step.name}/shift", parts.shift),
        )
        zeros = {"x_zero": given.zero_point, "filter_zero": filter.zero_point}
        windows = _POINTWISE if step.op.name == "matmul" else step.attributes
        attributes = {**windows, **zeros, **parts.quanta.limits}
        self._add_with_rest(step, Step(op, inputs, attributes), parts.quanta, parts.rest)
        self.is_of_use = True
        return True

    def _parts(self, step: Step) -> "_Parts | None":
        """Return what a product of integers needs; None if something of it is missing."""
        filter = self._filter(step)
        given = self._quanta.get(step.inputs[0])
        if filter is None or given is None:
            return None
        channels = self.specs[step.name].shape[-1]
        epilogue, bias = step.epilogue, np.zeros(channels, np.int32)
        if epilogue and epilogue[0].op.name == "add":
            stored = self._bias(epilogue[0], channels)
            if stored is None:
                return None
            bias, epilogue = stored, epilogue[1:]
        quanta = Quanta.of(epilogue[0]) if epilogue else None
        is_matrix = step.op.name == "matmul"
        numbers = quanta and ratios(given.scale, filter, quanta.scale, is_matrix=is_matrix)
        if quanta is None or numbers is None:
            return None
        multiplier, shift = fixed_points(numbers, channels)
        if not fits_sums(filter.values.size // channels, bias, shift):
            return None
        return _Parts(filter, bias, multiplier, shift, quanta, epilogue[1:])

    def _filter(self, step: Step) -> StoredIntegers | None:
        """Return the integers of the filter of a convolution over images; None without some."""
        found = self._program.integers.get(step.inputs[1]) if len(step.inputs) == 2 else None
        if found is None or found.values.dtype not in (np.int8, np.uint8) or _is_turned(step):
            return None
        x, result = (self.specs[reference] for reference in (step.inputs[0], step.name))
        limits, shape = np.iinfo(found.values.dtype), found.values.shape
        rank = 2 if step.op.name == "matmul" else 4
        is_usual = (
            len(shape) == len(x.shape) == rank
            and shape[rank - 2] == x.shape[-1]
            and (step.op.name != "depthwise_conv2d" or shape[3] == 1)
            and prod(shape[: rank - 2]) <= _MOST_PIXELS
            and len(found.scales) in (1, result.shape[-1])
            and limits.min <= found.zero_point <= limits.max
        )
        return found if is_usual and x.size and result.size else None

    def _bias(self, step: Step, channels: int) -> np.ndarray | None:
        """Return the integers of a bias; None if the step adds something else."""
        others = [reference for reference in step.inputs if reference != HERE]
        stored = self._program.integers.get(others[0]) if len(others) == 1 else None
        if stored is None or stored.values.dtype != np.int32:
            return None
        return stored.values if stored.values.shape == (channels,) else None

    def _add_with_rest(
        self, step: Step, integers: Step, rounding: Quanta, rest: Sequence[Step]
    ) -> None:
        """Add a step of integers and the epilogue after it: sums with integers, others as floats.

        Args:
            step: the step that both replace.
            integers: the step of integers, still without a name.
            rounding: scale and limits of its result.
            rest: the rest of the epilogue.
        """
        if not rest:
            self._give(step.name, rounding, integers)
            return
        between = self._named(f"{step.name}/{len(rest)}", self.specs[step.name])
        self._give(between, rounding, integers)
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
        if step.op.name not in BINARY or quanta is None or len(step.inputs) != 2:
            return False
        shape, size = self.specs[step.name].shape, self.specs[step.name].size
        first, second = (self._operand(reference, shape) for reference in step.inputs)
        if first is None or second is None or not 0 < size <= _MOST_REPEATED:
            return False
        numbers = BINARY[step.op.name](first, second, quanta)
        if numbers is None:
            return False
        both = [self._operand_bytes(reference, shape) for reference in step.inputs]
        inputs = (*both, self._constant(f"{step.name}/numbers", numbers))
        how = {"kind": step.op.name, **quanta.limits}
        self._add_with_rest(step, Step(INTEGER_BINARY, inputs, how), quanta, step.epilogue[1:])
        return True

    def _operand(self, reference: str, shape: Shape) -> Quanta | None:
        """Return how an operand of a shape, or a constant that broadcasts to it, is quantised."""
        stored = self._program.integers.get(reference)
        if stored is None:
            is_whole = self.specs[reference].shape == shape
            return self._quanta.get(reference) if is_whole else None
        if stored.values.dtype not in (np.int8, np.uint8) or len(stored.scales) > 1:
            return None
        limits = np.iinfo(stored.values.dtype)
        scale = float(stored.scales[0])
        return Quanta.between(scale, stored.zero_point, int(limits.min), int(limits.max))

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
        """Add bilinear resizing of int8 to the same scale; LiteRT resizes uint8 by floats."""
        quanta = Quanta.of(step.epilogue[0]) if step.epilogue else None
        if step.op.name != "resize_bilinear" or quanta is None or self.specs[step.name].size == 0:
            return False
        given = self._quanta.get(step.inputs[0])
        shapes = [self.specs[reference].shape for reference in (step.inputs[0], step.name)]
        if given is None or given[:2] != quanta[:2] or not quanta.base or len(shapes[0]) != 4:
            return False
        how = step.attributes
        tables = [
            positions(
                shapes[0][axis], shapes[1][axis], how["align_corners"], how["half_pixel_centers"]
            )
            for axis in (1, 2)
        ]
        x = self._as_bytes(step.inputs[0])
        assert x is not None
        names = [self._constant(f"{step.name}/positions", table) for table in tables]
        made = Step(INTEGER_RESIZE, (x, *names), {"base": quanta.base})
        self._add_with_rest(step, made, quanta, step.epilogue[1:])
        return True

    def _add_mean(self, step: Step) -> bool:
        """Add the mean over images of int8: a depthwise convolution whose taps are 1."""
        rounding = Quanta.of(step.epilogue[0]) if step.epilogue else None
        given = self._quanta.get(step.inputs[0])
        if step.op.name != "mean" or rounding is None or given is None or not given.base:
            return False
        shape = self.specs[step.inputs[0]].shape
        is_whole = len(shape) == 4 and step.attributes["axis"] in ((1, 2), [1, 2])
        pixels, channels = prod(shape[1:3]), shape[-1]
        if not is_whole or not 0 < pixels <= _MOST_PIXELS or not prod(shape):
            return False
        found = mean_numbers(given, rounding, pixels)
        if found is None:
            return False
        multiplier, shift = (np.full(channels, number, np.int32) for number in found)
        x = self._as_bytes(step.inputs[0])
        assert x is not None
        arrays: dict[str, np.ndarray] = {
            "taps": np.ones((*shape[1:3], channels, 1), np.int8),
            "bias": np.zeros(channels, np.int32),
            "multiplier": multiplier,
            "shift": shift,
        }
        constants = (self._constant(f"{step.name}/{name}", a) for name, a in arrays.items())
        how = {**_POINTWISE, "x_zero": given.zero_point, "filter_zero": 0, **rounding.limits}
        made = Step(INTEGER_DEPTHWISE, (x, *constants), how)
        self._add_with_rest(step, made, rounding, step.epilogue[1:])
        return True

    def _add_before_rounding(self, step: Step) -> bool:
        """Add a step of real values up to its first rounding, and what follows that for itself."""
        end = next((i for i, s in enumerate(step.epilogue, 1) if Quanta.of(s)), len(step.epilogue))
        rest = step.epilogue[end:]
        if not rest or rest[0].op.name not in BINARY:
            return False
        name = self._named(f"{step.name}/{len(rest)}", self.specs[step.name])
        self._add_real(step._replace(epilogue=step.epilogue[:end], outputs=(name,)))
        self._add_rest(step, name, rest)
        return True

    def _add_rounding(self, step: Step) -> bool:
        """Add rounding of real values to bytes, where what follows it takes bytes."""
        quanta = Quanta.of(step)
        if quanta is None or not step.epilogue or step.inputs[0] not in self._reals:
            return False
        how = {"scale": quanta.scale, **quanta.limits, "nudge": step.attributes["nudge"]}
        self._add_with_rest(step, Step(TO_BYTES, step.inputs, how), quanta, step.epilogue)
        return True


def _is_turned(step: Step) -> bool:
    """Return whether channels come first, or a matrix is transposed."""
    how = step.attributes
    is_plain = how.get("data_format", "NHWC") == "NHWC"
    return not is_plain or bool(how.get("transpose_a") or how.get("transpose_b"))


def _as_filter(values: np.ndarray) -> np.ndarray:
    """Return a view of a filter, or matrix, as [height, width, in, out]."""
    return values if values.ndim == 4 else values[None, None]


class _Parts(NamedTuple):
    """A product of integers: its numbers, what its result is rounded to, and what follows."""

    filter: StoredIntegers
    bias: np.ndarray
    multiplier: np.ndarray
    shift: np.ndarray
    quanta: Quanta
    rest: Sequence[Step]

"""The steps of networks of integers that compute with integers, whatever these are written as.

Convolutions, depthwise ones and matrix products of quantised values with constants that stand for
integers do, if their result is rounded to quantised values; so do sums, differences and products of
two such values, means over images and bilinear resizing. What they pass on to each other stays
integers. Other steps read and give real values as before, which are exactly those that the integers
stand for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar, NamedTuple

import numpy as np

from core.engine.program import HERE, Program, Step, StoredIntegers, is_alias
from core.engine.specs import Shape, Spec
from core.plan.integer_ops import INTEGER_CONV2D, INTEGER_DEPTHWISE
from core.plan.passes.integer_numbers import (
    BINARY,
    Numbers,
    Quanta,
    fits_sums,
    fixed_points,
    mean_numbers,
    positions,
    ratios,
)
from core.plan.passes.program_passes import is_replaced, without_unread

#: The ops whose products have a form for integers, and that form.
PRODUCTS = {
    "conv2d": INTEGER_CONV2D,
    "depthwise_conv2d": INTEGER_DEPTHWISE,
    "matmul": INTEGER_CONV2D,
}

#: Attributes of the product of rows with a matrix as a convolution.
POINTWISE = {
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


class Rewriting(ABC):
    """The steps so far, and in which form each value is there: real, as integers, or both.

    Which steps compute with integers is decided here; how they are written is a form's own.

    Attributes:
        steps: the new steps.
        constants: of the new program.
        specs: likewise.
        is_of_use: whether a product is one of integers.
    """

    #: Dtype of integers, and what their names end in.
    dtype: ClassVar[str]
    ending: ClassVar[str]

    def __init__(self, program: Program):
        self._program = program
        self.steps: list[Step] = []
        self.constants, self.specs = dict(program.constants), dict(program.specs)
        self.is_of_use = False
        self._quanta: dict[str, Quanta] = {}
        self._integers: dict[str, str] = {}
        self._reals = {*program.inputs, *program.constants}
        for reference, how in program.quantised.items():
            quanta = Quanta.between(how.scale, how.zero_point, *how.limits)
            if quanta is not None:
                self._quanta[reference] = quanta

    @abstractmethod
    def to_integers(self, x: str, quanta: Quanta, nudge: bool) -> Step:
        """Return the step that rounds real values, like all of these without outputs."""

    @abstractmethod
    def to_real(self, x: str, quanta: Quanta) -> Step:
        """Return the step that gives the real values of integers."""

    @abstractmethod
    def constant_integers(self, reference: str, how: Quanta, shape: Shape) -> str:
        """Return the reference to the integers of a constant, for a result of a shape."""

    @abstractmethod
    def product(self, step: Step, x: str, parts: "Parts") -> Step:
        """Return the sums of products of integers with a filter, rounded."""

    @abstractmethod
    def binary(self, step: Step, both: list[str], numbers: np.ndarray, quanta: Quanta) -> Step:
        """Return the sum, difference or product of two values, rounded."""

    @abstractmethod
    def resize(self, step: Step, x: str, tables: Sequence[np.ndarray], how: Quanta) -> Step | None:
        """Return the resizing of images by `positions`, None without a form."""

    @abstractmethod
    def mean(self, step: Step, x: str, given: Quanta, numbers: Numbers, how: Quanta) -> Step:
        """Return the mean over images, given multiplier and shift of each channel."""

    def result(self) -> Program:
        """Return the rewritten program; the program itself where no product is one of integers."""
        program = self._program
        if not program.integers:
            return program
        for step in program.steps:
            self.add(step)
        outputs = tuple(self.real(reference) for reference in program.outputs)
        rewritten = program._replace(
            steps=tuple(self.steps), constants=self.constants, specs=self.specs, outputs=outputs
        )
        return without_unread(rewritten) if self.is_of_use else program

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
            made = self.to_real(self._integers[reference], self._quanta[reference])
            self.steps.append(made._replace(outputs=(reference,)))
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

    def _as_integers(self, reference: str) -> str:
        """Return the reference to the integers of a quantised value."""
        quanta = self._quanta[reference]
        if reference not in self._integers:
            self._give(reference, quanta, self.to_integers(reference, quanta, nudge=True))
        return self._integers[reference]

    def _give(self, reference: str, quanta: Quanta, step: Step) -> None:
        """Add a step whose results are the integers of a value."""
        spec = Spec(self.specs[reference].shape, self.dtype)
        name = self._named(f"{reference}/{self.ending}", spec)
        self.steps.append(step._replace(outputs=(name,)))
        self._integers[reference], self._quanta[reference] = name, quanta

    def _named(self, name: str, spec: Spec) -> str:
        while name in self.specs:
            name += "_"
        self.specs[name] = spec
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        """Add a constant, and return its reference."""
        name = self._named(name, Spec(array.shape, str(array.dtype)))
        self.constants[name] = array
        return name

    def _add_view(self, step: Step) -> bool:
        """Add a view of integers; return whether that is what the step is."""
        if not is_alias(step, self._program) or step.epilogue:
            return False
        (x,) = step.inputs
        if x in self._reals or x not in self._integers:
            return False
        self._give(step.name, self._quanta[x], step._replace(inputs=(self._integers[x],)))
        return True

    def _add_product(self, step: Step) -> bool:
        """Add a convolution with integers; return False for other steps."""
        parts = self._parts(step) if step.op.name in PRODUCTS else None
        if parts is None:
            return False
        made = self.product(step, self._as_integers(step.inputs[0]), parts)
        self._add_with_rest(step, made, parts.quanta, parts.rest)
        self.is_of_use = True
        return True

    def _parts(self, step: Step) -> "Parts | None":
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
        points = fixed_points(numbers, channels)
        if not fits_sums(filter.values.size // channels, bias, points.shift):
            return None
        return Parts(given, filter, bias, points, quanta, epilogue[1:])

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
        both = [
            self.constant_integers(reference, how, shape)
            if reference in self._program.integers
            else self._as_integers(reference)
            for reference, how in zip(step.inputs, (first, second), strict=True)
        ]
        made = self.binary(step, both, numbers, quanta)
        self._add_with_rest(step, made, quanta, step.epilogue[1:])
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
        made = self.resize(step, self._as_integers(step.inputs[0]), tables, quanta)
        if made is None:
            return False
        self._add_with_rest(step, made, quanta, step.epilogue[1:])
        return True

    def _add_mean(self, step: Step) -> bool:
        """Add the mean over images of int8."""
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
        numbers = Numbers(*(np.full(channels, number, np.int32) for number in found))
        made = self.mean(step, self._as_integers(step.inputs[0]), given, numbers, rounding)
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
        """Add rounding of real values, where what follows it takes integers."""
        quanta = Quanta.of(step)
        if quanta is None or not step.epilogue or step.inputs[0] not in self._reals:
            return False
        made = self.to_integers(step.inputs[0], quanta, step.attributes["nudge"])
        self._add_with_rest(step, made, quanta, step.epilogue)
        return True


def _is_turned(step: Step) -> bool:
    """Return whether channels come first, or a matrix is transposed."""
    how = step.attributes
    is_plain = how.get("data_format", "NHWC") == "NHWC"
    return not is_plain or bool(how.get("transpose_a") or how.get("transpose_b"))


class Parts(NamedTuple):
    """A product of integers: its numbers, what its result is rounded to, and what follows."""

    given: Quanta
    filter: StoredIntegers
    bias: np.ndarray
    numbers: Numbers
    quanta: Quanta
    rest: Sequence[Step]


def as_filter(values: np.ndarray) -> np.ndarray:
    """Return a view of a filter, or matrix, as [height, width, in, out]."""
    return values if values.ndim == 4 else values[None, None]


def windows_of(step: Step) -> dict[str, object]:
    """Return the attributes of a convolution, or of a product of matrices as one."""
    return {**(POINTWISE if step.op.name == "matmul" else step.attributes)}

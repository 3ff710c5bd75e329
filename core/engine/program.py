"""Programs, the form that plans are made of: steps in execution order, for known shapes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.engine.specs import Spec

if TYPE_CHECKING:
    from core.engine.operation import Op

#: Input of a step of an epilogue that is the result of the step before it.
HERE = "."

#: Input of a step that is optional and absent.
ABSENT = ""


class Quantization(NamedTuple):
    """The real values of a quantised tensor: ``(integer - zero_point) * scale``."""

    scale: float
    zero_point: int
    dtype: str  # "uint8", "int8" or "int16"

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest quantized value."""
        limits = np.iinfo(self.dtype)
        return int(limits.min), int(limits.max)


class StoredIntegers(NamedTuple):
    """The integers that a constant of real values stands for.

    Attributes:
        values: the integers, of the shape of the constant: it is ``(values - zero_point) * scale``.
        scales: float32 [1] or [channels]: one number, or one for each channel of a result.
        zero_point: the integer of 0; of several scales 0.
        real: the constant itself: where another array has taken its place, they say nothing.
    """

    values: np.ndarray
    scales: np.ndarray
    zero_point: int
    real: np.ndarray


class Step(NamedTuple):
    """One op for known shapes.

    Attributes:
        op: the op.
        inputs: references to values, in the order of the op's inputs; `ABSENT` for an absent
            optional input; the members of a list follow one another.
        attributes: all attributes of the op.
        epilogue: element-wise steps, fused into this one, which are applied in order to its first
            result; in these `HERE` refers to the result of the previous step.
        outputs: references to the results; the first is that of the last step of the epilogue.
    """

    op: "Op"
    inputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    epilogue: "tuple[Step, ...]" = ()
    outputs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The reference to the first result."""
        return self.outputs[0]

    def reads(self) -> Iterator[str]:
        """Yield the references that the step and its epilogue need, in order; some repeatedly."""
        for inputs in (self.inputs, *(e.inputs for e in self.epilogue)):
            yield from (i for i in inputs if i not in (ABSENT, HERE))

    def arguments(self, values: Sequence[Any]) -> list[Any]:
        """Return values of the inputs as a kernel of the op takes them, absent ones as None."""
        if self.op.list_inputs:
            return [[*values]]
        return [*values, *(None,) * (self.op.count - len(values))]

    def with_reads(self, links: Mapping[str, str]) -> "Step":
        """Return the step with some references replaced, in its epilogue, too."""
        if not any(reference in links for reference in self.reads()):
            return self
        inputs = tuple(links.get(reference, reference) for reference in self.inputs)
        epilogue = tuple(e.with_reads(links) for e in self.epilogue)
        return self._replace(inputs=inputs, epilogue=epilogue)


class Program(NamedTuple):
    """Steps for known shapes, each after those that it needs.

    Attributes:
        steps: in execution order.
        constants: arrays by reference; nobody writes to them.
        specs: shape and dtype of every input, constant and result, by reference.
        inputs: references to the inputs.
        outputs: references to the outputs; also inputs and constants, and one several times.
        updates: pairs of the number of an input and that of an output, of equal specs: a run may
            write the output over the input.
        repeats: number of an output of one bool, for loops: while it is true, the steps run again
            with the outputs of ``updates`` as inputs; a run gives the last outputs.
        integers: what constants stand for in networks of integers, by reference.
        quantised: of inputs that are given as integers, by reference: what these stand for.
    """

    steps: tuple[Step, ...]
    constants: Mapping[str, np.ndarray]
    specs: Mapping[str, Spec]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    updates: tuple[tuple[int, int], ...] = ()
    repeats: int | None = None
    integers: Mapping[str, StoredIntegers] = {}
    quantised: Mapping[str, Quantization] = {}


def use_counts(steps: Iterable[Step], outputs: Iterable[str]) -> dict[str, int]:
    """Return how often steps and outputs need each reference."""
    counts: dict[str, int] = {}
    for reference in (*(r for step in steps for r in step.reads()), *outputs):
        counts[reference] = counts.get(reference, 0) + 1
    return counts


def multiply_adds(step: Step, specs: Mapping[str, Spec]) -> int:
    """Return the number of multiply-adds of a step; 0 for ops that are no sums of products."""
    from core.engine.op_cost import multiply_adds as counted

    inputs = [specs[r] for r in step.inputs[:2] if r != ABSENT]
    return counted(step.op.name, inputs, step.attributes, specs[step.name])


def work_of(program: "Program") -> int:
    """Return the number of values and multiply-adds of a run, without repeats."""
    specs = program.specs
    return sum(specs[step.name].size + multiply_adds(step, specs) for step in program.steps)


def is_alias(step: Step, program: Program) -> bool:
    """Return whether the result of a step shares its input's data."""
    if not step.op.traits.view:
        return False
    return program.specs[step.inputs[0]].dtype == program.specs[step.name].dtype


def owners_of(program: Program) -> dict[str, str]:
    """Return for each value the value that owns its data: itself, unless it is a view."""
    owners = {r: r for r in (*program.inputs, *program.constants)}
    for step in program.steps:
        owners.update(zip(step.outputs, step.outputs, strict=True))
        if is_alias(step, program):
            owners[step.name] = owners[step.inputs[0]]
    return owners

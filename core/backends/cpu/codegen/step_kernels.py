"""Kernels: the code generated for a step, and how a step becomes a kernel."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from core.backends.cpu.codegen import for_op
from core.backends.cpu.codegen.ir.epilogue import CHANNEL, FULL, HERE, SCALAR, Fused, Operand
from core.backends.cpu.codegen.ir.formulas import FORMULAS
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.kernel_text import KernelText
from core.backends.cpu.codegen.packed_weights import Layout, PackedWeights, packed_weights
from core.engine.backends import REPLACED
from core.engine.operation import Op
from core.engine.program import HERE as RESULT
from core.engine.program import Program, Step
from core.engine.specs import Spec


class Temporary(NamedTuple):
    """Memory through which one kernel of a step passes values to the next: its number."""

    number: int


#: An argument of a kernel: a value of the plan, by reference, or an array that the plan keeps.
Argument = str | np.ndarray | PackedWeights | Temporary

#: Smallest work of a task, in multiply-adds of a tile: some 10 microseconds.
LEAST_WORK = 1_000_000

#: Tasks of one kernel: some more than threads, so that no thread waits long for the last one.
MOST_TASKS = 8


class Kernel(Protocol):
    """A frozen data class whose fields decide the text of a kernel, every one of them.

    Its ``repr`` is part of the key under which code is cached.
    """

    @property
    def title(self) -> str:
        """Name of the kind of kernel, in reports."""

    @property
    def tasks(self) -> int:
        """Number of tasks, which do not depend on each other."""

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that a task needs for itself."""

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""


#: A kernel and its arguments.
Bound = tuple[Kernel, tuple[Argument, ...]]


class Generated(NamedTuple):
    """A step as kernels that run one after the other.

    Attributes:
        kernels: the kernels, each with its arguments.
        packed_bytes: bytes of weights kept in another form.
        absorbs: whether the kernels compute the step before, too.
        temporaries: float32 values of each `Temporary`.
        in_place: whether every value is read before a result is written at its index.
    """

    kernels: tuple[Bound, ...]
    packed_bytes: int = 0
    absorbs: bool = False
    temporaries: tuple[int, ...] = ()
    in_place: bool = False

    @property
    def title(self) -> str:
        """Return the names of the kernels, for reports."""
        return ", ".join(dict.fromkeys(kernel.title for kernel, _ in self.kernels))


class GeneratedCall:
    """A step for which kernels are to be generated.

    Args:
        step: the step.
        program: its program.
        isa: what the kernels are generated for.
        before: the step that computes the first input, if no other step reads that.
    """

    def __init__(
        self, step: Step, program: Program, isa: InstructionSet, before: Step | None = None
    ):
        self.step, self.program, self.isa, self.before = step, program, isa, before
        self.packed_bytes = 0
        self._first: list[Bound] = []
        self._temporaries: list[int] = []

    def spec(self, reference: str) -> Spec:
        """Return the shape and dtype of a value."""
        return self.program.specs[reference]

    @property
    def result(self) -> Spec:
        """Return the shape and dtype of the (first) result."""
        return self.program.specs[self.step.name]

    def constant(self, reference: str) -> np.ndarray | None:
        """Return the array of a constant, or None."""
        return self.program.constants.get(reference)

    def has_floats(self, *references: str) -> bool:
        """Return whether values, and the result, are float32, and none is empty."""
        specs = [self.result, *map(self.spec, references)]
        return all(spec.dtype == "float32" and spec.size for spec in specs)

    def packed(self, array: np.ndarray) -> np.ndarray:
        """Return an array that the plan keeps for kernels, contiguous, and count its bytes."""
        array = np.ascontiguousarray(array)
        self.packed_bytes += array.nbytes
        return array

    def weights(self, array: np.ndarray, layout: Layout) -> PackedWeights:
        """Return weights in the form that kernels read, which plans of other shapes share."""
        found = packed_weights(array, layout)
        self.packed_bytes += found.bytes
        return found

    def temporary(self, values: int) -> Temporary:
        """Return memory for some float32 values."""
        self._temporaries.append(values)
        return Temporary(len(self._temporaries) - 1)

    def run_first(self, kernel: Kernel, *arguments: Argument) -> None:
        """Add a kernel that runs before those of `generated`."""
        self._first.append((kernel, arguments))

    def generated(self, *kernels: Bound, absorbs: bool = False) -> Generated:
        """Return the step as kernels."""
        temporaries = tuple(self._temporaries)
        return Generated((*self._first, *kernels), self.packed_bytes, absorbs, temporaries)

    def fused(
        self,
        arguments: list[Argument],
        steps: Sequence[Step] | None = None,
        result: Spec | None = None,
    ) -> tuple[Fused, ...] | None:
        """Return element-wise steps in a kernel's epilogue; None if one has no formula.

        Args:
            arguments: of the kernel; operands are added.
            steps: the steps; by default those of the epilogue.
            result: what they are applied to; by default the result of the step.
        """
        made = []
        result = self.result if result is None else result
        for step in self.step.epilogue if steps is None else steps:
            operands = [self._operand(r, arguments, result) for r in step.inputs]
            if step.op.name not in FORMULAS or (step.op.name, "cpu") in REPLACED:
                return None
            known = tuple(sorted(step.attributes.items()))
            found = tuple(o for o in operands if o is not None)
            if len(found) < len(operands):
                return None
            made.append(Fused(step.op.name, found, known))
        return tuple(made)

    def _operand(self, reference: str, arguments: list[Argument], result: Spec) -> Operand | None:
        """Return an operand that kernels can read, after it is added to the arguments."""
        if reference == RESULT:
            return Operand(HERE)
        own = self.spec(reference)
        if own.dtype != "float32":
            return None
        if own.size == 1:
            kind = SCALAR
        elif own.shape == result.shape:
            kind = FULL
        elif own.size == result.shape[-1] == own.shape[-1]:
            kind = CHANNEL
        else:
            return None
        arguments.append(reference)
        return Operand(kind, len(arguments) - 1)


Generator = Callable[[GeneratedCall], Generated | None]
Function = TypeVar("Function", bound=Generator)

_GENERATORS: dict[str, Generator] = {}


def generates(*ops: str) -> Callable[[Function], Function]:
    """Register the decorated function as generator of kernels for ops; None declines a step."""

    def register(function: Function) -> Function:
        _GENERATORS.update(dict.fromkeys(ops, function))
        return function

    return register


def find_generator(op: Op) -> Generator | None:
    """Return the generator of an op's kernels; None without one, or if a user replaced it."""
    if (op.name, "cpu") in REPLACED:
        return None
    return _generators().get("elementwise" if op.traits.elementwise else op.name)


@cache
def _generators() -> Mapping[str, Generator]:
    """Return all generators, which the files of `codegen.for_op` register."""
    for module in iter_modules(for_op.__path__):
        import_module(f"{for_op.__name__}.{module.name}")
    return _GENERATORS


def task_count(multiply_adds: int, most: int) -> int:
    """Return the number of tasks that work is split into."""
    return max(1, min(MOST_TASKS, most, multiply_adds // LEAST_WORK))

"""A program as one WebAssembly module: its kernels, and a function that calls them in order.

The memory has, from the bottom: a page that nothing uses, so that an address of 0 is none; the
tables of the kernels' arguments; the memory that a kernel needs for itself; the data of the code;
the constants, which are the file of weights; the arena; the stack.

Constants are apart from the module, in the layout that kernels read: to load them is one copy, with
no code that packs and no second memory, and numbers of 8 or 16 bits can be widened value by value
whatever their order.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.generated_program import GeneratedProgram, arrays_of
from core.backends.cpu.codegen.ir.kernel_text import POINTER
from core.backends.cpu.codegen.program_storing import Constants, ends_of
from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, Scratch, Views, Work
from core.backends.cpu.numpy_steps.workspaces import Workspace
from core.engine.program import Program, Step, is_alias
from core.errors import CoreError
from core.plan.passes.integers_as_bytes import with_bytes
from core.wasm.binary.writer import write_module
from core.wasm.module import Data, Module, instruction
from core.wasm.plans.compiler import WASM, object_of
from core.wasm.plans.object_linker import Placement, data_bytes, link, without_unused_types

#: The first address in use. Kernels may point before an image, where no sum may wrap.
_FIRST = 1 << 16

_ALIGNMENT, _STACK = 64, 1 << 14


class ModuleValue(NamedTuple):
    """An input or output: its address in the memory of the module."""

    shape: tuple[int, ...]
    dtype: str
    address: int


class ProgramModule(NamedTuple):
    """A program as a module.

    Attributes:
        module: the module; it exports ``memory`` and ``run``.
        weights: the constants, to be copied to ``weights_address`` before the first run.
        weights_address: where they go.
        inputs: each input that is read, by its number.
        outputs: each output.
    """

    module: Module
    weights: bytes
    weights_address: int
    inputs: Mapping[int, ModuleValue]
    outputs: Sequence[ModuleValue]

    def binary(self) -> bytes:
        """Return the module as a file."""
        return write_module(self.module)

    def layout(self) -> str:
        """Return where everything lies, as JSON for the host."""
        inputs = {str(number): value._asdict() for number, value in self.inputs.items()}
        outputs = [value._asdict() for value in self.outputs]
        return json.dumps({"weights": self.weights_address, "inputs": inputs, "outputs": outputs})


def compile_module(program: Program) -> ProgramModule:
    """Return a program as a module.

    Raises:
        CoreError: there is no kernel for some step; the error names it.
    """
    generated = GeneratedProgram(with_bytes(program), WASM)
    _check(generated)
    executable = CpuExecutable(generated.program, _Kernels(generated))
    return _Assembly(generated, executable.new_workspace()).module()


def _check(generated: GeneratedProgram) -> None:
    """Raise for steps without a kernel."""
    program = generated.program
    if program.repeats is not None or program.updates:
        raise CoreError("a loop, or a program that writes to its inputs, is no module yet")
    absorbed = {step.name for steps in generated.absorbed.values() for step in steps}
    missing = [
        f"{step.name!r} ({_ops(step)})"
        for step in program.steps
        if not is_alias(step, program)
        and step.name not in absorbed
        and generated.generated(step.name) is None
    ]
    if missing:
        raise CoreError(f"no kernel for WebAssembly has been written for node {', '.join(missing)}")


def _ops(step: Step) -> str:
    return " + ".join(each.op.name for each in (step, *step.epilogue))


@dataclass(frozen=True, eq=False)
class _Call:
    """A call of a kernel, as a work of an executable; it is compiled, never run here."""

    name: str
    arguments: Sequence[np.ndarray]
    tasks: int

    def __call__(self) -> None:
        raise NotImplementedError


class _Kernels:
    """The kernels of a program as `CpuExecutable` takes them, to find where each value lies."""

    scratch_bytes = 0  # of one thread, which lies behind the arena

    def __init__(self, program: GeneratedProgram):
        self._program = program
        self.absorbed: Mapping[str, tuple[Step, ...]] = program.absorbed
        self.packed_bytes = program.packed_bytes

    def lowered(self, name: str) -> Lowered | None:
        """Return calls for the step that computes a value."""
        generated = self._program.generated(name)
        if generated is None:
            return None

        def bind(views: Views) -> list[Work]:
            works: list[Work] = []
            for kernel, arguments in generated.kernels:
                name = self._program.name_of(kernel)
                works.append(_Call(name, arrays_of(arguments, views), kernel.tasks))
            return works

        scratch = tuple(Scratch((values,)) for values in generated.temporaries)
        return Lowered(generated.title, bind, scratch, generated.in_place)

    def are_native(self, works: Sequence[Work]) -> bool:
        """Return whether all calls are of generated kernels."""
        return True

    def joined(self, steps: Sequence[Sequence[Work]]) -> tuple[list[Work], list[int]]:
        """Return the calls of all steps, and how many there are up to the end of each."""
        ends = np.cumsum([len(step) for step in steps]).tolist()
        return [work for step in steps for work in step], ends

    def stored(
        self,
        arena: np.ndarray,
        works: Sequence[Work],
        inputs: Sequence[tuple[int, np.ndarray]],
        outputs: Sequence[np.ndarray],
    ) -> bytes | None:
        """Return None: modules are kept by those who publish them."""
        return None

    def listing(self) -> str:
        """Return the text of the kernels: LLVM IR."""
        return self._program.listing()


class _Assembly:
    """Places everything in the memory of a module, and compiles it.

    Args:
        program: the kernels.
        space: the memory of a run, and the calls that are bound to it.
    """

    def __init__(self, program: GeneratedProgram, space: Workspace):
        self._program, self._arena = program, space.arena
        self._begin = space.arena.ctypes.data
        self._constants = Constants()
        calls = [work for work in space.works if isinstance(work, _Call)]
        for call in calls:
            for array in call.arguments:
                self._constant_offset(array)
        self._tables = _FIRST
        self._table_bytes = sum(POINTER * len(call.arguments) for call in calls)
        self._calls, self._space = calls, space

    def module(self) -> ProgramModule:
        """Return the module."""
        weights = self._constants.data().tobytes()
        scratch = _aligned(self._tables + self._table_bytes)
        data = _aligned(scratch + self._program.scratch_bytes)
        code = object_of(f"{self._program.listing()}\n{self._run_text(scratch)}")
        self._weights = _aligned(data + data_bytes(code))
        self._first = _aligned(self._weights + len(weights))
        stack = _aligned(self._first + self._arena.nbytes) + _STACK
        module = without_unused_types(link(code, Placement(data, stack, stack), ("run",)))
        table = Data(self._table(), (instruction("i32.const", self._tables),))
        module = replace(module, data=(table, *module.data))
        inputs = {number: self._value(array) for number, array in self._space.inputs}
        outputs = [self._value(array) for array in self._space.outputs]
        return ProgramModule(module, weights, self._weights, inputs, outputs)

    def _run_text(self, scratch: int) -> str:
        """Return the function that calls all kernels, as LLVM IR."""
        lines, at = [], self._tables
        for number, call in enumerate(self._calls):
            arguments = f"ptr inttoptr (i32 {at} to ptr)"
            memory = f"ptr inttoptr (i32 {scratch} to ptr)"
            at += POINTER * len(call.arguments)
            lines += _call_lines(number, call, arguments, memory)
        return "\n".join(("define void @run() nounwind {", *lines, "  ret void", "}", ""))

    def _table(self) -> bytes:
        """Return the addresses of all arguments."""
        addresses = [self._address(a) for call in self._calls for a in call.arguments]
        return np.array(addresses, np.int64).tobytes()

    def _value(self, array: np.ndarray) -> ModuleValue:
        return ModuleValue(array.shape, array.dtype.name, self._address(array))

    def _address(self, array: np.ndarray) -> int:
        offset = self._constant_offset(array)
        if offset is None:
            return self._first + array.ctypes.data - self._begin
        return self._weights + offset

    def _constant_offset(self, array: np.ndarray) -> int | None:
        """Return the offset of an array in the constants; None if it is in the arena."""
        low, high = ends_of(array)
        if self._begin <= low and high <= self._begin + self._arena.nbytes:
            return None
        return self._constants.offset_of(array, low, high)


def _aligned(address: int) -> int:
    return -(-address // _ALIGNMENT) * _ALIGNMENT


def _call_lines(number: int, call: _Call, arguments: str, memory: str) -> list[str]:
    """Return the lines that call a kernel for each of its tasks."""
    head = f"call void @{call.name}({arguments}, i64"
    if call.tasks == 1:
        return [f"  {head} 0, {memory})"]
    index, again, over = f"%i{number}", f"%n{number}", f"%d{number}"
    return [
        f"  br label %before{number}",
        f"before{number}:",
        f"  br label %tasks{number}",
        f"tasks{number}:",
        f"  {index} = phi i64 [0, %before{number}], [{again}, %tasks{number}]",
        f"  {head} {index}, {memory})",
        f"  {again} = add i64 {index}, 1",
        f"  {over} = icmp eq i64 {again}, {call.tasks}",
        f"  br i1 {over}, label %after{number}, label %tasks{number}",
        f"after{number}:",
    ]

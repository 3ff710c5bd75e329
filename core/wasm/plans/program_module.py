"""Programs as one WebAssembly module: their kernels, and for each a function that calls them.

The memory has, from the bottom: a page that nothing uses, so that no value has address 0; the
tables of the kernels' arguments; the memory that a kernel needs for itself; the data of the code;
the constants, which are the file of weights; the arena, which the programs share; the stack.

Constants are apart from the module, in the layout that kernels read: to load them is one copy, with
no code that packs and no second memory, and numbers of 8 or 16 bits can be widened value by value
whatever their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.generated_program import GeneratedProgram, arrays_of
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.kernel_text import POINTER
from core.backends.cpu.codegen.ir.module_text import kernel_name, module_text
from core.backends.cpu.codegen.program_storing import Constants, ends_of
from core.backends.cpu.codegen.step_kernels import Kernel
from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, Scratch, Views, Work
from core.backends.cpu.numpy_steps.workspaces import Workspace
from core.engine.program import Program, Step, is_alias
from core.errors import CoreError
from core.plan.passes.integers_as_bytes import with_bytes
from core.plan.plan import Plan
from core.wasm.binary.writer import write_module
from core.wasm.module import Data, Module, instruction
from core.wasm.plans.compiler import RELAXED_WASM, WASM, object_of
from core.wasm.plans.object_linker import Placement, data_bytes, link, without_unused_types

#: The first address in use. Kernels may point before an image, where no sum may wrap.
_FIRST = 1 << 16

_ALIGNMENT, _STACK = 64, 1 << 14


class ModuleValue(NamedTuple):
    """An input or output: its address in the memory of the module."""

    shape: tuple[int, ...]
    dtype: str
    address: int


class ModuleFunction(NamedTuple):
    """The function of a program.

    Attributes:
        inputs: the inputs that it reads, by name.
        outputs: each output by name; it lies there until a function is called again.
    """

    inputs: Mapping[str, ModuleValue]
    outputs: Mapping[str, ModuleValue]


class ModuleConstant(NamedTuple):
    """Numbers of one dtype that lie together in the weights, from an offset in bytes on."""

    offset: int
    dtype: str
    length: int


class ProgramModule(NamedTuple):
    """Programs as a module.

    Attributes:
        module: the module; it exports ``memory``, and each program's function by its name.
        weights: the constants, to be copied to ``weights_address`` before the first call.
        weights_address: where they go.
        functions: where each function reads and writes.
        constants: which numbers lie where in the weights, by their offsets; between are zeros.
    """

    module: Module
    weights: bytes
    weights_address: int
    functions: Mapping[str, ModuleFunction]
    constants: Sequence[ModuleConstant]

    def binary(self) -> bytes:
        """Return the module as a file."""
        return write_module(self.module)


def compile_plans(plans: Mapping[str, Plan], *, relaxed: bool = False) -> ProgramModule:
    """Return plans as one module; names of inputs and outputs are those of the plans.

    Args:
        plans: at least one plan, by the name of its function.
        relaxed: use the fused multiply-add of relaxed SIMD, which engines have since 2023 to 2025,
            and which makes most networks 1.5 times as fast; weights are the same.

    Raises:
        CoreError: there is no kernel for some step; the error names it.
    """
    programs = {name: plan.program for name, plan in plans.items()}
    made = compile_module(programs, RELAXED_WASM if relaxed else WASM)
    functions = {}
    for name, plan in plans.items():
        program, function = plan.program, made.functions[name]
        inputs = zip(plan.inputs, program.inputs, strict=True)
        outputs = zip(plan.outputs, program.outputs, strict=True)
        functions[name] = ModuleFunction(
            {own: function.inputs[one] for own, one in inputs if one in function.inputs},
            {own: function.outputs[one] for own, one in outputs},
        )
    return made._replace(functions=functions)


def compile_module(programs: Mapping[str, Program], isa: InstructionSet = WASM) -> ProgramModule:
    """Return programs as one module, in which equal kernels are once; references are the names.

    Args:
        programs: at least one program, by the name of its function.
        isa: `WASM` or `RELAXED_WASM`.

    Raises:
        CoreError: there is no kernel for some step; the error names it.
    """
    assert programs
    generated = {
        name: GeneratedProgram(with_bytes(program), isa) for name, program in programs.items()
    }
    for program in generated.values():
        _check(program)
    kernels = dict.fromkeys(k for program in generated.values() for k in program.kernels)
    names = {kernel: kernel_name(number) for number, kernel in enumerate(kernels)}
    spaces = {
        name: CpuExecutable(program.program, _Kernels(program, names)).new_workspace()
        for name, program in generated.items()
    }
    functions = [_Function(name, generated[name].program, space) for name, space in spaces.items()]
    return _Assembly(names, functions, isa).module()


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
    """The kernels of a program as `CpuExecutable` takes them, to find where each value lies.

    Args:
        program: the kernels.
        names: names of their functions in the module.
    """

    scratch_bytes = 0  # of one thread, which has a place of its own in the module

    def __init__(self, program: GeneratedProgram, names: Mapping[Kernel, str]):
        self._program, self._names = program, names
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
                call = _Call(self._names[kernel], arrays_of(arguments, views), kernel.tasks)
                works.append(call)
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
        names: the kernels with the names of their functions.
        functions: the functions of the programs.
        isa: what kernels are generated for.
    """

    def __init__(
        self, names: Mapping[Kernel, str], functions: Sequence["_Function"], isa: InstructionSet
    ):
        self._isa = isa
        self._kernels = {name: kernel for kernel, name in names.items()}
        self._functions = functions
        self._constants = Constants()
        for function in self._functions:
            for array in function.arguments:
                function.constant_offset(array, self._constants)

    def module(self) -> ProgramModule:
        """Return the module."""
        weights = self._constants.data().tobytes()
        scratch = _FIRST
        for function in self._functions:
            function.table, scratch = scratch, scratch + POINTER * len(function.arguments)
        scratch = _aligned(scratch)
        data = _aligned(scratch + max(kernel.scratch_bytes for kernel in self._kernels.values()))
        texts = [f.text(number, scratch) for number, f in enumerate(self._functions)]
        code = object_of("\n".join((module_text(self._kernels, self._isa), *texts)), self._isa)
        start = _aligned(data + data_bytes(code))
        arena = _aligned(start + len(weights))
        arena_bytes = max(f.space.arena.nbytes for f in self._functions)
        stack = _aligned(arena + arena_bytes) + _STACK
        exports = {function.name: _symbol(n) for n, function in enumerate(self._functions)}
        module = without_unused_types(link(code, Placement(data, stack, stack), exports))
        tables = [f.data(start, arena, self._constants) for f in self._functions]
        module = replace(module, data=(*tables, *module.data))
        functions = {f.name: f.values(arena) for f in self._functions}
        constants = [ModuleConstant(*piece) for piece in self._constants.pieces()]
        return ProgramModule(module, weights, start, functions, constants)


class _Function:
    """The function of one program: its calls, and where their arguments lie.

    Args:
        name: under which the module exports it.
        program: the program.
        space: the memory of a run, and the calls bound to it.
    """

    table = _FIRST  # address of the addresses of all arguments

    def __init__(self, name: str, program: Program, space: Workspace):
        self.name, self.space, self._program = name, space, program
        self._begin = space.arena.ctypes.data
        self._calls = [work for work in space.works if isinstance(work, _Call)]
        self.arguments = [array for call in self._calls for array in call.arguments]

    def text(self, number: int, scratch: int) -> str:
        """Return the function, which calls all kernels, as LLVM IR."""
        lines, at = [], self.table
        memory = f"ptr inttoptr (i32 {scratch} to ptr)"
        for index, call in enumerate(self._calls):
            lines += _call_lines(index, call, f"ptr inttoptr (i32 {at} to ptr)", memory)
            at += POINTER * len(call.arguments)
        head = f"define void @{_symbol(number)}() nounwind {{"
        return "\n".join((head, *lines, "  ret void", "}", ""))

    def data(self, weights: int, arena: int, constants: Constants) -> Data:
        """Return the addresses of all arguments, from the addresses of weights and arena on."""
        addresses = []
        for array in self.arguments:
            offset = self.constant_offset(array, constants)
            addresses.append(self._in_arena(array, arena) if offset is None else weights + offset)
        content = np.array(addresses, np.int64).tobytes()
        return Data(content, (instruction("i32.const", self.table),))

    def values(self, arena: int) -> ModuleFunction:
        """Return where the inputs and outputs lie."""
        names, outputs = self._program.inputs, self._program.outputs
        return ModuleFunction(
            {names[number]: self._value(array, arena) for number, array in self.space.inputs},
            {
                name: self._value(array, arena)
                for name, array in zip(outputs, self.space.outputs, strict=True)
            },
        )

    def constant_offset(self, array: np.ndarray, constants: Constants) -> int | None:
        """Return the offset of an array in the constants; None if it is in the arena."""
        low, high = ends_of(array)
        if self._begin <= low and high <= self._begin + self.space.arena.nbytes:
            return None
        return constants.offset_of(array, low, high)

    def _value(self, array: np.ndarray, arena: int) -> ModuleValue:
        return ModuleValue(array.shape, array.dtype.name, self._in_arena(array, arena))

    def _in_arena(self, array: np.ndarray, arena: int) -> int:
        return arena + int(array.ctypes.data) - self._begin


def _symbol(number: int) -> str:
    """Return the name of a program's function in the object file."""
    return f"program{number}"


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

"""The generated kernels of a program, and their machine code."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from core.backends.cpu.codegen.grouping import find_groups, generate_group, readers_of
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.module_text import kernel_name, module_text
from core.backends.cpu.codegen.machine_code.kernel_code import (
    MachineCode,
    cached_code,
    compile_code,
    name_of,
)
from core.backends.cpu.codegen.packed_weights import PackedWeights
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    Kernel,
    Temporary,
    find_generator,
)
from core.backends.cpu.codegen.team.native_calls import NativeCall, NativeRun, joined
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, Scratch, Views, Work
from core.backends.cpu.single_runs import SECONDS_EACH, note_missing
from core.engine.program import ABSENT, Program, Step, is_alias, use_counts, work_of
from core.process.code_cache import is_usable

#: Says at level INFO that the caller waits for the compiler; the record has the ``seconds``.
LOGGER = logging.getLogger("core.compiling")

#: Smallest work of a run that threads share also where they are to be spared, in values and
#: multiply-adds: some 2 milliseconds. Measured with two threads, milliseconds that the caller gains
#: and that are burned more: networks of 32 M 0.12 and 0.29, of 37 M 0.18 and 0.34, of 64 M 0.45 and
#: 0.63; of 150 M 1.3 and 0.7, of 172 M 1.5 and 0.75, of 198 M 1.9 and 0.75.
_LEAST_SHARED = 100_000_000

#: Names of code that was not cached when this process looked for it; at most so many.
_missed: dict[str, None] = {}
_MOST_MISSED = 100_000


class GeneratedProgram:
    """Kernels for the steps of a program that have them.

    Args:
        program: the program.
        isa: what the kernels are generated for.

    Attributes:
        program: as given.
        absorbed: steps that the kernels of a later step compute, by the first result of that one.
        scratch_bytes: what a thread needs for itself.
        packed_bytes: bytes of weights in the form that kernels read.
    """

    def __init__(self, program: Program, isa: InstructionSet):
        self.program, self._isa = program, isa
        self._steps: dict[str, Generated] = {}
        self.absorbed: dict[str, tuple[Step, ...]] = {}
        in_groups = self._add_groups(program)
        found = {step.name: step for step in program.steps}
        uses = use_counts(program.steps, program.outputs)
        for step in program.steps:
            generator = find_generator(step.op)
            if generator is None or is_alias(step, program) or step.name in in_groups:
                continue
            first = step.inputs[0] if step.inputs else ABSENT
            before = found.get(first) if uses.get(first) == 1 and first not in in_groups else None
            generated = generator(GeneratedCall(step, program, isa, before))
            if generated is None:
                continue
            self._steps[step.name] = generated
            if generated.absorbs and before is not None:
                self.absorbed[step.name] = (before,)
                self._steps.pop(before.name, None)
        kernels = [kernel for g in self._steps.values() for kernel, _ in g.kernels]
        self._numbers = {kernel: i for i, kernel in enumerate(dict.fromkeys(kernels))}
        sizes = [-(-kernel.scratch_bytes // 64) * 64 for kernel in self._numbers]
        self.scratch_bytes = max(sizes, default=0)
        self.packed_bytes = sum(g.packed_bytes for g in self._steps.values())

    def _add_groups(self, program: Program) -> set[str]:
        """Add the kernels of element-wise groups; return the names of all their steps."""
        names: set[str] = set()
        readers = readers_of(program)
        for group in find_groups(program):
            *before, last = group.members
            self._steps[last.name] = generate_group(group, program, readers)
            self.absorbed[last.name] = tuple(before)
            names.update(member.name for member in group.members)
        return names

    def __len__(self) -> int:
        """Return the number of steps with kernels."""
        return len(self._steps)

    @property
    def _key(self) -> tuple[str, ...]:
        return (self._isa.name, *map(repr, self._numbers))

    @property
    def is_small(self) -> bool:
        """Return whether workers burn more time in a run than the caller gains by them."""
        return self.program.repeats is None and work_of(self.program) < _LEAST_SHARED

    @property
    def kernels(self) -> Collection[Kernel]:
        """The kernels, each once."""
        return self._numbers

    def listing(self) -> str:
        """Return the generated LLVM IR."""
        kernels = {kernel_name(i): kernel for kernel, i in self._numbers.items()}
        return module_text(kernels, self._isa)

    def cached_code(self) -> MachineCode | None:
        """Return the machine code if it was cached on disk when this process first looked for it.

        Where it was not, NumPy's kernels have run: a plan that is made again, such as one that a
        model had dropped, gives the answers that it gave before.
        """
        name = name_of(self._key)
        if name in _missed:
            return None
        code = cached_code(self._key)
        if code is None:
            note_missing(len(self))
            _missed[name] = None
            if len(_missed) > _MOST_MISSED:
                _missed.pop(next(iter(_missed)), None)
        return code

    def compiled_code(self) -> MachineCode:
        """Return the machine code from the disk, or compiled now and cached for later processes."""
        code = cached_code(self._key)
        if code is None:
            kernels, seconds = len(self._numbers), SECONDS_EACH * len(self._numbers)
            text = "compiling %d kernels of a network, once for this computer, in some %.1f s"
            LOGGER.info(text, kernels, seconds, extra={"seconds": seconds})
            code = compile_code(self._key, self._modules)
        _missed.pop(name_of(self._key), None)
        return code

    def compile_for_later(self, check: Callable[[], None]) -> None:
        """Compile the machine code for later processes, if the disk can keep it for them.

        Args:
            check: called before each kernel; it raises if compiling is to end.
        """
        if is_usable() and cached_code(self._key) is None:
            compile_code(self._key, self._modules, check)

    def _modules(self) -> Sequence[str]:
        return [module_text({kernel_name(i): k}, self._isa) for k, i in self._numbers.items()]

    def generated(self, name: str) -> Generated | None:
        """Return the kernels of the step that computes a value; None if it has none."""
        return self._steps.get(name)

    def name_of(self, kernel: Kernel) -> str:
        """Return the name of a kernel's function in `listing`."""
        return kernel_name(self._numbers[kernel])

    def calls_for(self, name: str, code: MachineCode) -> Lowered | None:
        """Return calls for the step that computes a value; None if it has no kernels.

        Args:
            name: the first result of the step.
            code: machine code of the kernels.
        """
        generated = self.generated(name)
        if generated is None:
            return None

        def bind(views: Views) -> list[Work]:
            return [
                NativeCall(
                    code.addresses[self.name_of(kernel)],
                    arrays_of(arguments, views),
                    kernel.tasks,
                    (views.shared, self.scratch_bytes),
                )
                for kernel, arguments in generated.kernels
            ]

        scratch = tuple(Scratch((values,)) for values in generated.temporaries)
        return Lowered(generated.title, bind, scratch, generated.in_place)


def arrays_of(arguments: Sequence[Argument], views: Views) -> list[np.ndarray]:
    """Return the arrays of arguments."""
    return [_array(argument, views) for argument in arguments]


def _array(argument: Argument, views: Views) -> np.ndarray:
    if isinstance(argument, PackedWeights):
        return argument.array
    if isinstance(argument, Temporary):
        return views.scratch[argument.number]
    return np.ascontiguousarray(views[argument]) if isinstance(argument, str) else argument


class LoadedKernels:
    """Generated kernels with their machine code, as `CpuExecutable` takes them.

    Args:
        program: the kernels.
        code: their machine code.
    """

    def __init__(self, program: GeneratedProgram, code: MachineCode):
        self._program, self._code = program, code
        self.scratch_bytes, self.packed_bytes = program.scratch_bytes, program.packed_bytes
        self.absorbed: Mapping[str, tuple[Step, ...]] = program.absorbed

    def lowered(self, name: str) -> Lowered | None:
        """Return calls for the step that computes a value; None if it has no kernels."""
        return self._program.calls_for(name, self._code)

    def are_native(self, works: Sequence[Work]) -> bool:
        """Return whether all calls are of generated kernels."""
        return all(isinstance(work, NativeRun) for work in works)

    def stored(
        self,
        arena: np.ndarray,
        works: Sequence[Work],
        inputs: Sequence[tuple[int, np.ndarray]],
        outputs: Sequence[np.ndarray],
    ) -> bytes | None:
        """Return the program stored for later processes; see `program_storing`."""
        from core.backends.cpu.codegen.program_storing import stored_program

        memory = self._code.memory
        if memory is None:  # LLVM's loader has placed the code
            return None
        return stored_program(arena, works, inputs, outputs, memory)

    def listing(self) -> str:
        """Return the text of the kernels: LLVM IR."""
        return self._program.listing()

    def joined(self, steps: Sequence[Sequence[Work]]) -> tuple[list[Work], list[int]]:
        """Return the calls of all steps; `native_calls.joined` joins them."""
        return joined(steps, is_small=self._program.is_small)

"""An executable that runs by NumPy's kernels until somebody asks for generated ones.

Both round, each in its own way (but for sums of integers), so that no executable changes over by
itself: a network that amplifies rounding would give another answer from one call to the next. A
thread compiles the generated kernels meanwhile, for later processes.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.backends.cpu.codegen.background import compile_later
from core.backends.cpu.codegen.generated_program import GeneratedProgram, LoadedKernels
from core.backends.cpu.codegen.ir.instruction_set import host_instruction_set
from core.backends.cpu.codegen.machine_code.kernel_code import MachineCode
from core.backends.cpu.codegen.team.loading import load_team
from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.backends.cpu.numpy_steps.loop_executable import executable_of
from core.engine.executable import MOST_IDLE, Executable
from core.engine.program import Program, work_of
from core.plan.passes.integers_as_bytes import with_bytes
from core.plan.passes.integers_as_floats import with_quanta
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.engine.executable import Placed, StepInfo

#: Values and multiply-adds of a run from which its kernels are compiled in work that lasts: smaller
#: ones would take half a second there, and NumPy's a few milliseconds in each run.
_LEAST_WORK = 1_000_000

#: Runs after which a program is compiled for later processes.
_RUNS = 2


def has_much_work(program: Program) -> bool:
    """Return whether compiling kernels for a program costs less than work that lasts gains."""
    return program.repeats is not None or work_of(program) >= _LEAST_WORK


def lower_generated(program: Program, *, is_fixed: bool) -> Executable:
    """Make a program ready to run by generated kernels, or by NumPy's until `Executable.warmup`.

    Args:
        program: the program.
        is_fixed: whether to compile the kernels now, unless their code is cached.
    """
    generated = GeneratedProgram(with_bytes(program), host_instruction_set())
    if not len(generated):
        return executable_of(with_quanta(program, is_exact=True))
    code = generated.compiled_code() if is_fixed else generated.cached_code()
    return TieredExecutable(program, generated) if code is None else _with(generated, code)


def _with(generated: GeneratedProgram, code: MachineCode) -> CpuExecutable:
    load_team()  # which runs the kernels
    return executable_of(generated.program, LoadedKernels(generated, code))


class TieredExecutable(Executable):
    """Runs NumPy's kernels until it is warmed up. Threads may share it.

    Args:
        program: the program.
        generated: its generated kernels.
    """

    def __init__(self, program: Program, generated: GeneratedProgram):
        self._generated: GeneratedProgram | None = generated  # None: they run
        self._current = executable_of(with_quanta(program, is_exact=True))
        self.returns_arrays = self._current.returns_arrays
        self._runs, self._most_idle = 0, MOST_IDLE
        self._changing = new_lock()

    @property
    def writes_to_inputs(self) -> bool:  # type: ignore[override]
        """Return whether a run writes to the data of inputs."""
        return self._current.writes_to_inputs

    @property
    def tier(self) -> str:  # type: ignore[override]
        """Return the kind of the kernels that run now."""
        return self._current.tier

    @property
    def placed(self) -> "Sequence[Placed]":  # type: ignore[override]
        """Return the buffers in the arena of a run."""
        return self._current.placed

    @property
    def arena_bytes(self) -> int:  # type: ignore[override]
        """Return the bytes of the arena of a run."""
        return self._current.arena_bytes

    @property
    def packed_bytes(self) -> int:  # type: ignore[override]
        """Return the bytes of weights in another form."""
        return self._current.packed_bytes

    @property
    def steps(self) -> "Sequence[StepInfo]":
        """Return the steps in execution order."""
        return self._current.steps

    @property
    def workspaces_made(self) -> int:
        """Return the number of arenas made so far."""
        return self._current.workspaces_made

    @property
    def workspaces_idle(self) -> int:
        """Return the number of idle arenas."""
        return self._current.workspaces_idle

    def keep_idle(self, most: int) -> None:
        """Keep at most this number of idle arenas."""
        self._most_idle = most
        self._current.keep_idle(most)

    def run(self, feeds: Sequence[Any]) -> list[Any]:
        """Return the outputs as new arrays."""
        found = self._current.run(feeds)
        if self._runs < _RUNS:
            self._runs += 1
            if self._runs == _RUNS:
                compile_later(self)
        return found

    def step_times(self, feeds: Sequence[Any]) -> list[float]:
        """Run once and return the seconds of each step."""
        return self._current.step_times(feeds)

    def stored(self) -> bytes | None:
        """Return the program stored for later processes; None while NumPy's kernels run."""
        return self._current.stored()

    def listing(self) -> str:
        """Return the text of the generated kernels, whether they run or not."""
        waiting = self._generated
        return self._current.listing() if waiting is None else waiting.listing()

    def warmup(self) -> None:
        """Run by generated kernels from now on; compile them first, unless they are."""
        with self._changing:
            if self._generated is None:
                return
            made = _with(self._generated, self._generated.compiled_code())
            made.keep_idle(self._most_idle)
            self._current, self._generated = made, None

    def compile(self, check: Callable[[], None]) -> None:
        """Compile the generated kernels for later processes.

        Args:
            check: called before each kernel; it raises if compiling is to end.
        """
        waiting = self._generated
        if waiting is not None:
            waiting.compile_for_later(check)

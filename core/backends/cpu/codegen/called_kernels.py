"""Kernels that are called by themselves, not as steps of a plan: those around networks.

What they work on varies from call to call, so that it is given by parameters. Each is compiled by
the rules of plans: in tier 2 at once, else where the cache has its code, or in the background after
the second call.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE, aligned_bytes
from core.backends.cpu.codegen.background import compile_later
from core.backends.cpu.codegen.host_cpu import compiler_version
from core.backends.cpu.codegen.instruction_set import InstructionSet, host_instruction_set
from core.backends.cpu.codegen.kernel_text import KernelText
from core.backends.cpu.codegen.machine_code import MachineCode, cached_code, compile_code
from core.backends.cpu.codegen.module_text import kernel_name, module_text
from core.backends.cpu.codegen.native_calls import NativeRun
from core.backends.cpu.codegen.parameters import Parameters, packed_parameters
from core.backends.cpu.codegen.team_loading import load_team
from core.backends.cpu.threads import MOST_THREADS, thread_count
from core.backends.cpu.tiers import GENERATED, NUMPY, get_tier
from core.locks import new_lock

#: Calls after which a kernel is worth the time of compiling.
_CALLS = 2

#: Tasks for each thread, so that one that begins late takes fewer.
_TASKS_OF_A_THREAD = 4

#: What a task takes at least, in instructions; some 10 microseconds.
_LEAST_WORK = 100_000

_NAME = kernel_name(0)


class CalledKernel(Protocol):
    """A frozen data class whose fields decide the text of a kernel, as of `kernels.Kernel`."""

    @property
    def parameters(self) -> Parameters:
        """Return the types of what is given when the kernel is called."""

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that a task needs for itself."""

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""


#: Parameters by name; arrays are C-contiguous, or the kernel knows their strides.
Values = Mapping[str, np.ndarray | int | float]


class Call(NamedTuple):
    """A kernel with its parameters.

    Attributes:
        kernel: the kernel.
        tasks: number of tasks.
        values: the parameters.
    """

    kernel: CalledKernel
    tasks: int
    values: Values


class _Compiled:
    """The machine code of a kernel, made when it is worth it."""

    def __init__(self, kernel: CalledKernel):
        self._kernel, self._isa = kernel, host_instruction_set()
        self._code: MachineCode | None = None
        self._calls, self._has_looked = 0, False
        self._changing = new_lock()

    @property
    def _key(self) -> tuple[str, ...]:
        return (self._isa.name, repr(self._kernel))

    def is_ready(self, is_fixed: bool) -> bool:
        """Return whether the kernel is compiled.

        Args:
            is_fixed: whether to compile it now.
        """
        if not self._has_looked:
            self._look()
        if self._code is None:
            if is_fixed:
                self.compile(lambda: None)
            else:
                self._count()
        return self._code is not None

    def code(self) -> MachineCode:
        """Return the code of a kernel that is ready."""
        assert self._code is not None
        return self._code

    def _look(self) -> None:
        """Load the code if it is cached on disk."""
        with self._changing:
            code = None if self._has_looked else cached_code(self._key)
            if code is not None:
                load_team()
                self._code = code
            self._has_looked = True

    def _count(self) -> None:
        """Count a call without code."""
        self._calls = calls = self._calls + 1
        if calls == _CALLS:
            compile_later(self)

    def compile(self, check: Callable[[], None]) -> None:
        """Compile the kernel; see `core.backends.cpu.codegen.background`."""
        with self._changing:
            if self._code is None:
                texts = [module_text({_NAME: self._kernel}, self._isa)]
                code = compile_code(self._key, lambda: texts, check)
                load_team()
                self._code = code


_compiled: dict[CalledKernel, _Compiled] = {}


def instruction_set() -> InstructionSet:
    """Return what called kernels are generated for."""
    return host_instruction_set()


def can_run(*kernels: CalledKernel) -> bool:
    """Return whether kernels are compiled; else NumPy does their work.

    In tier 2 they are compiled now; else a thread compiles them after the second call.
    """
    tier = get_tier()
    if tier == NUMPY or compiler_version() is None:
        return False
    for kernel in kernels:
        if kernel not in _compiled:
            _compiled.setdefault(kernel, _Compiled(kernel))
    missing = [k for k in kernels if not _compiled[k].is_ready(tier == GENERATED)]
    return not missing  # all were asked, so that all are counted


def run(*calls: Call) -> None:
    """Run kernels for which `can_run`, one after the other, on the thread team."""
    stride = max(-(-call.kernel.scratch_bytes // CACHE_LINE) * CACHE_LINE for call in calls)
    scratch = aligned_bytes(stride * MOST_THREADS), stride
    NativeRun([_Bound(call, scratch) for call in calls])()


class _Bound:
    """A call with its code, as `NativeRun` takes it."""

    def __init__(self, call: Call, scratch: tuple[np.ndarray, int]):
        self._code = _compiled[call.kernel].code()  # which lives as long as the call
        self.address = self._code.addresses[_NAME]
        self.tasks, self.scratch = call.tasks, scratch
        self._arrays = call.values  # which live as long as the call
        self.pointers = packed_parameters(call.kernel.parameters, call.values)


def split(rows: int, work: int) -> tuple[int, int]:
    """Return into how many tasks rows are cut, and the rows of a task.

    Args:
        rows: lines of a result.
        work: what all of them take, in instructions.
    """
    most = _TASKS_OF_A_THREAD * thread_count()
    tasks = max(1, min(rows, most, work // _LEAST_WORK))
    block = -(-rows // tasks)
    return -(-rows // block), block

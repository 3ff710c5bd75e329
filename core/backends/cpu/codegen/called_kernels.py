"""Kernels that are called directly, not as steps of a plan: pre- and postprocessing of networks.

What they work on varies from call to call, so that it is given by parameters. Each is compiled in
tier 2 at once, else in the background after the second call, unless the cache has its code. From
then on it runs, as its results are NumPy's to the last bit. Where they are not, a process keeps to
what its first call ran by, as plans do.

What describes a kernel is imported when it is compiled: one whose code is cached on disk runs by
its name, and by what was noted with the code.
"""

import json
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE, aligned_bytes
from core.backends.cpu.codegen.background import compile_later
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet, host_instruction_set
from core.backends.cpu.codegen.ir.parameters import Parameters, packed_parameters
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version
from core.backends.cpu.codegen.machine_code.kernel_code import (
    MachineCode,
    cached_code,
    compile_code,
)
from core.backends.cpu.codegen.team.loading import load_team
from core.backends.cpu.codegen.team.native_calls import NativeRun
from core.backends.cpu.single_runs import note_missing
from core.backends.cpu.threads import MOST_THREADS, is_sparing, thread_count
from core.backends.cpu.tiers import GENERATED, NUMPY, get_tier, is_lasting
from core.errors import CoreError
from core.process.code_cache import is_usable
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.backends.cpu.codegen.ir.kernel_text import KernelText

#: Calls after which a kernel is compiled.
_CALLS = 2

#: Tasks for each thread, so that one that begins late takes fewer.
_TASKS_OF_A_THREAD = 4

#: Smallest work of a task, in instructions: some 10 microseconds.
_LEAST_WORK = 100_000

#: Smallest work that threads share also where they are to be spared: some 500 microseconds, as
#: waking workers, and their waiting for the next run, burns 200 to 300.
_LEAST_SHARED = 10_000_000

#: The function of a kernel in its code.
_NAME = "kernel"


class Description(Protocol):
    """A frozen data class whose fields decide the text of a kernel, as of `kernels.Kernel`."""

    @property
    def parameters(self) -> Parameters:
        """Return the types of what is given when the kernel is called."""

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that a task needs for itself."""

    def write(self, k: "KernelText") -> None:
        """Write the body of the function."""


class CalledKernel(NamedTuple):
    """A kernel by its name.

    Attributes:
        describe: imports what describes the kernel, and makes it of the fields. Its name, which no
            other has, is that of the kernel.
        fields: what kernels of this name differ in, by values that `repr` spells out.
        is_exact: whether its results are those of NumPy to the last bit.
    """

    describe: Callable[..., Description]
    fields: tuple[Hashable, ...] = ()
    is_exact: bool = True

    def described(self) -> Description:
        """Return the description of the kernel."""
        return self.describe(*self.fields)


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
    """The machine code of a kernel, compiled after some calls."""

    def __init__(self, kernel: CalledKernel):
        self._kernel, self._isa = kernel, host_instruction_set()
        self._code: _Code | None = None
        self._calls, self._has_looked = 0, False
        self._changing = new_lock()

    @property
    def _key(self) -> tuple[str, ...]:
        return (self._isa.name, self._kernel.describe.__name__, repr(self._kernel.fields))

    def is_ready(self, is_fixed: bool) -> bool:
        """Return whether the kernel is compiled.

        Args:
            is_fixed: whether to compile it now.
        """
        if not self._has_looked:
            self._look()
        if self._code is None:
            if is_fixed:
                with self._changing:
                    self._use(self._compiled_code(lambda: None))
            else:
                self._count()
        return self._code is not None

    def code(self) -> "_Code":
        """Return the code of a kernel that is ready."""
        assert self._code is not None
        return self._code

    def _look(self) -> None:
        """Load the code if it is cached on disk, or if NumPy must not begin for it."""
        with self._changing:
            if self._has_looked:
                return
            code = cached_code(self._key)
            if code is None and not self._kernel.is_exact and is_lasting():
                with suppress(CoreError):  # of a compiler that is damaged
                    code = self._compiled_code(lambda: None)
            if code is not None:
                self._use(code)
            self._has_looked = True

    def _count(self) -> None:
        """Count a call without code."""
        self._calls = calls = self._calls + 1
        if calls == 1:
            note_missing()
        if calls == _CALLS:
            compile_later(self)

    def compile(self, check: Callable[[], None]) -> None:
        """Compile the kernel; see `core.backends.cpu.codegen.background`.

        One that is not exact is compiled for later processes.
        """
        with self._changing:
            if self._code is None and (self._kernel.is_exact or is_usable()):
                code = self._compiled_code(check)
                if self._kernel.is_exact:
                    self._use(code)

    def _use(self, code: MachineCode) -> None:
        load_team()
        self._code = _Code(code)

    def _compiled_code(self, check: Callable[[], None]) -> MachineCode:
        """Return the code, from the disk or compiled now."""
        found = cached_code(self._key)
        if found is not None:
            return found
        from core.backends.cpu.codegen.ir.module_text import module_text

        kernel = self._kernel.described()
        texts = [module_text({_NAME: kernel}, self._isa)]
        note = json.dumps([dict(kernel.parameters), kernel.scratch_bytes])
        return compile_code(self._key, lambda: texts, check, note)


class _Code:
    """The code of a kernel, and how it is called.

    Attributes:
        address: of the function.
        parameters: types of what it is given.
        scratch_bytes: memory that a task needs for itself.
    """

    address: int
    parameters: Parameters
    scratch_bytes: int

    def __init__(self, code: MachineCode):
        self._code = code  # which lives as long as this
        self.address = code.addresses[_NAME]
        self.parameters, self.scratch_bytes = json.loads(code.note)


_compiled: dict[CalledKernel, _Compiled] = {}


def instruction_set() -> InstructionSet:
    """Return the instruction set that called kernels are generated for."""
    return host_instruction_set()


def can_run(*kernels: CalledKernel) -> bool:
    """Return whether kernels are compiled and to run; else NumPy does their work.

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
    codes = [_compiled[call.kernel].code() for call in calls]
    stride = max(-(-code.scratch_bytes // CACHE_LINE) * CACHE_LINE for code in codes)
    scratch = aligned_bytes(stride * MOST_THREADS), stride
    NativeRun([_Bound(*pair, scratch) for pair in zip(calls, codes, strict=True)])()


class _Bound:
    """A call with its code, as `NativeRun` takes it."""

    def __init__(self, call: Call, code: _Code, scratch: tuple[np.ndarray, int]):
        self._code = code  # which lives as long as the call
        self.address = code.address
        self.tasks, self.scratch = call.tasks, scratch
        self._arrays = call.values  # which live as long as the call
        self.pointers = packed_parameters(code.parameters, call.values)


def split(rows: int, work: int) -> tuple[int, int]:
    """Return the number of tasks that rows are split into, and the rows of a task.

    Args:
        rows: lines of a result.
        work: what all of them take, in instructions.
    """
    most = _TASKS_OF_A_THREAD * thread_count()
    if work < _LEAST_SHARED and is_sparing():
        most = 1
    tasks = max(1, min(rows, most, work // _LEAST_WORK))
    block = -(-rows // tasks)
    return -(-rows // block), block

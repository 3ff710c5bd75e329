"""The thread team of generated code: native threads that share the tasks of a run.

`team_program` has the protocol. The memory of a team and the code that is bound must stay where
they are to the end of the process: daemon threads sleep or spin in them until it is gone.

Native code that needs no help from Python is not interrupted by signals: a handler raises when the
run has ended, with everything as after any run.

Only Linux has the futex; elsewhere, a team has one thread.
"""

import ctypes
import os
import sys
from _thread import start_new_thread
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from core.backends.cpu.codegen.team import layout
from core.backends.cpu.codegen.team.layout import LINE, TEAM_BYTES, machine_name
from core.backends.cpu.codegen.team.placement import Placement
from core.backends.cpu.threads import MOST_THREADS, is_sparing, on_change, thread_count
from core.errors import CoreError
from core.process.locks import new_lock

if TYPE_CHECKING:
    import ctypes

#: Spin times of a worker without a run, and of a thread that waits for the end of a phase: about
#: the cost of sleeping and waking, 50 to 80 on a virtual machine. There, runs of 30 phases of three
#: tasks of 40 took 8 % longer with 20 than with 50, and no less with 200; but on a busy machine a
#: worker may be waiting for the very CPU on which the caller spins.
IDLE_MICROSECONDS, PHASE_MICROSECONDS = 100, 50

#: Numbers of the system call ``futex`` on Linux with 64 bits.
_FUTEX_NUMBERS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}

#: Pauses that are timed to find the duration of one.
_PROBES = 2000


class NativeFunctions(NamedTuple):
    """The functions of the program, which release the GIL."""

    run_alone: Callable[[int, int, int], None]
    run_shared: Callable[[int, int, int, int], None]
    work: Callable[[int, int], None]
    set_team_threads: Callable[[int, int], None]
    stop_team: Callable[[int], None]
    spin_team: Callable[[int], None]


#: Number of arguments of each function, all 64-bit integers.
_ARGUMENTS = {
    "run_alone": 3,
    "run_shared": 4,
    "work": 2,
    "set_team_threads": 2,
    "stop_team": 1,
    "spin_team": 1,
}


def futex_number() -> int | None:
    """Return the number of the system call ``futex``; None where native code cannot use it."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return None
    return _FUTEX_NUMBERS.get(machine_name())


class ThreadTeam:
    """The caller and its workers, which start with the first run and sleep between runs.

    Attributes:
        address: start of the team's memory.
        threads: how many threads share a run, the caller included.
    """

    def __init__(self, functions: NativeFunctions, threads: int):
        self._functions = functions
        self._run, self._run_alone = functions.run_shared, functions.run_alone
        self.threads = 1
        self._placement = Placement()
        #: Numbers of workers that have not started; taking one is one atomic step.
        self._unstarted = [*range(MOST_THREADS - 1, 0, -1)] if futex_number() else []
        self.address = _new_memory(functions)
        self.set_threads(threads)

    def run(self, table: int, begin: int, end: int) -> None:
        """Run phases of a table: with the workers, or alone if another thread runs with them.

        Args:
            table: address of a table, which `team_program` describes. There is scratch memory for
                `MOST_THREADS` threads, as the number of threads may change between runs.
            begin: index of the first phase.
            end: index after the last phase.
        """
        if len(self._unstarted) > MOST_THREADS - self.threads:
            self._start()
        if self.threads > 1:
            self._placement.keep_apart(self.threads)
        self._run(self.address, table, begin, end)

    def run_small(self, table: int, begin: int, end: int) -> None:
        """Run phases like `run`, of which workers would burn more time than the caller gains."""
        if is_sparing():
            self._run_alone(table, begin, end)
        else:
            self.run(table, begin, end)

    def set_threads(self, threads: int) -> None:
        """Set the number of threads of later runs; a run that has begun keeps its number."""
        self.threads = threads if futex_number() else 1
        self._functions.set_team_threads(self.address, self.threads)

    def stop(self) -> None:
        """Stop the workers; later runs use the caller alone."""
        self._unstarted.clear()
        self._functions.stop_team(self.address)

    def _start(self) -> None:
        with suppress(IndexError):  # another thread started the last one
            while len(self._unstarted) > MOST_THREADS - self.threads:
                number = self._unstarted.pop()
                with suppress(RuntimeError):  # no more threads allowed: the others run its share
                    work = self._functions.work, self.address, number
                    start_new_thread(self._placement.work, work)


def _new_memory(functions: NativeFunctions) -> int:
    """Return the address of a new team's memory, which is never freed."""
    if futex_number() is None:
        return _allocate(ctypes.CDLL(None) if os.name == "posix" else ctypes.cdll.msvcrt)
    library = ctypes.CDLL(None)
    address = _allocate(library)
    pause = _pause_nanoseconds(functions.spin_team)
    constants = {
        layout.SYSCALL: ctypes.cast(library.syscall, ctypes.c_void_p).value or 0,
        layout.FUTEX: futex_number() or 0,
        layout.IDLE_SPINS: int(1e3 * IDLE_MICROSECONDS / pause),
        layout.PHASE_SPINS: int(1e3 * PHASE_MICROSECONDS / pause),
    }
    for offset, value in constants.items():
        ctypes.c_int64.from_address(address + offset).value = value
    return address


def _allocate(library: "ctypes.CDLL") -> int:
    """Return the address of zeroed memory for a team, at the begin of a cache line."""
    allocate = library.calloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, (ctypes.c_size_t, ctypes.c_size_t)
    address = allocate(1, TEAM_BYTES + LINE)
    if not address:
        raise CoreError(f"no memory for a thread team, {TEAM_BYTES} bytes")
    return -(-int(address) // LINE) * LINE


def _pause_nanoseconds(spin: Callable[[int], None]) -> float:
    """Return the duration of one pause of the processor, which differs by a factor of 20."""
    durations = []
    for _ in range(3):
        begin = perf_counter_ns()
        spin(_PROBES)
        durations.append(perf_counter_ns() - begin)
    return max(min(durations), 1) / _PROBES


_functions: NativeFunctions | None = None
_team: ThreadTeam | None = None
_making = new_lock()


def bind(addresses: Mapping[str, int]) -> ThreadTeam:
    """Make the team of this process, once, from the addresses of the compiled program.

    Args:
        addresses: address of each function of `team_program.EXPORTS`, of code that stays.
    """
    global _functions
    if _functions is None:
        _functions = native_functions(addresses)
    return current_team()


def native_functions(addresses: Mapping[str, int]) -> NativeFunctions:
    """Return the functions of the compiled program, to call from Python."""
    kinds = {
        name: ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)
        for name, count in _ARGUMENTS.items()
    }
    return NativeFunctions(**{name: kind(addresses[name]) for name, kind in kinds.items()})


def current_team() -> ThreadTeam:
    """Return the team of this process.

    Raises:
        CoreError: `bind` was not called.
    """
    global _team
    if _team is not None:
        return _team
    if _functions is None:
        raise CoreError("the thread team has no code: call thread_team.bind first")
    with _making:
        _team = _team or ThreadTeam(_functions, thread_count())
        return _team


def _follow(threads: int) -> None:
    if _team is not None:
        _team.set_threads(threads)


def _after_fork() -> None:
    """Make a new team in the child of a fork, which has none of its parent's threads."""
    global _team
    _team = None


on_change(_follow)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

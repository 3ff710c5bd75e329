"""The thread team with a kernel for tests, compiled, and tables of phases for it."""

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Thread

import numpy as np
import pytest

from core.backends.cpu.codegen.team import layout, thread_team
from core.backends.cpu.codegen.team.program import EXPORTS, TEAM_PROGRAM
from core.backends.cpu.codegen.team.thread_team import ThreadTeam, native_functions
from core.backends.cpu.threads import MOST_THREADS
from tests.helpers import PATIENCE, eventually, skip_or_fail

#: A task adds one to its cell, compares the cells of the phase before with the number of the run,
#: and meanwhile holds the scratch memory. Arguments: own cells, earlier cells and how many, number
#: of the run, number of faults, turns to waste, and a gate: while it is set, tasks do not end.
#: The second word of the scratch memory counts the tasks of the thread.
KERNEL = """
define void @kernel(ptr %args, i64 %task, ptr %scratch) #0 {
entry:
  %cells = load ptr, ptr %args
  %earlier_at = getelementptr i64, ptr %args, i64 1
  %earlier = load ptr, ptr %earlier_at
  %count_at = getelementptr i64, ptr %args, i64 2
  %count = load i64, ptr %count_at
  %run_at = getelementptr i64, ptr %args, i64 3
  %run_place = load ptr, ptr %run_at
  %run = load i64, ptr %run_place
  %faults_at = getelementptr i64, ptr %args, i64 4
  %faults = load ptr, ptr %faults_at
  %turns_at = getelementptr i64, ptr %args, i64 5
  %turns = load i64, ptr %turns_at
  %gate_at = getelementptr i64, ptr %args, i64 6
  %gate = load ptr, ptr %gate_at
  %tasks_at = getelementptr i64, ptr %scratch, i64 1
  %t = atomicrmw add ptr %tasks_at, i64 1 monotonic
  %held = atomicrmw xchg ptr %scratch, i64 1 acquire
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %i_next, %one ]
  %wrong = phi i64 [ %held, %entry ], [ %sum, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %waste
one:
  %cell_at = getelementptr i64, ptr %earlier, i64 %i
  %value = load i64, ptr %cell_at
  %differs = icmp ne i64 %value, %run
  %wide = zext i1 %differs to i64
  %sum = add i64 %wrong, %wide
  %i_next = add i64 %i, 1
  br label %check
waste:
  %j = phi i64 [ 0, %check ], [ %j_next, %waste ]
  %j_next = add i64 %j, 1
  %gate_value = load atomic i64, ptr %gate acquire, align 8
  %is_held = icmp ne i64 %gate_value, 0
  %turns_left = icmp slt i64 %j_next, %turns
  %again = or i1 %turns_left, %is_held
  br i1 %again, label %waste, label %end
end:
  %own_at = getelementptr i64, ptr %cells, i64 %task
  %old = load i64, ptr %own_at
  %new = add i64 %old, 1
  store i64 %new, ptr %own_at
  %f = atomicrmw add ptr %faults, i64 %wrong monotonic
  store atomic i64 0, ptr %scratch release, align 8
  ret void
}
"""


@cache
def addresses() -> dict[str, int]:
    """Addresses of the program's functions and of ``kernel``, which stay to the end."""
    try:
        import llvmlite.binding as llvm  # type: ignore[import-untyped]
    except ImportError:
        skip_or_fail("llvmlite is not installed")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(TEAM_PROGRAM + KERNEL)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    found = {name: engine.get_function_address(name) for name in (*EXPORTS, "kernel")}
    engine.detach()  # never unmapped: workers stay in the code
    return found


def new_team(threads: int) -> ThreadTeam:
    """Make a team of the test's own."""
    return ThreadTeam(native_functions(addresses()), threads)


class Table:
    """Phases of groups of tasks, which count and check themselves.

    Args:
        phases: for each phase, how many tasks each of its groups has.
        turns: loops that each task wastes.
    """

    def __init__(self, phases: list[list[int]], turns: int = 0):
        kernel = addresses()["kernel"]
        self.state = np.zeros(3, np.int64)  # number of the run, faults, gate
        run, faults, gate = (self.state.ctypes.data + 8 * i for i in range(3))
        self.cells = [np.zeros(sum(groups), np.int64) for groups in phases]
        self.scratch = np.zeros((MOST_THREADS, 16), np.int64)
        self.args: list[np.ndarray] = []
        rows, groups_rows = [], list[list[int]]()
        before = np.zeros(0, np.int64)
        for groups, cells in zip(phases, self.cells, strict=True):
            rows.append([len(groups_rows), len(groups), sum(groups), 0])
            first = 0
            for tasks in groups:
                place = cells.ctypes.data + 8 * first
                earlier = [before.ctypes.data, len(before)]
                self.args.append(np.array([place, *earlier, run, faults, turns, gate], np.int64))
                groups_rows.append([kernel, self.args[-1].ctypes.data, first, 0])
                first += tasks
            before = cells
        self.phases = np.array(rows, np.int64).reshape(-1, 4)
        self.groups = np.array(groups_rows, np.int64).reshape(-1, 4)
        places = [array.ctypes.data for array in (self.phases, self.groups, self.scratch)]
        self.table = np.array([*places, self.scratch.strides[0]], np.int64)
        self.address = self.table.ctypes.data

    @property
    def holders(self) -> int:
        """How many threads are in a task."""
        return int(self.scratch[:, 0].sum())

    def run(self, team: ThreadTeam) -> None:
        """Run all phases once more."""
        self.state[0] += 1
        team.run(self.address, 0, len(self.phases))

    def check(self) -> None:
        """Fail unless each task ran once in each run, after all of the phase before."""
        assert self.state[1] == 0, (
            "a task ran before the end of the earlier phase, or in a held place"
        )
        for index, cells in enumerate(self.cells):
            np.testing.assert_array_equal(cells, self.state[0], err_msg=f"phase {index}")


needs_futex = pytest.mark.skipif(
    thread_team.futex_number() is None, reason="a team has one thread on this system"
)


@contextmanager
def team_of(threads: int) -> Iterator[ThreadTeam]:
    team = new_team(threads)
    try:
        yield team
    finally:
        stop = Thread(target=team.stop, daemon=True)  # it waits for a run
        stop.start()
        stop.join(PATIENCE)


def set_spins(team: ThreadTeam, spins: int) -> None:
    """Let waiting threads spin for a number of pauses; 0: they sleep at once."""
    for place in (layout.IDLE_SPINS, layout.PHASE_SPINS):
        ctypes.c_int64.from_address(team.address + place).value = spins


def random_phases(rng: np.random.Generator) -> list[list[int]]:
    """Some phases of few groups; some groups and phases are empty, some tasks are alone."""
    most = int(rng.choice([2, 9, 70]))
    return [
        [int(n) for n in rng.integers(0, most, rng.integers(1, 4))] if rng.random() < 0.8 else [1]
        for _ in range(rng.integers(1, 40))
    ]


def in_time(work: Callable[[], None]) -> None:
    """Run in a thread: a wake-up that is lost shall not block the tests."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            done.result(600)
        except TimeoutError:  # of which the thread would also keep this process
            pytest.exit("a run of the thread team does not end", 1)


def run_often(table: Table, team: ThreadTeam, times: int) -> None:
    for _ in range(times):
        table.run(team)


def is_held_by(table: Table, threads: int) -> bool:
    return table.holders == threads


def wait_until(holds: Callable[[], bool]) -> None:
    eventually(holds, "a state of the team")

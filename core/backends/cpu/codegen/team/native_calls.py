"""Calls of generated kernels: bound to the arrays of one workspace, and joined to runs.

The thread team takes a table of phases: a phase is a kernel with its tasks, and begins when the one
before has ended. Kernels that follow one another are one run, in which Python takes no part.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.backends.cpu.codegen.team.thread_team import current_team

if TYPE_CHECKING:  # which imports what only NumPy's kernels need
    from core.backends.cpu.numpy_steps.thread_pool import Work


class BoundKernel(Protocol):
    """A kernel that is ready to run.

    Attributes:
        address: of the kernel's function.
        tasks: number of tasks.
        scratch: memory of all threads, and the bytes of one of them.
        pointers: the arguments, int64 [arguments].
    """

    address: int
    tasks: int
    scratch: tuple[np.ndarray, int]
    pointers: np.ndarray


class NativeCall:
    """A kernel bound to its arguments.

    Args:
        address: of the kernel's function.
        arguments: the arrays, which are contiguous.
        tasks: number of tasks.
        scratch: memory of all threads for this plan, and the bytes of one of them.
    """

    def __init__(
        self,
        address: int,
        arguments: Sequence[np.ndarray],
        tasks: int,
        scratch: tuple[np.ndarray, int],
    ):
        self.address, self.tasks, self.scratch = address, tasks, scratch
        self.arguments = arguments  # which live as long as the call
        self.pointers = np.array([a.ctypes.data for a in arguments], np.int64)

    def __call__(self) -> None:
        """Run the kernel alone."""
        NativeRun([self])()


class NativeRun:
    """Calls that follow one another, as one call.

    An exception of a signal handler comes before or after it: native code is never left half-way.

    Args:
        calls: the calls, which have the same scratch memory.
        is_small: whether they are part of little work; see `ThreadTeam.run_small`.
    """

    def __init__(self, calls: Sequence[BoundKernel], *, is_small: bool = False):
        self.calls, self.is_small = calls, is_small
        memory, stride = calls[0].scratch
        self._count = len(calls)
        # Rows as `team_program` reads them: a phase has one group, which is one kernel.
        phases = [(i, 1, call.tasks, 0) for i, call in enumerate(calls)]
        groups = [(call.address, call.pointers.ctypes.data, 0, 0) for call in calls]
        self._phases, self._groups = np.array(phases, np.int64), np.array(groups, np.int64)
        addresses = [a.ctypes.data for a in (self._phases, self._groups, memory)]
        self._table = np.array([*addresses, stride], np.int64)
        self._address = self._table.ctypes.data

    def __call__(self) -> None:
        """Run all kernels, one after the other."""
        team = current_team()
        run = team.run_small if self.is_small else team.run
        run(self._address, 0, self._count)


def joined(steps: "Sequence[Sequence[Work]]", *, is_small: bool) -> "tuple[list[Work], list[int]]":
    """Return the calls of steps, those of kernels that follow one another as one.

    Args:
        steps: the calls of each step.
        is_small: whether all of them are little work.

    Returns:
        The calls, and for each step how many calls there are up to its end.
    """
    works: list[Work | list[NativeCall]] = []
    ends: list[int] = []
    for step in steps:
        for work in step:
            if not isinstance(work, NativeCall):
                works.append(work)
            elif works and isinstance(works[-1], list):
                works[-1].append(work)
            else:
                works.append([work])
        ends.append(len(works))
    runs = [
        NativeRun(work, is_small=is_small) if isinstance(work, list) else work for work in works
    ]
    return runs, ends

"""Executable of the cpu backend for loops: the steps run again and again in one arena.

The values of the next iteration are written where the inputs lie: by the step that computes them,
if nothing reads the old value after it; else they are copied there between iterations.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.aligned import frozen_copy
from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable, take
from core.backends.cpu.numpy_steps.lowering_rules import NativeKernels, Work
from core.backends.cpu.numpy_steps.updates import Updates, plan_updates
from core.backends.cpu.numpy_steps.workspaces import Workspace
from core.engine.program import Program
from core.engine.run_guard import active_guard
from core.plan.arena import Request


def executable_of(program: Program, kernels: NativeKernels | None = None) -> CpuExecutable:
    """Return the executable of a program, a loop or not; arguments as of `CpuExecutable`."""
    made = CpuExecutable if program.repeats is None else LoopExecutable
    return made(program, kernels)


class LoopExecutable(CpuExecutable):
    """A program that repeats.

    Args:
        program: the program.
        kernels: as for `CpuExecutable`.
    """

    def __init__(self, program: Program, kernels: NativeKernels | None = None):
        super().__init__(program, kernels)
        self.writes_to_inputs, self.returns_arrays = False, True

    def stored(self) -> None:
        """A loop is a part of a run, and what is stored are whole runs."""

    def run(self, feeds: Sequence[Any]) -> list[np.ndarray]:
        """Return the outputs after the last iteration as new arrays.

        Raises:
            LimitError: there are more iterations than the limits of the run allow.
        """
        return self._workspaces.run(self.new_workspace, partial(self._repeat, feeds))

    def _repeat(self, feeds: Sequence[Any], workspace: Workspace) -> list[np.ndarray]:
        guard = active_guard()
        check = guard.check if guard is not None and guard.may_end else None
        assert self._program.repeats is not None
        goes_on, turn = workspace.outputs[self._program.repeats], self._turn(workspace)
        take(workspace, feeds)
        while True:
            if guard is not None:
                guard.count_loop_step()
            self._do_works(workspace, check)
            if not goes_on.item():
                return [*map(frozen_copy, workspace.outputs)]
            for work in turn:
                work()

    def _turn(self, workspace: Workspace) -> list[Work]:
        """Return the calls between two iterations."""
        program, inputs = self._program, dict(workspace.inputs)
        first: list[Work] = []
        then: list[Work] = []
        for number, output in self._updates.late:
            if number not in inputs:  # nothing reads it
                continue
            value = workspace.outputs[output]
            if self._owners[program.outputs[output]] in program.inputs:  # it may change before
                kept = np.empty_like(value)
                first.append(partial(kept.__setitem__, ..., value))
                value = kept
            then.append(partial(inputs[number].__setitem__, ..., value))
        return [*first, *then]

    def _planned_updates(self) -> Updates:
        made = plan_updates(self._program, self._steps, self._owners, can_bind=True)
        return made._replace(bound=())

    def _value_requests(self) -> list[Request]:
        """Return the buffer requests; inputs keep theirs, as the next iteration reads them."""
        inputs = {*self._program.inputs}
        others = [r for r in super()._value_requests() if r.name not in inputs]
        read = {self._owners[r] for s in self._program.steps for r in s.reads()}
        shown = {self._owners[r] for r in self._program.outputs}
        used = read | shown | {*self._updates.owners.values()}
        last = max(len(self._steps) - 1, 0)
        kept = [Request(r, self._bytes(r), 0, last) for r in inputs if r in used]
        return [*kept, *others]

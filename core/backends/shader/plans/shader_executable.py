"""Executable of the shader backend."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import stored_bytes
from core.backends.shader.plans.bound_program import Feed, ReadyProgram
from core.backends.shader.plans.kept_updates import fuse_kept_updates
from core.backends.shader.plans.plan_tuning import tuned_steps
from core.backends.shader.plans.program_lowering import Hosted, Lowered
from core.backends.shader.runtime.values import Value
from core.engine.executable import Executable, StepInfo
from core.engine.program import Program
from core.engine.run_guard import check_active
from core.plan.passes.integers_as_floats import with_quanta
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.backends.shader import ShaderBackend
    from core.backends.shader.plans.plan_tuning import TunedStep
    from core.backends.shader.runtime.session import Session
    from core.engine.executable import StepInfo


class ShaderExecutable(Executable):
    """A program as commands for the device, which threads may share.

    Args:
        program: the program, whose constants nobody writes to.
        backend: backend with the context; after its restart the program is prepared again.
    """

    packed_bytes = 0

    def __init__(self, program: Program, backend: "ShaderBackend"):
        self._program, self._backend = fuse_kept_updates(with_quanta(program)), backend
        self._making = new_lock()
        self._make_ready(backend.session)

    def _make_ready(self, session: "Session") -> None:
        ready = ReadyProgram(self._program, session)
        self.tier = session.path
        self.placed, self.arena_bytes = ready.memory.placed, ready.memory.bytes
        self._ready = ready

    @property
    def workspaces_made(self) -> int:
        """Return 1 after the first run, as the device runs one after the other."""
        return int(bool(self._ready.recordings))

    @property
    def workspaces_idle(self) -> int:
        """Return `workspaces_made`: queued runs share one workspace."""
        return self.workspaces_made

    def keep_idle(self, most: int) -> None:
        """With 0, release the memory after the queued runs; other numbers have no effect."""
        if most == 0 and self._ready.recordings:
            self._ready.session.gl_thread.put(self._ready.forget)

    @property
    def steps(self) -> "Sequence[StepInfo]":
        """Return the steps in execution order, which may change after a restart."""
        return [_step_info(step, self._program) for step in self._current().steps]

    def run(self, feeds: Sequence[Feed]) -> list[Value]:
        """Queue a run, unless it is cancelled or late; reading its outputs waits."""
        check_active()
        ready = self._current()
        outputs = ready.new_outputs()
        given = ready.inputs_of(feeds)
        found = ready.outputs(given, outputs)
        ready.session.gl_thread.submit(partial(ready.run, given, outputs))
        return found

    def run_and_read(self, feeds: Sequence[Feed]) -> list[np.ndarray]:
        """Run and read the outputs in one visit of the context."""
        check_active()
        ready = self._current()
        outputs = ready.new_outputs()
        given = ready.inputs_of(feeds)
        found = ready.outputs(given, outputs)

        def run_and_read() -> list[np.ndarray]:
            ready.run(given, outputs)
            return [self._backend.download(value, value.spec) for value in found]

        return ready.session.gl_thread.call(run_and_read)

    def step_times(self, feeds: Sequence[Feed]) -> list[float]:
        """Run once and return the seconds of each step on the device."""
        ready = self._current()
        given = ready.inputs_of(feeds)
        return ready.session.gl_thread.call(lambda: ready.times(given))

    def gpu_time(self, feeds: Sequence[Feed], repeat: int) -> float:
        """Return the seconds of a run on the device, of several back to back."""
        ready = self._current()
        given = ready.inputs_of(feeds)
        return ready.session.gl_thread.call(lambda: ready.gpu_time(given, repeat))

    def tune(self) -> "list[TunedStep]":
        """Measure the fastest tiles, and use them from the next run on."""
        session = self._current().session
        found = tuned_steps(self._program, session)
        with self._making:
            self._make_ready(session)
        return found

    def _current(self) -> "ReadyProgram":
        session = self._backend.session
        if self._ready.session is not session:
            with self._making:
                if self._ready.session is not session:
                    self._make_ready(session)
        return self._ready


def _step_info(step: Lowered | Hosted, program: Program) -> "StepInfo":
    scratch = {} if isinstance(step, Hosted) else step.intermediates
    scratch_bytes = sum(stored_bytes(size, layout) for layout, size in scratch.values())
    return StepInfo.of(step.sources, program, step.kernel, scratch_bytes)

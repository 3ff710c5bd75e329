"""Executable of the tf backend: a program as functions of TensorFlow."""

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf import forks
from core.backends.tf.errors import converted
from core.backends.tf.plans.segments import run_into, segments_of
from core.backends.tf.plans.step_runs import step_run
from core.backends.tf.starting import load_tensorflow
from core.engine.executable import Executable, StepInfo
from core.engine.program import Program, owners_of
from core.engine.run_guard import check_active
from core.errors import CoreError
from core.graph.feeds import QuantizedArray
from core.plan.arena import Request, place
from core.plan.passes.integers_as_floats import with_quanta

if TYPE_CHECKING:
    from core.backends.tf import TfBackend
    from core.backends.tf.raw_ops import TfTensor
    from core.engine.executable import StepInfo

    #: An input of a run, from the caller.
    Feed = TfTensor | QuantizedArray | np.ndarray


class TfExecutable(Executable):
    """A program as one function of TensorFlow, or several with the steps in between that need data.

    Threads may share it. TensorFlow gives each run its memory: `arena_bytes` says how much a run
    needs if memory is used again as soon as possible.

    Args:
        program: the program, whose constants nobody writes to.
        backend: the backend.

    Raises:
        CoreError: there is no kernel for a step, or it cannot work on these shapes.
    """

    tier = "tf.function"
    packed_bytes = 0

    def __init__(self, program: Program, backend: "TfBackend"):
        program = with_quanta(program)
        self._program, self._backend = program, backend
        self._op_error = load_tensorflow().errors.OpError
        held = {r: backend.held.held(array) for r, array in program.constants.items()}
        self._held = [*held.values()]  # so that other plans find them
        self._constants = {r: each.tensor for r, each in held.items()}
        self._runs = [step_run(step, program, backend) for step in program.steps]
        self._segments = segments_of(program, self._runs, self._constants)
        self.placed, self.arena_bytes = place(_requests(program))

    def run(self, feeds: "Sequence[Feed]") -> "list[TfTensor]":
        """Run the functions one after the other, unless the run is cancelled or late."""
        forks.refuse_in_child()
        values = self._begin(feeds)
        try:
            for segment in self._segments:
                check_active()
                made = segment.run(*[values[r] for r in segment.reads])
                values.update(zip(segment.writes, made, strict=True))
        except self._op_error as error:
            raise self._failure(error, feeds) from error
        return [values[r] for r in self._program.outputs]

    def step_times(self, feeds: "Sequence[Feed]") -> list[float]:
        """Run the steps one by one, outside of functions, and return the seconds of each."""
        values, times = self._begin(feeds), []
        for run in self._runs:
            check_active()
            started = perf_counter()
            run_into(values, run)
            self._backend.synchronise()
            times.append(perf_counter() - started)
        return times

    def gpu_time(self, feeds: "Sequence[Feed]", repeat: int) -> float:
        """Return the seconds of a run on tensors that are there already, the mean of several."""
        values = self._begin(feeds)
        given = [values[r] for r in self._program.inputs]
        self.run(given)
        self._backend.synchronise()
        started = perf_counter()
        for _ in range(repeat):
            self.run(given)
        self._backend.synchronise()
        return (perf_counter() - started) / repeat

    def warmup(self) -> None:
        """Run once on zeros: TensorFlow optimises a function at its first run."""
        tf, specs = load_tensorflow(), self._program.specs
        feeds = [tf.zeros(specs[r].shape, specs[r].dtype) for r in self._program.inputs]
        try:
            self.run(feeds)
        except CoreError:
            check_active()  # else zeros are nothing that the steps can work on

    @property
    def steps(self) -> "Sequence[StepInfo]":
        """Return the steps in execution order."""
        return [StepInfo.of((run.step,), self._program, run.kernel, 0) for run in self._runs]

    @property
    def workspaces_made(self) -> int:
        """Return 0: TensorFlow gives each run its memory."""
        return 0

    @property
    def workspaces_idle(self) -> int:
        """Return 0: no memory is kept for the next run."""
        return 0

    def keep_idle(self, most: int) -> None:
        """Do nothing, as no memory is kept."""

    def _begin(self, feeds: "Sequence[Feed]") -> "dict[str, TfTensor]":
        """Return the constants and the inputs of a run as tensors, copied from arrays."""
        given = zip(self._program.inputs, map(self._tensor, feeds), strict=True)
        return {**self._constants, **dict(given)}

    def _tensor(self, feed: "Feed") -> "TfTensor":
        if isinstance(feed, QuantizedArray):
            return self._backend.upload(feed.values())
        return self._backend.upload(feed) if isinstance(feed, np.ndarray) else feed

    def _failure(self, error: Any, feeds: "Sequence[Feed]") -> CoreError:
        """Return the error of a run, which names the step that raises it alone, too."""
        values = self._begin(feeds)
        try:
            for run in self._runs:
                run_into(values, run)
        except CoreError as named:
            return named
        return converted(error)


def _requests(program: Program) -> list[Request]:
    """Return the size and lifetime of each value in the memory of a run."""
    owners = owners_of(program)
    first, last = dict.fromkeys(program.inputs, 0), dict.fromkeys(program.inputs, 0)
    for i, step in enumerate(program.steps):
        for reference in step.outputs:
            if owners[reference] == reference:
                first[reference] = last[reference] = i
        last.update({owners[r]: i for r in step.reads() if owners[r] in first})
    end = max(len(program.steps) - 1, 0)
    last.update({owners[r]: end for r in program.outputs if owners[r] in first})
    return [Request(r, program.specs[r].bytes, i, last[r]) for r, i in first.items()]

"""A plan: a program compiled by a backend, between named references of a graph."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.backend import Backend
from core.engine.dispatch import handle_on, wrap
from core.engine.executable import Executable
from core.engine.limits import LimitError, Limits, effective_limits
from core.engine.observers import active_observers
from core.engine.program import Program
from core.engine.run_guard import active_guard, check_active, check_value
from core.engine.settings import active_backend
from core.engine.specs import Spec, integer
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.feeds import ArrayView, QuantizedArray, as_view
from core.plan.passes import ProgramPass

if TYPE_CHECKING:
    from core.engine.executable import Placed, StepInfo


class Plan:
    """A program for inputs of some shapes; printed, it is a table of its steps.

    Weights and code are shared by all runs; each of several runs at the same time has a workspace
    of its own. Made by `core.graph_model.graph_model.GraphModel.plan`.

    Args:
        program: what runs.
        executable: what the backend made of it.
        backend: that one.
        inputs: references of the graph, in the order of the program's inputs.
        outputs: likewise.
    """

    def __init__(
        self,
        program: Program,
        executable: Executable,
        backend: Backend,
        inputs: Sequence[str],
        outputs: Sequence[str],
    ):
        self.program = program
        self._executable, self._backend = executable, backend
        specs = program.specs
        self._inputs = {r: specs[p] for r, p in zip(inputs, program.inputs, strict=True)}
        self._outputs = {r: specs[p] for r, p in zip(outputs, program.outputs, strict=True)}
        values = (value for step in program.steps for value in step.attributes.values())
        self._loops = [value for value in values if isinstance(value, Plan)]
        self._bytes_beside_arena = sum(s.bytes for s in self._outputs.values()) + max(
            (loop.run_bytes for loop in self._loops), default=0
        )
        self._largest = _largest_value(program)
        self._largest_bytes = specs[self._largest].bytes if self._largest else 0

    @property
    def run_bytes(self) -> int:
        """Return the bytes that one run holds at once: its arena, outputs, and a loop's run."""
        return self._executable.arena_bytes + self._bytes_beside_arena

    def listing(self) -> str:
        """Return the text of the kernels that were generated for this plan: LLVM IR on cpu.

        Raises:
            CoreError: its kernels are not generated, as NumPy's.
        """
        return self._executable.listing()

    def warmup(self) -> None:
        """Compile what would be compiled for later processes: the next runs are the fastest."""
        self._executable.warmup()
        for loop in self._loops:
            loop.warmup()

    def stored(self) -> bytes | None:
        """Return what a later process runs the plan from; None if it has to be made anew."""
        return self._executable.stored()

    @property
    def largest_bytes(self) -> int:
        """Return the bytes of the largest value of a run."""
        return self._largest_bytes

    def fits(self, limits: Limits) -> bool:
        """Return whether a run takes no more memory than the limits allow."""
        most_of_value, most_of_run = limits.value_bytes, limits.run_bytes
        assert most_of_value is not None and most_of_run is not None
        run_bytes = (
            self._executable.arena_bytes + self._bytes_beside_arena
        )  # `run_bytes`, not called
        return self._largest_bytes <= most_of_value and run_bytes <= most_of_run

    def check(self, limits: Limits) -> None:
        """Raise a LimitError unless it `fits`."""
        if self.fits(limits):
            return
        assert limits.value_bytes is not None and limits.run_bytes is not None
        specs = self.program.specs
        check_value(specs[self._largest], limits.value_bytes, f"node {self._largest!r}")
        _check_run(self.run_bytes, limits.run_bytes)

    @property
    def inputs(self) -> dict[str, Spec]:
        """Return shape and dtype of the inputs, by reference."""
        return dict(self._inputs)

    @property
    def outputs(self) -> dict[str, Spec]:
        """Return shape and dtype of the outputs, by reference."""
        return dict(self._outputs)

    @property
    def backend(self) -> str:
        """Return the name of the backend."""
        return self._backend.name

    @property
    def tier(self) -> str:
        """Return the kind of the kernels, such as ``"numpy"``."""
        return self._executable.tier

    @property
    def steps(self) -> "Sequence[StepInfo]":
        """Return the steps, in execution order."""
        return self._executable.steps

    @property
    def placed(self) -> "Sequence[Placed]":
        """Return the offset of each buffer in the arena, and its first and last step."""
        fed = dict(zip(self.program.inputs, self._inputs, strict=True))
        return [b._replace(name=fed.get(b.name, b.name)) for b in self._executable.placed]

    @property
    def arena_bytes(self) -> int:
        """Return the bytes of the arena of a run, which is kept for the next one."""
        return self._executable.arena_bytes

    @property
    def weight_bytes(self) -> int:
        """Return the bytes of the constants, including converted forms for kernels."""
        arrays = self.program.constants.values()  # of which some may show the same data
        held = {(a.__array_interface__["data"][0], a.nbytes) for a in arrays}
        return sum(size for _, size in held) + self._executable.packed_bytes

    @property
    def workspaces_made(self) -> int:
        """Return the number of arenas made so far; a run makes one if none is idle.

        There is one, unless several runs overlapped, or memory was freed because the model ran for
        inputs of other shapes.
        """
        return self._executable.workspaces_made

    @property
    def workspaces_idle(self) -> int:
        """Return the number of idle arenas."""
        return self._executable.workspaces_idle

    def keep_idle(self, most: int) -> None:
        """Keep at most this number of idle arenas; a run that finds none makes one."""
        self._executable.keep_idle(most)

    def run(self, values: Mapping[str, Any]) -> dict[str, Tensor]:
        """Return the outputs as new tensors.

        Args:
            values: the inputs by reference, tensors or arrays of the shapes and dtypes of `inputs`;
                other values are ignored. A plan that was made for a model's own integers may round
                floats to these.

        Raises:
            CoreError: an input is missing or of another shape or dtype, or a step cannot work on
                it.
        """
        return self.run_on(self._feeds(values))

    def run_on(self, feeds: Sequence[Any]) -> dict[str, Tensor]:
        """Run on handles or arrays that are known to be valid, one for each input."""
        handles = self._executable.run(feeds)
        found = {
            reference: wrap(self._backend, handle, spec)
            for (reference, spec), handle in zip(self._outputs.items(), handles, strict=True)
        }
        for observer in active_observers():
            for value in found.values():
                observer.made(value)
        return found

    def run_on_handles(self, feeds: Sequence[Any]) -> list[Any]:
        """Return handles of the outputs, for feeds as `run_on` takes them."""
        return self._executable.run(feeds)

    @property
    def writes_to_inputs(self) -> bool:
        """Return whether a run writes to the data of inputs that the program updates."""
        return self._executable.writes_to_inputs

    def run_to_arrays(self, feeds: Sequence[Any]) -> list[np.ndarray]:
        """Return the outputs as read-only arrays, for feeds as `run_on` takes them."""
        if self._executable.returns_arrays:
            return self._executable.run(feeds)
        arrays = self._executable.run_and_read(feeds)
        if arrays is not None:
            return arrays
        backend, specs = self._backend, self._outputs.values()
        handles = self._executable.run(feeds)
        try:
            return [*map(backend.download, handles, specs)]
        finally:
            for handle in handles:
                backend.release(handle)

    def profile(self, values: Mapping[str, Any], repeat: int = 10) -> list[float]:
        """Return the milliseconds of each step, the median of some runs.

        Args:
            values: inputs as for `run`.
            repeat: number of runs, at least 1, after one that does not count.
        """
        feeds = self._feeds(values)
        integer(repeat, "repeat", least=1)
        times = [self._executable.step_times(feeds) for _ in range(repeat + 1)][1:]
        return (1e3 * np.median(times, axis=0)).tolist()

    def to_chrome_trace(self, values: Mapping[str, Any]) -> str:
        """Time each step of one run and write a Chrome trace, as JSON that opens in Perfetto.

        Args:
            values: as for `run`.
        """
        from core.plan.plan_report import timed

        return timed(self, self.profile(values, 1), 1).to_chrome_trace()

    def gpu_time(self, values: Mapping[str, Any], repeat: int = 10) -> float:
        """Return the milliseconds of a run on the device, without transfers.

        On a backend without a separate device: the sum of the times of the steps.

        Args:
            values: inputs as for `run`.
            repeat: number of consecutive runs, at least 1; their mean counts.
        """
        feeds = self._feeds(values)
        return 1e3 * self._executable.gpu_time(feeds, integer(repeat, "repeat", least=1))

    def tune(self) -> Sequence[Any]:
        """Measure which variants of the kernels are the fastest here; see `core.tune_shader`."""
        return self._executable.tune()

    def _feeds(self, values: Mapping[str, Any]) -> list[Any]:
        missing = [reference for reference in self._inputs if reference not in values]
        if missing:
            raise CoreError(f"the plan needs values for {', '.join(missing)}")
        return [self._feed(r, values[r], spec) for r, spec in self._inputs.items()]

    def _feed(self, reference: str, given: Any, spec: Spec) -> Any:
        value = given if isinstance(given, (Tensor, QuantizedArray, ArrayView)) else as_view(given)
        if value.spec != spec:
            raise CoreError(
                f"the plan takes {spec.dtype} {spec.shape} as {reference!r}, got "
                f"{value.spec.dtype} {value.spec.shape}: let the model make a plan for that, with "
                "plan(inputs)"
            )
        if isinstance(value, Tensor):
            return handle_on(self._backend, value)
        return value.array if isinstance(value, ArrayView) else value

    def __repr__(self) -> str:
        from core.plan.plan_report import plan_table  # not needed to run a plan

        return plan_table(self)


def make_plan(
    program: Program, inputs: Sequence[str], outputs: Sequence[str], passes: Sequence[ProgramPass]
) -> Plan:
    """Return a plan on the active backend for a program, after the program passes.

    Raises:
        LimitError: a run would need more memory than the limits of the current run allow.
    """
    for program_pass in passes:
        check_active()
        program = program_pass(program)
    guard, backend = active_guard(), active_backend()
    limits = effective_limits() if guard is None else guard.limits
    assert limits.run_bytes is not None
    # Before anything is made ready: what is given lives at the same time as it is copied.
    _check_run(sum(program.specs[r].bytes for r in program.outputs), limits.run_bytes)
    plan = Plan(program, backend.lower(program), backend, inputs, outputs)
    plan.check(limits)
    return plan


def _largest_value(program: Program) -> str:
    """Return the reference of the largest result of the steps; "" without steps."""
    sizes = {step.name: program.specs[step.name].bytes for step in program.steps}
    return max(sizes, key=sizes.__getitem__, default="")


def _check_run(size: int, most: float) -> None:
    if size > most:
        raise LimitError(
            f"the plan of the run needs {size:,} bytes at the same time", "run_bytes", most
        )

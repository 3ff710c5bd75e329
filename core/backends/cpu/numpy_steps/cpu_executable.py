"""Executable of the cpu backend: NumPy calls in one arena."""

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, prod
from operator import length_hint
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE, aligned_bytes, frozen_copy
from core.backends.cpu.numpy_steps.by_kernel import lower_by_kernel
from core.backends.cpu.numpy_steps.image_blocks import choose_margins, inside, zeros_around
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NativeKernels,
    NumpyCall,
    Views,
    Work,
    find_lowering,
    numpy_dtype,
    padded_shape,
)
from core.backends.cpu.numpy_steps.updates import (
    BoundArrays,
    Updates,
    plan_updates,
    uncounted,
    write_back,
)
from core.backends.cpu.numpy_steps.workspaces import Workspace, Workspaces
from core.backends.cpu.threads import MOST_THREADS
from core.engine.executable import Executable, Placed, StepInfo
from core.engine.limits import LimitError
from core.engine.program import Program, Step, is_alias, owners_of
from core.engine.run_guard import active_guard
from core.engine.specs import Shape
from core.errors import MISUSE, CoreError
from core.graph.feeds import QuantizedArray
from core.plan.arena import Request, place
from core.process.locks import lazy_property

if TYPE_CHECKING:
    from core.engine.executable import StepInfo

#: Name of the memory that generated kernels need for themselves, in all threads.
_THREADS = "scratch of threads"


class CpuStep(NamedTuple):
    """A step of the program with its calls, and earlier steps that the calls compute, too."""

    step: Step
    lowered: Lowered
    before: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """Return the reference to its first result."""
        return self.step.name

    @property
    def in_place(self) -> bool:
        """Return whether it reads each value before it writes a result at that index."""
        return self.lowered.in_place


class CpuExecutable(Executable):
    """A program as calls of NumPy or of kernels. Threads may share it: each run has a workspace.

    Args:
        program: the program; its constants are never written to.
        kernels: generated kernels for steps of the program; NumPy computes the others.
    """

    def __init__(self, program: Program, kernels: NativeKernels | None = None):
        self._program, self._kernels = program, kernels
        self.tier = "numpy" if kernels is None else "generated"
        self.writes_to_inputs = bool(program.updates)
        self.returns_arrays = not program.updates
        # Generated kernels see to the edges of images themselves.
        has_margins = kernels is None and program.repeats is None
        self._margins = choose_margins(program) if has_margins else {}
        self._absorbed = {} if kernels is None else kernels.absorbed
        self._owners = owners_of(program)
        self.packed_bytes = 0 if kernels is None else kernels.packed_bytes
        self._steps = [*self._lowered()]
        self._updates = self._planned_updates()
        requests = [*self._value_requests(), *self._scratch_requests()]
        self.placed, self.arena_bytes = place(requests, CACHE_LINE)
        self._workspaces = Workspaces()

    @lazy_property
    def steps(self) -> "Sequence[StepInfo]":
        """Return the steps in execution order."""
        return [_told(step, self._program) for step in self._steps]

    def stored(self) -> bytes | None:
        """Return what a later process runs the program from; None if NumPy computes some of it."""
        if self._kernels is None or self.writes_to_inputs:
            return None
        space = self.new_workspace()
        return self._kernels.stored(space.arena, space.works, space.inputs, space.outputs)

    def listing(self) -> str:
        """Return the text of the generated kernels."""
        return super().listing() if self._kernels is None else self._kernels.listing()

    @property
    def workspaces_made(self) -> int:
        """Return the number of arenas made so far; a run makes one if none is idle."""
        return self._workspaces.made

    @property
    def workspaces_idle(self) -> int:
        """Return the number of idle arenas."""
        return len(self._workspaces)

    def keep_idle(self, most: int) -> None:
        """Keep at most this number of idle arenas."""
        self._workspaces.keep(most)

    def run(self, feeds: Sequence[np.ndarray | QuantizedArray]) -> list[np.ndarray]:
        """Return the outputs as new arrays; otherwise only kernels without a lowering allocate.

        The arrays of inputs that the program updates are written to, and returned.
        """
        guard = active_guard()
        check = guard.check if guard is not None and guard.may_end else None
        if self._updates.pairs:
            return self._run_updates(feeds, check)
        if check is None and (native := self._workspaces.take_native()) is not None:
            try:  # with little Python: small networks take microseconds
                take(native, feeds)
                for work in native.works:
                    work()
                return [*map(frozen_copy, native.outputs)]
            finally:
                self._workspaces.give_back(native)
        return self._workspaces.run(self.new_workspace, partial(self._run_in, feeds, check))

    def _run_updates(
        self, given: Sequence[Any], check: Callable[[], None] | None
    ) -> list[np.ndarray]:
        """Run once; the outputs that replace inputs are written to the arrays of these."""
        feeds = [*given]
        for number in self._updates.pairs.values():
            if not feeds[number].flags.c_contiguous:
                feeds[number] = feeds[number].copy()
        return self._workspaces.run(
            partial(self.new_workspace, feeds),
            partial(self._run_in, feeds, check),
            lambda workspace: workspace.bound.are(feeds),
        )

    def step_times(self, feeds: Sequence[np.ndarray | QuantizedArray]) -> list[float]:
        """Run once and return the seconds of each step."""

        def do(workspace: Workspace) -> list[float]:
            times: list[float] = []
            take(workspace, feeds)
            for number, works in enumerate(workspace.apart):
                started = perf_counter()
                try:
                    for work in works:
                        work()
                except (CoreError, *MISUSE) as error:
                    self._raise_at(number, error)
                times.append(perf_counter() - started)
            return times

        return self._workspaces.run(
            partial(self.new_workspace, feeds), do, lambda workspace: workspace.bound.are(feeds)
        )

    def _run_in(
        self, feeds: Sequence[Any], check: Callable[[], None] | None, workspace: Workspace
    ) -> list[np.ndarray]:
        """Run the calls of a workspace and return the outputs; errors name the node.

        A check, if there is one, precedes each call: it raises if the run is to end.
        """
        take(workspace, feeds)
        self._do_works(workspace, check)
        updates = self._updates
        if not updates.pairs:
            return [frozen_copy(output) for output in workspace.outputs]
        made = [
            feeds[updates.pairs[i]] if i in updates.pairs else frozen_copy(output)
            for i, output in enumerate(workspace.outputs)
        ]
        write_back(updates, feeds, workspace.outputs)
        return made

    def _do_works(self, workspace: Workspace, check: Callable[[], None] | None) -> None:
        """Run the calls of a workspace; see `_run_in`."""
        left = iter(workspace.works)
        try:
            if check is None:
                for work in left:
                    work()
            else:
                for work in left:
                    check()
                    work()
        except (CoreError, *MISUSE) as error:
            # The rest of the iterator shows which call failed, without counting calls.
            failed = len(workspace.works) - length_hint(left) - 1
            self._raise_at(bisect(workspace.ends, failed), error)

    def _raise_at(self, number: int, error: Exception) -> NoReturn:
        """Raise the error of a step with the name of its node."""
        if isinstance(error, CoreError) and type(error) not in (CoreError, LimitError):
            raise error
        told = _told(self._steps[number], self._program)
        ops = " + ".join((told.op, *told.fused))
        where = f"node {told.name!r} ({ops})"
        if isinstance(error, LimitError):
            raise error.at(where) from None
        reason = error if type(error) is CoreError else f"{type(error).__name__}: {error}"
        raise CoreError(f"{where}: {reason}") from error

    # --- making it ready --------------------------------------------------------------------

    def _lowered(self) -> Iterator[CpuStep]:
        absorbed = {step.name for steps in self._absorbed.values() for step in steps}
        for step in self._program.steps:
            if not is_alias(step, self._program) and step.name not in absorbed:
                native = self._kernels and self._kernels.lowered(step.name)
                before = self._absorbed.get(step.name, ())
                yield CpuStep(step, native or self._lowered_to_numpy(step), before)

    def _planned_updates(self) -> Updates:
        can_bind = self._kernels is not None
        return plan_updates(self._program, self._steps, self._owners, can_bind=can_bind)

    def _lowered_to_numpy(self, step: Step) -> Lowered:
        call = NumpyCall(step, self._program, self._margins)
        lowering = find_lowering(step.op)
        lowered = (lowering(call) if lowering else None) or lower_by_kernel(call)
        self.packed_bytes += call.packed_bytes
        return lowered

    def _value_requests(self) -> list[Request]:
        """Return the buffer request of each non-constant value, from its first to its last use."""
        bound = {self._program.inputs[number] for number in self._updates.bound}
        first: dict[str, int] = {r: 0 for r in self._program.inputs if r not in bound}
        last: dict[str, int] = {}
        for i, (step, _, before) in enumerate(self._steps):
            last.update(dict.fromkeys(step.outputs, i))
            # What only these steps need has no memory.
            inside = {reference for each in before for reference in each.outputs}
            first.update(dict.fromkeys((*inside, *step.outputs), i))
            for reference in (r for each in (*before, step) for r in each.reads()):
                if reference not in inside:
                    last[self._owners[reference]] = i
        for reference in self._program.outputs:
            last[self._owners[reference]] = max(len(self._steps) - 1, 0)
        return [
            Request(reference, self._bytes(reference), begin, last[reference])
            for reference, begin in first.items()
            if reference in last and reference not in self._updates.owners
        ]

    def _scratch_requests(self) -> Iterator[Request]:
        for place_, step in enumerate(self._steps):
            for i, scratch in enumerate(step.lowered.scratch):
                yield Request(_scratch_name(step, i), scratch.bytes, place_, place_)
        if self._kernels is not None:
            size = self._kernels.scratch_bytes
            yield Request(_THREADS, MOST_THREADS * size, 0, max(len(self._steps) - 1, 0))

    def _bytes(self, reference: str) -> int:
        spec = self._program.specs[reference]
        return prod(self._whole_shape(reference)) * numpy_dtype(spec).itemsize

    def _whole_shape(self, reference: str) -> Shape:
        shape, margin = self._program.specs[reference].shape, self._margins.get(reference)
        return shape if margin is None else padded_shape(shape, margin)

    # --- workspaces -------------------------------------------------------------------------

    def new_workspace(self, feeds: Sequence[Any] = ()) -> Workspace:
        """Allocate an arena and bind all calls to it, and to the arrays of inputs to update."""
        program = self._program
        arena = self._new_arena()
        places = {p.name: p for p in self.placed}
        wholes = {
            r: _part(arena, places[r], self._whole_shape(r), numpy_dtype(program.specs[r]))
            for r in self._owners
            if r in places
        }
        numbers = self._updates.bound
        wholes.update({program.inputs[i]: uncounted(feeds[i]) for i in numbers})
        wholes.update({r: wholes[source] for r, source in self._updates.owners.items()})
        values = {**program.constants, **self._shown(wholes)}
        margins = {r: zeros_around(wholes[r], s) for r, s in self._margins.items() if r in wholes}
        threads = places.get(_THREADS)
        shared = arena[:0] if threads is None else arena[threads.offset :][: threads.bytes]
        apart: list[list[Work]] = []
        for step in self._steps:
            scratch = [
                _part(arena, places[_scratch_name(step, i)], s.shape, np.dtype(s.dtype))
                for i, s in enumerate(step.lowered.scratch)
            ]
            zeros = [work for r in step.step.outputs for work in margins.get(r, ())]
            bound = step.lowered.bind(Views(values, wholes, scratch, shared))
            apart.append([*zeros, *bound])
        inputs = [
            (i, values[r]) for i, r in enumerate(program.inputs) if r in values and i not in numbers
        ]
        before = [work for r in program.inputs for work in margins.get(r, ())]
        works, ends = self._joined(before, apart)
        outputs = [values[r] for r in program.outputs]
        is_native = self._kernels is not None and self._kernels.are_native(works)
        arrays = BoundArrays(feeds, numbers)
        return Workspace(arena, inputs, works, ends, outputs, apart, arrays, is_native)

    def _joined(
        self, before: Sequence[Work], apart: Sequence[Sequence[Work]]
    ) -> tuple[list[Work], list[int]]:
        """Return the calls before the first step and of all steps, and where those of each end."""
        if self._kernels is not None:
            return self._kernels.joined(apart)
        works, ends = [*before], []
        for bound in apart:
            works += bound
            ends.append(len(works))
        return works, ends

    def _new_arena(self) -> np.ndarray:
        """Allocate the memory for all values of a run.

        Raises:
            LimitError: the size exceeds the limit of the current run.
            CoreError: the system has not enough memory.
        """
        guard = active_guard()
        most = inf if guard is None or guard.limits.run_bytes is None else guard.limits.run_bytes
        if self.arena_bytes > most:
            raise LimitError(self._needs(), "run_bytes", most)
        try:
            return aligned_bytes(self.arena_bytes)
        except (MemoryError, ValueError):  # the latter above what an array may have at all
            raise CoreError(
                f"{self._needs()}, which this process cannot get: use smaller inputs, or a "
                f"machine with more memory"
            ) from None

    def _needs(self) -> str:
        """Return a text with the memory of a run and its largest value."""
        values = [p for p in self.placed if p.name in self._program.specs]
        largest = max(values or self.placed, key=lambda p: p.bytes)
        return (
            f"the values of the plan need {self.arena_bytes:,} bytes at the same time, of which "
            f"{largest.name!r} takes {largest.bytes:,}"
        )

    def _shown(self, wholes: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return views of the values without margins, in all their shapes."""
        program = self._program
        shown: dict[str, np.ndarray] = {}
        for reference, owner in self._owners.items():
            if owner in wholes:
                inner = wholes[owner]
                if owner in self._margins:
                    inner = inside(inner, self._margins[owner])
                shown[reference] = inner.reshape(program.specs[reference].shape)
            elif owner in program.constants:
                array = program.constants[owner]
                shown[reference] = array.reshape(program.specs[reference].shape)
        return shown


def _told(step: CpuStep, program: Program) -> "StepInfo":
    scratch_bytes = sum(scratch.bytes for scratch in step.lowered.scratch)
    steps = (*step.before, step.step)
    return StepInfo.of(steps, program, step.lowered.kernel, scratch_bytes)


def take(workspace: Workspace, feeds: Sequence[np.ndarray | QuantizedArray]) -> None:
    """Copy inputs into their buffers; integers become floats."""
    for index, target in workspace.inputs:
        feed = feeds[index]
        if isinstance(feed, QuantizedArray):
            feed.write_to(target)
        else:
            target[...] = feed  # in half the time of numpy.copyto


def _scratch_name(step: CpuStep, index: int) -> str:
    return f"{step.name} scratch {index}"


def _part(arena: np.ndarray, placed: Placed, shape: Shape, dtype: np.dtype) -> np.ndarray:
    return np.ndarray(shape, dtype, arena.data, placed.offset)

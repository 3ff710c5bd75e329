"""The contract of backends: the methods that the engine calls, and executables of plans.

A backend holds the values of tensors and runs kernels on them. The engine (`core.engine.dispatch`)
finds the kernel of an op, calls it with handles and wraps the results. A backend must have:

- `Backend.upload`, `Backend.download`, `Backend.view` and `Backend.spec_of` for values;
- `Backend.run` for kernels, which are registered with `core.kernel`;
- `Backend.host_ops` for the ops that it has no kernels for: these run on cpu.

The rest has defaults. Variables that change in place need `Backend.owns`, `Backend.copy` and
`Backend.change`; optimizers that do so `Backend.update_of`; plans need ``has_plans``,
`Backend.lower` and an `Executable`, and fuse the ops that `Backend.can_fuse` allows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.specs import Spec
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.operation import Op
    from core.plan.arena import Placed
    from core.plan.plan_report import StepInfo
    from core.plan.program import Program

#: A backend's own reference to data: an array on cpu, a buffer on a GPU.
Handle = Any

#: Without entries, for all backends that run every op themselves.
_NONE: Mapping[str, str] = {}


class Clock:
    """Measures the time of one op.

    Attributes:
        seconds: None until a backend that queues ops sets the time that its device took.
    """

    __slots__ = ("_started", "seconds")

    def __init__(self) -> None:
        self.seconds: float | None = None
        self._started = perf_counter()

    def read(self) -> float:
        """Return the time that the backend measured; by default the time since the start."""
        return perf_counter() - self._started if self.seconds is None else self.seconds


class Backend(ABC):
    """Holds data and runs kernels. A built-in one is a folder with ``make_backend()`` in it.

    Methods may be called from several threads at the same time.
    """

    name: str
    #: Smallest number that changes 1 if added, by the precision of the backend's floats.
    epsilon: float
    #: Whether models run by plans on this backend; else op by op.
    has_plans = False
    #: Whether handles hold data, which takes memory; a tracer's do not.
    holds_data = True
    #: Ops that run on cpu, each with the reason. The engine reads their inputs back, runs the
    #: cpu's kernel and uploads the results. A backend with such ops leaves to the engine also the
    #: ops on `host_dtypes`, and the results whose shape depends on values, unless it has
    #: `has_data_dependent_kernels`.
    host_ops: Mapping[str, str] = _NONE
    #: Dtypes whose values stay on the host.
    host_dtypes: Collection[str] = ()
    #: Whether kernels may give results whose shape depends on values: see `Backend.spec_of`.
    has_data_dependent_kernels = False

    @abstractmethod
    def upload(self, array: np.ndarray) -> Handle:
        """Return a handle of an array, which belongs to the backend: no other code writes to it."""

    @abstractmethod
    def download(self, handle: Handle, spec: Spec) -> np.ndarray:
        """Return the values as an array, which the caller does not write to."""

    def take(self, handle: Handle, spec: Spec) -> np.ndarray:
        """Return the values as a new array, which the caller may write to."""
        return np.array(self.download(handle, spec))

    @abstractmethod
    def view(self, handle: Handle, spec: Spec) -> Handle:
        """Return a handle of the same data in another shape."""

    @abstractmethod
    def run(
        self,
        op: "Op",
        kernel: Callable[..., Any],
        handles: list[Handle],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
        clock: Clock | None = None,
    ) -> Handle | tuple[Handle, ...]:
        """Run the kernel of an op.

        Args:
            op: the op.
            kernel: the function that was registered for the op on this backend.
            handles: the inputs; an absent optional one is None, a list input a list of handles.
            attributes: all attributes of the op.
            result: specs of the results by the op's rule (None: these depend on the data).
            clock: given if an observer needs times: a backend that queues ops waits for this one,
                and sets the clock's ``seconds``. Others need not look at it.
        """

    @abstractmethod
    def spec_of(self, handle: Handle) -> Spec:
        """Return shape and dtype of a result, where no rule knows them before the kernel ran."""

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a user-defined kernel, so that it gives the guarantees of built-in kernels."""
        return kernel

    def owns(self, handle: Handle) -> bool:
        """Whether a handle has its data for itself: it is no view of another one."""
        return False

    def copy(self, handle: Handle) -> Handle:
        """Return a handle of a copy of the data."""
        raise CoreError(f"backend {self.name!r} does not change data in place")

    def change(self, handle: Handle, function: Callable[[Handle], None]) -> None:
        """Call a function that writes to the data of a handle without other owners."""
        raise CoreError(f"backend {self.name!r} does not change data in place")

    def update_of(self, formula: str) -> Callable[..., None] | None:
        """Return a step of an optimizer in place, by its name in `core.optimizers.formulas`.

        It takes the handles of the value, the gradient and the optimizer's slots, float32 numbers,
        and whether to replace denormal numbers by zeros. Without one, ops compute it.
        """
        return None

    def drop_denormals(self, handle: Handle) -> None:  # noqa: B027 - GPUs flush them anyway
        """Replace numbers below the smallest normal one by zeros, in place.

        Called for the slots of optimizers on backends with steps in place: see `update_of`.
        """

    async def finished(self) -> None:
        """Wait until all queued ops are done; a backend whose ops compute at once has no queue."""
        return

    def can_fuse(self, op: "Op", spec: Spec) -> bool:
        """Whether plans may apply an op in the epilogue of the step that gives one of its inputs.

        Args:
            op: the op; only those with the trait ``elementwise`` can be fused.
            spec: of its result, which is that of the input.
        """
        return False

    def lower(self, program: "Program") -> "Executable":
        """Compile a program: make it ready to run."""
        raise CoreError(f"backend {self.name!r} has no plans")

    def release(self, handle: Handle) -> None:  # noqa: B027 - most handles free themselves
        """Free the data of a handle. Called from finalisers: take no lock, and call no device."""


#: Arenas that are kept for the next run; arenas of more simultaneous runs are freed.
MOST_IDLE = 8


class Executable(ABC):
    """A program that is ready to run. Threads may share it.

    Attributes:
        tier: how its kernels are made, such as ``"numpy"``.
        placed: the offset of each buffer in the arena, and its first and last step.
        arena_bytes: how large the arena of one run is.
        packed_bytes: of weights that are kept in another form for kernels, in addition.
        writes_to_inputs: whether a run writes to the data of the inputs that the program updates.
    """

    writes_to_inputs = False
    tier: str
    placed: "Sequence[Placed]"
    arena_bytes: int
    packed_bytes: int

    @abstractmethod
    def run(self, feeds: Sequence[Handle]) -> list[Handle]:
        """Run once; return handles of the outputs, each with data of its own.

        For an output that replaces an input (`core.plan.program.Program.updates`) that may be the
        input's handle, whose data the run changes.

        Args:
            feeds: handles of the backend, `core.graph.feeds.QuantizedArray`, or arrays, to which
                their owners may write after the call; in the order of the inputs.
        """

    def run_and_read(self, feeds: Sequence[Handle]) -> list[np.ndarray] | None:
        """Run once and return the outputs as read-only arrays; None: by `run` and downloads.

        A backend whose commands pass to a device does both at once here.

        Args:
            feeds: as for `run`.
        """
        return None

    @abstractmethod
    def step_times(self, feeds: Sequence[Handle]) -> list[float]:
        """Run once and return the seconds of each step."""

    def listing(self) -> str:
        """Return the text of what was generated for the program.

        Raises:
            CoreError: nothing was.
        """
        raise CoreError(f"a plan of tier {self.tier!r} has no generated kernels to list")

    def stored(self) -> bytes | None:
        """Return what a later process runs the program from; None if it has to be made anew."""
        return None

    def warmup(self) -> None:  # noqa: B027 - most are ready when they are made
        """Compile what would be compiled later, or wait until it is."""

    def gpu_time(self, feeds: Sequence[Handle], repeat: int) -> float:
        """Return the seconds of a run, the mean of several that follow one another.

        Args:
            feeds: as for `run`.
            repeat: how many runs, at least 1.

        Returns:
            The seconds of all steps together; on a device by the device's clock.
        """
        return sum(sum(self.step_times(feeds)) for _ in range(repeat)) / repeat

    def tune(self) -> Sequence[Any]:
        """Measure which variants of the kernels are the fastest here, and use them from now on.

        Returns:
            The measurements, a row for each kind of step.

        Raises:
            CoreError: the backend has one variant of each kernel.
        """
        raise CoreError(f"a plan of tier {self.tier!r} is not tunable: kernels have no variants")

    @property
    @abstractmethod
    def steps(self) -> "Sequence[StepInfo]":
        """Describe the steps in execution order; one may be several steps of the program."""

    @property
    @abstractmethod
    def workspaces_made(self) -> int:
        """Return how many arenas were made so far: a run that finds none idle makes one."""

    @property
    @abstractmethod
    def workspaces_idle(self) -> int:
        """Return how many arenas are idle."""

    @abstractmethod
    def keep_idle(self, most: int) -> None:
        """Keep at most so many idle arenas from now on: `MOST_IDLE` until this is called."""

"""The contract of backends: what the engine asks of one, and what a backend makes of a plan."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import CoreError
from core.specs import Spec

if TYPE_CHECKING:
    from core.plan.arena import Placed
    from core.plan.plan_report import StepInfo
    from core.plan.program import Program

#: A backend's own reference to data: an array on cpu, a buffer on a GPU.
Handle = Any


class Backend(ABC):
    """Holds data and runs kernels. A backend is a folder with ``make_backend()`` in it."""

    name: str
    #: Smallest number that still counts beside 1, by the precision of the backend's floats.
    epsilon: float
    #: Whether models run by plans here; else op by op.
    has_plans = False
    #: Whether handles have data, which take memory.
    holds_data = True

    @abstractmethod
    def upload(self, array: np.ndarray) -> Handle:
        """Take over an array that nobody else writes to."""

    @abstractmethod
    def download(self, handle: Handle, spec: Spec) -> np.ndarray:
        """The values as an array that must not be written to."""

    def take(self, handle: Handle, spec: Spec) -> np.ndarray:
        """The values in an array that nobody else has."""
        return np.array(self.download(handle, spec))

    @abstractmethod
    def view(self, handle: Handle, spec: Spec) -> Handle:
        """The same data in another shape."""

    @abstractmethod
    def run(
        self,
        kernel: Callable[..., Any],
        handles: list[Handle],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
    ) -> Handle | tuple[Handle, ...]:
        """Run a kernel.

        Args:
            kernel: what was registered for the op.
            handles: the inputs; an absent optional one is None, a list input a list of handles.
            attributes: all of the op's.
            result: what the op's rule promises (None: it depends on the data).
        """

    def timed_run(
        self,
        kernel: Callable[..., Any],
        handles: list[Handle],
        attributes: Mapping[str, Any],
        result: Spec | tuple[Spec, ...] | None,
    ) -> tuple[Handle | tuple[Handle, ...], float]:
        """The same while somebody looks on; tells the seconds, if a watcher needs them."""
        started = perf_counter()
        made = self.run(kernel, handles, attributes, result)
        return made, perf_counter() - started

    @abstractmethod
    def spec_of(self, handle: Handle) -> Spec:
        """Shape and dtype of a result that depend on data."""

    def guarded(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """A user's kernel, kept to the promises that ours keep by themselves."""
        return kernel

    def owns(self, handle: Handle) -> bool:
        """Whether the data are the backend's own and no part of something else."""
        return False

    def copy(self, handle: Handle) -> Handle:
        """The same values in data of their own."""
        raise CoreError(f"backend {self.name!r} does not change data in place")

    def change(self, handle: Handle, function: Callable[[Handle], None]) -> None:
        """Let a function write to data that nobody else sees."""
        raise CoreError(f"backend {self.name!r} does not change data in place")

    def update_of(self, formula: str) -> Callable[..., None] | None:
        """A step of an optimizer in place, by its name in `core.optimizers.formulas`.

        It takes the handles of the value, the gradient and what is kept, float32 numbers, and
        whether to put zeros in the place of denormal numbers. Without one, ops make the step.
        """
        return None

    async def finished(self) -> None:
        """Wait until all that was queued is done; where ops compute at once there is nothing."""
        return

    def lower(self, program: "Program") -> "Executable":
        """Make a program of a plan ready to run."""
        raise CoreError(f"backend {self.name!r} has no plans")

    def release(self, handle: Handle) -> None:  # noqa: B027 - most handles free themselves
        """Let go of data. Called from finalisers: takes no lock and makes no call to a device."""


#: Arenas that wait for the next run; more were for runs at the same time, and go.
MOST_IDLE = 8


class Executable(ABC):
    """A program that is ready to run. Threads may share it.

    Attributes:
        tier: how its kernels are made, such as ``"numpy"``.
        placed: where each buffer lies in the arena, and from which step to which.
        arena_bytes: how large the arena of one run is.
        packed_bytes: of weights in other forms than the program's, beside those.
    """

    tier: str
    placed: "Sequence[Placed]"
    arena_bytes: int
    packed_bytes: int

    @abstractmethod
    def run(self, feeds: Sequence[Handle]) -> list[Handle]:
        """The outputs of the program for its inputs, in data of their own.

        Args:
            feeds: handles of the backend, `core.graph.feeds.QuantizedArray`, or arrays, to which
                their owners may write after the call; in the order of the inputs.
        """

    @abstractmethod
    def step_times(self, feeds: Sequence[Handle]) -> list[float]:
        """Run once and tell the seconds of each step."""

    def gpu_time(self, feeds: Sequence[Handle], repeat: int) -> float:
        """Seconds of a run, the mean of several that follow one another.

        Args:
            feeds: as for `run`.
            repeat: how many runs, at least 1.

        Returns:
            What its steps take together; of a device by its own clock.
        """
        return sum(sum(self.step_times(feeds)) for _ in range(repeat)) / repeat

    @property
    @abstractmethod
    def steps(self) -> "Sequence[StepInfo]":
        """What runs, in order; a step may be one node or a stretch of them."""

    @property
    @abstractmethod
    def workspaces_made(self) -> int:
        """How many arenas were made so far: another one when a run finds none that waits."""

    @property
    @abstractmethod
    def workspaces_idle(self) -> int:
        """How many arenas wait for the next run."""

    @abstractmethod
    def keep_idle(self, most: int) -> None:
        """Let at most so many arenas wait from now on: `MOST_IDLE` until this is called."""

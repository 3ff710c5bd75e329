"""Executables: programs that a backend has compiled, ready to run."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.backend import Handle
from core.errors import CoreError

if TYPE_CHECKING:
    from core.plan.arena import Placed
    from core.plan.plan_report import StepInfo
    from core.plan.program import Program as Program  # with which `core.engine.backend` lowers

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

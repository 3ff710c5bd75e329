"""What a backend makes of a program."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.base import Handle

if TYPE_CHECKING:
    from core.plan.placement import Placed
    from core.plan.report import StepInfo


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
            feeds: what the backend holds, `core.graph.feeds.Quanta`, or arrays, to which their
                owners may write after the call; in the order of the inputs.
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

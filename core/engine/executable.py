"""Executables: programs that a backend has compiled, ready to run."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.engine.backend import Handle
from core.engine.program import Program, Step, multiply_adds
from core.engine.specs import Shape
from core.errors import CoreError


class Placed(NamedTuple):
    """The offset of a buffer in the arena, and the steps during which the buffer owns it."""

    name: str
    offset: int
    bytes: int
    first: int
    last: int


class StepInfo(NamedTuple):
    """One step of a plan.

    Attributes:
        name: name of the node whose value the step computes.
        op: name of the op.
        kernel: name of its implementation.
        fused: ops applied to the result in the step, in order.
        input_shapes: shapes of the inputs, weights included.
        output_shape: shape of the (first) result.
        dtype: dtype of the result.
        bytes: bytes of the result.
        weight_bytes: bytes of the constants that are read.
        multiply_adds: number of multiply-adds.
        scratch_bytes: bytes needed besides inputs and results.
    """

    name: str
    op: str
    kernel: str
    fused: tuple[str, ...]
    input_shapes: tuple[Shape, ...]
    output_shape: Shape
    dtype: str
    bytes: int
    weight_bytes: int
    multiply_adds: int
    scratch_bytes: int

    @classmethod
    def of(
        cls, steps: Sequence[Step], program: Program, kernel: str, scratch_bytes: int
    ) -> "StepInfo":
        """Describe steps of a program that a backend runs as one.

        Args:
            steps: steps in order; the last computes the result.
            program: the program.
            kernel: name of the backend's implementation.
            scratch_bytes: bytes needed besides inputs and results.
        """
        specs, constants = program.specs, program.constants
        between = {step.name for step in steps[:-1]}
        read = [r for step in steps for r in step.reads() if r not in between]
        result = specs[steps[-1].name]
        ops = [*(step.op.name for step in steps), *(e.op.name for s in steps for e in s.epilogue)]
        return cls(
            name=steps[-1].name,
            op=ops[0],
            kernel=kernel,
            fused=tuple(ops[1:]),
            input_shapes=tuple(specs[r].shape for r in read),
            output_shape=result.shape,
            dtype=result.dtype,
            bytes=result.bytes,
            weight_bytes=sum(constants[r].nbytes for r in read if r in constants),
            multiply_adds=sum(multiply_adds(step, specs) for step in steps),
            scratch_bytes=scratch_bytes,
        )


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
        returns_arrays: whether `run` returns read-only arrays with data of their own, so that
            nothing is to be downloaded.
    """

    writes_to_inputs = False
    returns_arrays = False
    tier: str
    placed: Sequence[Placed]
    arena_bytes: int
    packed_bytes: int

    @abstractmethod
    def run(self, feeds: Sequence[Handle]) -> list[Handle]:
        """Run once; return handles of the outputs, each with data of its own.

        For an output that replaces an input (`core.engine.program.Program.updates`) that may be the
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
        """Compile what would be compiled for later processes, and run by it from now on."""

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
    def steps(self) -> Sequence[StepInfo]:
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

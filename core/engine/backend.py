"""The contract of backends: the methods that the engine calls.

A backend holds the values of tensors and runs kernels on them. The engine (`core.engine.dispatch`)
finds the kernel of an op, calls it with handles and wraps the results. A backend must have:

- `Backend.upload`, `Backend.download`, `Backend.view` and `Backend.spec_of` for values;
- `Backend.run` for kernels, which are registered with `core.kernel`;
- `Backend.host_ops` for the ops that it has no kernels for: these run on cpu.

The rest has defaults. Variables that change in place need `Backend.owns`, `Backend.copy` and
`Backend.change`; optimizers that do so `Backend.update_of`; plans need ``has_plans``,
`Backend.lower` and a `core.engine.executable.Executable`, and fuse the ops that
`Backend.can_fuse` allows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.engine.specs import Spec
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.executable import Executable
    from core.engine.operation import Op
    from core.engine.program import Program

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
    #: Whether it runs programs that repeat (`core.engine.program.Program.repeats`).
    has_loops = False
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

"""Counts of live tensors; guards of runs, which end a run that is late, cancelled or too large.

The counts are exact under threads and without a lock: adding to and removing from a set or dict is
one atomic step, also in a finaliser in the middle of another step; `memory` makes the sums.
`core.graph_model.graph_model` begins a guard for each run; ops, executors and plans ask the active
one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, TypedDict

from core.engine.limits import LimitError, Limits, reset_ceiling, set_ceiling, value_ceiling
from core.engine.specs import Spec
from core.errors import CoreError
from core.process.context_vars import reset

if TYPE_CHECKING:
    from core.engine.tensors import Tensor

next_id = count(1).__next__

live_tensors: set[int] = set()
live_containers: dict[int, Spec] = {}


class MemoryInfo(TypedDict):
    """The counts that `core.memory` returns."""

    num_tensors: int
    num_data_containers: int
    num_bytes: int


def memory() -> MemoryInfo:
    """Count the live tensors, the data containers that they share, and the containers' bytes.

    >>> import core
    >>> before = core.memory()["num_bytes"]
    >>> x = core.zeros((2, 3))
    >>> core.memory()["num_bytes"] - before
    24
    """
    held = list(live_containers.values())
    return {
        "num_tensors": len(live_tensors),
        "num_data_containers": len(held),
        "num_bytes": sum(spec.bytes for spec in held),
    }


#: Bytes of the Python objects around the data of a value.
OVERHEAD = 512


class RunCancelledError(CoreError):
    """A run was cancelled before it ended."""


class Guard:
    """The remaining limits of one run. Only `cancel` may be called by other threads.

    Args:
        limits: with all values, as `core.engine.limits.effective_limits` gives them.
        parent: the guard of the run that this run is a part of.
        may_be_cancelled: whether `cancel` may be called.
    """

    __slots__ = (
        *("_cancelled", "_deadline", "_held", "_held_bytes", "_parent"),
        *("calls", "limits", "loop_steps", "may_end"),
    )
    may_end: bool

    def __init__(
        self, limits: Limits, parent: "Guard | None" = None, *, may_be_cancelled: bool = False
    ):
        self.limits, self._parent = limits, parent
        seconds = inf if limits.seconds is None else limits.seconds
        self._deadline = monotonic() + seconds
        self._cancelled = False
        self.loop_steps = self.calls = 0
        self._held: dict[int, int] = {}
        self._held_bytes = 0
        #: Whether `check` can raise at all; if not, steps need not call it.
        self.may_end = may_be_cancelled or seconds < inf or (parent is not None and parent.may_end)

    def check(self) -> None:
        """Raise if the run was cancelled or is late; called between steps."""
        if self._cancelled:
            raise RunCancelledError("the run was cancelled")
        if self._deadline < inf and monotonic() > self._deadline:
            assert self.limits.seconds is not None
            raise LimitError("the run takes too long", "seconds", self.limits.seconds)
        if self._parent is not None:
            self._parent.check()

    def cancel(self) -> None:
        """End the run with `RunCancelledError` at its next check."""
        self._cancelled = True

    def count_loop_step(self) -> None:
        """Count an iteration of a loop that begins."""
        self.loop_steps += 1
        most = self.limits.loop_steps
        if most is not None and self.loop_steps > most:
            raise LimitError("the loops of the run take too many steps", "loop_steps", most)
        if self.may_end:
            self.check()

    def count_call(self) -> None:
        """Count a call of a function of the graph."""
        self.calls += 1
        most = self.limits.calls
        if most is not None and self.calls > most:
            raise LimitError("the run calls functions of the graph too often", "calls", most)
        if self.may_end:
            self.check()

    def hold(self, number: int, size: int) -> None:
        """Count a new data container, by its number and bytes.

        Freed containers are looked for only when the bytes of all containers exceed the limit.
        """
        most = self.limits.run_bytes
        if most is None:
            return
        self._held[number] = size
        self._held_bytes += size + OVERHEAD
        if self._held_bytes > most:
            self._forget_gone(most)

    def _forget_gone(self, most: float) -> None:
        """Forget freed containers; raise if the others have more bytes than the limit."""
        held = self._held = {n: b for n, b in self._held.items() if n in live_containers}
        self._held_bytes = sum(held.values()) + OVERHEAD * len(held)
        if self._held_bytes > most:
            what = f"{len(held):,} values of {self._held_bytes:,} bytes"
            raise LimitError(f"the run holds {what} at the same time", "run_bytes", most)


_active: ContextVar[Guard | None] = ContextVar("guard", default=None)

#: The guard of the run that this code is a part of; None outside of runs.
active_guard = _active.get


@contextmanager
def guarded(guard: Guard) -> Iterator[Guard]:
    """Apply a guard to the code inside, in this thread or task only."""
    most, around = guard.limits.value_bytes, value_ceiling()
    if most is None or (around is not None and around < most):
        most = around
    token, token_of_ceiling = _active.set(guard), set_ceiling(most)
    try:
        yield guard
    finally:
        reset(_active, token)
        reset_ceiling(token_of_ceiling)


def check_active() -> None:
    """Raise if the run that this code is a part of was cancelled or is late."""
    guard = _active.get()
    if guard is not None and guard.may_end:
        guard.check()


def check_value(spec: Spec, most: float, what: str) -> None:
    """Raise if a value of that shape and dtype has more bytes than a limit allows."""
    if spec.bytes > most:
        raise LimitError(
            f"{what}: its result {spec.dtype} {spec.shape} has {spec.bytes:,} bytes",
            "value_bytes",
            most,
        )


def check_promised(
    op: str, specs: Sequence[Any], attributes: Mapping[str, Any], result: Any, most: float
) -> None:
    """Raise if an op would give more bytes, or multiply more, than the limits of its run.

    The result is that of the op's rule: a spec, a tuple of specs, or None, if unknown.
    """
    guard = _active.get()
    most_steps = None if guard is None else guard.limits.multiply_adds
    if most_steps is not None and most_steps < inf:
        from core.engine.op_cost import steps

        count = steps(op, specs, attributes, result)
        if count > most_steps:
            raise LimitError(f"{op} takes {count:,} multiply-adds", "multiply_adds", most_steps)
    if type(result) is Spec:
        check_value(result, most, op)
    elif result is not None:
        for spec in result:
            check_value(spec, most, op)


def count_results(op: str, results: "Tensor | list[Tensor]", most: float) -> None:
    """Count the results of an op in the guard of the run; raise if one has too many bytes."""
    guard = _active.get()
    for value in results if isinstance(results, list) else (results,):
        spec = value.spec
        size = spec.bytes
        if spec.dtype == "string":
            size += _text_bytes(value)
        if size > most:
            raise LimitError(f"{op}: a result has {size:,} bytes", "value_bytes", most)
        if guard is not None:
            guard.hold(value.container.id, size)
    if guard is not None and guard.may_end:
        guard.check()


def _text_bytes(value: "Tensor") -> int:
    """Bytes of the texts of a tensor; a repeated object counts once."""
    array = value.container.backend.download(value.handle, value.spec)
    return sum(map(len, {id(text): text for text in array.flat}.values()))

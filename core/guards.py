"""Watches over one run: counts its loop steps and calls, ends it when it is late or cancelled.

`core.graph.model` begins a guard for each run; ops, executors and plans ask the active one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from core.bounds import LimitError, Limits
from core.errors import CoreError
from core.specs import Spec


class RunCancelledError(CoreError):
    """A run was cancelled before it ended."""


class Guard:
    """What one run may still cost. Only `cancel` may be called by other threads.

    Args:
        limits: with all values, as `core.bounds.effective_limits` gives them.
        parent: the guard of the run that this run is a part of.
        may_be_cancelled: whether somebody may call `cancel`.
    """

    __slots__ = ("_cancelled", "_deadline", "_parent", "calls", "limits", "loop_steps", "may_end")
    may_end: bool

    def __init__(
        self, limits: Limits, parent: "Guard | None" = None, *, may_be_cancelled: bool = False
    ):
        self.limits, self._parent = limits, parent
        seconds = inf if limits.seconds is None else limits.seconds
        self._deadline = monotonic() + seconds
        self._cancelled = False
        self.loop_steps = self.calls = 0
        #: Whether `check` can raise at all; where it cannot, steps need not call it.
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
        """Let the run end with `RunCancelledError` at its next check."""
        self._cancelled = True


_active: ContextVar[Guard | None] = ContextVar("guard", default=None)

#: The guard of the run that this code is a part of; None outside of runs.
active_guard = _active.get


@contextmanager
def guarded(guard: Guard) -> Iterator[Guard]:
    """Let a guard watch over what runs inside, in this thread or task only."""
    token = _active.set(guard)
    try:
        yield guard
    finally:
        _active.reset(token)


def check_value(spec: Spec, most: float, what: str) -> None:
    """Raise if a value of that shape and dtype has more bytes than a limit allows."""
    if spec.bytes > most:
        raise LimitError(
            f"{what}: its result {spec.dtype} {spec.shape} has {spec.bytes:,} bytes",
            "value_bytes",
            most,
        )

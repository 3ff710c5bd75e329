"""Processes that end after one result, such as a command for one image.

To look for generated kernels takes such a process longer than they would save it, and to compile
them many times as long. So it runs by NumPy's kernels, but for calls of a network that an earlier
process has prepared: see `core.graph_model.stored_calls`. What it missed may be prepared later.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from core.process.context_vars import in_new_context

R = TypeVar("R")

#: Seconds that the kernels of a step take to compile, about.
SECONDS_EACH = 0.04

_is_single = False
_missed = 0
_is_prepared: ContextVar[bool] = ContextVar("is_prepared", default=False)


@contextmanager
def single_run() -> Iterator[None]:
    """Declare that this process ends after the block."""
    global _is_single, _missed
    _is_single, _missed = True, 0
    try:
        yield
    finally:
        _is_single = False


def is_single() -> bool:
    """Return whether this process ends soon."""
    return _is_single


def runs_by_numpy() -> bool:
    """Return whether what is not prepared runs by NumPy's kernels, and this is not."""
    return _is_single and not _is_prepared.get()


def prepared(function: Callable[[], R]) -> R:
    """Return the result of a function whose kernels an earlier process has compiled."""

    def call() -> R:
        _is_prepared.set(True)
        return function()

    return in_new_context(call)


def note_missing(steps: int = 1) -> None:
    """Note that kernels would have run if an earlier process had compiled them.

    Args:
        steps: number of steps that they would have computed.
    """
    global _missed
    _missed += steps


def missed() -> int:
    """Return the number of steps of the single run for which kernels were missing."""
    return _missed

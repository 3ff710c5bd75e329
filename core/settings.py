"""Which backend runs: an argument, else `set_backend`, else ``CORE_BACKEND``, else cpu."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from core.backends.base import Backend
from core.kernels import load_backend

_of_context: ContextVar[Backend | None] = ContextVar("backend", default=None)
_of_process: Backend | None = None
_choosing = Lock()


def active_backend() -> Backend:
    """The backend that runs ops in this context."""
    return _of_context.get() or _of_process or _default_backend()


def _default_backend() -> Backend:
    global _of_process
    default = load_backend(os.environ.get("CORE_BACKEND") or "cpu")
    with _choosing:
        _of_process = _of_process or default  # another thread may have chosen meanwhile
        return _of_process


def set_backend(name: str) -> None:
    """Choose the backend of the whole process.

    Raises:
        CoreError: no such backend; the message lists those there are.
    """
    global _of_process
    chosen = load_backend(name)
    with _choosing:
        _of_process = chosen


def get_backend() -> str:
    """Name of the backend that runs ops in this context.

    >>> import core
    >>> core.get_backend()
    'cpu'
    """
    return active_backend().name


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Run the ops inside on another backend, in this thread or task only.

    >>> import core
    >>> with core.backend("cpu"):
    ...     core.add(1.0, 2.0).item()
    3.0
    """
    token = _of_context.set(load_backend(name))
    try:
        yield
    finally:
        _of_context.reset(token)

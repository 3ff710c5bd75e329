"""Which backend runs: an argument, else `set_backend`, else ``CORE_BACKEND``, else cpu; flags."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple

from core.backends.base import Backend
from core.errors import CoreError
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


class Flag(NamedTuple):
    """One switch of the engine."""

    default: bool
    document: str


FLAGS = {"debug": Flag(False, "raise at the first NaN or infinity; see core.debug_mode")}


class Flags:
    """The engine's switches, for the whole process: ``core.flags.debug = True``.

    A flag starts as its environment variable says, such as ``CORE_DEBUG=1``, else with its default.
    Called with flags, it sets them at once, and is for a ``with`` statement that sets them back.

    >>> import core
    >>> core.flags
    debug = False  (raise at the first NaN or infinity; see core.debug_mode)
    >>> with core.flags(debug=True):
    ...     core.flags.debug
    True
    >>> core.flags.debug
    False
    """

    debug: bool

    def __init__(self) -> None:
        for name, flag in FLAGS.items():
            given = os.environ.get(f"CORE_{name.upper()}", "")
            object.__setattr__(self, name, _switched(name, given, flag.default))

    def __setattr__(self, name: str, value: Any) -> None:
        _check_flag(name, value)
        object.__setattr__(self, name, value)

    def __call__(self, **values: bool) -> AbstractContextManager[Any]:
        """Set flags now, and back at the end of a ``with`` statement."""
        return _Set(self, values)

    def __repr__(self) -> str:
        return "\n".join(f"{n} = {getattr(self, n)}  ({f.document})" for n, f in FLAGS.items())


class _Set:
    """Flags that are set, until a ``with`` statement ends; it may be used again."""

    def __init__(self, flags: Flags, values: dict[str, bool]):
        for name, value in values.items():
            _check_flag(name, value)
        self._flags, self._values = flags, values
        self._before = self._exchange(values)

    def __enter__(self) -> None:
        self._exchange(self._values)

    def __exit__(self, *exception: Any) -> None:
        self._exchange(self._before)

    def _exchange(self, values: dict[str, bool]) -> dict[str, bool]:
        """Set flags; the values that they had."""
        before = {name: getattr(self._flags, name) for name in values}
        for name, value in values.items():
            setattr(self._flags, name, value)
        return before


def _check_flag(name: str, value: Any) -> None:
    if name not in FLAGS:
        raise CoreError(f"there is no flag {name!r}: use one of {list(FLAGS)}")
    if type(value) is not bool:
        raise CoreError(f"flag {name!r} is True or False, not {value!r:.80}")


def _switched(name: str, given: str, default: bool) -> bool:
    known = {"": default, "0": False, "false": False, "1": True, "true": True}
    if given.lower() not in known:
        raise CoreError(f"CORE_{name.upper()}={given!r} must be 0 or 1")
    return known[given.lower()]


flags = Flags()

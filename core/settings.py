"""The active backend, by `core.backend`, `set_backend`, ``CORE_BACKEND``, else cpu; flags."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple
from weakref import ref

from core.backend_contract import Backend
from core.contexts import put_back
from core.errors import CoreError
from core.locks import new_lock
from core.registry import load_backend

_of_context: ContextVar[Backend | None] = ContextVar("backend", default=None)
_of_process: Backend | None = None
_choosing, _switching = new_lock(), new_lock()


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


def epsilon() -> float:
    """The smallest number that the active backend's floats distinguish from 0 beside 1.

    Optimizers and others add it where they divide: 1e-7 on cpu.

    >>> import core
    >>> core.epsilon()
    1e-07
    """
    return active_backend().epsilon


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Run the ops inside on another backend, in this thread or task only.

    >>> import core
    >>> with core.backend("cpu"):
    ...     core.add(1.0, 2.0).item()
    3.0
    """
    with running_on(load_backend(name)):
        yield


@contextmanager
def running_on(chosen: Backend) -> Iterator[None]:
    """Run the ops inside on a backend that needs no name, in this thread or task only."""
    token = _of_context.set(chosen)
    try:
        yield
    finally:
        put_back(_of_context, token)


class Flag(NamedTuple):
    """One switch of the engine."""

    default: bool
    document: str


FLAGS = {"debug": Flag(False, "raise at the first NaN or infinity; see core.debug_mode")}


class Flags:
    """The engine's switches, for the whole process: ``core.flags.debug = True``.

    A flag starts as its environment variable says, such as ``CORE_DEBUG=1``, else with its default.
    Called with flags, it sets them at once, and is for a ``with`` statement that takes that back.
    Of settings and open statements the latest holds, whichever task or thread it is in.

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
    #: Of each flag who may take a setting back, if that object is still there, and its value.
    _settings: dict[str, list[tuple[Callable[[], Any], bool]]]

    def __init__(self) -> None:
        object.__setattr__(self, "_settings", {name: [] for name in FLAGS})
        for name, flag in FLAGS.items():
            given = os.environ.get(f"CORE_{name.upper()}", "")
            setattr(self, name, _switched(name, given, flag.default))

    def __setattr__(self, name: str, value: Any) -> None:
        _check_flag(name, value)
        self._change({name: value}, lambda: None)

    def __delattr__(self, name: str) -> None:
        raise CoreError(f"flag {name!r} cannot be deleted: set it to True or False")

    def __call__(self, **values: bool) -> AbstractContextManager[Any]:
        """Set flags now, or until the end of a ``with`` statement."""
        return _FlagSetting(self, values)

    def _change(
        self, values: Mapping[str, bool], begins: Any = None, ends: "_FlagSetting | None" = None
    ) -> None:
        """Add a setting of each flag, end the latest one of an object, or both."""
        with _switching:
            for name, value in values.items():
                settings = self._settings[name]
                if ends is not None:
                    del settings[max(i for i, (owner, _) in enumerate(settings) if owner() is ends)]
                if begins is not None:
                    settings.append((begins, value))
                final = [s for s in settings if s[0]() is None][-1:]  # the latest one counts
                settings[:] = [s for s in settings if s in final or s[0]() is not None]
                object.__setattr__(self, name, settings[-1][1])  # plain: every op reads it

    def __repr__(self) -> str:
        return "\n".join(f"{n} = {getattr(self, n)}  ({f.document})" for n, f in FLAGS.items())


class _FlagSetting:
    """Flags that are set, until a ``with`` statement ends; it may be used again."""

    def __init__(self, flags: Flags, values: dict[str, bool]):
        for name, value in values.items():
            _check_flag(name, value)
        self._flags, self._values = flags, values
        self._is_called = True  # and not yet used in a statement
        flags._change(values, begins=ref(self))

    def __enter__(self) -> None:
        with _switching:
            ends, self._is_called = self if self._is_called else None, False
            self._flags._change(self._values, ref(self), ends)

    def __exit__(self, *exception: Any) -> None:
        self._flags._change(self._values, ends=self)


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

"""The active backend, by `core.backend`, `set_backend`, ``CORE_BACKEND``, else cpu; flags."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import ref

from core.engine.backend import Backend
from core.engine.backends import AUTO, load_backend
from core.errors import CoreError
from core.process.context_vars import reset
from core.process.locks import new_lock

_of_context: ContextVar[Backend | None] = ContextVar("backend", default=None)
_of_process: Backend | None = None
# Whether these were chosen by "auto".
_is_auto_in_context: ContextVar[bool] = ContextVar("is_auto", default=False)
_is_auto_in_process = False
_choosing, _switching = new_lock(), new_lock()


def active_backend() -> Backend:
    """The backend that runs ops in this context."""
    return _of_context.get() or _of_process or _default_backend()


def _default_backend() -> Backend:
    name = os.environ.get("CORE_BACKEND") or "cpu"
    default = load_backend(name)
    with _choosing:
        if _of_process is None:  # another thread may have chosen meanwhile
            _choose(default, name)
        return _of_process or default


def _choose(chosen: Backend, name: str) -> None:
    global _of_process, _is_auto_in_process
    _of_process, _is_auto_in_process = chosen, name == AUTO


def set_backend(name: str) -> None:
    """Choose the backend of the whole process.

    Args:
        name: such as ``"shader"``; or ``"auto"``: ops run on a GPU by the shader backend,
            without a GPU on cpu, and each model where it is faster (see `core.GraphModel`).

    Raises:
        CoreError: there is no such backend; the message lists the backends.
    """
    chosen = load_backend(name)
    with _choosing:
        _choose(chosen, name)


def chosen_backend() -> str:
    """Name of the backend as it was chosen in this context: that of `get_backend`, or ``"auto"``.

    >>> with backend("auto"):
    ...     chosen_backend()
    'auto'
    """
    of_context = _of_context.get()
    active = of_context or active_backend()
    is_auto = _is_auto_in_process if of_context is None else _is_auto_in_context.get()
    return AUTO if is_auto else active.name


def get_backend() -> str:
    """Name of the backend that runs ops in this context, also where ``"auto"`` chose it.

    >>> import core
    >>> core.get_backend()
    'cpu'
    """
    return active_backend().name


def epsilon() -> float:
    """The smallest number that optimizers add to divisors on the active backend.

    It depends on the precision of the backend's floats: 1e-7 on cpu.

    >>> import core
    >>> core.epsilon()
    1e-07
    """
    return active_backend().epsilon


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Run the ops inside on another backend, in this thread or task only.

    Args:
        name: as for `core.set_backend`.

    Raises:
        CoreError: there is no such backend; the message lists the backends.

    >>> import core
    >>> with core.backend("cpu"):
    ...     core.add(1.0, 2.0).item()
    3.0
    """
    with running_on(load_backend(name), is_auto=name == AUTO):
        yield


@contextmanager
def running_on(chosen: Backend, *, is_auto: bool = False) -> Iterator[None]:
    """Run the ops inside on a backend object, in this thread or task only."""
    token, token_of_auto = _of_context.set(chosen), _is_auto_in_context.set(is_auto)
    try:
        yield
    finally:
        reset(_is_auto_in_context, token_of_auto)
        reset(_of_context, token)


class Flags:
    """The engine's switches, for the whole process: ``core.flags.debug = True``.

    A flag starts with the value of its environment variable, such as ``CORE_DEBUG=1``, else False.
    A call sets flags at once; a ``with`` statement on its result takes that back at the end. The
    latest setting that was not taken back holds, whichever task or thread it is from.

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
    _settings: "list[tuple[ref[_FlagSetting], bool]]"  # the latest last

    def __init__(self) -> None:
        given = os.environ.get("CORE_DEBUG", "").lower()
        if given not in ("", "0", "false", "1", "true"):
            raise CoreError(f"CORE_DEBUG={given!r} must be 0 or 1")
        self.__dict__["_settings"] = []
        self.debug = given in ("1", "true")

    def __setattr__(self, name: str, value: Any) -> None:
        self(**{name: value})  # nobody takes it back

    def __delattr__(self, name: str) -> None:
        raise CoreError(f"flag {name!r} cannot be deleted: set it to True or False")

    def __call__(self, **values: bool) -> AbstractContextManager[Any]:
        """Set flags now, or until the end of a ``with`` statement."""
        for name, value in values.items():
            if name != "debug":
                raise CoreError(f"there is no flag {name!r}: use one of ['debug']")
            if type(value) is not bool:
                raise CoreError(f"flag {name!r} is True or False, not {value!r:.80}")
        return _FlagSetting(self, **values)

    def __repr__(self) -> str:
        return f"debug = {self.debug}  (raise at the first NaN or infinity; see core.debug_mode)"


class _FlagSetting:
    """Sets the flag, until its ``with`` statement ends, which may be used again."""

    def __init__(self, flags: Flags, debug: bool):
        self._flags, self._entry = flags, (ref(self), debug)
        self._is_called = True  # and not yet used in a statement
        self._change(begins=True)

    def __enter__(self) -> None:
        with _switching:
            self._change(begins=True, ends=self._is_called)
            self._is_called = False

    def __exit__(self, *exception: Any) -> None:
        self._change(ends=True)

    def _change(self, begins: bool = False, ends: bool = False) -> None:
        """Take back the latest setting of this object, add one, or both."""
        with _switching:
            stack = self._flags._settings
            if ends and self._entry in stack:
                del stack[len(stack) - 1 - stack[::-1].index(self._entry)]
            if begins:
                stack.append(self._entry)
            # Nobody takes back the setting of an object that is gone: those below count no more.
            lasting = [i for i, (owner, _) in enumerate(stack) if owner() is None]
            del stack[: max(lasting, default=0)]
            self._flags.__dict__["debug"] = stack[-1][1]  # plain: every op reads it


flags = Flags()

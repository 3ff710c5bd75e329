"""Locks that are new in the child of a fork.

The child has only the thread that forked: locks of other threads would stay locked for ever.
The data that such a lock guards change in steps that leave them usable, so a thread that vanished
between two steps does no harm.

Exceptions of signal handlers strike the main thread after any call. ``with lock:`` is safe from
them in CPython up to 3.13, as nothing strikes between the lock and the block; ``lock.acquire()``
before a ``try`` is not.
"""

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import RLock, get_ident
from typing import Any, TypeVar
from weakref import WeakSet

Result = TypeVar("Result")

_locks: WeakSet[Any] = WeakSet()


def new_lock() -> Any:
    """A reentrant lock for ``with`` statements: a signal handler may take it again.

    >>> lock = new_lock()
    >>> with lock, lock:
    ...     pass
    """
    return renewed(RLock())


def renewed(lock: Any) -> Any:
    """Register a lock of Python or of another library to be renewed in the child of a fork."""
    _locks.add(lock)
    return lock


class lazy_property(cached_property[Result]):  # noqa: N801 - a decorator
    """``functools.cached_property``, which has a lock below Python 3.12."""

    def __init__(self, function: Callable[[Any], Result]):
        super().__init__(function)
        lock = getattr(self, "lock", None)
        if lock is not None:
            renewed(lock)


def _renew() -> None:
    """Open in a child all locks that the forking thread does not hold."""
    for lock in [*_locks]:
        is_owned = getattr(lock, "_is_owned", None)
        if is_owned is None or not is_owned():
            lock._at_fork_reinit()


def _forget_unfinished_imports() -> None:
    """Restart in a child the imports that other threads had begun.

    Python renews the lock of all imports, but no lock of a single module.
    """
    bootstrap: Any = sys.modules["_frozen_importlib"]
    locks = getattr(bootstrap, "_module_locks", {})
    for name, reference in [*locks.items()]:
        lock = reference()
        owner = getattr(lock, "owner", None)
        if owner not in (None, get_ident()):
            locks.pop(name, None)
            spec = getattr(sys.modules.get(name), "__spec__", None)
            if getattr(spec, "_initializing", False):
                sys.modules.pop(name, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
    os.register_at_fork(after_in_child=_forget_unfinished_imports)

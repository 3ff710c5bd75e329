"""The number of threads of NumPy's OpenBLAS while plans distribute their work themselves.

OpenBLAS lets each product wait for all of its threads. On a busy machine a thread of OpenBLAS is
often not running, and each product then takes a time slice of the scheduler: 8 ms instead of 0.3.
The tasks of a plan never wait for a thread that has not started; see `thread_pool`.
"""

import ctypes
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from core.process.locks import new_lock

#: Names of the functions: NumPy's wheels rename them to avoid a clash with another OpenBLAS.
_SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


def openblas_function(name: str) -> Any:
    """Return a function of the OpenBLAS that NumPy has loaded, such as ``"get_num_threads"``.

    None where NumPy has another library.
    """
    for path in _libraries():
        library = ctypes.CDLL(path)
        for spelling in _SPELLINGS:
            found = getattr(library, spelling.format(name), None)
            if found is not None:
                return found
    return None


@cache
def _libraries() -> list[str]:
    """Yield files that may be the OpenBLAS that NumPy has loaded."""
    package = Path(np.__file__).parent
    bundled = [package.with_name("numpy.libs"), package / ".dylibs"]
    found = [str(path) for folder in bundled for path in folder.glob("*openblas*")]
    maps = Path("/proc/self/maps")
    if not found and maps.exists():  # a distribution's NumPy, which shares the system's OpenBLAS
        found = [line.split()[-1] for line in maps.read_text().splitlines() if "openblas" in line]
    return sorted(set(found))


class BlasThreads(NamedTuple):
    """Functions of OpenBLAS that read and set its number of threads."""

    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def blas_threads() -> BlasThreads | None:
    """Return OpenBLAS's functions for its number of threads; None if NumPy uses another library."""
    get, set_ = openblas_function("get_num_threads"), openblas_function("set_num_threads")
    return None if get is None or set_ is None else BlasThreads(get, set_)


class Run:
    """A run of a plan, which lasts as long as it is referenced."""

    __slots__ = ("__weakref__",)


class OneThread:
    """Setting of one BLAS thread for the whole process while runs are active.

    A signal handler may raise in the middle of either method: then call `end`, also once more.
    """

    def __init__(self) -> None:
        self._changing = new_lock()
        self._runs: list[ref[Run]] = []
        self._before, self._is_set = 1, False  # how many threads there were, and whether it is so

    def begin(self, run: Run) -> None:
        """Add a run."""
        threads = blas_threads()
        if threads is None:
            return
        with self._changing:
            if not self._others(run):
                if not self._is_set:
                    self._before, self._is_set = threads.get(), True
                threads.set(1)
            self._runs.append(ref(run))

    def end(self, run: Run) -> None:
        """Remove a run; after the last one the old setting is restored."""
        threads = blas_threads()
        if threads is None:
            return
        with self._changing:
            self._runs = self._others(run)
            if self._is_set and not self._runs:
                threads.set(self._before)
                self._is_set = False

    def change(self, count: int) -> None:
        """Set the number of threads, at once or after the last active run."""
        threads = blas_threads()
        if threads is None:
            return
        with self._changing:
            self._before = count
            if not self._is_set:
                threads.set(count)

    def _others(self, run: Run) -> "list[ref[Run]]":
        """Return the other active runs, without those that were interrupted in `end`."""
        return [other for other in self._runs if other() not in (None, run)]

    def forget(self) -> None:
        """Restore the old setting: the child of a fork has no runs."""
        threads = blas_threads()
        if self._is_set and threads is not None:
            threads.set(self._before)


_one_thread = OneThread()


def one_blas_thread() -> OneThread:
    """Return the process's setting of one BLAS thread."""
    return _one_thread


def _after_fork() -> None:
    """Restore the setting in the child of a fork, which has none of its parent's runs."""
    global _one_thread
    before, _one_thread = _one_thread, OneThread()
    before.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

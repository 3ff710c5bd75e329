"""How many threads NumPy's OpenBLAS uses, for the time that plans share out their work themselves.

OpenBLAS lets each product wait for all of its threads. On a machine that does something else, too,
a thread of it is often not running, and each product then takes as long as a turn of the scheduler:
8 ms instead of 0.3. The lanes of a plan wait for nobody who has not begun; see `team`.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

#: NumPy's wheels rename the functions, so that they meet no other OpenBLAS.
_SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


def openblas_function(name: str) -> Any:
    """A function of the OpenBLAS that NumPy has loaded, such as ``"get_num_threads"``.

    None where NumPy has another library.
    """
    import ctypes  # which NumPy has imported

    for path in _libraries():
        library = ctypes.CDLL(path)
        for spelling in _SPELLINGS:
            found = getattr(library, spelling.format(name), None)
            if found is not None:
                return found
    return None


@cache
def _libraries() -> list[str]:
    """Files that may be the OpenBLAS that NumPy has loaded."""
    package = Path(np.__file__).parent
    bundled = [package.with_name("numpy.libs"), package / ".dylibs"]
    found = [str(path) for folder in bundled for path in folder.glob("*openblas*")]
    maps = Path("/proc/self/maps")
    if not found and maps.exists():  # a distribution's NumPy, which shares the system's OpenBLAS
        found = [line.split()[-1] for line in maps.read_text().splitlines() if "openblas" in line]
    return sorted(set(found))


class BlasThreads(NamedTuple):
    """OpenBLAS's own functions."""

    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def blas_threads() -> BlasThreads | None:
    """How to ask and tell OpenBLAS its threads; None where NumPy has another library."""
    get, set_ = openblas_function("get_num_threads"), openblas_function("set_num_threads")
    return None if get is None or set_ is None else BlasThreads(get, set_)


class _Limit:
    """Counts the runs that go on, and knows how many threads there were before them."""

    def __init__(self) -> None:
        self._counting = Lock()
        self._runs, self._before = 0, 1

    def begin(self, threads: BlasThreads) -> None:
        """One more run."""
        with self._counting:
            if not self._runs:
                self._before = threads.get()
                threads.set(1)
            self._runs += 1

    def end(self, threads: BlasThreads) -> None:
        """One run less; after the last all is as before."""
        with self._counting:
            self._runs -= 1
            if not self._runs:
                threads.set(self._before)


_limit = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let products inside run in the thread that asks for them; for the whole process."""
    threads, limit = blas_threads(), _limit
    if threads is None:
        yield
        return
    limit.begin(threads)
    try:
        yield
    finally:
        limit.end(threads)


def _after_fork() -> None:
    """The child of a fork has none of its parent's runs."""
    global _limit
    before, _limit = _limit, _Limit()
    threads = blas_threads() if before._runs else None
    if threads is not None:
        threads.set(before._before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

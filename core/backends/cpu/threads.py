"""The number of threads of a run on the cpu backend, of NumPy's tasks and of generated code."""

import os
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import ParamSpec, TypeVar

from core.errors import SettingError
from core.process.context_vars import with_value

#: Largest default number of threads: more wait for memory.
MOST_THREADS = 8

#: Environment variable with the number of threads of a run.
VARIABLE = "CORE_THREADS"

P = ParamSpec("P")
R = TypeVar("R")

_chosen: int | None = None
_spares: ContextVar[bool] = ContextVar("spares", default=False)
_followers: list[Callable[[int], None]] = []


def set_threads(count: int) -> None:
    """Choose how many threads share a run on the cpu backend, in the whole process.

    It holds for runs that begin later, and for OpenBLAS, which computes matrix products of single
    ops. What NumPy computes in a plan was cut into tasks when the plan was made, for the number of
    threads then: with fewer threads each takes more tasks, more threads find nothing to do. A plan
    that is made later is cut for the new number.

    Args:
        count: number of threads, from 1 to 8.

    Raises:
        SettingError: the count is no such number.

    >>> import core
    >>> before = core.get_threads()
    >>> core.set_threads(1)
    >>> core.get_threads()
    1
    >>> core.set_threads(before)
    """
    global _chosen
    if type(count) is not int or not 1 <= count <= MOST_THREADS:
        raise SettingError(
            f"set_threads({count!r:.80}): the count must be an int from 1 to {MOST_THREADS}; "
            "get_threads() is the present one"
        )
    from core.backends.cpu.numpy_steps.blas import one_blas_thread  # that few programs change

    _chosen = count
    one_blas_thread().change(count)
    for follow in _followers:
        follow(count)


def get_threads() -> int:
    """Return how many threads share a run on the cpu backend.

    One for each CPU, at most 8; ``CORE_THREADS`` or `set_threads` says otherwise.

    Raises:
        SettingError: ``CORE_THREADS`` is no number from 1 to 8.

    >>> import core
    >>> 1 <= core.get_threads() <= 8
    True
    """
    return thread_count()


def thread_count() -> int:
    """Return the number of threads of a run: as chosen, else one for each CPU."""
    return _chosen or _requested_count() or _cpu_count()


def is_chosen() -> bool:
    """Whether the user chose the number of threads."""
    return bool(_chosen or _requested_count())


def sparing_work(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that leaves the other CPUs to those with whom it shares the computer.

    Runs that several threads would shorten by less than they burn then have one thread. So it is in
    sessions of live video, where frames come at their own pace, beside a decoder and an
    application.

    >>> sparing_work(is_sparing)(), is_sparing()
    (True, False)
    """
    return with_value(_spares, True, function)


def is_sparing() -> bool:
    """Return whether `sparing_work` is being done."""
    return _spares.get()


def on_change(follow: Callable[[int], None]) -> None:
    """Call a function with the number of threads when it changes."""
    _followers.append(follow)


@cache
def _requested_count() -> int | None:
    """Return the number in the environment variable; None if it is not set."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        return None
    if not given.isdecimal() or not 1 <= int(given) <= MOST_THREADS:
        raise SettingError(f"{VARIABLE}={given!r} must be a number from 1 to {MOST_THREADS}")
    return int(given)


@cache
def _cpu_count() -> int:
    has_affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cpus, MOST_THREADS)

"""The thread that compiles kernels while models run.

It is a daemon thread with a low priority where the system has such, and ends when there is nothing
left to compile. When the process exits it stops after the kernel at which it is, since LLVM must
not be at work while its library is being unloaded.
"""

import atexit
import os
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import get_native_id  # which must first be imported by no thread of `_thread`
from typing import Protocol
from weakref import ref

from core.backends.cpu.single_runs import is_single
from core.errors import CoreError
from core.process.locks import new_lock


class Compilable(Protocol):
    """An object with kernels to compile."""

    def compile(self, check: Callable[[], None]) -> None:
        """Compile the kernels, and use them; call a function before each, which may raise."""


_waiting: "deque[ref[Compilable]]" = deque()
_changing = new_lock()
_is_running = False

#: Whether the process exits: the compiler checks it between two kernels.
is_ending = False

#: Niceness added to the compiler thread, so that it yields to other threads.
_NICENESS = 10


def abandon() -> None:
    """Do not wait for the thread: the process is about to end without unloading LLVM's library."""
    atexit.unregister(_end)


def compile_later(one: Compilable) -> None:
    """Compile the kernels of an object in the background, unless it is freed before."""
    global _is_running
    if is_ending or is_single():
        return
    with _changing:
        _waiting.append(ref(one))
        if _is_running:
            return
        _is_running = True
    try:
        start_new_thread(_work, ())
    except RuntimeError:  # no more threads, or the interpreter ends
        _is_running = False


def check() -> None:
    """Raise if the process ends, so that no more is compiled."""
    if is_ending:
        raise CoreError("the process ends: its kernels are compiled another time")


def _end() -> None:
    """Stop the thread after the kernel that it compiles, and wait for it."""
    global is_ending
    is_ending = True
    if _is_running:
        from core.backends.cpu.codegen.machine_code.compiler import compiling

        with compiling:
            pass


atexit.register(_end)


def _work() -> None:
    global _is_running
    with suppress(OSError, AttributeError):  # elsewhere it has the priority of others
        os.setpriority(os.PRIO_PROCESS, get_native_id(), _NICENESS)
    while True:
        with _changing:
            if not _waiting or is_ending:
                _is_running = False
                return
            one = _waiting.popleft()()
        if one is not None:
            with suppress(CoreError):  # the model runs on NumPy's kernels
                one.compile(check)
        del one

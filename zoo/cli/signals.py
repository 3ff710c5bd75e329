"""Ends of commands: by SIGTERM and SIGHUP as by Ctrl-C, and without freeing memory."""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import NoReturn

#: Signals that ask a process to end; Windows has no SIGHUP.
_NAMES = ("SIGTERM", "SIGHUP")

#: Seconds in which the signal may come again without ending the clearing up: ``timeout`` sends it
#: to the process and to its group.
_ONCE_IN = 1.0


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let the signals raise SystemExit with the status of a shell, such as 143.

    Those that are ignored, as SIGHUP below ``nohup``, or that a program handles, stay as they are.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may set them
        yield
        return
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    changed = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    handler = _Ending()
    for number in changed:
        signal.signal(number, handler)
    try:
        yield
    finally:
        if not handler.was_called:  # else the process is about to end, and needs it to the end
            for number in changed:
                signal.signal(number, signal.SIG_DFL)


class _Ending:
    """A handler that raises SystemExit."""

    def __init__(self) -> None:
        self._last = -_ONCE_IN
        self.was_called = False

    def __call__(self, number: int, _: object) -> NoReturn | None:
        now = monotonic()
        if now - self._last < _ONCE_IN:
            return None
        self._last, self.was_called = now, True
        sys.exit(128 + number)


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """End the process where a signal ends the block, without freeing its memory.

    Python frees objects one by one, half a second of computing where models are loaded: several
    seconds on a busy machine, for which whoever ends a server does not wait.
    """
    try:
        yield
    except KeyboardInterrupt:
        _leave(128 + signal.SIGINT)
    except SystemExit as stop:
        if not isinstance(stop.code, int):
            raise
        _leave(stop.code)


def leave_if_alone(status: int) -> None:
    """End the process as after a command, unless other threads of Python's run.

    Freeing the objects of an answered `zoo pose` would take it 7 ms of 160.
    """
    if threading.active_count() == 1:
        _leave(status)


def _leave(status: int) -> NoReturn:
    """End the process with what other modules do at its end, but without freeing memory."""
    compiling = sys.modules.get("core.backends.cpu.codegen.background")
    if compiling is not None:
        compiling.abandon()
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None where it was closed before
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)

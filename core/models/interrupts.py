"""Interruption of training between steps, so that a model keeps what a whole step left.

Python runs the handler of a signal between any two of its instructions. In the midst of a step
KeyboardInterrupt would leave variables without a value, while an archive is written it may become
another error, and in a ``__del__`` it would be lost.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Delays Ctrl-C to the end of a step; the second one interrupts at once."""

    def __init__(self) -> None:
        self._is_in_step = self._is_waiting = False

    @contextmanager
    def between_steps(self) -> Iterator[None]:
        """Take SIGINT over, where Python's own handler has it and this thread may set handlers."""
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler or not _is_main_thread():
            yield
            return
        signal.signal(signal.SIGINT, self._handle)
        try:
            yield
            self.check()
        finally:
            self._is_waiting = False
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Delay an interruption to the end of a block, where it raises KeyboardInterrupt."""
        if self._is_in_step or not _is_main_thread():
            yield
            return
        self.check()
        self._is_in_step = True
        try:
            yield
        finally:
            self._is_in_step = False
        self.check()

    def check(self) -> None:
        """Raise KeyboardInterrupt if an interruption waits."""
        if self._is_waiting:
            self._is_waiting = False
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._is_waiting and (self._is_in_step or _is_in_del(frame)):
            self._is_waiting = True
            return
        self._is_in_step = self._is_waiting = False
        raise KeyboardInterrupt


#: Interrupts of this process.
INTERRUPTS = Interrupts()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _is_in_del(frame: FrameType | None) -> bool:
    """Return whether a ``__del__`` runs, whose exceptions Python ignores."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False

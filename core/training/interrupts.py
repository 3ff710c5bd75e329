"""Interruption of training between steps, so that a model keeps what a whole step left."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Delays Ctrl-C to the end of a step; the second one in a step interrupts at once."""

    def __init__(self) -> None:
        self._is_in_step = self._is_waiting = False

    @contextmanager
    def between_steps(self) -> Iterator[None]:
        """Take SIGINT over, where Python's own handler has it and this thread may set handlers."""
        import signal

        before = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or before is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Delay an interruption to the end of a block, where it raises KeyboardInterrupt."""
        self._is_in_step = True
        try:
            yield
        finally:
            self._is_in_step = False
            if self._is_waiting:
                self._is_waiting = False
                raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_in_step and not self._is_waiting:
            self._is_waiting = True
            return
        self._is_in_step = self._is_waiting = False
        raise KeyboardInterrupt

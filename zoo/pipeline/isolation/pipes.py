"""Ends of pipes to another process, with a deadline for every wait."""

import errno
import os
import select
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from math import inf
from time import monotonic

from core.engine.run_guard import active_guard

#: Whether the system can wait for a pipe with a timeout; Windows cannot.
CAN_WAIT = hasattr(select, "poll")

#: Capacity of a pipe; the default of 64 kB needs a switch between the processes for each part.
_PIPE_BYTES = 2**20

#: Error numbers of writing to a closed pipe; the second is of Windows.
_ENDED = (errno.EPIPE, errno.EINVAL)

_LONGEST = 1e9  # milliseconds of a single wait
_LONGEST_GUARDED = 20.0  # milliseconds, if the run may be cancelled


class LateError(Exception):
    """The other process did not read or write in time."""


class EndedError(EOFError):
    """The other process has ended, or this end was closed."""


class Pipe:
    """An end of a pipe.

    Args:
        stream: the unbuffered stream.
        for_writing: whether this is the writing end.
    """

    def __init__(self, stream: FileIO, for_writing: bool):
        self._stream = stream
        #: End of waiting, in seconds of `time.monotonic`.
        self.deadline = inf
        if CAN_WAIT:
            os.set_blocking(stream.fileno(), False)
            self._poll = select.poll()
            self._poll.register(stream, select.POLLOUT if for_writing else select.POLLIN)
        _widen(stream)

    def write(self, data: memoryview, /) -> int:
        """Write some of the bytes, and return their number.

        Raises:
            LateError: the pipe is full until the deadline.
            RunCancelledError: (also by `readinto`) the surrounding run was cancelled.
            EndedError: the other end is closed.
        """
        return self._moved(self._stream.write, data)

    def readinto(self, buffer: memoryview, /) -> int:
        """Read some bytes, and return their number, 0 at the end.

        Raises:
            LateError: the pipe is empty until the deadline.
            EndedError: this end was closed.
        """
        return self._moved(self._stream.readinto, buffer)

    def _moved(self, move: Callable[[memoryview], int | None], data: memoryview) -> int:
        """Return the number of bytes moved, as soon as there are any."""
        try:
            self._wait()
            while (count := move(data)) is None:
                self._wait()
        except (OSError, ValueError) as error:
            # Other errors are from signal handlers of the caller, such as TimeoutError.
            if getattr(error, "errno", None) in _ENDED or self._stream.closed:
                raise EndedError from None
            raise
        return count

    def _wait(self) -> None:
        guard = active_guard()
        check = guard.check if guard is not None and guard.may_end else None
        longest = _LONGEST_GUARDED if check else _LONGEST
        while CAN_WAIT:
            left = (self.deadline - monotonic()) * 1000
            if self._poll.poll(min(max(left, 0), longest)):
                return
            if left <= 0:
                raise LateError
            if check:
                check()


def _widen(stream: FileIO) -> None:
    """Increase the capacity of a pipe, if the system allows it, as Linux does up to a limit."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

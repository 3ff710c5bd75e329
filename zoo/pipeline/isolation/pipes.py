"""Ends of pipes to another process, which is waited for only so long."""

import errno
import os
import select
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from math import inf
from time import monotonic

from core.guards import active_guard

#: Whether the system can wait for a pipe with a limit of time; Windows cannot.
CAN_WAIT = hasattr(select, "poll")

#: What a pipe may hold; the usual 64 kB take a switch between the processes for each.
_PIPE_BYTES = 2**20

#: Of writing to a pipe that nobody reads; Windows has the second one.
_ENDED = (errno.EPIPE, errno.EINVAL)

_LONGEST = 1e9  # milliseconds that the system waits at once
_LONGEST_GUARDED = 20.0  # likewise where the run may be cancelled


class LateError(Exception):
    """The other process did not read or write in time."""


class EndedError(EOFError):
    """The other process has ended, or this end was closed."""


class Pipe:
    """An end of a pipe.

    Args:
        stream: it, without a buffer.
        for_writing: which end.
    """

    def __init__(self, stream: FileIO, for_writing: bool):
        self._stream = stream
        #: Until when to wait, in seconds of `time.monotonic`.
        self.deadline = inf
        if CAN_WAIT:
            os.set_blocking(stream.fileno(), False)
            self._poll = select.poll()
            self._poll.register(stream, select.POLLOUT if for_writing else select.POLLIN)
        _widen(stream)

    def write(self, data: memoryview, /) -> int:
        """Write some of the bytes; how many.

        Raises:
            LateError: there is no room until the deadline.
            RunCancelledError: (also by `readinto`) the run around was cancelled.
            EndedError: nobody reads any more.
        """
        return self._moved(self._stream.write, data)

    def readinto(self, buffer: memoryview, /) -> int:
        """Read some bytes; how many, 0 at the end.

        Raises:
            LateError: nothing comes until the deadline.
            EndedError: this end was closed.
        """
        return self._moved(self._stream.readinto, buffer)

    def _moved(self, move: Callable[[memoryview], int | None], data: memoryview) -> int:
        """How many bytes were moved, as soon as there are any."""
        try:
            self._wait()
            while (count := move(data)) is None:
                self._wait()
        except (OSError, ValueError) as error:
            # Others are of the caller's signal handlers, such as TimeoutError.
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
    """Let a pipe hold more at once, where the system allows it: Linux, to a size that it sets."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

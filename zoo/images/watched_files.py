"""Files with a limit of reading time, which bounds decoders of hostile files."""

from __future__ import annotations

import io
import os
from time import thread_time
from typing import Any

from zoo.images.pixels import ImageError

MAX_READ = 256 * 2**20
"""Most bytes of one read, as some decoders read the whole file."""

_BUFFER = 2**16

# A damaged file can make a parser read parts of it again and again.
_TIMES, _MORE = 8, 64 * 2**20


class Budget:
    """The remaining bytes and seconds for reading a file.

    The seconds are those that this thread computes: what a file system or other threads take from
    it does not count.
    """

    def __init__(self, name: str, size: int):
        self._name, self._left = name, _TIMES * size + _MORE
        self._deadline = self._seconds = float("inf")

    def allow(self, seconds: float) -> None:
        """Set the deadline to some seconds from now."""
        self._seconds, self._deadline = seconds, thread_time() + seconds

    def take(self, count: int, *, is_cut: bool = False) -> None:
        """Count bytes that are read, and check the deadline."""
        self._left -= count
        if is_cut or self._left < 0:
            raise ImageError(
                f"{self._name} has more than {MAX_READ:,} bytes in one part, or refers to its "
                "parts too often: save it again, as JPEG or PNG"
            )
        if thread_time() > self._deadline:
            raise ImageError(
                f"{self._name} takes longer to read than {self._seconds:g} s: save it again, as "
                "JPEG or PNG, or raise the limit with `with core.limits(file_seconds=...)`"
            )


# What is overridden runs between the reading and the buffer, which may drop exceptions of signal
# handlers in other methods, such as `seek`: these stay those of the bases.


class _Disk(io.FileIO):
    budget: Budget

    def readinto(self, buffer: Any, /) -> int | None:
        view = memoryview(buffer)
        count = super().readinto(view[:MAX_READ])
        self.budget.take(count or 0, is_cut=count == MAX_READ and len(view) > MAX_READ)
        return count

    def readall(self) -> bytes:
        count = os.fstat(self.fileno()).st_size - self.tell()
        self.budget.take(count, is_cut=count > MAX_READ)
        return super().readall()


class _Memory(io.BytesIO):
    budget: Budget

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer)
        self.budget.take(count)
        return count

    def readall(self) -> bytes:
        data = self.read()
        self.budget.take(len(data))
        return data


class WatchedFile(io.BufferedReader):
    """A file for decoders, with a deadline and a limit of reads per byte."""

    def __init__(self, source: _Disk | _Memory, budget: Budget):
        source.budget = self.budget = budget
        super().__init__(source, _BUFFER)


def watched_path(path: str, name: str) -> WatchedFile:
    """A file on disk.

    Args:
        path: of a regular file.
        name: what error messages call it.
    """
    file = _Disk(path)
    return WatchedFile(file, Budget(name, os.fstat(file.fileno()).st_size))


def watched_bytes(data: bytes, name: str) -> WatchedFile:
    """Bytes in memory as a file.

    Args:
        data: of an encoded image.
        name: what error messages call it.
    """
    return WatchedFile(_Memory(data), Budget(name, len(data)))

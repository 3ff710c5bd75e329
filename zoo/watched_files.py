"""Files that are read for a limited time: what a few kilobytes can make a decoder do has an end."""

from __future__ import annotations

import io
from time import thread_time
from typing import TYPE_CHECKING

from zoo.pixels import ImageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_READ = 256 * 2**20
"""Most bytes that are read at once, as decoders of some formats do with the whole file."""

_BUFFER = 2**16

# A damaged file can make a parser read parts of it again and again.
_TIMES, _MORE = 8, 64 * 2**20


class _Watched(io.RawIOBase):
    """Checks each time that the buffer of a `WatchedFile` is filled."""

    def __init__(self, source: io.FileIO | io.BytesIO, name: str, size: int):
        self._source, self._name = source, name
        self._left = _TIMES * size + _MORE
        self.deadline = self.seconds = float("inf")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._source.fileno()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._source.seek(offset, whence)

    def close(self) -> None:
        self._source.close()
        super().close()

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        view = memoryview(buffer)
        count = self._source.readinto(view[:MAX_READ])
        self._check(count or 0, is_cut=count == MAX_READ and len(view) > MAX_READ)
        return count

    def readall(self) -> bytes:
        data = self._source.read(MAX_READ + 1)
        self._check(len(data), is_cut=len(data) > MAX_READ)
        return data

    def _check(self, count: int, *, is_cut: bool) -> None:
        self._left -= count
        if is_cut or self._left < 0:
            raise ImageError(
                f"{self._name} has more than {MAX_READ:,} bytes in one part, or refers to its "
                "parts too often: save it again, as JPEG or PNG"
            )
        if thread_time() > self.deadline:
            raise ImageError(
                f"{self._name} takes longer to read than {self.seconds:g} s: save it again, as "
                "JPEG or PNG, or raise the limit with `with core.limits(file_seconds=...)`"
            )


class WatchedFile(io.BufferedReader):
    """A file for decoders: read until a deadline, and each byte a few times at most.

    The seconds are those that this thread computes: what a file system or other threads take from
    it does not count.

    Args:
        source: the file, or the bytes in memory.
        name: what error messages call it.
        size: its bytes.
    """

    raw: _Watched

    def __init__(self, source: io.FileIO | io.BytesIO, name: str, size: int):
        super().__init__(_Watched(source, name, size), _BUFFER)

    def allow(self, seconds: float) -> None:
        """Let reading go on for some seconds from now on."""
        self.raw.seconds, self.raw.deadline = seconds, thread_time() + seconds

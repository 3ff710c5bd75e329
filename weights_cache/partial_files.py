"""Partial files: a file being received is ``<name>.<random>.part`` beside its final path."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import TypeVar

from weights_cache.atomic_files import create_file, is_stale, siblings, unique_sibling
from weights_cache.file_checks import sha256_of
from weights_cache.ownership import is_closed, is_own
from weights_cache.registry import FileRecord
from weights_cache.regular_files import open_unlinked

Report = Callable[[int], object]


class WrongBytesError(Exception):
    """The received bytes are not the file of the record; ``short`` is the reason in two words."""

    def __init__(self, reason: str, short: str = "other bytes") -> None:
        super().__init__(reason)
        self.short = short


class Part:
    """Received bytes of one file, which get the file's name only when length and sha256 agree.

    ``is_known`` is true if length and sha256 are those of a record, so that a part of an earlier
    process can be resumed. ``report`` is called with the number of bytes received (negative when
    bytes are discarded).
    """

    is_known = True

    def __init__(self, target: Path, file: FileRecord, report: Report) -> None:
        self.file = file
        self.size = 0
        self._target = target
        self._report = report
        self._path, self._stream = _open_part(target)
        left = self._stream.seek(0, os.SEEK_END)
        self._advance(left)
        if left > self.file.bytes:
            self.restart()

    @property
    def is_complete(self) -> bool:
        """Whether all bytes were received."""
        return self.size == self.file.bytes

    @property
    def is_short(self) -> bool:
        """Whether bytes are missing when an answer has ended."""
        return self.size < self.file.bytes

    def check_headers(self, headers: Mapping[str, str]) -> None:
        """Raise WrongBytesError if the announced length differs from the missing bytes."""
        expected = self.file.bytes - self.size
        declared = headers.get("Content-Length", str(expected))
        if declared != str(expected):
            kind = headers.get("Content-Type", "no type")
            raise WrongBytesError(f"announced {declared} bytes ({kind}) instead of {expected}")

    def write(self, block: bytes) -> None:
        """Append ``block``; raise WrongBytesError if the file becomes longer than its record."""
        if self.size + len(block) > self.file.bytes:
            raise WrongBytesError(f"more than the {self.file.bytes} bytes of the record arrived")
        rest = memoryview(block)
        while rest:
            written = self._stream.write(rest)
            rest = rest[written:]
        self._advance(len(block))

    def restart(self) -> None:
        """Discard all received bytes."""
        self._stream.seek(0)
        self._stream.truncate()
        self._advance(-self.size)

    def finish(self) -> None:
        """Check the whole file and rename it; raise WrongBytesError if it is not the right file."""
        os.fsync(self._stream.fileno())
        self._check()
        self._stream.close()
        os.replace(self._path, self._target)

    def _check(self) -> None:
        found = sha256_of(self._stream)
        if found != self.file.sha256:
            reason = f"the file received has sha256 {found} instead of {self.file.sha256}"
            raise WrongBytesError(reason, "wrong hash")

    def discard(self) -> None:
        """Remove the file."""
        self.close()
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and keep it, so that a later process can resume."""
        self._stream.close()

    def _advance(self, count: int) -> None:
        self.size += count
        self._report(count)


AnyPart = TypeVar("AnyPart", bound=Part)


@contextmanager
def receiving(part: AnyPart) -> Iterator[AnyPart]:
    """Yield the part and close it; the caller holds the lock of its target.

    An exception removes the part; only a killed or interrupted process leaves a part behind.
    """
    try:
        yield part
    except Exception:
        part.discard()
        raise
    finally:
        part.close()


def _open_part(target: Path) -> tuple[Path, FileIO]:
    """Open the newest part of the last day, or a new one; remove all other parts.

    No other process writes to parts, because the lock of ``target`` is held.
    """
    found: tuple[Path, FileIO] | None = None
    for path in siblings(target, "part"):
        stream = None if found or is_stale(path) else _reopen(path)
        if stream is None:
            with suppress(OSError):  # a folder, or a file of another user, is not used
                path.unlink(missing_ok=True)
        else:
            found = path, stream
    if found:
        return found
    path = unique_sibling(target, "part")
    # No group may write to the file, or it could be changed after the check.
    return path, create_file(path, 0o644)


def _reopen(path: Path) -> FileIO | None:
    """Open a part to resume it; None if it is not a private file of the user without links.

    Through a link another file would be overwritten, and a file that other users may write could
    change after the check.
    """
    try:
        if not _is_private_file(path.lstat()):
            return None
        stream = open_unlinked(path)
    except OSError:
        return None
    if _is_private_file(os.fstat(stream.fileno())):
        return stream
    stream.close()  # exchanged in between
    return None


def _is_private_file(status: os.stat_result) -> bool:
    alone = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return alone and is_own(status) and is_closed(status)

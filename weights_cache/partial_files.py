"""A file while it is being received: ``<name>.<random>.part`` beside the place it will take."""

import io
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from weights_cache.atomic_files import create_file, is_stale, siblings, unique_sibling
from weights_cache.file_checks import sha256_of
from weights_cache.ownership import is_closed, is_own
from weights_cache.registry import FileRecord

Report = Callable[[int], object]


class WrongBytesError(Exception):
    """What was received is not the file of the record; ``short`` says why in two words."""

    def __init__(self, reason: str, short: str = "other bytes") -> None:
        super().__init__(reason)
        self.short = short


class Part:
    """Received bytes of one file; they take the file's name only when length and sha256 agree.

    ``is_known`` says that length and sha256 are those of a record, so that what an earlier process
    left can be resumed; ``report`` is told how many bytes came in (a negative number when they are
    thrown away).
    """

    is_known = True

    def __init__(self, target: Path, file: FileRecord, report: Report) -> None:
        self.file = file
        self.size = 0
        self._target = target
        self._report = report
        self._path, descriptor = _open_part(target)
        self._stream = io.FileIO(descriptor, "r+")
        self._resume()

    def _resume(self) -> None:
        left = self._stream.seek(0, os.SEEK_END)
        self._advance(left)
        if left > self.file.bytes:
            self.restart()

    @property
    def is_complete(self) -> bool:
        """Whether all bytes are there."""
        return self.size == self.file.bytes

    @property
    def is_short(self) -> bool:
        """Whether bytes are missing when an answer has ended."""
        return self.size < self.file.bytes

    def check_headers(self, headers: Mapping[str, str]) -> None:
        """WrongBytesError if an answer announces another length than the one that is missing."""
        expected = self.file.bytes - self.size
        declared = headers.get("Content-Length", str(expected))
        if declared != str(expected):
            kind = headers.get("Content-Type", "no type")
            raise WrongBytesError(f"announced {declared} bytes ({kind}) instead of {expected}")

    def write(self, block: bytes) -> None:
        """Append ``block``; WrongBytesError as soon as there is more than the record says."""
        if self.size + len(block) > self.file.bytes:
            raise WrongBytesError(f"more than the {self.file.bytes} bytes of the record arrived")
        rest = memoryview(block)
        while rest:
            written = self._stream.write(rest)
            rest = rest[written:]
        self._advance(len(block))

    def restart(self) -> None:
        """Throw away what was received."""
        self._stream.seek(0)
        self._stream.truncate()
        self._advance(-self.size)

    def finish(self) -> None:
        """Check the whole file and give it its name; WrongBytesError if it is not the right one."""
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
        """Close the file, which stays for a later process to resume."""
        self._stream.close()

    def _advance(self, count: int) -> None:
        self.size += count
        self._report(count)


AnyPart = TypeVar("AnyPart", bound=Part)


@contextmanager
def receiving(part: AnyPart) -> Iterator[AnyPart]:
    """The part, for whose place the caller holds the lock.

    An exception removes the part; only a killed or interrupted process leaves one behind.
    """
    try:
        yield part
    except Exception:
        part.discard()
        raise
    finally:
        part.close()


def _open_part(target: Path) -> tuple[Path, int]:
    """Open the newest part left within a day, or a new one; remove the other ones.

    Nobody else writes to them, because the lock of ``target`` is held.
    """
    found: tuple[Path, int] | None = None
    for path in siblings(target, "part"):
        descriptor = None if found or is_stale(path) else _reopen(path)
        if descriptor is None:
            with suppress(OSError):  # a folder, or a file of another user: it is not used
                path.unlink(missing_ok=True)
        else:
            found = path, descriptor
    if found:
        return found
    path = unique_sibling(target, "part")
    # Not even a group may write to it: what was checked could be changed afterwards.
    return path, create_file(path, 0o644)


def _reopen(path: Path) -> int | None:
    """Open a part to go on with it; None where it is not a file of the user's, with one name.

    Through a link another file would be overwritten, and one that others may write could change
    after it was checked.
    """
    try:
        if not _is_ours(path.lstat()):
            return None
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    if _is_ours(os.fstat(descriptor)):
        return descriptor
    os.close(descriptor)  # exchanged in between
    return None


def _is_ours(status: os.stat_result) -> bool:
    alone = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return alone and is_own(status) and is_closed(status)

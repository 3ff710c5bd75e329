"""A file while it is being received: ``<name>.<random>.part`` beside the place it will take."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weights_cache.checks import find_fault
from weights_cache.registry import FileRecord
from weights_cache.staging import create_file, is_stale, siblings, unique_sibling

Report = Callable[[int], object]


class WrongBytesError(Exception):
    """What was received is not the file of the record; ``short`` says why in two words."""

    def __init__(self, reason: str, short: str = "other bytes") -> None:
        super().__init__(reason)
        self.short = short


class Part:
    """Received bytes of one file; they take the file's name only when length and sha256 agree.

    ``report`` is told how many bytes came in (a negative number when they are thrown away).
    """

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
        fault = find_fault(self._path, self.file)
        if fault:
            raise WrongBytesError(fault.replace(str(self._path), "the file received"), "wrong hash")
        self._stream.close()
        os.replace(self._path, self._target)

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


@contextmanager
def receiving(target: Path, file: FileRecord, report: Report) -> Iterator[Part]:
    """A part for ``target``, whose lock the caller holds.

    An exception removes the part; only a killed or interrupted process leaves one behind.
    """
    part = Part(target, file, report)
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
    left = siblings(target, "part")
    kept = left[0] if left and not is_stale(left[0]) else None
    for path in left:
        if path != kept:
            path.unlink(missing_ok=True)
    if kept is None:
        kept = unique_sibling(target, "part")
        return kept, create_file(kept)
    return kept, os.open(kept, os.O_RDWR | getattr(os, "O_BINARY", 0))

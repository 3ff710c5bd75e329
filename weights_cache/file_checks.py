"""Checks of files against the length and hash of their records."""

import os
import stat
import zlib
from pathlib import Path
from typing import BinaryIO

from weights_cache.interruptions import pass_interruption
from weights_cache.ownership import owner_of
from weights_cache.registry import FileRecord
from weights_cache.regular_files import IrregularFileError, open_regular

_BLOCK = 2**20


#: The fault of a file (None: the file is right), and the file's status while it was read.
Finding = tuple[str | None, os.stat_result | None]


def find_size_fault(path: Path, file: FileRecord) -> str | None:
    """Return the fault of ``path`` if its length is wrong, or None."""
    try:
        status = path.stat()
    except OSError as error:
        return _reading_fault(path, error)
    if not stat.S_ISREG(status.st_mode):
        return f"{path} is not a regular file"
    return _size_fault(path, status, file)


def find_fault(path: Path, file: FileRecord) -> str | None:
    """Return the fault of ``path`` if its length or sha256 is wrong, or None."""
    return examine(path, file)[0]


def examine(path: Path, file: FileRecord) -> Finding:
    """Check length and sha256 through one open file, which no process can exchange meanwhile."""
    try:
        with open_regular(path, buffering=0) as stream:
            status = os.fstat(stream.fileno())
            fault = _size_fault(path, status, file)
            found = file.sha256 if fault else sha256_of(stream)
    except OSError as error:
        return _reading_fault(path, error), None
    if found != file.sha256:
        fault = f"{path} has sha256 {found} instead of {file.sha256}"
    return fault, status


def find_bundled_fault(path: Path, file: FileRecord) -> str | None:
    """Return the fault of a bundled file, or None; a CRC-32 is checked instead of the sha256."""
    if fault := find_size_fault(path, file):
        return fault
    try:
        whole = zlib.crc32(path.read_bytes()) == file.crc32
    except OSError as error:
        return _reading_fault(path, error)
    return None if whole else find_fault(path, file)


def is_missing(path: Path) -> bool:
    """Whether no file has that path; a path that cannot be examined counts as existing."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def sha256_of(stream: BinaryIO) -> str:
    """Return the sha256 of a whole open file in hexadecimal digits."""
    import hashlib

    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    stream.seek(0)
    while count := stream.readinto(block):  # type: ignore[attr-defined]
        digest.update(block[:count])
    return digest.hexdigest()


def _size_fault(path: Path, status: os.stat_result, file: FileRecord) -> str | None:
    right = status.st_size == file.bytes
    return None if right else f"{path} has {status.st_size} bytes instead of {file.bytes}"


def _reading_fault(path: Path, error: OSError) -> str:
    """Return the fault for an error of the system; an error of a signal handler is raised again."""
    # Imported here as a right file does not need them: each import delays the cold start.
    pass_interruption(error)
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return f"{path} is missing"
    if isinstance(error, IrregularFileError):
        return f"{path} is {error.strerror}"
    owner = f" (it belongs to {owner_of(path)})" if isinstance(error, PermissionError) else ""
    return f"{path} cannot be read: {error.strerror}{owner}"

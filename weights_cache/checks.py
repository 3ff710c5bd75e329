"""Whether a file is the one that its record describes, and a note of the files found whole."""

import json
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from weights_cache.documents import read_json
from weights_cache.errors import WeightsError
from weights_cache.registry import FileRecord
from weights_cache.staging import replace_files

CHECKS_NAME = ".checks.json"
_BLOCK = 2**20
# A file changed again within the clock's step keeps its time; younger files are not noted.
_SETTLED_NS = 2 * 10**9


def find_size_fault(path: Path, file: FileRecord) -> str | None:
    """Return what is wrong with the length of ``path``, or None."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return f"{path} is missing"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    if not stat.S_ISREG(status.st_mode):
        return f"{path} is not a file"
    right = status.st_size == file.bytes
    return None if right else f"{path} has {status.st_size} bytes instead of {file.bytes}"


def find_fault(path: Path, file: FileRecord) -> str | None:
    """Return what is wrong with the length or the sha256 of ``path``, or None."""
    fault = find_size_fault(path, file)
    if fault:
        return fault
    try:
        found = _sha256(path)
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    return None if found == file.sha256 else f"{path} has sha256 {found} instead of {file.sha256}"


def find_bundled_fault(path: Path, file: FileRecord) -> str | None:
    """Return what is wrong with a bundled file: its length, then a CRC-32 kept beside sha256."""
    import zlib

    fault = find_size_fault(path, file)
    if fault:
        return fault
    try:
        whole = zlib.crc32(path.read_bytes()) == file.crc32
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    return None if whole else find_fault(path, file)


class CheckBook:
    """The files of one model that had the right sha256, with their size and time then.

    It is a small JSON file in the model's folder of the cache; it also notes the files of installed
    kits, whose own folders are left as they are. Losing it costs one more hash, so writing it may
    fail (a read-only cache) and the last of several writers may win.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes = self._read()
        self._changed = False

    def find_fault(self, path: Path, file: FileRecord) -> str | None:
        """Return what is wrong with ``path``; hash it only if it changed since the last time."""
        note = _note(path, file)
        key = file.path if self._folder in path.parents else str(path)
        if note and self._notes.get(key) == note:
            return None
        fault = find_fault(path, file)
        if fault is None and note and time.time_ns() - note[-1] > _SETTLED_NS:
            self._notes[key] = note
            self._changed = True
        return fault

    def save(self) -> None:
        """Write what has changed."""
        if self._changed:
            text = json.dumps(self._notes, indent=1)
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                replace_files(self._folder, {CHECKS_NAME: [text.encode()]})

    def _read(self) -> dict[str, Any]:
        try:
            notes = read_json(self._folder / CHECKS_NAME)
        except WeightsError:
            return {}
        return notes if isinstance(notes, dict) else {}


def _note(path: Path, file: FileRecord) -> list[Any]:
    """What is noted of a whole file; nothing where the size differs or there is no file."""
    try:
        status = path.stat()
    except OSError:
        return []
    right = status.st_size == file.bytes
    return [file.sha256, status.st_size, status.st_mtime_ns] if right else []


def _sha256(path: Path) -> str:
    import hashlib

    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    with open(path, "rb", buffering=0) as stream:
        while count := stream.readinto(block):
            digest.update(block[:count])
    return digest.hexdigest()

"""Memo of files with the right sha256, so that each file is hashed once, not at each load.

The notes are in a private folder of the user: a note beside the weights could be written by every
user who may write the weights. ``ZOO_WEIGHTS_NOTES`` names another folder; ``0`` turns the notes
off, so that every load hashes.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from weights_cache.atomic_files import replacing
from weights_cache.common.errors import WeightsError
from weights_cache.file_checks import examine
from weights_cache.interruptions import pass_interruption
from weights_cache.json_documents import parse_json
from weights_cache.ownership import (
    chosen_folder,
    find_folder_fault,
    is_closed,
    is_own,
    make_private,
)
from weights_cache.registry import FileRecord
from weights_cache.regular_files import open_regular

NOTES_VARIABLE = "ZOO_WEIGHTS_NOTES"

# A second change within the clock's resolution keeps the times; younger files are not noted.
_SETTLED_NS = 2 * 10**9
_MOST_BYTES = 2**22  # of the notes of one model; PoseNet's 71 files take 20 kB


class HashNotes:
    """Notes about the files of one model that had the right sha256, with their status at that time.

    A note holds sha256, size, time of modification, time of change (which no program can set),
    inode and device. A file that differs in any of these is hashed again, and so is a file that
    other users may write, as they could change it through a mapping without a new time. Lost
    notes cost one more hash, so writing them may fail, and the last of several writers may win.

    Args:
        name: name of the model, or key of its URL.
    """

    def __init__(self, name: str) -> None:
        self._path = _path_of(name)
        self._notes = self._read()
        self._changed = False

    def find_fault(self, path: Path, file: FileRecord) -> str | None:
        """Return the fault of ``path`` or None; hash a file only if it changed since its note."""
        if self._knows(path, file):
            return None
        fault, status = examine(path, file)
        if fault is None and status and _may_be_noted(status):
            self._notes[str(path)] = _note(status, file)
            self._changed = True
        return fault

    def save(self) -> None:
        """Write the notes if any changed, without those of removed files."""
        if not self._changed or not self._path:
            return
        # Not needed at a cold start, which only reads.
        kept = {path: note for path, note in self._notes.items() if os.path.lexists(path)}
        make_private(self._path.parent)
        try:
            with replacing(self._path, 0o600) as stream:
                stream.write(json.dumps(kept, indent=1).encode())
        except OSError as error:
            pass_interruption(error)

    def _knows(self, path: Path, file: FileRecord) -> bool:
        note = self._notes.get(str(path))
        if note is None:
            return False
        try:
            status = path.stat()
        except OSError:
            return False
        return is_closed(status) and note == _note(status, file)

    def _read(self) -> dict[str, Any]:
        if not self._path:
            return {}
        try:
            with open_regular(self._path, follow_links=False) as stream:
                status = os.fstat(stream.fileno())
                data = stream.read(_MOST_BYTES) if is_own(status) and is_closed(status) else b"{}"
            notes = parse_json(data, self._path)
        except FileNotFoundError:
            return {}
        except (OSError, WeightsError) as error:
            pass_interruption(error)
            return {}
        return notes if isinstance(notes, dict) else {}


def forget(name: str) -> None:
    """Remove the notes of a model."""
    path = _path_of(name)
    if path:
        with suppress(OSError):
            path.unlink()


def _path_of(name: str) -> Path | None:
    """Return the file of the notes; None if there is no private folder for the file."""
    folder = chosen_folder(NOTES_VARIABLE, "notes")
    private = folder and find_folder_fault(folder, NOTES_VARIABLE) is None
    return folder / f"{name}.json" if folder and private else None


def _may_be_noted(status: os.stat_result) -> bool:
    changed = max(status.st_mtime_ns, status.st_ctime_ns)
    return is_closed(status) and time.time_ns() - changed > _SETTLED_NS


def _note(status: os.stat_result, file: FileRecord) -> list[Any]:
    times = status.st_mtime_ns, status.st_ctime_ns
    return [file.sha256, status.st_size, *times, status.st_ino, status.st_dev]

"""Migration of cached files from the paths of earlier releases and other versions.

A file with the right hash is not fetched again: it is moved or linked into the folder of its own
version. Versions do not share folders, so a file is not changed after that.
"""

import os
import stat
from pathlib import Path

from weights_cache.atomic_files import locked, unique_sibling
from weights_cache.common.errors import WeightsError
from weights_cache.file_checks import find_fault
from weights_cache.interruptions import pass_interruption
from weights_cache.locations import CACHE_VARIABLE, Locations
from weights_cache.ownership import close_to_others, find_foreign_link
from weights_cache.registry import FileRecord, ModelRecord


def adopt(locations: Locations, record: ModelRecord, file: FileRecord) -> Path | None:
    """Move a file to the folder of its version and return its path; None if the cache lacks it.

    In a read-only cache the file is used where it was found.
    """
    for source in locations.elsewhere_in_cache(record, file):
        if find_fault(source, file) is None:
            try:
                return _moved(locations, record, file, source)
            except OSError as error:
                pass_interruption(error)
                return source
    return None


def refuse_foreign_links(folder: Path, path: Path) -> None:
    """Raise a WeightsError if a link of another user stands between a folder and a path in it."""
    link = find_foreign_link(folder, path)
    if link:
        raise WeightsError(
            f"{link} is a link that another user made, and nothing is written through it: remove "
            f"it, or set {CACHE_VARIABLE} to a folder of your own"
        )


def _moved(locations: Locations, record: ModelRecord, file: FileRecord, source: Path) -> Path:
    """Move the file to its own folder; add a hard link where another version needs the file."""
    if not stat.S_ISREG(source.lstat().st_mode):
        return source  # a link, which a user made on purpose
    target = locations.in_cache(record, file)
    refuse_foreign_links(locations.cache, target)
    with locked(locations.lock(record, file)):
        if find_fault(target, file):
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.parent == locations.cache / record.name / Path(file.path).parent:
                os.replace(source, target)
            else:
                _link(source, target)
            close_to_others(target)  # earlier releases let a group write to it
    return target


def _link(source: Path, target: Path) -> None:
    second = unique_sibling(target, "part")
    os.link(source, second)
    try:
        os.replace(second, target)
    finally:
        second.unlink(missing_ok=True)

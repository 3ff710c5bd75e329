"""Files that the cache has at the place of an earlier release, or in the folder of another version.

They are not fetched again: what is the right file, by its hash, gets its name in the version's own
folder. After that nobody changes what is there, as another version has another folder.
"""

import os
import stat
from pathlib import Path

from weights_cache.atomic_files import locked, unique_sibling
from weights_cache.errors import WeightsError
from weights_cache.file_checks import find_fault
from weights_cache.interruptions import is_interruption
from weights_cache.locations import CACHE_VARIABLE, Locations
from weights_cache.ownership import close_to_others, find_foreign_link
from weights_cache.registry import FileRecord, ModelRecord


def adopt(places: Locations, record: ModelRecord, file: FileRecord) -> Path | None:
    """Return where the file is now; None where the cache has it nowhere.

    Where nothing can be written (a read-only cache) it is used in the place where it was found.
    """
    for source in places.elsewhere_in_cache(record, file):
        if find_fault(source, file) is None:
            try:
                return _moved(places, record, file, source)
            except OSError as error:
                if isinstance(error, TimeoutError) and is_interruption(error):
                    raise
                return source
    return None


def require_own_way(folder: Path, path: Path) -> None:
    """Raise a WeightsError if a link of another user stands between a folder and a path in it."""
    link = find_foreign_link(folder, path)
    if link:
        raise WeightsError(
            f"{link} is a link that another user made, and nothing is written through it: remove "
            f"it, or set {CACHE_VARIABLE} to a folder of your own"
        )


def _moved(places: Locations, record: ModelRecord, file: FileRecord, source: Path) -> Path:
    """Give the file its place: by a new name, or where another version needs it a second one."""
    if not stat.S_ISREG(source.lstat().st_mode):
        return source  # a link, which somebody put there on purpose
    target = places.in_cache(record, file)
    require_own_way(places.cache, target)
    with locked(places.lock(record, file)):
        if find_fault(target, file):
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.parent == places.cache / record.name / Path(file.path).parent:
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

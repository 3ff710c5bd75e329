"""Looking after the files that are there: hashed again, or removed from the cache."""

import shutil
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from weights_cache.atomic_files import locked, siblings, writing_to
from weights_cache.file_checks import find_fault, find_size_fault, is_missing
from weights_cache.locations import Locations, PathLike
from weights_cache.notes import forget
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record, list_records

_BY_HAND = "remove the files by hand"
_FORMER_NOTES = ".checks.json"  # which earlier releases put beside the weights


class OldVersion(NamedTuple):
    """Files in the cache of a version of a model that this registry does not know.

    ``version`` is the name of their folder, empty for files in the places of earlier releases.
    """

    name: str
    version: str
    bytes: int


class FileReport(NamedTuple):
    """What ``verify`` found of one file: where it is, and what is wrong with it (None: nothing)."""

    path: str
    place: Path | None
    problem: str | None


def verify(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    only: Collection[str] | None = None,
) -> list[FileReport]:
    """Hash every file of a registered model again, where ``locate`` would look, and report.

    Nothing is fetched, changed or believed from earlier checks. Files that are published nowhere
    are left out where they are absent. Arguments as for ``locate``.

    >>> [report.problem for report in verify("posenet-tiny")]
    [None, None]
    """
    record = find_record(name).limited_to(only)
    places = Locations.choose(cache, mirror, offline=True)
    reports = [_verify_file(places, record, file) for file in record.files]
    needed = {file.path for file in record.files if file.urls or record.bundled}
    return [report for report in reports if report.place or report.path in needed]


def clear(
    name: str | None = None,
    *,
    cache: PathLike | None = None,
    only: Collection[str] | None = None,
) -> int:
    """Remove a registered model (None: all, also those of URLs) from the cache.

    Returns the bytes freed.

    ``only`` are the paths in the model of the files to remove, None all. Only what this package
    put there is removed: registered files, those of other versions of the model, unfinished
    downloads and notes. Links are removed, never followed; a model's folder that is a link is left
    alone.
    """
    records = list_records() if name is None else [find_record(name).limited_to(only)]
    places = Locations.choose(cache, None, offline=True)
    with writing_to(places.cache, 0, _BY_HAND):
        freed = sum(_clear_old(places, record) for record in records) if only is None else 0
        freed += sum(_clear_model(places, record) for record in records)
    if name is None:
        from weights_cache.remote import clear_url

        freed += clear_url(cache=cache)
    return freed


def cached_bytes(*, cache: PathLike | None = None) -> int:
    """Bytes of the registered files that are in the cache, whole or not; without old versions."""
    places = Locations.choose(cache, None, offline=True)
    files = (places.in_cache(record, file) for record in list_records() for file in record.files)
    return sum(map(_size, files))


def old_versions(*, cache: PathLike | None = None) -> list[OldVersion]:
    """Return what the cache has of other versions of the models, such as earlier releases knew.

    Another installation that uses this cache may still need them; where nobody does,
    ``clear_old_versions`` removes them.

    >>> old_versions(cache="an empty folder")
    []
    """
    places = Locations.choose(cache, None, offline=True)
    found = []
    for record in list_records():
        with suppress(OSError):  # a folder that another user closed
            plain = sum(map(_size, _former_files(places, record)))
            found.append(OldVersion(record.name, "", plain))
        for folder in places.other_versions(record):
            size = sum(map(_size, folder.rglob("*")))
            found.append(OldVersion(record.name, folder.name, size))
    return [old for old in found if old.bytes or old.version]


def clear_old_versions(*, cache: PathLike | None = None) -> int:
    """Remove what ``old_versions`` lists from the cache; return the bytes freed.

    Raises WeightsError when the cache cannot be written to.

    >>> clear_old_versions(cache="an empty folder")
    0
    """
    places = Locations.choose(cache, None, offline=True)
    with writing_to(places.cache, 0, _BY_HAND):
        return sum(_clear_old(places, record) for record in list_records())


def _verify_file(places: Locations, record: ModelRecord, file: FileRecord) -> FileReport:
    if record.bundled:
        candidates = [BUNDLED / record.name / file.path]
    else:
        paths = (places.in_cache(record, file), places.in_mirror(record, file))
        candidates = [*places.in_kits(record, file), *filter(None, paths)]
    there = [path for path in candidates if not is_missing(path)]
    if not there and not record.bundled:  # the next load takes it from there
        former = places.elsewhere_in_cache(record, file)
        there = [path for path in former if find_size_fault(path, file) is None]
    if not there:
        return FileReport(file.path, None, f"{places.in_cache(record, file)} is missing")
    return FileReport(file.path, there[0], find_fault(there[0], file))


def _clear_model(places: Locations, record: ModelRecord) -> int:
    """Remove the files of a record in this and other versions, and the notes."""
    forget(record.name)
    folder = places.cache / record.name
    if folder.is_symlink() or not folder.is_dir():
        return 0
    freed = 0
    folders = [folder / record.version, *places.other_versions(record), folder]
    for file in record.files:
        with locked(places.lock(record, file)):
            for place in folders:
                freed += sum(map(_remove, _own_files(folder, place / file.path)))
    for place in folders:
        _remove_empty(place, record)
    return freed


def _clear_old(places: Locations, record: ModelRecord) -> int:
    """Remove other versions, and what is left in the places of earlier releases."""
    folder = places.cache / record.name
    if folder.is_symlink():
        return 0
    freed = sum(map(_remove, _former_files(places, record)))
    for path in places.other_versions(record):
        if path.is_symlink():
            freed += _remove(path)
        else:
            freed += sum(map(_size, path.rglob("*")))
            shutil.rmtree(path)
    _remove_empty(folder, record)
    return freed


def _former_files(places: Locations, record: ModelRecord) -> Iterator[Path]:
    """What there is in the places of earlier releases."""
    folder = places.cache / record.name
    paths = [path for file in record.files for path in _own_files(folder, folder / file.path)]
    return (path for path in (*paths, folder / _FORMER_NOTES) if not is_missing(path))


def _own_files(folder: Path, target: Path) -> Iterator[Path]:
    """The file and its unfinished downloads, unless a link in between leads elsewhere."""
    between = [parent for parent in target.parents if folder in (parent, *parent.parents)]
    if target.parent.is_dir() and not any(parent.is_symlink() for parent in between):
        yield from [target, *siblings(target, "part")]


def _size(path: Path) -> int:
    """Bytes of a file, or of a link; of folders, and of what is gone, none."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return 0 if stat.S_ISDIR(status.st_mode) else status.st_size


def _remove(path: Path) -> int:
    try:
        size = path.lstat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size


def _remove_empty(folder: Path, record: ModelRecord) -> None:
    """Remove the folders of a version that hold nothing (more), the deepest first."""
    names = {parent for file in record.files for parent in Path(file.path).parents}
    for name in sorted(names, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):  # it holds something that is not ours
            (folder / name).rmdir()

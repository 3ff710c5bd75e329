"""Maintenance of the cache: hashing files again, and removing them."""

import shutil
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from weights_cache.atomic_files import locked, siblings, writing_to
from weights_cache.file_checks import find_fault, find_size_fault, is_missing
from weights_cache.hash_memo import forget
from weights_cache.locations import Locations, PathLike
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record, list_records
from weights_cache.remote import clear_url

_BY_HAND = "remove the files by hand"
_FORMER_NOTES = ".checks.json"  # written beside the weights by earlier releases


class OldVersion(NamedTuple):
    """Cached files of a version of a model that this registry does not have.

    ``version`` is the name of their folder, empty for files at the paths of earlier releases.
    """

    name: str
    version: str
    bytes: int


class FileReport(NamedTuple):
    """The result of ``verify`` for one file: path in the model, path on disk, and fault or None."""

    path: str
    location: Path | None
    problem: str | None


def verify(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    only: Collection[str] | None = None,
) -> list[FileReport]:
    """Hash every file of a registered model again, in the locations of ``locate``, and report.

    No file is fetched or changed, and earlier checks are not trusted. Absent files without a URL
    are omitted. Arguments as for ``locate``.

    >>> [report.problem for report in verify("posenet-tiny")]
    [None, None]
    """
    record = find_record(name).limited_to(only)
    locations = Locations.choose(cache, mirror, offline=True)
    reports = [_verify_file(locations, record, file) for file in record.files]
    needed = {file.path for file in record.files if file.urls or record.bundled}
    return [report for report in reports if report.location or report.path in needed]


def clear(
    name: str | None = None,
    *,
    cache: PathLike | None = None,
    only: Collection[str] | None = None,
) -> int:
    """Remove a registered model (None: all, also models of URLs) from the cache.

    Removed are only files that this package made: registered files, also of other versions,
    unfinished downloads and notes. Links are removed, never followed; a model's folder that is a
    link stays.

    Args:
        name: a name of the registry.
        cache: as for ``locate``.
        only: paths in the model of the files to remove; None removes all.

    Returns:
        The number of bytes freed.
    """
    records = list_records() if name is None else [find_record(name).limited_to(only)]
    locations = Locations.choose(cache, None, offline=True)
    with writing_to(locations.cache, 0, _BY_HAND):
        freed = sum(_clear_old(locations, record) for record in records) if only is None else 0
        freed += sum(_clear_model(locations, record) for record in records)
    if name is None:
        freed += clear_url(cache=cache)
    return freed


def cached_bytes(*, cache: PathLike | None = None) -> int:
    """Return the bytes of registered files in the cache, complete or not, without old versions."""
    locations = Locations.choose(cache, None, offline=True)
    files = (locations.in_cache(record, file) for record in list_records() for file in record.files)
    return sum(map(_size, files))


def old_versions(*, cache: PathLike | None = None) -> list[OldVersion]:
    """Return the cached files of other versions of the models, such as of earlier releases.

    Another installation with this cache may still need them; ``clear_old_versions`` removes them.

    >>> old_versions(cache="an empty folder")
    []
    """
    locations = Locations.choose(cache, None, offline=True)
    found = []
    for record in list_records():
        with suppress(OSError):  # a folder that another user closed
            plain = sum(map(_size, _former_files(locations, record)))
            found.append(OldVersion(record.name, "", plain))
        for folder in locations.other_versions(record):
            size = sum(map(_size, folder.rglob("*")))
            found.append(OldVersion(record.name, folder.name, size))
    return [old for old in found if old.bytes or old.version]


def clear_old_versions(*, cache: PathLike | None = None) -> int:
    """Remove what ``old_versions`` lists from the cache; return the bytes freed.

    Raises:
        WeightsError: the cache cannot be written to.

    >>> clear_old_versions(cache="an empty folder")
    0
    """
    locations = Locations.choose(cache, None, offline=True)
    with writing_to(locations.cache, 0, _BY_HAND):
        return sum(_clear_old(locations, record) for record in list_records())


def _verify_file(locations: Locations, record: ModelRecord, file: FileRecord) -> FileReport:
    if record.bundled:
        candidates = [BUNDLED / record.name / file.path]
    else:
        paths = (locations.in_cache(record, file), locations.in_mirror(record, file))
        candidates = [*locations.in_kits(record, file), *filter(None, paths)]
    there = [path for path in candidates if not is_missing(path)]
    if not there and not record.bundled:  # the next load adopts such a file
        former = locations.elsewhere_in_cache(record, file)
        there = [path for path in former if find_size_fault(path, file) is None]
    if not there:
        return FileReport(file.path, None, f"{locations.in_cache(record, file)} is missing")
    return FileReport(file.path, there[0], find_fault(there[0], file))


def _clear_model(locations: Locations, record: ModelRecord) -> int:
    """Remove the files of a record, in this and other versions, and the notes."""
    forget(record.name)
    folder = locations.cache / record.name
    if folder.is_symlink() or not folder.is_dir():
        return 0
    freed = 0
    folders = [folder / record.version, *locations.other_versions(record), folder]
    for file in record.files:
        with locked(locations.lock(record, file)):
            for version in folders:
                freed += sum(map(_remove, _own_files(folder, version / file.path)))
    for version in folders:
        _remove_empty(version, record)
    return freed


def _clear_old(locations: Locations, record: ModelRecord) -> int:
    """Remove other versions, and files at the paths of earlier releases."""
    folder = locations.cache / record.name
    if folder.is_symlink():
        return 0
    freed = sum(map(_remove, _former_files(locations, record)))
    for path in locations.other_versions(record):
        if path.is_symlink():
            freed += _remove(path)
        else:
            freed += sum(map(_size, path.rglob("*")))
            shutil.rmtree(path)
    _remove_empty(folder, record)
    return freed


def _former_files(locations: Locations, record: ModelRecord) -> Iterator[Path]:
    """Return the existing files at the paths of earlier releases."""
    folder = locations.cache / record.name
    paths = [path for file in record.files for path in _own_files(folder, folder / file.path)]
    return (path for path in (*paths, folder / _FORMER_NOTES) if not is_missing(path))


def _own_files(folder: Path, target: Path) -> Iterator[Path]:
    """Yield the file and its unfinished downloads, unless a parent folder is a link."""
    between = [parent for parent in target.parents if folder in (parent, *parent.parents)]
    if target.parent.is_dir() and not any(parent.is_symlink() for parent in between):
        yield from [target, *siblings(target, "part")]


def _size(path: Path) -> int:
    """Return the bytes of a file or link; 0 for a folder and for a missing path."""
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
    """Remove the empty folders of a version, the deepest first."""
    names = {parent for file in record.files for parent in Path(file.path).parents}
    for name in sorted(names, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):  # not empty: other files are in it
            (folder / name).rmdir()

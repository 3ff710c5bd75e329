"""Looking after the files that are there: hashed again, or removed from the cache."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from weights_cache.checks import CHECKS_NAME, find_fault
from weights_cache.places import PathLike, Places
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record, list_records
from weights_cache.staging import locked, siblings, writing_to


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
    places = Places.choose(cache, mirror, offline=True)
    reports = [_verify_file(places, record, file) for file in record.files]
    needed = {file.path for file in record.files if file.urls or record.bundled}
    return [report for report in reports if report.place or report.path in needed]


def clear(
    name: str | None = None,
    *,
    cache: PathLike | None = None,
    only: Collection[str] | None = None,
) -> int:
    """Remove a registered model (None: every one) from the cache; return the bytes freed.

    ``only`` are the paths in the model of the files to remove, None all. Only what this package
    put there is removed: registered files, unfinished downloads and notes. Links are removed,
    never followed; a model's folder that is a link is left alone.
    """
    records = list_records() if name is None else [find_record(name).limited_to(only)]
    places = Places.choose(cache, None, offline=True)
    with writing_to(places.cache, 0, "remove the files by hand"):
        return sum(_clear_model(places, record) for record in records)


def cached_bytes(*, cache: PathLike | None = None) -> int:
    """Bytes of the registered files that are in the cache, whole or not."""
    places = Places.choose(cache, None, offline=True)
    files = (places.in_cache(record, file) for record in list_records() for file in record.files)
    return sum(path.stat().st_size for path in files if path.is_file())


def _verify_file(places: Places, record: ModelRecord, file: FileRecord) -> FileReport:
    if record.bundled:
        candidates = [BUNDLED / record.name / file.path]
    else:
        paths = (places.in_cache(record, file), places.in_mirror(record, file))
        candidates = [*places.in_kits(record, file), *filter(None, paths)]
    there = [path for path in candidates if path.exists()]
    if not there:
        return FileReport(file.path, None, f"{places.in_cache(record, file)} is missing")
    return FileReport(file.path, there[0], find_fault(there[0], file))


def _clear_model(places: Places, record: ModelRecord) -> int:
    folder = places.cache / record.name
    if folder.is_symlink() or not folder.is_dir():
        return 0
    freed = 0
    for file in record.files:
        with locked(places.lock(record, file)):
            freed += sum(map(_remove, _own_files(folder, file)))
    freed += _remove(folder / CHECKS_NAME)
    _remove_empty(folder, record)
    return freed


def _own_files(folder: Path, file: FileRecord) -> Iterator[Path]:
    """The file and its unfinished downloads, unless a link in between leads elsewhere."""
    target = folder / file.path
    between = [parent for parent in target.parents if folder in parent.parents]
    if target.parent.is_dir() and not any(parent.is_symlink() for parent in between):
        yield from [target, *siblings(target, "part")]


def _remove(path: Path) -> int:
    try:
        size = path.lstat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size


def _remove_empty(folder: Path, record: ModelRecord) -> None:
    """Remove the model's folders that hold nothing (more), the deepest first."""
    names = {parent for file in record.files for parent in Path(file.path).parents}
    for name in sorted(names, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):  # it holds something that is not ours
            (folder / name).rmdir()

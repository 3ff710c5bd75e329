"""The files of a registered model, wherever they are: bundled, cached, mirrored, or fetched.

A file is accepted only by its length and hash, so it does not matter where it was found.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from weights_cache.checks import (
    CHECKS_NAME,
    CheckBook,
    find_bundled_fault,
    find_fault,
    find_size_fault,
)
from weights_cache.errors import WeightsError
from weights_cache.places import MIRROR_VARIABLE, PathLike, Places
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record, list_records
from weights_cache.staging import locked, siblings, writing_to

State = Literal["bundled", "cached", "mirror", "missing"]


class ModelFiles(dict[str, Path]):
    """The checked files of a model: path in the model → where it is.

    Files that were derived from others and are published nowhere are absent unless the cache or a
    mirror folder has them; asking for one raises a WeightsError that says so.
    """

    def __init__(self, record: ModelRecord, found: dict[str, Path]) -> None:
        super().__init__(
            (file.path, found[file.path]) for file in record.files if file.path in found
        )
        self._record = record

    def __missing__(self, path: object) -> Path:
        for file in self._record.files:
            if file.path == path:
                raise WeightsError(
                    f"{path} of {self._record.name!r} is published nowhere ({file.derived_from}); "
                    f"set {MIRROR_VARIABLE} to a folder that has it"
                )
        paths = ", ".join(list(self)[:3])
        raise WeightsError(f"{self._record.name!r} has no file {path!r}; it has {paths} ...")


def locate(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
    only: Collection[str] | None = None,
) -> ModelFiles:
    """Return where the checked files of a registered model are: path in the model → file.

    Searched in this order: the package itself (bundled models), the cache, the mirror, then the
    mirror's and the pinned URLs, from which a file is downloaded into the cache.

    Args:
        name: a name of the registry.
        cache: the cache folder; None takes ZOO_WEIGHTS_CACHE or the platform's.
        mirror: a folder or URL with one folder per model; None takes ZOO_WEIGHTS_MIRROR.
        offline: whether to stay off the network; None takes ZOO_OFFLINE.
        progress: whether to show a bar on stderr; None shows it on a terminal only.
        only: paths in the model of the files that are needed; None takes all.

    Raises WeightsError when the name is unknown or a file cannot be had whole; it says which
    file, where it was looked for and what to do.

    >>> sorted(locate("posenet-tiny"))
    ['group1-shard1of1.bin', 'model.json']
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    places = Places.choose(cache, mirror, offline)
    book = CheckBook(places.cache / record.name)
    found: dict[str, Path] = {}
    faults: dict[FileRecord, str] = {}
    for file in record.files:
        cached, mirrored = places.in_cache(record, file), places.in_mirror(record, file)
        fault = book.find_fault(cached, file)
        if fault is None:
            found[file.path] = cached
        elif mirrored and find_fault(mirrored, file) is None:
            found[file.path] = mirrored
        else:
            faults[file] = fault
    book.save()
    return _complete(places, record, found, faults, progress)


def fetch(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
    only: Collection[str] | None = None,
) -> ModelFiles:
    """Make sure that the files of a registered model are in the cache, and return where.

    Arguments and errors as for ``locate``; files found in a mirror folder are copied. A bundled
    model is always there and stays where it is.
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    places = Places.choose(cache, mirror, offline)
    found: dict[str, Path] = {}
    faults: dict[FileRecord, str] = {}
    for file in record.files:
        fault = find_fault(places.in_cache(record, file), file)
        if fault is None:
            found[file.path] = places.in_cache(record, file)
        else:
            faults[file] = fault
    return _complete(places, record, found, faults, progress)


def status(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    only: Collection[str] | None = None,
) -> State:
    """Say where a registered model is, by the sizes of its files and without the network.

    ``"missing"`` also when only a mirror URL could have it. Arguments as for ``locate``.

    >>> status("posenet-tiny")
    'bundled'
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return "bundled"
    places = Places.choose(cache, mirror, offline=True)
    files = [file for file in record.files if file.urls]  # the other ones may be absent
    cached = [_has_size(places.in_cache(record, file), file) for file in files]
    if all(cached):
        return "cached"
    mirrored = [_has_size(places.in_mirror(record, file), file) for file in files]
    either = [one or other for one, other in zip(cached, mirrored, strict=True)]
    return "mirror" if all(either) else "missing"


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


def _bundled_files(record: ModelRecord) -> ModelFiles:
    files = {file.path: BUNDLED / record.name / file.path for file in record.files}
    for file in record.files:
        fault = find_bundled_fault(files[file.path], file)
        if fault:
            raise WeightsError(
                f"the bundled model {record.name!r} is damaged: {fault}; install friendly-zoo again"
            )
    return ModelFiles(record, files)


def _complete(
    places: Places,
    record: ModelRecord,
    found: dict[str, Path],
    faults: dict[FileRecord, str],
    progress: bool | None,
) -> ModelFiles:
    """Add the files that are not there."""
    if faults:
        from weights_cache.fetching import fetch_files

        found |= fetch_files(places, record, faults, progress)
    return ModelFiles(record, found)


def _has_size(path: Path | None, file: FileRecord) -> bool:
    return path is not None and find_size_fault(path, file) is None


def _verify_file(places: Places, record: ModelRecord, file: FileRecord) -> FileReport:
    if record.bundled:
        candidates = [BUNDLED / record.name / file.path]
    else:
        paths = (places.in_cache(record, file), places.in_mirror(record, file))
        candidates = [path for path in paths if path and path.exists()]
    if not candidates:
        return FileReport(file.path, None, f"{places.in_cache(record, file)} is missing")
    return FileReport(file.path, candidates[0], find_fault(candidates[0], file))


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

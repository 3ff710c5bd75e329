"""The files of a registered model, wherever they are: bundled, in a kit, cached or fetched.

A file is accepted only by its length and hash, so it does not matter where it was found.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, get_args

from weights_cache.errors import WeightsError
from weights_cache.file_checks import find_bundled_fault, find_fault, find_size_fault
from weights_cache.locations import MIRROR_VARIABLE, Locations, PathLike
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record

Check = Callable[[Path, FileRecord], str | None]  # what is wrong with a file, or None

#: Where a file is, in the order of search.
State = Literal["bundled", "kit", "cached", "mirror", "missing"]


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

    Searched in this order: the package itself (bundled models), installed kits, the cache, the
    mirror, then the mirror's and the pinned URLs, from which a file is downloaded into the cache.

    Args:
        name: a name of the registry.
        cache: the cache folder; None takes ZOO_WEIGHTS_CACHE or the platform's.
        mirror: a folder or URL with one folder per model; None takes ZOO_WEIGHTS_MIRROR.
        offline: whether to stay off the network; None takes ZOO_OFFLINE.
        progress: whether to show a bar on stderr; None shows it on a terminal and in a notebook.
        only: paths in the model of the files that are needed; None takes all.

    Raises WeightsError when the name is unknown, and MissingError when a file cannot be had whole:
    it says what to do, and its ``details`` which file was looked for, where, and what was found.

    >>> sorted(locate("posenet-tiny"))
    ['group1-shard1of1.bin', 'model.json']
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    from weights_cache.notes import CheckBook

    places = Locations.choose(cache, mirror, offline)
    book, kits = CheckBook(record.name), places.kit_folders(record)
    found: dict[str, Path] = {}
    faults: dict[FileRecord, str] = {}
    for file in record.files:
        path, fault = _find_file(places, record, file, kits, book.find_fault)
        mirrored = None if path else places.in_mirror(record, file)
        if path:
            found[file.path] = path
        elif mirrored and book.find_fault(mirrored, file) is None:
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
    """Make sure that the files of a registered model are on this machine, and return where.

    Arguments and errors as for ``locate``; files found in a mirror folder are copied into the
    cache. Bundled models and installed kits are always there and stay where they are; all other
    files are hashed again.
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    places = Locations.choose(cache, mirror, offline)
    kits = places.kit_folders(record)
    found: dict[str, Path] = {}
    faults: dict[FileRecord, str] = {}
    for file in record.files:
        path, fault = _find_file(places, record, file, kits, find_fault)
        if path:
            found[file.path] = path
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
    needed = {file.path for file in find_record(name).files if file.urls}  # others may be absent
    states = file_states(name, cache=cache, mirror=mirror, only=only)
    found = {state for path, state in states.items() if path in needed or state == "bundled"}
    return max(found, key=get_args(State).index, default="missing")


def file_states(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    only: Collection[str] | None = None,
) -> dict[str, State]:
    """Say of each file of a registered model where it is: path in the model → state.

    As for ``status``, by sizes and without the network; a state is the first place of the search
    that has the file.

    >>> file_states("posenet-tiny")["model.json"]
    'bundled'
    """
    record = find_record(name).limited_to(only)
    places = Locations.choose(cache, mirror, offline=True)
    return {file.path: _state(places, record, file) for file in record.files}


def _state(places: Locations, record: ModelRecord, file: FileRecord) -> State:
    if record.bundled:
        return "bundled"
    if any(_has_size(path, file) for path in places.in_kits(record, file)):
        return "kit"
    cached = (places.in_cache(record, file), *places.elsewhere_in_cache(record, file))
    if any(_has_size(path, file) for path in cached):
        return "cached"
    return "mirror" if _has_size(places.in_mirror(record, file), file) else "missing"


def _find_file(
    places: Locations, record: ModelRecord, file: FileRecord, kits: list[Path], check: Check
) -> tuple[Path | None, str]:
    """Where a kit or the cache has the file, or else what is wrong with its place in the cache."""
    for folder in kits:
        if check(folder / file.path, file) is None:
            return folder / file.path, ""
    path = places.in_cache(record, file)
    fault = check(path, file)
    if fault is None:
        return path, ""
    from weights_cache.adoption import adopt

    return adopt(places, record, file), fault


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
    places: Locations,
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

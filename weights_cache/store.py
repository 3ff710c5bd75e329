"""Locating the files of a registered model: bundled, in a kit, cached, in a mirror, or fetched.

A file is accepted only by its length and hash, from any location.
"""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, get_args

from weights_cache.common.errors import WeightsError
from weights_cache.file_checks import find_bundled_fault, find_fault, find_size_fault
from weights_cache.locations import MIRROR_VARIABLE, Locations, PathLike
from weights_cache.registry import BUNDLED, FileRecord, ModelRecord, find_record

Check = Callable[[Path, FileRecord], str | None]  # the fault of a file, or None

#: Location of a file.
State = Literal["bundled", "kit", "cached", "mirror", "missing"]


class ModelFiles(dict[str, Path]):
    """The checked files of a model: path in the model → path on disk.

    Derived files without a URL are absent unless the cache or a mirror folder has them; the key of
    an absent file raises a WeightsError with the next step.
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
    """Return the paths of the checked files of a registered model: path in the model → file.

    Searched in this order: the package itself (bundled models), the cache, installed kits, the
    mirror, then the mirror's and the pinned URLs, from which a file is downloaded into the cache.

    Args:
        name: a name of the registry.
        cache: the cache folder; None takes ZOO_WEIGHTS_CACHE or the platform's.
        mirror: a folder or URL with one folder per model; None takes ZOO_WEIGHTS_MIRROR.
        offline: whether to stay off the network; None takes ZOO_OFFLINE.
        progress: whether to show a bar on stderr; None shows it on a terminal and in a notebook.
        only: paths in the model of the files that are needed; None takes all.

    Raises:
        WeightsError: the name is unknown.
        MissingError: a file is missing or damaged and cannot be fetched; the message has the next
            step, ``details`` the locations searched and their faults.

    >>> sorted(locate("posenet-tiny"))
    ['group1-shard1of1.bin', 'model.json']
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    from weights_cache.hash_memo import HashNotes

    locations = Locations.choose(cache, mirror, offline)
    book = HashNotes(record.name)
    found, faults = _search(locations, record, book.find_fault, with_mirror=True)
    book.save()
    return _complete(locations, record, found, faults, progress)


def fetch(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    offline: bool | None = None,
    progress: bool | None = None,
    only: Collection[str] | None = None,
) -> ModelFiles:
    """Fetch the files of a registered model that are not on this machine, and return all paths.

    Arguments and errors are those of ``locate``; files found in a mirror folder are copied into
    the cache. Bundled models and installed kits are not copied; all other files are hashed again.
    """
    record = find_record(name).limited_to(only)
    if record.bundled:
        return _bundled_files(record)
    locations = Locations.choose(cache, mirror, offline)
    found, faults = _search(locations, record, find_fault, with_mirror=False)
    return _complete(locations, record, found, faults, progress)


def status(
    name: str,
    *,
    cache: PathLike | None = None,
    mirror: PathLike | None = None,
    only: Collection[str] | None = None,
) -> State:
    """Return the location of a registered model, by the sizes of its files, without the network.

    ``"missing"`` also when only a mirror URL could have the model. Arguments as for ``locate``.

    >>> status("posenet-tiny")
    'bundled'
    """
    # Files without URLs may be absent.
    needed = {file.path for file in find_record(name).files if file.urls}
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
    """Return the location of each file of a registered model: path in the model → state.

    Like ``status``, by sizes and without the network; a state is the first location of the search
    that has the file.

    >>> file_states("posenet-tiny")["model.json"]
    'bundled'
    """
    record = find_record(name).limited_to(only)
    locations = Locations.choose(cache, mirror, offline=True)
    return {file.path: _state(locations, record, file) for file in record.files}


def _state(locations: Locations, record: ModelRecord, file: FileRecord) -> State:
    if record.bundled:
        return "bundled"
    if any(_has_size(path, file) for path in locations.in_kits(record, file)):
        return "kit"
    cached = (locations.in_cache(record, file), *locations.elsewhere_in_cache(record, file))
    if any(_has_size(path, file) for path in cached):
        return "cached"
    return "mirror" if _has_size(locations.in_mirror(record, file), file) else "missing"


def _search(
    locations: Locations, record: ModelRecord, check: Check, *, with_mirror: bool
) -> tuple[dict[str, Path], dict[FileRecord, str]]:
    """Return the paths of the right files, and the faults of the other files in the cache."""
    found: dict[str, Path] = {}
    faults: dict[FileRecord, str] = {}
    for file in record.files:
        path, fault = _find_file(locations, record, file, check)
        if path is None and with_mirror:
            mirrored = locations.in_mirror(record, file)
            path = mirrored if mirrored and check(mirrored, file) is None else None
        if path:
            found[file.path] = path
        else:
            faults[file] = fault
    return found, faults


def _find_file(
    locations: Locations, record: ModelRecord, file: FileRecord, check: Check
) -> tuple[Path | None, str]:
    """Return the path of the file in the cache or a kit, or None and the fault in the cache."""
    path = locations.in_cache(record, file)
    is_there = os.path.lexists(path)
    fault = check(path, file) if is_there else ""
    if fault is None:
        return path, ""
    for kit in locations.in_kits(record, file):  # which takes 8 ms beside 100 installed packages
        if check(kit, file) is None:
            return kit, ""
    from weights_cache.migration import adopt

    return adopt(locations, record, file), fault or check(path, file) or ""


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
    locations: Locations,
    record: ModelRecord,
    paths: dict[str, Path],
    faults: dict[FileRecord, str],
    progress: bool | None,
) -> ModelFiles:
    """Fetch the missing files and return all."""
    if faults:
        from weights_cache.fetching import fetch_files

        paths |= fetch_files(locations, record, faults, progress)
    return ModelFiles(record, paths)


def _has_size(path: Path | None, file: FileRecord) -> bool:
    return path is not None and find_size_fault(path, file) is None

"""Copying or downloading missing files of a model into the cache, one process at a time."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from weights_cache.atomic_files import locked, require_space, writing_to
from weights_cache.common.errors import (
    AbsentFile,
    FetchError,
    MissingError,
    OfflineError,
    UnreachableError,
    WeightsError,
)
from weights_cache.common.sizes import count_text
from weights_cache.download import download, open_session
from weights_cache.failures import Failure, UnavailableError
from weights_cache.file_checks import find_fault, is_missing
from weights_cache.interruptions import pass_interruption
from weights_cache.locations import (
    CACHE_ADVICE,
    CACHE_VARIABLE,
    MIRROR_VARIABLE,
    OFFLINE_VARIABLE,
    Locations,
    is_offline,
)
from weights_cache.migration import refuse_foreign_links
from weights_cache.ownership import owner_of
from weights_cache.partial_files import Part, WrongBytesError, receiving
from weights_cache.progress import Progress, showing
from weights_cache.registry import FileRecord, ModelRecord
from weights_cache.regular_files import open_regular
from weights_cache.shown_urls import host_of, shown_url

Fill = Callable[[Part], None]
Install = Callable[[FileRecord, Fill], Path]
Missing = Mapping[FileRecord, str]  # files to download, and the fault of each in the cache

_BLOCK = 2**20
_ATTEMPTS = 3  # to receive a file when another process removes the folder
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_SHOWN = 1  # number of files that an error describes; PoseNet has 71


def fetch_files(
    locations: Locations,
    record: ModelRecord,
    faults: Mapping[FileRecord, str],
    progress: bool | None,
) -> dict[str, Path]:
    """Copy or download files into the cache and return their paths: path in the model → file.

    ``faults`` maps each missing file to its fault in the cache. A file without a URL is omitted
    unless a mirror folder has it.
    """
    copies, missing = _split_by_source(locations, record, faults)
    if not copies and not missing:
        return {}
    if missing and locations.offline:
        raise _offline_error(locations, record, missing)
    needed = sum(file.bytes for file in (*copies, *missing))
    with installing(locations, record, needed, progress) as (install, shown):
        found = {
            file.path: install(file, partial(copy_blocks, copies[file], _read_blocks))
            for file in copies
        }
        if missing:
            found |= _download_all(locations, record, missing, install, shown)
    return found


@contextmanager
def installing(
    locations: Locations, record: ModelRecord, needed: int, progress: bool | None
) -> Iterator[tuple[Install, Progress]]:
    """Yield a function that installs files of a model into the cache, and the progress display.

    ``needed`` is the number of free bytes that the disk must have.
    """
    with writing_to(locations.cache, needed, CACHE_ADVICE):
        locations.cache.mkdir(parents=True, exist_ok=True)
        require_space(locations.cache, needed, CACHE_ADVICE)
        with showing(record.name, needed, progress) as shown:
            yield partial(_install, locations, record, shown), shown


def _split_by_source(
    locations: Locations, record: ModelRecord, faults: Mapping[FileRecord, str]
) -> tuple[dict[FileRecord, Path], dict[FileRecord, str]]:
    """Return the files that a mirror folder has, and the files to download with their faults."""
    copies, missing = {}, {}
    for file, fault in faults.items():
        mirrored = locations.in_mirror(record, file)
        mirror_fault = find_fault(mirrored, file) if mirrored else None
        if mirrored and not mirror_fault:
            copies[file] = mirrored
        elif file.urls:
            missing[file] = "; ".join(filter(None, (fault, mirror_fault)))
    return copies, missing


def _offline_error(locations: Locations, record: ModelRecord, missing: Missing) -> MissingError:
    """Return the error for a network switched off by the environment or by the call."""
    switched_off = is_offline()
    reasons = [f"the network is switched off ({OFFLINE_VARIABLE})"] if switched_off else []
    reasons = [*_local_reasons(locations, record, missing), *reasons]
    kind = OfflineError if switched_off else MissingError
    return kind(
        record.name,
        _absent(record, missing),
        "; ".join(reasons),
        _details(locations, record, missing, "not asked"),
    )


def _fetch_error(
    locations: Locations, record: ModelRecord, missing: Missing, failures: Iterable[Failure]
) -> MissingError:
    """Return the error for files of which the first could not be downloaded."""
    failures = list(failures)
    heard = any(failure.answered for failure in failures)
    servers = [f"{failure.short} ({host_of(failure.url)})" for failure in failures]
    reasons = [*_local_reasons(locations, record, missing), *dict.fromkeys(servers)]
    asked = "; ".join(map(str, failures))
    return (FetchError if heard else UnreachableError)(
        record.name,
        _absent(record, missing),
        "; ".join(reasons),
        _details(locations, record, missing, "asked", asked),
    )


def _absent(record: ModelRecord, files: Iterable[FileRecord]) -> list[AbsentFile]:
    return [AbsentFile(record.name, file.path, file.bytes) for file in files]


def _local_reasons(locations: Locations, record: ModelRecord, missing: Missing) -> list[str]:
    """Return the faults on this machine: a mirror that does not exist, damaged files."""
    folder = locations.mirror_folder
    text = f"the mirror {shown_url(str(folder))} does not exist ({MIRROR_VARIABLE})"
    reasons = [text] if folder and not folder.is_dir() else []
    cached = [locations.in_cache(record, file) for file in missing]
    mirrored = [locations.in_mirror(record, file) for file in missing]
    return [*reasons, *_damage("cache", cached), *_damage("mirror", filter(None, mirrored))]


def _damage(location: str, paths: Iterable[Path]) -> list[str]:
    """Return the reason if existing files are damaged or unreadable, else an empty list."""
    there = [path for path in paths if not is_missing(path)]
    unreadable = [path for path in there if not os.access(path, os.R_OK)]
    if unreadable:
        owner = owner_of(unreadable[0])
        return [f"a file in the {location} cannot be read (it belongs to {owner})"]
    return [f"a file in the {location} is damaged"] if there else []


def _details(
    locations: Locations, record: ModelRecord, missing: Missing, verb: str, asked: str = ""
) -> str:
    """Return the locations searched for the first files, and the fault at each."""
    seen = [
        f"{file.path} of {record.name!r} ({fault}; {verb}: "
        f"{asked or ', '.join(map(shown_url, locations.urls(record, file)))})"
        for file, fault in list(missing.items())[:_SHOWN]
    ]
    rest = len(missing) - _SHOWN
    more = f" and {count_text(rest, 'more file')}" if rest > 0 else ""
    return f"searched for {', '.join(seen)}{more}"


def _install(
    locations: Locations,
    record: ModelRecord,
    progress: Progress,
    file: FileRecord,
    fill: Fill,
) -> Path:
    """Call ``fill`` to receive the file, unless another process installed the file meanwhile."""
    target = locations.in_cache(record, file)
    for attempt in range(_ATTEMPTS):
        try:
            _receive(locations, record, progress, file, fill)
            break
        except FileNotFoundError:  # another process removed the folder: it is made again
            if attempt + 1 == _ATTEMPTS:
                raise
        except OSError as error:
            fault = None if is_missing(target) else find_fault(target, file)
            if fault is None or error.errno not in _FORBIDDEN:
                raise
            raise WeightsError(
                f"{fault}, and you may not replace it ({error.strerror}): ask its owner to make "
                f"it readable or to fetch it again, or set {CACHE_VARIABLE} to a folder of your own"
            ) from None
    return target


def _receive(
    locations: Locations, record: ModelRecord, progress: Progress, file: FileRecord, fill: Fill
) -> None:
    target, lock = locations.in_cache(record, file), locations.lock(record, file)
    for path in (target, lock):
        refuse_foreign_links(locations.cache, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(lock, progress.say):
        if find_fault(target, file):
            with receiving(Part(target, file, progress.report)) as part:
                try:
                    fill(part)
                except FileNotFoundError:
                    progress.report(-part.size)
                    raise


def copy_blocks(source: Path, blocks: Callable[[Path], Iterable[bytes]], part: Part) -> None:
    """Receive a part from blocks of ``source``, which may have changed since it was checked."""
    part.restart()
    try:
        for block in blocks(source):
            part.write(block)
        part.finish()
    except WrongBytesError as error:
        raise WeightsError(f"{source} changed while it was copied: {error}") from error


def _read_blocks(source: Path) -> Iterator[bytes]:
    try:
        with open_regular(source) as stream:
            while block := stream.read(_BLOCK):
                yield block
    except OSError as error:
        pass_interruption(error)
        raise WeightsError(f"{source} cannot be read: {error.strerror}") from error


def _download_all(
    locations: Locations,
    record: ModelRecord,
    missing: Missing,
    install: Install,
    progress: Progress,
) -> dict[str, Path]:
    found: dict[str, Path] = {}
    with open_session() as session:
        for file in missing:
            urls = locations.urls(record, file)
            fill = partial(download, session=session, urls=urls, say=progress.say)
            try:
                found[file.path] = install(file, fill)
            except UnavailableError as error:
                rest = {f: fault for f, fault in missing.items() if f.path not in found}
                raise _fetch_error(locations, record, rest, error.failures) from None
    return found

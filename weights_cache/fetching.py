"""Putting missing files of a registered model into the cache, one process at a time."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from weights_cache.adoption import require_own_way
from weights_cache.atomic_files import locked, require_space, writing_to
from weights_cache.download import download, open_session
from weights_cache.errors import (
    AbsentFile,
    FetchError,
    MissingError,
    OfflineError,
    UnreachableError,
    WeightsError,
)
from weights_cache.failures import Failure, UnavailableError
from weights_cache.file_checks import find_fault, is_missing
from weights_cache.locations import (
    CACHE_VARIABLE,
    MIRROR_VARIABLE,
    OFFLINE_VARIABLE,
    Locations,
    is_offline,
)
from weights_cache.ownership import owner_of
from weights_cache.partial_files import Part, WrongBytesError, receiving
from weights_cache.progress import Progress, showing
from weights_cache.registry import FileRecord, ModelRecord
from weights_cache.regular_files import open_regular
from weights_cache.shown_urls import host_of, shown_url
from weights_cache.sizes import count_text

Fill = Callable[[Part], None]
Install = Callable[[FileRecord, Fill], Path]
Wanted = Mapping[FileRecord, str]  # files to download, and what was found in their places

_BLOCK = 2**20
_ADVICE = f"set {CACHE_VARIABLE} to a folder that can be written to and has room"
_ATTEMPTS = 3  # to receive a file where the cache's folder is removed meanwhile
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_SHOWN = 1  # files that an error describes; PoseNet has 71


def fetch_files(
    places: Locations, record: ModelRecord, faults: Mapping[FileRecord, str], progress: bool | None
) -> dict[str, Path]:
    """Copy or download files into the cache and return where each is: path in the model → file.

    ``faults`` holds the missing files, and for each what was found in its place in the cache.
    A file that is published nowhere is left out unless a mirror folder has it.
    """
    copies, wanted = _sort_out(places, record, faults)
    if not copies and not wanted:
        return {}
    if wanted and places.offline:
        raise _offline_error(places, record, wanted)
    needed = sum(file.bytes for file in (*copies, *wanted))
    with installing(places, record, needed, progress) as (install, shown):
        found = {file.path: install(file, partial(_copy, copies[file])) for file in copies}
        if wanted:
            found |= _download_all(places, record, wanted, install, shown)
    return found


@contextmanager
def installing(
    places: Locations, record: ModelRecord, needed: int, progress: bool | None
) -> Iterator[tuple[Install, Progress]]:
    """What puts files of a model into the cache, and what is shown meanwhile.

    ``needed`` is the number of bytes for which there has to be room.
    """
    with writing_to(places.cache, needed, _ADVICE):
        places.cache.mkdir(parents=True, exist_ok=True)
        require_space(places.cache, needed, _ADVICE)
        with showing(record.name, needed, progress) as shown:
            yield partial(_install, places, record, shown), shown


def _sort_out(
    places: Locations, record: ModelRecord, faults: Mapping[FileRecord, str]
) -> tuple[dict[FileRecord, Path], dict[FileRecord, str]]:
    """The files that a mirror folder has, and those to download with what was seen of them."""
    copies, wanted = {}, {}
    for file, fault in faults.items():
        mirrored = places.in_mirror(record, file)
        mirror_fault = find_fault(mirrored, file) if mirrored else None
        if mirrored and not mirror_fault:
            copies[file] = mirrored
        elif file.urls:
            wanted[file] = "; ".join(filter(None, (fault, mirror_fault)))
    return copies, wanted


def _offline_error(places: Locations, record: ModelRecord, wanted: Wanted) -> MissingError:
    """Of a network that is switched off for good, or of a call that was to stay off it."""
    switched_off = is_offline()
    reasons = [f"the network is switched off ({OFFLINE_VARIABLE})"] if switched_off else []
    reasons = [*_local_reasons(places, record, wanted), *reasons]
    kind = OfflineError if switched_off else MissingError
    return kind(
        record.name,
        _absent(record, wanted),
        "; ".join(reasons),
        _details(places, record, wanted, "not asked"),
    )


def _fetch_error(
    places: Locations, record: ModelRecord, wanted: Wanted, failures: Iterable[Failure]
) -> MissingError:
    """The first of the files ``wanted`` could not be had."""
    failures = list(failures)
    heard = any(failure.answered for failure in failures)
    servers = [f"{failure.short} ({host_of(failure.url)})" for failure in failures]
    reasons = [*_local_reasons(places, record, wanted), *dict.fromkeys(servers)]
    asked = "; ".join(map(str, failures))
    return (FetchError if heard else UnreachableError)(
        record.name,
        _absent(record, wanted),
        "; ".join(reasons),
        _details(places, record, wanted, "asked", asked),
    )


def _absent(record: ModelRecord, files: Iterable[FileRecord]) -> list[AbsentFile]:
    return [AbsentFile(record.name, file.path, file.bytes) for file in files]


def _local_reasons(places: Locations, record: ModelRecord, wanted: Wanted) -> list[str]:
    """What is wrong on this machine: a mirror that is not there, files that are damaged."""
    folder = places.missing_mirror()
    text = f"the mirror {shown_url(str(folder))} does not exist ({MIRROR_VARIABLE})"
    reasons = [text] if folder else []
    cached = [places.in_cache(record, file) for file in wanted]
    mirrored = [places.in_mirror(record, file) for file in wanted]
    return [*reasons, *_spoilt("cache", cached), *_spoilt("mirror", filter(None, mirrored))]


def _spoilt(place: str, paths: Iterable[Path]) -> list[str]:
    """That files are damaged, or cannot be read, if there are any."""
    there = [path for path in paths if not is_missing(path)]
    unreadable = [path for path in there if not os.access(path, os.R_OK)]
    if unreadable:
        owner = owner_of(unreadable[0])
        return [f"a file in the {place} cannot be read (it belongs to {owner})"]
    return [f"a file in the {place} is damaged"] if there else []


def _details(
    places: Locations, record: ModelRecord, wanted: Wanted, verb: str, asked: str = ""
) -> str:
    """Of the first files where they were looked for, and what was found there."""
    seen = [
        f"{file.path} of {record.name!r} ({fault}; {verb}: "
        f"{asked or ', '.join(map(shown_url, places.urls(record, file)))})"
        for file, fault in list(wanted.items())[:_SHOWN]
    ]
    rest = len(wanted) - _SHOWN
    more = f" and {count_text(rest, 'more file')}" if rest > 0 else ""
    return f"searched for {', '.join(seen)}{more}"


def _install(
    places: Locations,
    record: ModelRecord,
    shown: Progress,
    file: FileRecord,
    fill: Fill,
) -> Path:
    """Have ``fill`` receive the file, unless another process put it there meanwhile."""
    target = places.in_cache(record, file)
    for attempt in range(_ATTEMPTS):
        try:
            _receive(places, record, shown, file, fill)
            break
        except FileNotFoundError:  # somebody removed the folder meanwhile: it is made again
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
    places: Locations, record: ModelRecord, shown: Progress, file: FileRecord, fill: Fill
) -> None:
    target, lock = places.in_cache(record, file), places.lock(record, file)
    for path in (target, lock):
        require_own_way(places.cache, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(lock, shown.say):
        if find_fault(target, file):
            with receiving(Part(target, file, shown.report)) as part:
                try:
                    fill(part)
                except FileNotFoundError:
                    shown.report(-part.size)
                    raise


def _copy(source: Path, part: Part) -> None:
    part.restart()
    try:
        for block in _read_blocks(source):
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
        raise WeightsError(f"{source} cannot be read: {error.strerror}") from error


def _download_all(
    places: Locations, record: ModelRecord, wanted: Wanted, install: Install, shown: Progress
) -> dict[str, Path]:
    found: dict[str, Path] = {}
    with open_session() as session:
        for file in wanted:
            urls = places.urls(record, file)
            fill = partial(download, session=session, urls=urls, say=shown.say)
            try:
                found[file.path] = install(file, fill)
            except UnavailableError as error:
                rest = {f: fault for f, fault in wanted.items() if f.path not in found}
                raise _fetch_error(places, record, rest, error.failures) from None
    return found

"""Putting missing files of a registered model into the cache, one process at a time."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from weights_cache.checks import find_fault
from weights_cache.dependencies import needed_for
from weights_cache.download import download, open_session
from weights_cache.errors import OfflineError, WeightsError
from weights_cache.parts import Part, Report, WrongBytesError, receiving
from weights_cache.places import CACHE_VARIABLE, MIRROR_VARIABLE, OFFLINE_VARIABLE, Places
from weights_cache.registry import FileRecord, ModelRecord
from weights_cache.staging import locked, require_space, writing_to

Fill = Callable[[Part], None]
Install = Callable[[FileRecord, Fill], Path]

_BLOCK = 2**20
_ADVICE = f"set {CACHE_VARIABLE} to a folder that can be written to and has room"
_SHOWN = 1  # files that an error describes; PoseNet has 71


def fetch_files(
    places: Places, record: ModelRecord, faults: Mapping[FileRecord, str], progress: bool | None
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
    with writing_to(places.cache, needed, _ADVICE):
        places.cache.mkdir(parents=True, exist_ok=True)
        require_space(places.cache, needed, _ADVICE)
        with _progress_bar(record.name, needed, progress) as report:
            install = partial(_install, places, record, report)
            found = {file.path: install(file, partial(_copy, copies[file])) for file in copies}
            if wanted:
                found |= _download_all(places, record, wanted, install)
    return found


def _sort_out(
    places: Places, record: ModelRecord, faults: Mapping[FileRecord, str]
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


def _offline_error(
    places: Places, record: ModelRecord, wanted: Mapping[FileRecord, str]
) -> OfflineError:
    seen = [
        f"{file.path} ({fault}; not asked: {', '.join(places.urls(record, file))})"
        for file, fault in wanted.items()
    ]
    more = f" and {len(seen) - _SHOWN} more files" if len(seen) > _SHOWN else ""
    advice = (
        f"which is switched off ({OFFLINE_VARIABLE}=1 or offline=True), or set {MIRROR_VARIABLE} "
        "to a folder that has them"
    )
    return OfflineError(record.name, advice, f"{', '.join(seen[:_SHOWN])}{more}")


def _install(
    places: Places,
    record: ModelRecord,
    report: Report,
    file: FileRecord,
    fill: Fill,
) -> Path:
    """Have ``fill`` receive the file, unless another process put it there meanwhile."""
    target = places.in_cache(record, file)
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(places.lock(record, file)):
        if find_fault(target, file):
            with receiving(target, file, report) as part:
                fill(part)
    return target


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
        with open(source, "rb") as stream:
            while block := stream.read(_BLOCK):
                yield block
    except OSError as error:
        raise WeightsError(f"{source} cannot be read: {error.strerror}") from error


def _download_all(
    places: Places, record: ModelRecord, wanted: Mapping[FileRecord, str], install: Install
) -> dict[str, Path]:
    found = {}
    with open_session() as session:
        for file, fault in wanted.items():
            what = f"{file.path} of {record.name!r} ({fault})"
            urls = places.urls(record, file)
            fill = partial(download, session=session, urls=urls, what=what)
            found[file.path] = install(file, fill)
    return found


@contextmanager
def _progress_bar(label: str, total: int, progress: bool | None) -> Iterator[Report]:
    """What reports received bytes: a bar on stderr if asked for, or by default on a terminal."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        yield lambda count: None
        return
    with needed_for("a progress bar"):
        from tqdm import tqdm
    with tqdm(total=total, desc=label, unit="B", unit_scale=True) as bar:
        yield bar.update

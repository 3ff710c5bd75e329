"""Compiled code, kept on disk for the next process.

The cache is the one exception to "no code from files". So the folder is used only if it belongs to
the user and is closed to other users; a file must belong to the user and have a checksum of its
name and content, which finds damage. The cache is optional: code that cannot be read or written is
compiled again.

``ZOO_CODE_CACHE`` names another folder; ``0`` turns the cache off.
"""

import contextlib
import mmap
import os
import sys
import time
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path
from zlib import crc32

from core.process.digests import DIGEST_BYTES, blake2b
from weights_cache.ownership import chosen_folder, find_folder_fault, is_own, make_private
from weights_cache.regular_files import open_regular

VARIABLE = "ZOO_CODE_CACHE"

#: Bytes of all files; above it the least recently used ones are deleted. Calls of all models of the
#: zoo take 370 MB.
MOST_BYTES = 512_000_000

_SUFFIX = ".code"
_CHECKSUM_BYTES = 4
_UNFINISHED = (".tmp", ".part")  # the second of earlier releases
_DAY = 86_400.0  # seconds: the resolution of the time at which a file was last used
_LOOK_EVERY = 32  # files that are written between two checks of the total size
#: Bytes of a large page of Linux: 8 MB in small pages take longer to get than to fill.
_LARGE_PAGE = 1 << 21
_STALE = 3600.0  # seconds after which an unfinished file is deleted


def key_of(*parts: str) -> str:
    """The name under which code is kept: a hash of everything that the code depends on.

    Args:
        parts: such as the source, the driver and the version of the format.

    >>> len(key_of("void main() {}", "a driver")), key_of("ab", "c") == key_of("a", "bc")
    (64, False)
    """
    digest = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        data = part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def folder() -> Path | None:
    """The folder that the environment names, existing or not; None if the cache is turned off."""
    return chosen_folder(VARIABLE, "code")


def load(key: str) -> bytes | None:
    """The code of a key; None if no trusted file has it."""
    pages = load_pages(key)
    return None if pages is None else bytes(pages)


def load_pages(key: str) -> memoryview | None:
    """The code of a key in memory that begins on a page and is only this caller's, or None."""
    place = _usable_folder(make=False)
    if place is None:
        return None
    path = place / f"{key}{_SUFFIX}"
    try:
        with open_regular(path, buffering=0) as file:
            status = os.fstat(file.fileno())
            if not is_own(status):
                return None
            whole = _read(file, status.st_size)
        code, checksum = whole[:-_CHECKSUM_BYTES], whole[-_CHECKSUM_BYTES:]
        if checksum != _checksum(key, code):
            return None
        if time.time() - status.st_mtime > _DAY:
            os.utime(path)  # marks the file as used: others are deleted first
    except OSError:
        return None
    return code


def _read(file: RawIOBase, size: int) -> memoryview:
    """The first bytes of a file, which may have become shorter."""
    whole, filled = memoryview(_private_memory(size)), 0
    while filled < size and (read := file.readinto(whole[filled:size])):
        filled += read
    return whole[:filled]


def _private_memory(size: int) -> mmap.mmap:
    """Return memory for some bytes, which begins on a page."""
    if sys.platform != "linux":
        return mmap.mmap(-1, size or 1)
    if size >= _LARGE_PAGE // 2:
        size = -(-size // _LARGE_PAGE) * _LARGE_PAGE
    memory = mmap.mmap(-1, size or 1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # of a kernel without large pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def keep(key: str, code: bytes) -> None:
    """Store code for later processes, if there is a usable folder."""
    place = _usable_folder(make=True)
    if place is None:
        return
    with contextlib.suppress(OSError):
        path = place / f"{key}{_SUFFIX}"
        _write(path, code + _checksum(key, code))
        _paths[path] = True
        _tidy_sometimes(place)


def is_usable() -> bool:
    """Whether code that is stored now is available to the next process."""
    return _usable_folder(make=True) is not None


def describe() -> str:
    """Describe the cache: its folder and size, or why it is not used."""
    place = folder()
    if place is None:
        return f"off ({VARIABLE}=0)"
    fault = find_folder_fault(place, VARIABLE)
    if fault is not None:
        return f"not used: {fault}"
    sizes = [status.st_size for _, status in _files(place)]
    return f"{place}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def count_of_evicted() -> int:
    """Return how many of the files that this process kept have made room for later ones of it.

    What does not fit is deleted now.
    """
    place = _usable_folder(make=False)
    if place is not None:
        _tidy(place)
    return [*_paths.values()].count(False)


def count_of(prefix: str) -> int:
    """Return the number of files whose keys begin with some text.

    Args:
        prefix: such as ``"choice-"``, which the caller wrote before the hash of `key_of`.
    """
    place = _usable_folder(make=False)
    paths = [] if place is None else [path for path, _ in _files(place)]
    return sum(path.name.startswith(prefix) and path.suffix == _SUFFIX for path in paths)


def _usable_folder(make: bool) -> Path | None:
    place = folder()
    if place is None:
        return None
    if make:
        make_private(place)
    return place if os.path.isdir(place) and not find_folder_fault(place, VARIABLE) else None


_written = 0
_paths: dict[Path, bool] = {}  # that this process has written: whether it did not delete them


def _checksum(key: str, code: bytes | memoryview) -> bytes:
    # Six times as fast as a digest, of which weights of 10 MB would take 10 ms at each start.
    return crc32(code, crc32(key.encode())).to_bytes(_CHECKSUM_BYTES, "little")


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically: other processes read and write it."""
    # Takes 9 ms, and a process that finds its code on disk writes none.
    from weights_cache.atomic_files import replacing

    with replacing(path, 0o600, sync=False) as file:
        file.write(data)


def _files(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files in the folder, unfinished ones included; another process may delete them."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            if entry.name.endswith((_SUFFIX, *_UNFINISHED)):
                with contextlib.suppress(OSError):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)


def _tidy_sometimes(place: Path) -> None:
    global _written
    _written += 1
    if _written % _LOOK_EVERY == 1:
        _tidy(place)


def _tidy(place: Path) -> None:
    """Delete unfinished files; above the limit also the least recently used ones."""
    found = sorted(_files(place), key=lambda f: f[1].st_mtime, reverse=True)
    total = 0
    for path, status in found:
        total += status.st_size
        is_stale = path.suffix in _UNFINISHED and time.time() - status.st_mtime > _STALE
        if is_stale or total > MOST_BYTES:
            with contextlib.suppress(OSError):
                path.unlink()
                if path in _paths:
                    _paths[path] = False

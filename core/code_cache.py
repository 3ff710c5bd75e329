"""Compiled code, kept on disk for the next process.

It is the one exception to "no code from files". So the folder must be the user's own and closed to
everybody else, or it is not used; a file is one that the user wrote, and has a checksum of its name
and content. Nothing here is needed: what cannot be read or written is compiled again.

``ZOO_CODE_CACHE`` names another folder; ``0`` turns the cache off.
"""

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from weights_cache.ownership import chosen_folder, find_folder_fault, is_own, make_private

VARIABLE = "ZOO_CODE_CACHE"

#: All files together; above it those go that nobody used for the longest time.
MOST_BYTES = 256_000_000

_SUFFIX = ".code"
_CHECKSUM_BYTES = 32
_DAY = 86_400.0  # seconds: how exactly it is known when a file was used last
_LOOK_EVERY = 32  # files that are written between two looks at the size of all
_STALE = 3600.0  # seconds after which a file that nobody finished is nobody's


def key_of(*parts: str) -> str:
    """The name under which code is kept: a hash of all that it depends on.

    Args:
        parts: such as the source, the driver and the version of the format.

    >>> len(key_of("void main() {}", "a driver")), key_of("ab", "c") == key_of("a", "bc")
    (64, False)
    """
    digest = sha256()
    for part in parts:
        data = part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def folder() -> Path | None:
    """The folder as the environment says, there or not; None if the cache is turned off."""
    return chosen_folder(VARIABLE, "code")


def load(key: str) -> bytes | None:
    """The code of a key; None if there is none that may be trusted."""
    place = _usable_folder(make=False)
    if place is None:
        return None
    path = place / f"{key}{_SUFFIX}"
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            whole = file.read() if is_own(status) and stat.S_ISREG(status.st_mode) else b""
        checksum, code = whole[:_CHECKSUM_BYTES], whole[_CHECKSUM_BYTES:]
        if checksum != _checksum(key, code):
            return None
        if time.time() - status.st_mtime > _DAY:
            os.utime(path)  # it is used: others go first
    except OSError:
        return None
    return code


def keep(key: str, code: bytes) -> None:
    """Keep code for later, if there is a place for it."""
    place = _usable_folder(make=True)
    if place is None:
        return
    with contextlib.suppress(OSError):
        _write(place / f"{key}{_SUFFIX}", _checksum(key, code) + code)
        _tidy_sometimes(place)


def is_usable() -> bool:
    """Whether code that is kept now is there for the next process."""
    return _usable_folder(make=True) is not None


def describe() -> str:
    """Where the cache is, and how full, or why it is not used."""
    place = folder()
    if place is None:
        return f"off ({VARIABLE}=0)"
    fault = _fault(place)
    if fault is not None:
        return f"not used: {fault}"
    sizes = [status.st_size for _, status in _files(place)]
    return f"{place}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


# --- whose it is --------------------------------------------------------------------------------


def _usable_folder(make: bool) -> Path | None:
    place = folder()
    if place is None:
        return None
    if make:
        make_private(place)
    return place if os.path.isdir(place) and _fault(place) is None else None


def _fault(place: Path) -> str | None:
    """Why a folder is not used; None for one that is fine or still to be made."""
    return find_folder_fault(place, VARIABLE)


# --- files --------------------------------------------------------------------------------------

_written = 0


def _checksum(key: str, code: bytes) -> bytes:
    return sha256(key.encode() + code).digest()


def _open_at_once(path: str, flags: int) -> int:
    """A pipe that lies there would keep who opens it waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing: other processes read and write the same."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix="new-", suffix=".part")
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _files(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """What lies in the folder, parts of files included; another process may take it away."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            if entry.name.endswith((_SUFFIX, ".part")):
                with contextlib.suppress(OSError):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)


def _tidy_sometimes(place: Path) -> None:
    global _written
    _written += 1
    if _written % _LOOK_EVERY == 1:
        _tidy(place)


def _tidy(place: Path) -> None:
    """Away with what nobody finished; above the limit also with what was used longest ago."""
    found = sorted(_files(place), key=lambda f: f[1].st_mtime, reverse=True)
    total = 0
    for path, status in found:
        total += status.st_size
        is_stale = path.suffix == ".part" and time.time() - status.st_mtime > _STALE
        if is_stale or total > MOST_BYTES:
            with contextlib.suppress(OSError):
                path.unlink()

"""Opening of regular files only, so that no pipe blocks a reader."""

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Literal, overload

# With O_NONBLOCK a pipe without a writer is opened at once; without the flag, open blocks.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class IrregularFileError(OSError):
    """A path is a pipe, a device, a socket or a folder instead of a file."""


@overload
def open_regular(
    path: str | os.PathLike[str], *, follow_links: bool = ..., buffering: Literal[-1] = ...
) -> BufferedReader: ...


@overload
def open_regular(
    path: str | os.PathLike[str], *, follow_links: bool = ..., buffering: Literal[0]
) -> FileIO: ...


def open_regular(
    path: str | os.PathLike[str], *, follow_links: bool = True, buffering: Literal[-1, 0] = -1
) -> BufferedReader | FileIO:
    """Open a regular file for reading bytes; never block on a pipe or device.

    Args:
        path: path of the file.
        follow_links: whether ``path`` itself may be a symbolic link (on systems with O_NOFOLLOW).
        buffering: as for `open`: 0 for none.

    Raises:
        IrregularFileError: the path is a named pipe, a device, a socket or a folder.
        OSError: the file cannot be opened, or is a link that must not be followed.

    >>> try:
    ...     open_regular("/")
    ... except IrregularFileError as error:
    ...     error.strerror
    'not a regular file, but a folder'
    """
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode):  # opening a device may have side effects
        raise irregular_file(path, mode)
    flags = _FLAGS if follow_links else _FLAGS | getattr(os, "O_NOFOLLOW", 0)
    raw = opened_by_flags(path, flags)
    if not stat.S_ISREG(mode := os.fstat(raw.fileno()).st_mode):  # exchanged in between
        raw.close()
        raise irregular_file(path, mode)
    return raw if buffering == 0 else BufferedReader(raw)


def open_unlinked(path: str | os.PathLike[str]) -> FileIO:
    """Open a file for reading and writing, at once and through no link.

    Raises:
        OSError: it cannot be opened, or is a link.
    """
    more = getattr(os, "O_NOFOLLOW", 0) | os.O_RDWR
    return opened_by_flags(path, _FLAGS | more, "rb+")


def opened_by_flags(path: str | os.PathLike[str], flags: int, mode: str = "rb") -> FileIO:
    """Open a file by flags of the system.

    An exception of a signal handler may come between any two calls of Python code, where a number
    of an open file would be lost, and the file stay open. Here C code makes the object of it.

    Raises:
        OSError: it cannot be opened.

    >>> with opened_by_flags(os.devnull, os.O_RDONLY) as file:
    ...     file.read(1), file.name == os.devnull
    (b'', True)
    """
    file = next(map(FileIO, map(os.open, (path,), (flags,)), (mode,)))
    file.name = os.fspath(path)
    return file


def irregular_file(path: str | os.PathLike[str], mode: int) -> IrregularFileError:
    """Return the error for a path that is something else than a file, by its mode."""
    kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
    return IrregularFileError(errno.EINVAL, f"not a regular file, but {kind}", os.fspath(path))

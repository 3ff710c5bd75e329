"""Files that are opened for reading only if they are regular: no pipe makes a reader wait."""

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Literal, overload

# A pipe without a writer is opened at once with O_NONBLOCK, where reading would wait for ever.
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
    """A path leads to a pipe, a device, a socket or a folder, where a file should be."""


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
    """Open a regular file for reading bytes, without waiting for whatever else may be there.

    Args:
        path: of the file.
        follow_links: whether ``path`` itself may be a symbolic link (where the system can tell).
        buffering: as of `open`: 0 for none.

    Raises:
        IrregularFileError: it is a named pipe, a device, a socket or a folder.
        OSError: it cannot be opened, or is a link that must not be followed.

    >>> try:
    ...     open_regular("/")
    ... except IrregularFileError as error:
    ...     error.strerror
    'not a regular file, but a folder'
    """
    if not stat.S_ISREG(mode := Path(path).stat().st_mode):  # a device may act when it is opened
        raise _irregular(path, mode)
    flags = _FLAGS if follow_links else _FLAGS | getattr(os, "O_NOFOLLOW", 0)
    raw = FileIO(path, opener=lambda name, _: os.open(name, flags))
    if not stat.S_ISREG(mode := os.fstat(raw.fileno()).st_mode):  # exchanged in between
        raw.close()
        raise _irregular(path, mode)
    return raw if buffering == 0 else BufferedReader(raw)


def _irregular(path: str | os.PathLike[str], mode: int) -> IrregularFileError:
    kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
    return IrregularFileError(errno.EINVAL, f"not a regular file, but {kind}", os.fspath(path))

"""Files that grow by lines, and that readers follow: tables of a training, results of a camera."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from weights_cache.atomic_files import replacing
from weights_cache.ownership import behind_links

_NEWLINE = b"\n"


class LineFile:
    r"""A file to which lines are appended; a killed process leaves whole lines, and a part at most.

    Args:
        path: of the file, in a folder that exists. A pipe or device is written to as it is.
        append: go on in a file that exists, without a last line that has no end; else the old file
            stays until the first line replaces it.

    Raises:
        OSError: it cannot be written to.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "log.csv")
    >>> _ = path.write_text("epoch,loss\n0,0.5\n1,0.")
    >>> LineFile(path, append=True).write("1,0.25\n")
    >>> path.read_text()
    'epoch,loss\n0,0.5\n1,0.25\n'
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, append: bool = False):
        self._stream = None
        self._is_old = not append
        if _is_irregular(path):
            self._stream = open(path, "wb", buffering=0)  # noqa: SIM115 - as long as the process
            return
        self._path = behind_links(path)
        self._may_replace = os.access(self._path.parent, os.W_OK)
        if append or not self._may_replace:
            open(self._path, "ab").close()
        if append:
            _cut_half_line(self._path)

    def write(self, lines: str) -> None:
        """Append lines, each with its end."""
        data = lines.encode()
        if self._stream is not None:
            self._stream.write(data)
        elif self._is_old and self._may_replace:
            with replacing(self._path) as file:
                file.write(data)
        else:
            with open(self._path, "wb" if self._is_old else "ab", buffering=0) as file:
                file.write(data)
        self._is_old = False

    def close(self) -> None:
        """Close a pipe or device; files are closed."""
        if self._stream is not None:
            self._stream.close()


def _is_irregular(path: str | os.PathLike[str]) -> bool:
    with suppress(FileNotFoundError):
        return not stat.S_ISREG(os.stat(path).st_mode)
    return False


def _cut_half_line(path: Path) -> None:
    """Remove what stands behind the last end of a line."""
    with open(path, "rb+") as file:
        whole = 0
        while block := file.read(2**20):
            at = block.rfind(_NEWLINE)
            whole = file.tell() - len(block) + at + 1 if at >= 0 else whole
        file.truncate(whole)

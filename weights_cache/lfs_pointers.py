"""Pointers of Git LFS, small texts that stand in a repository for large files.

Source: docs/spec.md of git-lfs.
"""

import os
import re

from weights_cache.common.errors import WeightsError
from weights_cache.regular_files import open_regular

#: The most bytes of a pointer, by its specification.
LARGEST_POINTER = 1024

_MARK = b"version https://git-lfs.github.com/spec/v1"
_SIZE = re.compile(rb"^size (\d{1,15})\r?$", re.MULTILINE)


def refuse_pointer(start: bytes, path: object) -> None:
    """Raise a WeightsError if a file is a pointer of Git LFS.

    Args:
        start: content of the file, or its first `LARGEST_POINTER` bytes.
        path: path of the file, for the error.
    """
    if not start.startswith(_MARK):
        return
    size = _SIZE.search(start[:LARGEST_POINTER])
    content = f"its {int(size[1]):,} bytes" if size else "it"
    raise WeightsError(
        f"{path} is not the file, but a pointer of Git LFS to {content}: run `git lfs pull` in the "
        f"repository, or download the file"
    )


def refuse_pointer_file(path: str | os.PathLike[str]) -> None:
    """Raise a WeightsError if a file is a pointer of Git LFS; only small files are opened.

    Raises:
        OSError: the file is missing.
    """
    if os.stat(path).st_size <= LARGEST_POINTER:
        with open_regular(path) as stream:
            refuse_pointer(stream.read(LARGEST_POINTER), path)

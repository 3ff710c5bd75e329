"""A stamp of source files: what is made by a program and kept on disk is made anew after a change.

Reading all files takes long, so that the stamp is of their names, sizes and times of change. It is
also of the version of the distribution, since some installers give all files one time.
"""

import os
import sys
from functools import cache
from importlib.util import find_spec

from core.process.digests import DIGEST_BYTES, blake2b

#: Part of every stamp; as in pyproject.toml.
VERSION = "0.1.0"

#: Folder of compiled files that Python writes into a package.
_COMPILED = "__pycache__"


@cache
def source_stamp(*places: str) -> str:
    """Return a hash that changes when a file changes, comes, goes or gets another name.

    It is found once in a process: files that change later do not count.

    Args:
        places: names of packages, such as ``"core"`` or ``"core.plan"``, which are not imported
            for it, or absolute paths of folders. All files in them and below them count; where one
            was moved as a whole, the stamp stays.

    Raises:
        ModuleNotFoundError: there is no such package.
        OSError: a folder cannot be read.

    >>> source_stamp("core.plan") == source_stamp("core.plan"), len(source_stamp("core.plan"))
    (True, 64)
    """
    digest = blake2b(VERSION.encode(), digest_size=DIGEST_BYTES)
    for place in places:
        lines: list[str] = []
        for folder in _folders(place):
            _add_files(folder, "", lines)
        digest.update(f"{len(lines)}\n".encode())
        digest.update("\n".join(sorted(lines)).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _folders(place: str) -> list[str]:
    """Return the folders of a package, of which there is one unless it is a namespace."""
    if os.path.isabs(place):
        return [place]
    top, _, rest = place.partition(".")
    if top in sys.modules:
        found = list(sys.modules[top].__path__)
    else:
        spec = find_spec(top)
        found = list(spec.submodule_search_locations or ()) if spec else []
    folders = [os.path.join(folder, *rest.split(".")) if rest else folder for folder in found]
    if not folders:
        raise ModuleNotFoundError(f"there is no package {place!r}", name=place)
    return folders


def _add_files(folder: str, below: str, lines: list[str]) -> None:
    """Add a line for each file of a folder, which is at some path from where the stamp begins.

    A link to a folder counts as a file, so that no circle of links is followed.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != _COMPILED:
                    _add_files(entry.path, f"{below}{entry.name}/", lines)
                continue
            try:
                status = entry.stat()
            except FileNotFoundError:  # a link to nowhere, such as editors' locks
                continue
            lines.append(f"{below}{entry.name}\0{status.st_size}\0{status.st_mtime_ns}")

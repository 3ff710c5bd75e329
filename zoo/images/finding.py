"""The files of images in a folder, or that match a pattern."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from glob import iglob

from weights_cache.common.errors import ZooError
from weights_cache.common.system_files import is_of_system
from weights_cache.interruptions import pass_interruption
from zoo.images.errors import is_pattern
from zoo.images.files import image_endings
from zoo.images.urls import scheme_of


def is_glob(source: str) -> bool:
    """Return whether a source with ``*?[`` is neither a file nor a URL."""
    return is_pattern(source) and not (os.path.exists(source) or scheme_of(source))


def matching_files(pattern: str) -> Iterator[str]:
    """Yield the files that match a pattern; ``**`` stands for folders in folders."""
    return filter(os.path.isfile, iglob(pattern, recursive=True))


def files_in(folder: str, recursive: bool) -> Iterator[str]:
    """Yield the files of a folder that are neither hidden nor of a system, sorted by name.

    Args:
        folder: its path.
        recursive: also the files of the folders in it, but for links.

    Raises:
        ZooError: a folder cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        pass_interruption(error)
        raise ZooError(
            f"the folder {folder!r} cannot be listed ({error.strerror}): change its permissions"
        ) from None
    for entry in found:
        if is_of_system(entry.name):
            continue
        if entry.is_file():
            yield entry.path
        elif recursive and entry.is_dir(follow_symlinks=False):
            yield from files_in(entry.path, recursive)


def ending_of(path: str) -> str:
    """Return the ending of a file's name in lower case, with the dot."""
    return os.path.splitext(path)[1].lower()


class Endings:
    """Sorts files by their endings, and counts those that are left out.

    Args:
        more: endings that are taken beside those of images.
    """

    def __init__(self, more: Collection[str] = ()):
        self._images, self._more = image_endings(), tuple(more)
        self._others = Counter[str]()

    def taken(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the files that have one of the endings."""
        for path in paths:
            ending = ending_of(path)
            if ending in self._images or path.lower().endswith(self._more):
                yield path
            else:
                self._others[ending or "no ending"] += 1

    @property
    def left_out(self) -> str:
        """A text about the other files and their endings, such as ``"2 other files (.txt)"``."""
        kinds = ", ".join(kind for kind, _ in self._others.most_common(5))
        count = self._others.total()
        return f"{count} other file{'s' * (count > 1)} ({kinds})" if count else ""

"""The images that sources stand for: files, folders, patterns, tables, archives, videos, URLs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.shown_urls import shown_url
from zoo.images.errors import is_pattern, missing_file
from zoo.images.files import image_endings
from zoo.images.finding import Endings, ending_of, files_in, is_glob, matching_files
from zoo.images.urls import scheme_of
from zoo.jobs.archives import ARCHIVE_ENDINGS, archive_items, is_archive
from zoo.jobs.items import Item
from zoo.jobs.locations import as_zoo_error, file_system, is_remote, local_path
from zoo.jobs.tables import TABLE_ENDINGS, table_items
from zoo.jobs.videos import VIDEO_ENDINGS, video_items

#: File name endings of archives, videos and tables, which a pattern may match.
_SEVERAL = (*ARCHIVE_ENDINGS, *VIDEO_ENDINGS, *TABLE_ENDINGS)

Report = Callable[[str], object]


class Listing:
    """Lists the images of sources.

    Args:
        column: of tables; None for the usual names.
        every: of videos, each so-many-th frame.
        recursive: also the folders in folders.
        report: is called with lines about files that were left out.
    """

    def __init__(self, *, column: str | None, every: int, recursive: bool, report: Report):
        self._column, self._every = column, every
        self._recursive, self._report = recursive, report

    def items(self, sources: Sequence[str]) -> Iterator[Item]:
        """Yield each image, source by source.

        Raises:
            ZooError: a source does not exist, cannot be read, or holds no images.
        """
        for source in dict.fromkeys(sources):
            some = False
            for item in self._items_of(source):
                some = True
                yield item
            if not some:
                raise ZooError(f"{shown_url(source)!r:.300} holds no images: give another source")

    def _items_of(self, source: str) -> Iterator[Item]:
        if is_remote(source):
            return self._remote(source)
        path = local_path(source)
        if os.path.isdir(path):
            return self._found(source, files_in(path, self._recursive), Endings())
        if is_glob(path):
            return self._found(source, sorted(matching_files(path)), Endings(_SEVERAL))
        if not os.path.exists(path):
            raise missing_file(path)
        return self._items_in(path)

    def _items_in(self, location: str) -> Iterator[Item]:
        """Yield the image, or the images in a table, an archive or a video."""
        ending = ending_of(location)
        if is_archive(location):
            yield from archive_items(location)
        elif ending in TABLE_ENDINGS:
            yield from table_items(location, self._column)
        elif ending in VIDEO_ENDINGS:
            yield from video_items(location, self._every, self._report)
        else:
            yield Item(location)

    def _found(self, source: str, files: Any, endings: Endings) -> Iterator[Item]:
        """Yield the images of a folder or a pattern, and report the other files."""
        some = False
        for file in endings.taken(files):
            some = True
            yield from self._items_in(file)
        others = endings.left_out
        if not some:
            raise ZooError(
                f"there are no images in {shown_url(source)!r:.300}"
                f"{others and f', only {others}'}: {self._advice(others)}"
            )
        if others:
            self._report(f"{shown_url(source)}: skipped {others}")

    def _advice(self, others: str) -> str:
        if any(ending in others for ending in _SEVERAL):
            return "archives, videos and tables are taken by name or pattern, as 'folder/*.tar'"
        deeper = "" if self._recursive else ", or recursive=True (--recursive) for folders in it"
        return f"give another folder or pattern{deeper}"

    def _remote(self, source: str) -> Iterator[Item]:
        """Yield what a URL stands for; one of http that names an image is not asked for it."""
        scheme = scheme_of(source)
        is_image = ending_of(source.partition("?")[0]) in image_endings()
        if scheme == "data" or (is_image and not is_pattern(source)):
            return iter([Item(source)])
        if scheme in ("http", "https") and not is_archive(source) and not _is_several(source):
            return iter([Item(source)])
        return self._remote_files(source)

    def _remote_files(self, source: str) -> Iterator[Item]:
        if _is_several(source) and not is_pattern(source):
            yield from self._items_in(source)
            return
        system, path = file_system(source)
        with as_zoo_error(source):
            if is_pattern(path):
                found, endings = sorted(system.glob(path)), Endings(_SEVERAL)
            elif system.isdir(path):
                found, endings = (
                    sorted(system.find(path, None if self._recursive else 1)),
                    Endings(),
                )
            else:
                yield Item(source)
                return
        yield from self._found(source, map(system.unstrip_protocol, found), endings)


def _is_several(location: str) -> bool:
    return is_archive(location) or ending_of(location) in _SEVERAL

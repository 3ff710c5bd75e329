"""Images in archives: tar, also compressed, and zip; webdataset's shards are tar files."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from weights_cache.common.archive_damage import TAR_DAMAGE, ZIP_DAMAGE
from weights_cache.common.errors import ZooError
from weights_cache.shown_urls import shown_url
from zoo.images.files import image_endings
from zoo.images.finding import ending_of
from zoo.images.pixels import ImageError
from zoo.jobs.items import Item
from zoo.jobs.locations import MOST_BYTES, check_bytes, opened, read_range

_COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ARCHIVE_ENDINGS = (".tar", ".zip", *_COMPRESSED)

_DAMAGED = (*ZIP_DAMAGE, *TAR_DAMAGE, OSError, ValueError, KeyError)  # of a member that is gone


def is_archive(location: str) -> bool:
    """Whether a location has the ending of an archive that is read.

    >>> is_archive("train-000.tar"), is_archive("images.TAR.GZ"), is_archive("a.jpg")
    (True, True, False)
    """
    return location.lower().endswith(ARCHIVE_ENDINGS)


def _is_compressed(location: str) -> bool:
    return location.lower().endswith(_COMPRESSED)


def archive_items(location: str) -> Iterator[Item]:
    """Yield the members of an archive that have an image's ending, in their order.

    Raises:
        ZooError: it is no archive, or it is damaged.
    """
    endings = image_endings()
    with opened(location) as file:
        try:
            if ending_of(location) == ".zip":
                with zipfile.ZipFile(file) as archive:
                    for info in archive.infolist():
                        if not info.is_dir() and ending_of(info.filename) in endings:
                            yield Item(location, info.filename)
                return
            compressed = _is_compressed(location)
            with _tar(file, compressed=compressed) as tar:
                for number, member in enumerate(_members(tar)):
                    if member.isreg() and ending_of(member.name) in endings:
                        extent = (0, number) if compressed else (member.offset_data, member.size)
                        yield Item(location, member.name, None, *extent)
        except _DAMAGED as error:
            raise _damaged(location, error) from error


def _tar(file: BinaryIO, *, compressed: bool) -> tarfile.TarFile:
    return tarfile.open(fileobj=file, mode="r|*" if compressed else "r:")


def _members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members, of which the archive would otherwise remember all."""
    while (member := tar.next()) is not None:
        yield member
        tar.members.clear()  # type: ignore[attr-defined]  # not in the stubs


def _damaged(location: str, error: Exception) -> ZooError:
    if isinstance(error, ZooError):
        return error
    return ZooError(
        f"{shown_url(location)!r:.300} is damaged, or no archive of its ending ({error}): copy or "
        "pack it again"
    )


class OpenArchives:
    """Reads members of archives; the last archive stays open for the next one.

    Members of a compressed tar archive can only be read one after another: who goes back in it
    begins anew. Only one thread may read.
    """

    def __init__(self) -> None:
        self._location: str | None = None
        self._archive: Any = None
        self._next = 0  # number of the next member of a compressed tar archive
        self._stack = ExitStack()

    def read(self, item: Item) -> bytes:
        """Return the bytes of a member.

        Raises:
            ImageError: it cannot be read.
        """
        try:
            return self._read(item)
        except _DAMAGED as error:
            self.close()
            raise ImageError(f"{item.name} cannot be read ({error}): pack it again") from error

    def _read(self, item: Item) -> bytes:
        if not item.source.lower().endswith((".zip", *_COMPRESSED)):
            check_bytes(item.size, item.name)
            return read_range(item.source, item.start, item.size)
        is_zip = ending_of(item.source) == ".zip"
        if item.source != self._location or (not is_zip and item.size < self._next):
            self._open(item.source, is_zip=is_zip)
        if is_zip:
            info = self._archive.getinfo(item.member)
            check_bytes(info.file_size, item.name)
            return cast(bytes, self._archive.read(info))
        return self._read_next(item)

    def _open(self, location: str, *, is_zip: bool) -> None:
        self.close()
        file = self._stack.enter_context(opened(location))
        archive = zipfile.ZipFile(file) if is_zip else _tar(file, compressed=True)
        self._archive = self._stack.enter_context(archive)
        self._location, self._next = location, 0

    def _read_next(self, item: Item) -> bytes:
        for member in _members(self._archive):
            self._next += 1
            if self._next <= item.size:
                continue
            if member.name != item.member:
                break
            check_bytes(member.size, item.name)
            file = self._archive.extractfile(member)
            return cast(bytes, file.read(MOST_BYTES))
        raise ImageError(f"{item.name} is not where it was when the images were listed")

    def close(self) -> None:
        """Close the archive."""
        self._location = self._archive = None
        self._stack.close()

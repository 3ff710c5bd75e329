"""Images in archives: tar, also compressed, and zip; webdataset's shards are tar files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any, BinaryIO, cast

from weights_cache.common.archive_damage import TAR_DAMAGE, ZIP_DAMAGE
from weights_cache.common.errors import ZooError
from weights_cache.shown_urls import shown_url
from weights_cache.zip_members import unreadable_reason
from zoo.images.files import image_endings
from zoo.images.finding import ending_of
from zoo.images.pixels import ImageError
from zoo.jobs.items import Item
from zoo.jobs.locations import MOST_BYTES, check_bytes, opened, read_range

_COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ARCHIVE_ENDINGS = (".tar", ".zip", *_COMPRESSED)

#: First bytes of a file, and what unpacks it.
_UNPACKERS: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ": lzma, b"]\0\0": lzma}

#: The most bytes of the headers between two members of a tar archive, which tarfile keeps.
_MOST_HEADERS = 2**22

#: The most reads behind the end of a tar archive; its reader stops after one.
_MOST_ENDS = 2

#: Exceptions of reading a damaged archive; a KeyError is of a member that is gone.
_DAMAGED = (*ZIP_DAMAGE, *TAR_DAMAGE, OSError, ValueError, KeyError)


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
                            _check_single(archive, info)
                            yield Item(location, info.filename)
                return
            compressed = _is_compressed(location)
            with closing(_Tar(file, compressed=compressed)) as tar:
                for number, member in enumerate(tar):
                    if member.isreg() and ending_of(member.name) in endings:
                        extent = (0, number) if compressed else (member.offset_data, member.size)
                        yield Item(location, member.name, None, *extent)
        except _DAMAGED as error:
            raise _damaged(location, error) from error


def _check_single(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Raise if the name of a member means another one, as members are read by their names."""
    if archive.getinfo(info.filename) is not info:
        raise ValueError(f"it holds several files {info.filename!r:.200}")


class _Metered:
    """The bytes of a tar archive, of which so many may be read as were allowed.

    tarfile reads a header as a whole, however large it says that it is, and passes over a member
    of terabytes in ten thousands of bytes, also behind the end of the file.
    """

    def __init__(self, file: BinaryIO):
        self._file, self.allowed, self._ends = file, _MOST_HEADERS, 0

    def read(self, size: int) -> bytes:
        """Read bytes."""
        if size > self.allowed:
            raise ValueError(f"its headers have more than {_MOST_HEADERS:,} bytes")
        data = self._file.read(size)
        self.allowed -= len(data)
        self._ends += not data
        if self._ends > _MOST_ENDS:
            raise EOFError("it ends within a member")
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Tar:
    """A tar archive; a compressed one is read from its start to its end."""

    def __init__(self, file: BinaryIO, *, compressed: bool):
        if compressed:
            head = file.read(6)
            file.seek(0)
            unpackers = [u for start, u in _UNPACKERS.items() if head.startswith(start)]
            file = unpackers[0].open(file) if unpackers else file
        self._bytes, self._compressed = _Metered(file), compressed
        mode: Any = "r|" if compressed else "r:"
        self._tar = tarfile.TarFile.open(fileobj=cast(BinaryIO, self._bytes), mode=mode)

    def __iter__(self) -> Iterator[tarfile.TarInfo]:
        """Yield the members that are left, of which tarfile would otherwise remember all.

        Raises:
            ValueError: a header has too many bytes, or a member is stored without its zeros.
        """
        while (member := self._tar.next()) is not None:
            if member.issparse():
                raise ValueError(f"{member.name!r:.200} is sparse: pack it without --sparse")
            # Before the next member, the content of this one is read or passed over.
            self._bytes.allowed = _MOST_HEADERS + member.size * self._compressed
            self._tar.members.clear()  # type: ignore[attr-defined]  # not in the stubs
            yield member

    def content(self, member: tarfile.TarInfo) -> bytes:
        """Return the bytes of the member that was yielded last."""
        file = self._tar.extractfile(member)
        return b"" if file is None else file.read(MOST_BYTES)

    def close(self) -> None:
        """Close the archive."""
        self._tar.close()


def _damaged(location: str, error: Exception) -> ZooError:
    if isinstance(error, ZooError):
        return error
    return ZooError(
        f"{shown_url(location)!r:.300} is damaged, or no archive of its ending ({error!s:.200}): "
        "copy or pack it again"
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
            raise ImageError(
                f"{item.name} cannot be read ({error!s:.200}): pack it again"
            ) from error

    def _read(self, item: Item) -> bytes:
        if not item.source.lower().endswith((".zip", *_COMPRESSED)):
            check_bytes(item.size, item.name)
            return read_range(item.source, item.start, item.size)
        is_zip = ending_of(item.source) == ".zip"
        if item.source != self._location or (not is_zip and item.size < self._next):
            self._open(item.source, is_zip=is_zip)
        if is_zip:
            info = self._archive.getinfo(item.member)
            return self._unpacked(info, item.name)
        return self._read_next(item)

    def _open(self, location: str, *, is_zip: bool) -> None:
        self.close()
        file = self._stack.enter_context(opened(location))
        archive: Any = zipfile.ZipFile(file) if is_zip else _Tar(file, compressed=True)
        self._archive = self._stack.enter_context(closing(archive))
        self._location, self._next = location, 0

    def _unpacked(self, info: zipfile.ZipInfo, name: str) -> bytes:
        """Return the bytes of a member of a zip archive."""
        check_bytes(info.file_size, name)
        if reason := unreadable_reason(info):
            raise ValueError(reason)
        with self._archive.open(info) as file:  # read() would unpack all that there is
            return cast(bytes, file.read(info.file_size))

    def _read_next(self, item: Item) -> bytes:
        for member in self._archive:
            self._next += 1
            if self._next <= item.size:
                continue
            if member.name != item.member:
                break
            check_bytes(member.size, item.name)
            return cast(bytes, self._archive.content(member))
        raise ImageError(f"{item.name} is not where it was when the images were listed")

    def close(self) -> None:
        """Close the archive."""
        self._location = self._archive = None
        self._stack.close()

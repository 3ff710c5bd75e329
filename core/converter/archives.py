"""Reading of zip archives that may be damaged or hostile, with bounded sizes."""

import io
import os
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from core.converter.reading import LARGEST_MODEL, reading
from weights_cache.common.archive_damage import ZIP_DAMAGE
from weights_cache.common.errors import WeightsError
from weights_cache.lfs_pointers import refuse_pointer
from weights_cache.reading_budgets import add_file, check_time, spend
from weights_cache.zip_members import unreadable_reason

#: The largest JSON document in an archive.
LARGEST_DOCUMENT = 8 * 2**20

#: Measured memory of zipfile's objects, in multiples of the bytes of the archive's directory.
_DIRECTORY_TIMES = 16

_BLOCK = 2**20


class Archive:
    """An open zip archive. Only members that are read are unpacked, within the file's budget."""

    def __init__(self, path: Path, zipped: zipfile.ZipFile):
        self._path, self._zipped = path, zipped
        members = [member for member in zipped.infolist() if not member.is_dir()]
        self._members = {member.filename: member for member in members}
        self._counts = Counter(member.filename for member in members)

    @property
    def names(self) -> list[str]:
        """The names of the files in the archive."""
        return list(self._members)

    @property
    def listing(self) -> str:
        """The first of the names, for errors."""
        return f"{', '.join(self.names[:9]) or 'nothing':.300}"

    def read(self, name: str, largest: int = LARGEST_MODEL) -> bytes:
        """Return the content of one file.

        Args:
            name: name of the file in the archive.
            largest: the most bytes that the file may have.

        Raises:
            WeightsError: the archive has no file of that name, or several; the file is a link,
                encrypted, compressed by an unsupported method, too large, or damaged.
        """
        if name not in self._members:
            raise WeightsError(f"{self._path} holds no {name}, but {self.listing}")
        member = self._members[name]
        with reading(f"{name:.100} in {self._path}"):
            self._check(member, largest)
            spend(member.file_size, f"{name:.100}, unpacked,")
            content = self._content(member)
        refuse_pointer(content, f"{name:.100} in {self._path}")
        return content

    def _check(self, member: zipfile.ZipInfo, largest: int) -> None:
        if self._counts[member.filename] > 1:
            raise ValueError(f"the archive holds {self._counts[member.filename]} files of the name")
        if reason := unreadable_reason(member):
            raise ValueError(reason)
        if member.file_size > largest:
            raise ValueError(f"it has {member.file_size:,} bytes, more than {largest:,}")

    def _content(self, member: zipfile.ZipInfo) -> bytes:
        whole = io.BytesIO()  # getvalue() needs no copy
        try:
            with self._zipped.open(member) as stream:
                while block := stream.read(_BLOCK):  # the last read compares the checksum
                    check_time()
                    whole.write(block)
        except ZIP_DAMAGE as error:
            # Messages of zipfile quote the bytes.
            raise ValueError(f"{str(error) or type(error).__name__:.200}") from error
        if whole.tell() != member.file_size:
            raise ValueError(f"it holds {whole.tell()} bytes, not {member.file_size}")
        return whole.getvalue()


class _Opening(io.BufferedReader):
    """The file of an archive, whose directory zipfile reads at once."""

    is_open = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes; until the archive is open, count the memory of the directory's objects."""
        if not self.is_open and size is not None and size > 0:
            spend(_DIRECTORY_TIMES * size, "the directory of the archive")
        return super().read(size)


@contextmanager
def open_archive(path: Path, file: FileIO) -> Iterator[Archive]:
    """Open a zip archive, inside of `reading`.

    Args:
        path: path of the archive, for errors.
        file: the open file, which is closed at the end.

    Raises:
        ValueError: the file is damaged, or not a zip archive.
    """
    add_file(os.fstat(file.fileno()))
    with _opened(path, file) as archive:
        yield archive


@contextmanager
def archive_in(path: Path, data: bytes) -> Iterator[Archive]:
    """Open a zip archive that ends a file, whose bytes are read already; see `open_archive`."""
    with _opened(path, io.BytesIO(data)) as archive:
        yield archive


@contextmanager
def _opened(path: Path, file: FileIO | io.BytesIO) -> Iterator[Archive]:
    with _Opening(file) as stream, _zipped(stream) as zipped:
        stream.is_open = True
        yield Archive(path, zipped)


def _zipped(stream: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except ZIP_DAMAGE as error:
        raise ValueError(f"it is not a complete zip archive ({error!s:.200})") from error

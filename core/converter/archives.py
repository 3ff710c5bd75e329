"""Zip archives that may be damaged or hostile: what is taken from them has a bounded size."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.converter.reading import LARGEST_MODEL, reading
from weights_cache.errors import WeightsError

#: Weights may unpack to so many times their bytes; what is smaller than the second may anyway.
LARGEST_RATIO = 100
ALWAYS_ROOM = 2**24

#: What zipfile raises for damaged members; RuntimeError for encrypted ones.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


def require_room(claimed: int, held: int, what: str) -> None:
    """Raise for a size that packed bytes claim, if no real model unpacks to that much.

    Args:
        claimed: bytes after unpacking.
        held: bytes of the whole file.
        what: what claims them, for the error.

    Raises:
        ValueError: it is more than 16 MiB and 100 times the file, or more than 4 GiB.
    """
    limit = min(max(ALWAYS_ROOM, LARGEST_RATIO * held), LARGEST_MODEL)
    if claimed > limit:
        raise ValueError(
            f"{what} claims {claimed} bytes, of which a file of {held} bytes may unpack to {limit}"
        )


class Archive:
    """An open zip archive. All that is read from it together is bounded."""

    def __init__(self, path: Path, zipped: zipfile.ZipFile):
        self._path, self._zipped, self._taken = path, zipped, 0
        self._held = path.stat().st_size
        self._members = {i.filename: i for i in zipped.infolist() if not i.is_dir()}

    @property
    def names(self) -> list[str]:
        """Names of the files in it."""
        return list(self._members)

    @property
    def listing(self) -> str:
        """The first of the names, for errors."""
        return f"{', '.join(self.names[:9]) or 'nothing':.300}"

    def read(self, name: str) -> bytes:
        """The content of one file.

        Raises:
            WeightsError: there is none of that name, it is encrypted, packed in an unusual way,
                larger than such an archive may hold, or damaged.
        """
        if name not in self._members:
            raise WeightsError(f"{self._path} holds no {name}, but {self.listing}")
        member = self._members[name]
        with reading(f"{name:.100} in {self._path}"):
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("it is packed in a way that is not read: pack it with deflate")
            self._taken += member.file_size
            require_room(self._taken, self._held, "it")
            return self._content(member)

    def _content(self, member: zipfile.ZipInfo) -> bytes:
        try:
            with self._zipped.open(member) as stream:
                data = stream.read(member.file_size)
                stream.read(1)  # compares the checksum
        except _DAMAGE as error:
            # Messages of zipfile quote the bytes.
            raise ValueError(f"{str(error) or type(error).__name__:.200}") from error
        if len(data) != member.file_size:
            raise ValueError(f"it holds {len(data)} bytes, not {member.file_size}")
        return data


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a zip archive.

    Raises:
        WeightsError: it is missing, damaged, or no zip archive.
    """
    with reading(path):
        try:
            zipped = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise ValueError(f"it is no whole zip archive ({error!s:.200})") from error
    with zipped:
        yield Archive(path, zipped)

"""Files with rows of features, to which processes append.

A file has a header, then rows of one length: the sha256 of the image, its perceptual hash, values
or a text, and a checksum over these. What a killed process left of a row is overwritten by the next
one, and a row whose checksum is wrong counts as unknown. A file with another header is replaced,
not changed: processes that read it go on.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from weights_cache.atomic_files import replacing
from weights_cache.regular_files import open_regular, open_unlinked
from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.image_hashes import WORDS

_MAGIC = b"zoo features 2\n"
_HEADER_BYTES = 128
_TEXT_BYTES = 160  # of UTF-8, why there are no values
_SHA256_BYTES = 32
_CHECK_BYTES = 4
_ROWS_AT_ONCE = 256  # that are read to find out whose they are


class Known(NamedTuple):
    """All that is known of an image.

    Attributes:
        features: its features, or the reason why it has no features.
        fingerprint: `zoo.transfer.image_hashes.image_hash` of its pixels, uint64 [2].
    """

    features: FeatureVector
    fingerprint: np.ndarray


class RowFile:
    """A file of rows, read by position and appended to. Its owner takes care of locks.

    Args:
        path: of the file, which need not exist.
        key: what the values depend on; files of another key are replaced.
        size: how many values a row has.
    """

    def __init__(self, path: Path, key: str, size: int):
        self.path, self.size = path, size
        self._row = np.dtype(
            [
                ("sha256", f"V{_SHA256_BYTES}"),
                ("fingerprint", "<u8", (WORDS,)),
                ("missing", f"S{_TEXT_BYTES}"),
                ("values", "<f4", (size,)),
                ("check", "<u4"),
            ]
        )
        self._header = _header(key, size)
        self._row_numbers: dict[bytes, int] = {}
        self._count = 0  # rows that were looked at
        self._file: FileIO | None = None

    def __len__(self) -> int:
        return len(self._row_numbers)

    @property
    def length(self) -> int:
        """Length of the file as far as it was looked at."""
        return _HEADER_BYTES + self._count * self._row.itemsize

    def refresh(self) -> bool:
        """Take note of rows that were appended; return whether there is a usable file."""
        if self._is_replaced():
            self.close()
            self._open()
        if self._file is None:
            return False
        whole = (os.fstat(self._file.fileno()).st_size - _HEADER_BYTES) // self._row.itemsize
        for number, sha256 in self._owners(self._count, whole):
            self._row_numbers[sha256] = number
        self._count = max(whole, 0)
        return True

    def get(self, sha256: str) -> Known | None:
        """Return the stored facts about an image, or None if no whole row has it."""
        key = bytes.fromhex(sha256)
        number = self._row_numbers.get(key)
        if number is None or self._file is None:
            return None
        rows = self._read(number, 1)
        found = self._known(rows[0], key) if len(rows) else None
        if found is None:  # damaged
            del self._row_numbers[key]
        return found

    def append(self, rows: Mapping[str, Known]) -> None:
        """Append rows by the sha256 of their images; the caller holds the lock of the file.

        Raises:
            OSError: the file cannot be written to.
        """
        if not self.refresh():
            with replacing(self.path, 0o600) as file:
                file.write(self._header)
            self.refresh()
        new = {bytes.fromhex(s): known for s, known in rows.items() if self.get(s) is None}
        data = b"".join(self._encoded(key, known) for key, known in new.items())
        with open_unlinked(self.path) as file:
            file.seek(self.length)
            if file.write(data) < len(data):
                raise OSError(f"no room for {len(data)} bytes")
        for key in new:
            self._row_numbers[key] = self._count
            self._count += 1

    def close(self) -> None:
        """Forget the file; `refresh` opens it again."""
        if self._file is not None:
            self._file.close()
        self._file, self._count = None, 0
        self._row_numbers.clear()

    def _is_replaced(self) -> bool:
        """Whether the path has another file than the open one, or one that became shorter."""
        if self._file is None:
            return True
        mine = os.fstat(self._file.fileno())
        try:
            there = os.lstat(self.path)
        except OSError:
            return True
        is_same = (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
        return not is_same or there.st_size < self.length

    def _open(self) -> None:
        """Open the file if it is one of this key."""
        with suppress(FileNotFoundError):
            file = open_regular(self.path, follow_links=False, buffering=0)
            if file.read(_HEADER_BYTES) == self._header:
                self._file = file
            else:
                file.close()

    def _owners(self, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield number and sha256 of rows."""
        for first in range(start, stop, _ROWS_AT_ONCE):
            rows = self._read(first, min(_ROWS_AT_ONCE, stop - first))
            yield from enumerate((owner.tobytes() for owner in rows["sha256"]), first)

    def _read(self, first: int, count: int) -> np.ndarray:
        """Return rows, fewer where the file has ended."""
        assert self._file is not None
        self._file.seek(_HEADER_BYTES + first * self._row.itemsize)
        data = self._file.read(count * self._row.itemsize)
        whole = len(data) // self._row.itemsize
        return np.frombuffer(data, self._row, whole)

    def _encoded(self, key: bytes, known: Known) -> bytes:
        row, vector = np.zeros((), self._row), known.features
        row["fingerprint"] = known.fingerprint
        row["sha256"] = np.void(key)
        row["missing"] = _cut(vector.missing)
        if vector.values is not None:
            row["values"] = vector.values
        data = row.tobytes()[:-_CHECK_BYTES]
        return data + zlib.crc32(data).to_bytes(_CHECK_BYTES, "little")

    def _known(self, row: np.void, key: bytes) -> Known | None:
        """Return what a row of an image holds, or None if it is damaged or of another image."""
        data = row.tobytes()[:-_CHECK_BYTES]
        if zlib.crc32(data) != row["check"] or row["sha256"].tobytes() != key:
            return None
        if not np.isfinite(row["values"]).all():
            return None
        missing = row["missing"].decode(errors="replace")
        values = None if missing else row["values"].copy()
        return Known(FeatureVector(values, missing), row["fingerprint"].copy())


def _header(key: str, size: int) -> bytes:
    return (_MAGIC + f"{key} {size}\n".encode()).ljust(_HEADER_BYTES, b" ")


def _cut(text: str) -> bytes:
    """Return the first bytes of a text, of whole characters."""
    return text.encode()[:_TEXT_BYTES].decode(errors="ignore").encode()

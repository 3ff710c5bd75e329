"""Reader of FlatBuffers: tables of numbered fields, read in place with every offset checked.

Source: the description of the format, https://flatbuffers.dev/internals/.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import CoreError
from weights_cache.reading_budgets import check_time, spend

#: The most tables of a file; the largest models have some ten thousand.
MOST_TABLES = 2**17

#: Vectors and texts may be shared, but all reads together are at most this multiple of the file.
MOST_READS = 8
FREE_READS = 2**20

#: A number of 4 bytes becomes an object of 32 bytes and a pointer in a tuple.
_NUMBER_TIMES = 10
_SPENT_AT_ONCE = 2**14

#: The most fields of a table; tables of TFLite have some ten.
MOST_FIELDS = 16

#: Functions that read a number, by its format of `struct`.
_READERS = {f"<{kind}": struct.Struct(f"<{kind}").unpack_from for kind in "?bBhHiIqQfd"}


class Bytes:
    """The bytes of a file, and the count of bytes read.

    The count is limited, as many offsets to one location would expand a small file.
    """

    def __init__(self, data: bytes):
        self.data = data
        self._fields: dict[int, tuple[int, ...]] = {}
        self._tables = MOST_TABLES
        self._reads = MOST_READS * len(data) + FREE_READS
        self._unspent = 0

    def number(self, kind: str, offset: int) -> Any:
        """Return the number at an offset, in a format of `struct`."""
        if offset >= 0:  # a negative offset would count from the end
            try:
                return _READERS[kind](self.data, offset)[0]
            except struct.error:
                pass
        raise CoreError(f"a number at {offset} is outside of the file of {len(self.data)} bytes")

    def fields(self, offset: int) -> tuple[int, ...]:
        """Return a vtable: two sizes, and the offset of each field in a table, or 0."""
        if offset not in self._fields:
            count = min(max(self.number("<H", offset) // 2, 2), 2 + MOST_FIELDS)
            self.check(offset, 2 * count)
            found = struct.unpack_from(f"<{count}H", self.data, offset)
            self._fields[offset] = found + (0,) * (2 + MOST_FIELDS - count)
        return self._fields[offset]

    def check(self, offset: int, size: int) -> None:
        """Raise a CoreError unless ``size`` bytes at ``offset`` are in the file."""
        if offset < 0 or size < 0 or offset + size > len(self.data):
            raise CoreError(
                f"{size} bytes at {offset} are outside of the file of {len(self.data)} bytes"
            )

    def take_table(self) -> None:
        """Count a table; raise a CoreError if there are too many."""
        self._tables -= 1
        if self._tables < 0:
            raise CoreError(f"the file has more than {MOST_TABLES} tables")
        if self._tables % 64 == 0:
            check_time()

    def take(self, offset: int, size: int) -> None:
        """Check and count bytes before they are read."""
        self.check(offset, size)
        self._reads -= size
        if self._reads < 0:
            raise CoreError(f"overlapping parts are read more than {MOST_READS} times")
        self._unspent += size
        if self._unspent > _SPENT_AT_ONCE:
            spend(_NUMBER_TIMES * self._unspent, "the tables of the file")
            self._unspent = 0


class Table:
    """A table, whose fields are read by number on demand."""

    def __init__(self, source: Bytes, offset: int):
        source.take_table()
        self.source, self.offset = source, offset
        self._fields = source.fields(offset - source.number("<i", offset))
        source.check(offset, self._fields[1])

    def number(self, field: int, kind: str = "<i", default: float = 0) -> Any:
        """Return a number in a format of `struct`, or the default of an absent field."""
        offset = self._offset(field)
        return default if offset is None else self.source.number(kind, offset)

    def integer(self, field: int, kind: str = "<i", default: int = 0) -> int:
        """Return an integer, or the default of an absent field."""
        return self.number(field, kind, default)

    def table(self, field: int) -> "Table | None":
        """Return a table, or None if the field is absent."""
        offset = self._target(field)
        return None if offset is None else Table(self.source, offset)

    def tables(self, field: int) -> Sequence["Table"]:
        """Return the tables of a vector."""
        found = self._vector(field, 4)
        if found is None:
            return ()
        start, count = found
        if count > MOST_TABLES:
            raise CoreError(f"a vector has {count} tables, more than {MOST_TABLES}")
        offsets = range(start, start + 4 * count, 4)
        return [Table(self.source, o + self.source.number("<I", o)) for o in offsets]

    def bytes_of(self, field: int) -> tuple[int, int]:
        """Return offset and size of a vector of bytes without reading it; (0, 0) if absent."""
        return self._vector(field, 1, read=False) or (0, 0)

    def array(self, field: int, dtype: str) -> np.ndarray | None:
        """Return a vector of numbers as a view of the file, or None if the field is absent."""
        found = self._vector(field, np.dtype(dtype).itemsize)
        if found is None:
            return None
        start, count = found
        return np.frombuffer(self.source.data, dtype, count, start)

    def integers(self, field: int, dtype: str = "<i4") -> tuple[int, ...] | None:
        """Return a vector of integers, or None if the field is absent."""
        found = self.array(field, dtype)
        return None if found is None else tuple(found.tolist())

    def text(self, field: int) -> str:
        """Return a text, or "" if the field is absent."""
        start, size = self._vector(field, 1) or (0, 0)
        return self.source.data[start : start + size].decode("utf-8", "backslashreplace")

    def _offset(self, field: int) -> int | None:
        offset = self._fields[field + 2]
        return self.offset + offset if offset else None

    def _target(self, field: int) -> int | None:
        offset = self._offset(field)
        return None if offset is None else offset + self.source.number("<I", offset)

    def _vector(self, field: int, size: int, read: bool = True) -> tuple[int, int] | None:
        """Return the offset of a vector's first element, and the number of elements."""
        offset = self._target(field)
        if offset is None:
            return None
        count = self.source.number("<I", offset)
        allow = self.source.take if read else self.source.check
        allow(offset + 4, count * size)
        return offset + 4, count


def root(data: bytes, identifier: bytes) -> Table:
    """Return the root table of a file.

    Args:
        data: the file.
        identifier: four bytes at offset 4 that identify the kind of file.

    Raises:
        CoreError: the file is of another kind or damaged, here and in all methods of `Table`.
    """
    if data[4:8] != identifier:
        raise CoreError(f"the file begins with {data[:8]!r}, not with {identifier.decode()} at 4")
    source = Bytes(data)
    return Table(source, source.number("<I", 0))

"""FlatBuffers: tables of numbered fields, read where they lie; every place is checked first.

After the format's own description, https://flatbuffers.dev/internals/.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.errors import CoreError
from weights_cache.reading_budgets import check_time, spend

#: How many tables a file may have; the largest models have some ten thousand.
MOST_TABLES = 2**17

#: Vectors and texts may be shared, but all that is read is at most so many times the file.
MOST_READS = 8
FREE_READS = 2**20

#: A number of 4 bytes is an object of 32 and a place in a tuple.
_NUMBER_TIMES = 10
_SPENT_AT_ONCE = 2**14

#: So many fields of a table can be read; those of TFLite have some ten.
MOST_FIELDS = 16

#: What reads a number of a format of `struct`.
_READERS = {f"<{kind}": struct.Struct(f"<{kind}").unpack_from for kind in "?bBhHiIqQfd"}


class Bytes:
    """The bytes of a file, and how much was taken from them.

    Offsets that point to the same place again and again would make much of a small file.
    """

    def __init__(self, data: bytes):
        self.data = data
        self._fields: dict[int, tuple[int, ...]] = {}
        self._tables = MOST_TABLES
        self._reads = MOST_READS * len(data) + FREE_READS
        self._unspent = 0

    def number(self, kind: str, place: int) -> Any:
        """The number at a place, in a format of `struct`."""
        if place >= 0:  # a place below 0 would be one from the end
            try:
                return _READERS[kind](self.data, place)[0]
            except struct.error:
                pass
        raise CoreError(f"a number at {place} lies outside of the file of {len(self.data)} bytes")

    def fields(self, place: int) -> tuple[int, ...]:
        """What tables of a kind share: two sizes, and where each field lies in a table, or 0."""
        if place not in self._fields:
            count = min(max(self.number("<H", place) // 2, 2), 2 + MOST_FIELDS)
            self.check(place, 2 * count)
            found = struct.unpack_from(f"<{count}H", self.data, place)
            self._fields[place] = found + (0,) * (2 + MOST_FIELDS - count)
        return self._fields[place]

    def check(self, place: int, size: int) -> None:
        """Raise unless so many bytes are there."""
        if place < 0 or size < 0 or place + size > len(self.data):
            raise CoreError(
                f"{size} bytes at {place} lie outside of the file of {len(self.data)} bytes"
            )

    def take_table(self) -> None:
        """Count a table."""
        self._tables -= 1
        if self._tables < 0:
            raise CoreError(f"there are more than {MOST_TABLES} tables")
        if self._tables % 64 == 0:
            check_time()

    def take(self, place: int, size: int) -> None:
        """Count bytes that are read, after checking them."""
        self.check(place, size)
        self._reads -= size
        if self._reads < 0:
            raise CoreError(f"parts that overlap are read more than {MOST_READS} times")
        self._unspent += size
        if self._unspent > _SPENT_AT_ONCE:
            spend(_NUMBER_TIMES * self._unspent, "the tables of the file")
            self._unspent = 0


class Table:
    """A table, whose fields are read by number when they are asked for."""

    def __init__(self, source: Bytes, place: int):
        source.take_table()
        self.source, self.place = source, place
        self._fields = source.fields(place - source.number("<i", place))
        source.check(place, self._fields[1])

    def number(self, field: int, kind: str = "<i", default: float = 0) -> Any:
        """A number: its format is one of `struct`."""
        place = self._place(field)
        return default if place is None else self.source.number(kind, place)

    def whole(self, field: int, kind: str = "<i", default: int = 0) -> int:
        """A whole number."""
        return self.number(field, kind, default)

    def table(self, field: int) -> "Table | None":
        """A table, or None where the field is absent."""
        place = self._target(field)
        return None if place is None else Table(self.source, place)

    def tables(self, field: int) -> Sequence["Table"]:
        """The tables of a vector."""
        found = self._vector(field, 4)
        if found is None:
            return ()
        place, count = found
        if count > MOST_TABLES:
            raise CoreError(f"a vector has {count} tables, more than {MOST_TABLES}")
        places = range(place, place + 4 * count, 4)
        return [Table(self.source, p + self.source.number("<I", p)) for p in places]

    def bytes_of(self, field: int) -> tuple[int, int]:
        """Place and size of a vector of bytes, which is not read; (0, 0) where it is absent."""
        return self._vector(field, 1, read=False) or (0, 0)

    def array(self, field: int, dtype: str) -> np.ndarray | None:
        """A vector of numbers as a view of the file, or None where the field is absent."""
        found = self._vector(field, np.dtype(dtype).itemsize)
        if found is None:
            return None
        place, count = found
        return np.frombuffer(self.source.data, dtype, count, place)

    def integers(self, field: int, dtype: str = "<i4") -> tuple[int, ...] | None:
        """A vector of whole numbers, or None where the field is absent."""
        found = self.array(field, dtype)
        return None if found is None else tuple(found.tolist())

    def text(self, field: int) -> str:
        """A text; "" where the field is absent."""
        place, size = self._vector(field, 1) or (0, 0)
        return self.source.data[place : place + size].decode("utf-8", "backslashreplace")

    def _place(self, field: int) -> int | None:
        offset = self._fields[field + 2]
        return self.place + offset if offset else None

    def _target(self, field: int) -> int | None:
        place = self._place(field)
        return None if place is None else place + self.source.number("<I", place)

    def _vector(self, field: int, size: int, read: bool = True) -> tuple[int, int] | None:
        """Where the elements of a vector begin, and how many there are."""
        place = self._target(field)
        if place is None:
            return None
        count = self.source.number("<I", place)
        allow = self.source.take if read else self.source.check
        allow(place + 4, count * size)
        return place + 4, count


def root(data: bytes, identifier: bytes) -> Table:
    """The table that a file is about.

    Args:
        data: the file.
        identifier: four bytes that tell the kind of file, after the first four.

    Raises:
        CoreError: it is another kind of file, or damaged; so do all methods of `Table`.
    """
    if data[4:8] != identifier:
        raise CoreError(f"the file begins with {data[:8]!r}, not with {identifier.decode()} at 4")
    source = Bytes(data)
    return Table(source, source.number("<I", 0))

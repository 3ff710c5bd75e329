"""Reader of the wire format of protocol buffers: fields of a message by number, all checked.

Nested messages are read on demand, and values with a length are views of the file, so that reading
takes little memory beyond the file itself.
"""

from collections.abc import Iterator

import numpy as np

from weights_cache.reading_budgets import spend

#: The most nested messages, and the most fields of a message.
DEEPEST = 64
MOST_FIELDS = 1_000_000

#: Memory of a field, a view of the file; messages of few fields are not kept.
FIELD_BYTES = 200
_FEW_FIELDS = 64

#: Memory of decoding per byte of a list of numbers.
_VARINT_BYTES = 40

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # groups, 3 and 4, do not occur in supported files
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}


class Message:
    r"""The fields of one message.

    If a field that is not a list occurs several times, the last value is used; a missing field has
    the default of its type. An invalid message raises a ValueError.

    Source: the encoding as documented at protobuf.dev/programming-guides/encoding.

    Args:
        data: the bytes of the message, which are not copied.
        depth: number of messages around it.

    >>> message = Message(b"\x08\x96\x01\x12\x05shark")
    >>> message.integer(1), message.text(2), 3 in message
    (150, 'shark', False)
    """

    def __init__(self, data: bytes | memoryview, depth: int = 0):
        if depth > DEEPEST:
            raise ValueError(f"messages are nested more than {DEEPEST} deep")
        self._depth = depth
        self._fields: dict[int, list[int | memoryview]] = {}
        fields, checked = self._fields, _FEW_FIELDS
        for count, (number, value) in enumerate(_fields(memoryview(data)), 1):
            if count == checked:
                checked += _FEW_FIELDS
                if count > MOST_FIELDS:
                    raise ValueError(f"a message has more than {MOST_FIELDS} fields")
                spend(_FEW_FIELDS * FIELD_BYTES, "the fields of its messages")
            if number in fields:
                fields[number].append(value)
            else:
                fields[number] = [value]

    def __contains__(self, number: int) -> bool:
        return number in self._fields

    def integer(self, number: int) -> int:
        """Return a signed integer."""
        value = self._fields.get(number, [0])[-1]
        if not isinstance(value, int):
            raise ValueError(f"field {number} is not a number")
        return value - (1 << 64) if value >> 63 else value

    def fixed32(self, number: int) -> int:
        """Return an unsigned integer of four bytes."""
        found = self.blobs(number)
        if found and len(found[-1]) != 4:
            raise ValueError(f"field {number} does not have 4 bytes")
        return int.from_bytes(found[-1], "little") if found else 0

    def blob(self, number: int) -> memoryview:
        """Return bytes as a view of the file."""
        found = self.blobs(number)
        return found[-1] if found else memoryview(b"")

    def blobs(self, number: int) -> list[memoryview]:
        """Return all values of a field of bytes, messages, or numbers of fixed size."""
        found = [v for v in self._fields.get(number, ()) if not isinstance(v, int)]
        if len(found) != len(self._fields.get(number, ())):
            raise ValueError(f"field {number} is a number, not bytes")
        return found

    def text(self, number: int) -> str:
        """Return a string."""
        return str(self.blob(number), "utf-8")

    def texts(self, number: int) -> list[str]:
        """Return a list of strings."""
        return [str(blob, "utf-8") for blob in self.blobs(number)]

    def message(self, number: int) -> "Message":
        """Return a nested message, which is empty if the field is missing."""
        return Message(self.blob(number), self._depth + 1)

    def messages(self, number: int) -> Iterator["Message"]:
        """Yield nested messages, each read on demand."""
        return (Message(blob, self._depth + 1) for blob in self.blobs(number))

    def pairs(self, number: int) -> Iterator[tuple[str, "Message"]]:
        """Yield entries of a map from strings: the key, and the entry with the value in field 2."""
        return ((entry.text(1), entry) for entry in self.messages(number))

    def values(self, number: int) -> dict[str, memoryview]:
        """Return a map from strings to messages as views of the file, which take little memory."""
        return {key: entry.blob(2) for key, entry in self.pairs(number)}

    def integers(self, number: int) -> np.ndarray:
        """Return a list of integers, packed or not, as int64."""
        values = self._fields.get(number, [])
        parts = [
            np.array([value], np.uint64) if isinstance(value, int) else unpacked(value)
            for value in values
        ]
        return np.concatenate([np.empty(0, np.uint64), *parts]).view(np.int64)

    def floats(self, number: int, dtype: str = "<f4") -> np.ndarray:
        """Return a list of numbers of fixed size, packed or not."""
        return np.frombuffer(b"".join(self.blobs(number)), dtype)


def unpacked(data: memoryview) -> np.ndarray:
    r"""Return the varints in some bytes as uint64.

    >>> unpacked(memoryview(b"\x01\x96\x01"))
    array([  1, 150], dtype=uint64)
    """
    octets = np.frombuffer(data, np.uint8)
    spend(_VARINT_BYTES * octets.size, "a list of numbers")
    if not octets.size:
        return np.empty(0, np.uint64)
    ends = np.flatnonzero(octets < 0x80)
    if not ends.size or ends[-1] != octets.size - 1:
        raise ValueError("a list of numbers ends within one")
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > 10:
        raise ValueError("a number takes more than 10 bytes")
    positions = np.arange(octets.size) - np.repeat(starts, lengths)
    parts = (octets & 0x7F).astype(np.uint64) << (7 * positions).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts)


def read_varint(data: memoryview | bytes, at: int) -> tuple[int, int]:
    r"""Return an unsigned varint, and the offset of its end.

    >>> read_varint(b"\x96\x01", 0)
    (150, 2)
    """
    value = shift = 0
    while shift < 70:
        if at >= len(data):
            raise ValueError("the file ends within a number")
        octet = data[at]
        at += 1
        value |= (octet & 0x7F) << shift
        if octet < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
    raise ValueError("a number takes more than 10 bytes")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and value of each field."""
    at, end = 0, len(data)
    while at < end:
        key, at = _read_small(data, at)
        number, kind = key >> 3, key & 7
        if not number:
            raise ValueError("a field has the number 0")
        if kind == _VARINT:
            value, at = _read_small(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _read_small(data, at)
        elif kind in _FIXED_SIZES:
            size = _FIXED_SIZES[kind]
        else:
            raise ValueError(f"field {number} has the unknown wire type {kind}")
        if size > end - at:
            raise ValueError(f"field {number} takes {size} bytes, but {end - at} are left")
        yield number, data[at : at + size]
        at += size


def _read_small(data: memoryview, at: int) -> tuple[int, int]:
    """Read a varint, with a fast path for a single byte."""
    if at < len(data) and (octet := data[at]) < 0x80:
        return octet, at + 1
    return read_varint(data, at)

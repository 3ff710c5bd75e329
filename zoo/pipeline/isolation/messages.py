"""Messages between a process and its child: a JSON document, and arrays as bytes behind it."""

import json
from collections.abc import Container, Mapping
from math import ceil
from struct import Struct
from typing import Any, NamedTuple, Protocol

import numpy as np

from core import CoreError
from zoo.pipeline.isolation.arrays import ArrayError, array_of, bytes_of, entry_of

#: What begins a message: a mark, the bytes of the document, and those of the arrays.
_HEAD = Struct("<4sIQ")
_MARK = b"ZOO1"

#: Of a document, in bytes.
MOST_DOCUMENT = 4 * 2**20

#: Arrays of so many bytes in all are sent in one go.
_SMALL = 2**16

#: Arrays begin at multiples of so many bytes.
_ALIGNMENT = 16


class MessageError(Exception):
    """What came is no message, or one whose arrays are too large."""


class Stream(Protocol):
    """A pipe, or an end of one, without a buffer."""

    def write(self, data: memoryview, /) -> int | None:
        """Some of the bytes; how many."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Some of the bytes; how many."""


class Message(NamedTuple):
    """A document, and arrays by their names."""

    document: dict[str, Any]
    arrays: dict[str, np.ndarray]


def send(stream: Stream, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a message.

    Raises:
        CoreError: the document is longer than `MOST_DOCUMENT`; nothing was written.
        EndedError: the other process has ended.
    """
    parts: list[bytes | memoryview] = []
    entries: list[list[Any]] = []
    total = 0
    for name, array in arrays.items():
        data = bytes_of(array)
        entries.append([name, *entry_of(array), data.nbytes])
        parts += [data, bytes(_padding(data.nbytes))]
        total += data.nbytes + _padding(data.nbytes)
    text = json.dumps({**document, "arrays": entries}).encode()
    if len(text) > MOST_DOCUMENT:
        raise CoreError(
            f"the names of the inputs and outputs of an isolated model have {len(text):,} bytes, "
            f"at most {MOST_DOCUMENT:,} are allowed: load the model without isolate=True, if you "
            "trust it"
        )
    parts.insert(0, _HEAD.pack(_MARK, len(text), total) + text)
    for part in [b"".join(parts)] if total <= _SMALL else parts:
        _write(stream, part)


def receive(stream: Stream, most: float, dtypes: Container[str] | None = None) -> Message:
    """Read a message.

    Args:
        stream: where it comes from.
        most: bytes that its arrays may take.
        dtypes: those that arrays may have; None: any that `arrays` knows.

    Raises:
        MessageError: it is none, or its arrays are larger.
        EOFError: the other process has ended.
    """
    mark, length, total = _HEAD.unpack(_read(stream, _HEAD.size))
    if mark != _MARK or length > MOST_DOCUMENT or total > most:
        raise MessageError(f"it begins with {mark!r}, {length:,} and {total:,} bytes")
    try:
        document = json.loads(bytes(_read(stream, length)))
        entries = document.pop("arrays")
        arrays = _arrays(_read(stream, total), entries, dtypes)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ArrayError) as error:
        raise MessageError(f"{type(error).__name__}: {error!s:.200}") from None
    return Message(document, arrays)


def _arrays(data: memoryview, entries: Any, dtypes: Container[str] | None) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    start = 0
    for name, dtype, shape, size in entries:
        end = start + size
        if not (isinstance(name, str) and name not in found and 0 <= start <= end <= len(data)):
            raise ArrayError(f"an array {name!r:.80} of {size!r:.80} bytes")
        if dtypes is not None and dtype not in dtypes:
            raise ArrayError(f"an array of the dtype {dtype!r:.80}")
        found[name] = array_of(data[start:end], dtype, shape)
        start = end + _padding(size)
    return found


def _padding(size: int) -> int:
    return ceil(size / _ALIGNMENT) * _ALIGNMENT - size


def _write(stream: Stream, part: bytes | memoryview) -> None:
    data, done = memoryview(part), 0
    while done < len(data):
        done += stream.write(data[done:]) or 0


def _read(stream: Stream, size: int) -> memoryview:
    """So many bytes; memory that is not cleared first is taken as they come."""
    data = np.empty(size, np.uint8).data
    done = 0
    while done < size:
        count = stream.readinto(data[done:])
        if not count:
            raise EOFError
        done += count
    return data

"""Damage to protocol buffers as trees of fields, written again with lengths that are right."""

import copy
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tests.core.converter.fuzz.protobuf import varint
from tests.reliability.fuzz import raw_bytes
from tests.reliability.fuzz.raw_bytes import HOSTILE_WORDS
from tests.reliability.fuzz.raw_bytes import damaged as damaged_bytes

Rng = np.random.Generator

_NUMBER, _LONG, _BYTES, _SHORT = 0, 1, 2, 5
_DEEPEST = 24
#: What texts become: names of nodes, ops and dtypes that files know, and none.
HOSTILE_TEXTS = (b"", b"x", b"^x", b"x:1", b"\xff", b"T", b"Const", b"Placeholder", b"a" * 1000)


@dataclass
class Field:
    """A field: its number, its wire type, and its value; a message is a list of fields."""

    number: int
    wire: int
    value: int | bytes | list["Field"]


def damaged(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage one to three fields of a message.

    Args:
        data: the message.
        others: messages from which fields may come.

    Raises:
        ValueError: it is no message.
    """
    tree = parsed(data)
    source = parsed(others[int(rng.integers(len(others)))]) if others else tree
    for _ in range(raw_bytes.places(rng)):
        places = list(_places(tree))
        if places:
            owner, at = places[int(rng.integers(len(places)))]
            _change(owner, at, places, list(_places(source)), rng)
    return written(tree)


Places = list[tuple[list[Field], int]]


def _change(owner: list[Field], at: int, places: Places, others: Places, rng: Rng) -> None:
    kind = rng.random()
    if kind < 0.45:
        owner[at] = _changed(owner[at], rng)
    elif kind < 0.7:  # a value of the same kind from elsewhere
        found = places if rng.random() < 0.7 else others
        alike = [p for p in found if type(p[0][p[1]].value) is type(owner[at].value)]
        if alike:
            there, key = alike[int(rng.integers(len(alike)))]
            owner[at] = Field(owner[at].number, there[key].wire, copy.deepcopy(there[key].value))
    elif kind < 0.8:
        del owner[at]
    elif kind < 0.9:
        owner.insert(int(rng.integers(len(owner) + 1)), copy.deepcopy(owner[at]))
    else:
        owner[at] = Field(int(rng.integers(1, 16)), owner[at].wire, owner[at].value)


def _changed(field: Field, rng: Rng) -> Field:
    """The field with a hostile value."""
    word = HOSTILE_WORDS[int(rng.integers(len(HOSTILE_WORDS)))]
    if field.wire == _NUMBER:
        near = max(0, int(field.value) + int(rng.integers(-2, 3)))  # type: ignore[arg-type]
        return Field(field.number, _NUMBER, near if rng.random() < 0.4 else word)
    if field.wire in (_LONG, _SHORT):
        return Field(field.number, field.wire, word)
    if rng.random() < 0.2:
        return Field(field.number, _NUMBER, word)
    data = field.value if isinstance(field.value, bytes) else written(field.value)  # type: ignore[arg-type]
    if rng.random() < 0.4:
        return Field(field.number, _BYTES, HOSTILE_TEXTS[int(rng.integers(len(HOSTILE_TEXTS)))])
    return Field(field.number, _BYTES, damaged_bytes(data, (), rng))


def _places(tree: list[Field]) -> Iterator[tuple[list[Field], int]]:
    for i, field in enumerate(tree):
        yield tree, i
        if isinstance(field.value, list):
            yield from _places(field.value)


def parsed(data: bytes, depth: int = 0) -> list[Field]:
    """The fields of a message; bytes that read as a message are one.

    Raises:
        ValueError: it is no message.
    """
    found, at = [], 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if not number or number > 1000:
            raise ValueError("no message")
        value: int | bytes | list[Field]
        if wire == _NUMBER:
            value, at = _varint(data, at)
        elif wire in (_LONG, _SHORT):
            width = 8 if wire == _LONG else 4
            value = int.from_bytes(data[at : at + width], "little")
            at += width
        elif wire == _BYTES:
            length, at = _varint(data, at)
            value = _inner(data[at : at + length], depth)
            at += length
        else:
            raise ValueError("no message")
        if at > len(data):
            raise ValueError("no message")
        found.append(Field(number, wire, value))
    return found


def _inner(data: bytes, depth: int) -> bytes | list[Field]:
    """A message, if it reads as one, else the bytes; texts hardly ever do."""
    if len(data) < 2 or depth > _DEEPEST:
        return data
    try:
        return parsed(data, depth + 1)
    except ValueError:
        return data


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("no message")
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def written(tree: Sequence[Field]) -> bytes:
    """The message of a tree."""
    return b"".join(map(_written, tree))


def _written(field: Field) -> bytes:
    tag = varint(field.number << 3 | field.wire)
    if isinstance(field.value, int):
        if field.wire == _NUMBER:
            return tag + varint(field.value)
        code, bits = ("<Q", 64) if field.wire == _LONG else ("<I", 32)
        return tag + struct.pack(code, field.value & (1 << bits) - 1)
    data = field.value if isinstance(field.value, bytes) else written(field.value)
    return tag + varint(len(data)) + data

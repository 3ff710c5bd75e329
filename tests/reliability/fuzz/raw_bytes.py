"""Damage to bytes of any kind: flips, words of odd numbers, cuts, splices."""

import struct
from collections.abc import Sequence

import numpy as np

Rng = np.random.Generator

#: How many places are damaged, mostly one: much damage is found at once.
PLACES = (1, 1, 1, 2, 3)

#: What sizes, counts and offsets should not be.
HOSTILE_WORDS = (
    *(0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x10000, 0x1000000, 0x7FFFFFFF),
    *(0x80000000, 0xFFFFFFF0, 0xFFFFFFFF, 0x100000000, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1),
)


def damaged(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage one to three places.

    Args:
        data: a file's content.
        others: of files from which parts may come.
    """
    for _ in range(places(rng)):
        kind = int(rng.integers(len(_KINDS)))
        data = _KINDS[kind](data, others, rng)
    return data


def places(rng: Rng) -> int:
    """How many places to damage."""
    return PLACES[int(rng.integers(len(PLACES)))]


def word_or_flip_at(data: bytes, at: int, rng: Rng) -> bytes:
    """An odd number at a place, or one bit turned."""
    return (word_at if rng.random() < 0.6 else flip_at)(data, at, rng)


def word_at(data: bytes, at: int, rng: Rng) -> bytes:
    """An odd number of 1, 2, 4 or 8 bytes at a place, little-endian."""
    width = (1, 2, 4, 8)[int(rng.integers(4))]
    number = HOSTILE_WORDS[int(rng.integers(len(HOSTILE_WORDS)))] & (1 << 8 * width) - 1
    out = bytearray(data)
    out[at : at + width] = struct.pack("<Q", number)[:width][: len(out) - at]
    return bytes(out)


def flip_at(data: bytes, at: int, rng: Rng) -> bytes:
    """One bit of a byte turned."""
    out = bytearray(data)
    out[at] ^= 1 << int(rng.integers(8))
    return bytes(out)


def _place(data: bytes, rng: Rng) -> int:
    return int(rng.integers(len(data)))


def _flip(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    return flip_at(data, _place(data, rng), rng) if data else data


def _word(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    return word_at(data, _place(data, rng), rng) if data else data


def _cut(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Without a few bytes, or without all from a place on."""
    if not data:
        return data
    at = _place(data, rng)
    end = len(data) if rng.random() < 0.3 else at + int(rng.integers(1, 17))
    return data[:at] + data[end:]


def _insert(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    at = _place(data, rng) if data else 0
    return data[:at] + rng.bytes(int(rng.integers(1, 17))) + data[at:]


def _splice(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A part of this file or of another one over, or between, the bytes of this one."""
    source = others[int(rng.integers(len(others)))] if others and rng.random() < 0.5 else data
    if not data or not source:
        return data
    start, at = _place(source, rng), _place(data, rng)
    part = source[start : start + int(rng.integers(1, 257))]
    return data[:at] + part + data[at + (len(part) if rng.random() < 0.6 else 0) :]


_KINDS = (_flip, _flip, _word, _word, _cut, _insert, _splice)

"""TensorFlow's checkpoints: an index, which is a LevelDB table, and files of raw values."""

import os
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.crc32c import crc32c, unmasked
from core.converter.protobuf import Message, read_varint
from core.converter.reading import read_bytes
from core.converter.tensor_protos import Budget, array_of_bytes, data_type, shape_lengths
from core.errors import CoreError
from weights_cache.paths import inside
from weights_cache.reading_budgets import add_file, check_time, spend
from weights_cache.regular_files import open_regular

_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER = 5  # the kind of compression, and a checksum

#: What an entry of the index, or a string, takes in memory beside its own bytes.
_ENTRY_BYTES = 200

#: From where to where along each axis; None stands for the end.
Extents = tuple[tuple[int, int | None], ...]


class Checkpoint:
    """The variables of a checkpoint, each read when it is asked for.

    Source: LevelDB's table_format.md; TensorFlow's tensor_bundle.proto and ordered_code.cc.

    Args:
        prefix: path of the checkpoint without ``.index``.
        budget: of the memory that values may take.

    Raises:
        CoreError, ValueError, WeightsError: the index is missing or damaged.
    """

    def __init__(self, prefix: Path, budget: Budget):
        self._prefix, self._budget = prefix, budget
        index = self._file(f"{prefix.name}.index")
        self._entries = dict(table_entries(read_bytes(index)))
        header = Message(self._entries.pop(b"", b""))
        self._shards = header.integer(1)
        self._opened: dict[int, Path] = {}
        if header.integer(2):
            raise CoreError(f"{index.name} says that values are big-endian, which is not read")

    @property
    def names(self) -> list[str]:
        """Names of what has a value."""
        return [key.decode() for key in self._entries if not key.startswith(b"\0")]

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._entries

    def read(self, name: str) -> np.ndarray:
        """The value of a name.

        Raises:
            CoreError: there is no such name, or its values are damaged or too large.
            WeightsError: their file is missing.
        """
        entry = self._entry(name.encode())
        if entry.slices:
            return self._joined(name, entry)
        return self._values(name, entry)

    def _entry(self, key: bytes) -> "_Entry":
        if key not in self._entries:
            raise CoreError(f"the checkpoint holds nothing named {key!r}, only {self.names[:20]}")
        return _read_entry(Message(self._entries[key]))

    def _joined(self, name: str, entry: "_Entry") -> np.ndarray:
        """A variable of which every slice is an entry of its own."""
        result: np.ndarray | None = None
        covered = 0
        for extents in entry.slices:
            part = self._values(name, self._entry(slice_key(name, extents)))
            if result is None:
                self._budget.take(prod(entry.shape) * part.dtype.itemsize)
                result = np.zeros(entry.shape, part.dtype)
            place = tuple(slice(a, None if n is None else a + n) for a, n in extents)
            if result[place].shape != part.shape:
                raise CoreError(f"a slice of {name!r} has the shape {part.shape}")
            result[place] = part
            covered += part.size
        if result is None or covered != result.size:
            raise CoreError(f"slices of {name!r} cover {covered} of {prod(entry.shape)} values")
        return result

    def _values(self, name: str, entry: "_Entry") -> np.ndarray:
        data = self._bytes(name, entry)
        if entry.dtype == "DT_STRING":
            return _read_strings(data, entry)
        if crc32c(data) != entry.checksum:
            raise CoreError(f"the values of {name!r} are damaged: their checksum is wrong")
        return array_of_bytes(entry.dtype, entry.shape, data)

    def _bytes(self, name: str, entry: "_Entry") -> bytes:
        path = self._opened.get(entry.shard) or self._shard(entry.shard)
        with open_regular(path) as stream:
            end = os.fstat(stream.fileno()).st_size
            if entry.offset < 0 or not 0 <= entry.size <= end - entry.offset:
                raise CoreError(f"{name!r} lies outside of {path.name}, which has {end} bytes")
            self._budget.take(entry.size)
            stream.seek(entry.offset)
            return stream.read(entry.size)

    def _shard(self, number: int) -> Path:
        """The path of a file of values, which the budget allows for once."""
        path = self._file(f"{self._prefix.name}.data-{number:05d}-of-{self._shards:05d}")
        add_file(path.stat())
        self._opened[number] = path
        return path

    def _file(self, name: str) -> Path:
        """The path of a file of the checkpoint; a link must not lead out of its folder."""
        return inside(self._prefix.parent, name, "the checkpoint")


class _Entry(NamedTuple):
    """Where the values of a variable lie."""

    dtype: str
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int
    slices: list[Extents]


def _read_entry(proto: Message) -> _Entry:
    shape = shape_lengths(proto.message(2))
    if shape is None or any(length < 0 for length in shape):
        raise CoreError("a variable of the checkpoint has no definite shape")
    slices = [
        tuple((e.integer(1), e.integer(2) if 2 in e else None) for e in part.messages(1))
        for part in proto.messages(7)
    ]
    return _Entry(
        data_type(proto.integer(1)),
        shape,
        proto.integer(3),
        proto.integer(4),
        proto.integer(5),
        unmasked(proto.fixed32(6)),
        slices,
    )


def _read_strings(data: bytes, entry: _Entry) -> np.ndarray:
    """Strings: their lengths, a checksum of these, then the characters."""
    count, at = prod(entry.shape), 0
    if count > len(data):
        raise CoreError(f"{count} strings do not fit into {len(data)} bytes")
    spend(_ENTRY_BYTES * count, "its strings")
    lengths, checksum = [], 0
    for _ in range(count):
        check_time()
        length, at = read_varint(data, at)
        lengths.append(length)
        checksum = crc32c(length.to_bytes(4 if length < 2**32 else 8, "little"), checksum)
    if unmasked(int.from_bytes(data[at : at + 4], "little")) != checksum:
        raise CoreError("the lengths of strings are damaged: their checksum is wrong")
    if crc32c(data[at:], checksum) != entry.checksum or sum(lengths) != len(data) - at - 4:
        raise CoreError("strings are damaged: their checksum is wrong")
    ends = (at + 4 + np.cumsum([0, *lengths])).tolist()
    result = np.empty(count, object)
    result[:] = [data[a:b] for a, b in zip(ends, ends[1:], strict=False)]
    return result.reshape(entry.shape)


def table_entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a LevelDB table.

    Raises:
        CoreError, ValueError: it is no such table, or damaged.
    """
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise CoreError("the index of the checkpoint does not end as a table does")
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    end, before = 0, None
    for _, handle in _block_entries(_block(data, index)):
        (offset, size), _ = _handle(handle, 0)
        if offset < end:  # else a small file could name one block many times
            raise CoreError("blocks of the index overlap, or are out of order")
        end = offset + size + _TRAILER
        for key, value in _block_entries(_block(data, (offset, size))):
            # Keys share prefixes, so that all could be much longer than the file.
            spend(_ENTRY_BYTES + len(key) + len(value), "the index of the checkpoint")
            if before is not None and key <= before:
                raise CoreError(f"the key {key!r:.80} of the index is out of order")
            before = key
            yield key, value


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    """Offset and size of a block, and where the handle ends."""
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _block(data: bytes, handle: tuple[int, int]) -> bytes:
    offset, size = handle
    end = offset + size
    if end + _TRAILER > len(data):
        raise CoreError("a block of the index lies outside of the file")
    stored = int.from_bytes(data[end + 1 : end + _TRAILER], "little")
    if crc32c(data[offset : end + 1]) != unmasked(stored):
        raise CoreError("a block of the index is damaged: its checksum is wrong")
    if data[end]:
        raise CoreError("a block of the index is compressed, as TensorFlow never writes one")
    return data[offset:end]


def _block_entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each key shares a prefix with the one before; a list of restarts ends the block."""
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise CoreError("a block of the index ends within its restarts")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        rest, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + rest + size > end:
            raise CoreError("an entry of the index ends outside of its block")
        key = key[:shared] + block[at : at + rest]
        at += rest
        yield key, block[at : at + size]
        at += size


def slice_key(name: str, extents: Extents) -> bytes:
    r"""The key of one slice of a variable, in an order that sorts as the numbers do.

    >>> slice_key("w", ((0, 5), (0, None)))
    b'\x00w\x00\x01\x01\x02\x80\x85\x80\x7f'
    """
    escaped = name.encode().replace(b"\0", b"\0\xff")
    rank = len(extents)
    parts = [b"\0", escaped, b"\0\1", bytes([1, rank]) if rank else b"\0"]
    for start, length in extents:
        parts += [_ordered(start), _ordered(-1 if length is None else length)]
    return b"".join(parts)


def _ordered(value: int) -> bytes:
    """A number in as few bytes as hold it: ones in front tell how many, then its bits."""
    size = next(n for n in range(1, 11) if -(1 << (7 * n - 1)) <= value < 1 << (7 * n - 1))
    header = ((1 << size) - 1) << (8 * size - size)  # the sign's bit comes after these
    return ((value & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")


def read_slice(spec: str) -> Sequence[slice]:
    """What part of a variable a node restores: ``"10 4 0,5:0,4"``, or ``""`` for all of it.

    >>> read_slice("10 4 0,5:-")
    [slice(0, 5, None), slice(None, None, None)]
    """
    if not spec:
        return []
    parts = spec.split()[-1].split(":")
    return [_slice_of_axis(part) for part in parts]


def _slice_of_axis(part: str) -> slice:
    if part == "-":
        return slice(None)
    start, length = map(int, part.split(","))
    return slice(start, start + length)

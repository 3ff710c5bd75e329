"""Reader of TensorFlow checkpoints: an index, which is a LevelDB table, and files of values."""

import os
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.crc32c import crc32c, unmasked
from core.converter.protobuf import Message, read_varint
from core.converter.reading import read_bytes
from core.converter.snappy import decompressed
from core.converter.tensor_protos import Budget, array_of_bytes, data_type, shape_lengths
from core.errors import CoreError
from weights_cache.lfs_pointers import refuse_pointer_file
from weights_cache.paths import inside
from weights_cache.reading_budgets import add_file, check_time, spend
from weights_cache.regular_files import open_regular

_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER = 5  # the kind of compression, and a checksum
_PLAIN, _SNAPPY = 0, 1  # kinds of compression; TensorFlow 1 compressed the index

#: Memory of an entry of the index, or of a string, beside its own bytes.
_ENTRY_BYTES = 200

#: Start and length of a slice along each axis; the length None extends to the end.
Extents = tuple[tuple[int, int | None], ...]


class Checkpoint:
    """The variables of a checkpoint, each read on demand.

    Source: LevelDB's table_format.md; TensorFlow's tensor_bundle.proto and ordered_code.cc.

    Args:
        prefix: path of the checkpoint without ``.index``.
        budget: budget of memory for the values.

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
            raise CoreError(f"{index.name} has big-endian values, which are not supported")

    @property
    def names(self) -> list[str]:
        """The names of all variables with a value."""
        return [key.decode() for key in self._entries if not key.startswith(b"\0")]

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._entries

    def read(self, name: str) -> np.ndarray:
        """Return the value of a variable.

        Raises:
            CoreError: the name is unknown, or its values are damaged or too large.
            WeightsError: the file of the values is missing.
        """
        entry = self._entry(name.encode())
        if entry.slices:
            return self._joined(name, entry)
        return self._values(name, entry)

    def _entry(self, key: bytes) -> "_Entry":
        if key not in self._entries:
            raise CoreError(f"the checkpoint has no {key!r}, only {self.names[:20]}")
        return _read_entry(Message(self._entries[key]))

    def _joined(self, name: str, entry: "_Entry") -> np.ndarray:
        """Return a variable whose slices are separate entries."""
        result: np.ndarray | None = None
        covered = 0
        for extents in entry.slices:
            part = self._values(name, self._entry(slice_key(name, extents)))
            if result is None:
                self._budget.take(prod(entry.shape) * part.dtype.itemsize)
                result = np.zeros(entry.shape, part.dtype)
            region = tuple(slice(a, None if n is None else a + n) for a, n in extents)
            if result[region].shape != part.shape:
                raise CoreError(f"a slice of {name!r} has the shape {part.shape}")
            result[region] = part
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
        """Return the path of a file of values, and add its size to the budget once."""
        path = self._file(f"{self._prefix.name}.data-{number:05d}-of-{self._shards:05d}")
        refuse_pointer_file(path)
        add_file(path.stat())
        self._opened[number] = path
        return path

    def _file(self, name: str) -> Path:
        """Return the path of a file of the checkpoint; refuse links that leave its folder."""
        return inside(self._prefix.parent, name, "the checkpoint")


class _Entry(NamedTuple):
    """The location of a variable's values."""

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
    """Return strings from their lengths, a checksum of the lengths, and the characters."""
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
    """Yield keys and values of a LevelDB table.

    Raises:
        CoreError, ValueError: the data is not such a table, or damaged.
    """
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or int.from_bytes(footer[-8:], "little") != _MAGIC:
        raise CoreError("the index of the checkpoint does not end as a table does")
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    end, before = 0, None
    for _, handle in _block_entries(_block(data, index)):
        (offset, size), _ = _handle(handle, 0)
        if offset < end:  # or a small file could list one block many times
            raise CoreError("blocks of the index overlap, or are out of order")
        end = offset + size + _TRAILER
        for key, value in _block_entries(_block(data, (offset, size))):
            # Keys share prefixes, so all keys together could be much longer than the file.
            spend(_ENTRY_BYTES + len(key) + len(value), "the index of the checkpoint")
            if before is not None and key <= before:
                raise CoreError(f"the key {key!r:.80} of the index is out of order")
            before = key
            yield key, value


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    """Return offset and size of a block, and the end of the handle."""
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
    if data[end] not in (_PLAIN, _SNAPPY):
        raise CoreError(f"a block of the index is compressed by an unknown method, {data[end]}")
    return decompressed(data[offset:end]) if data[end] == _SNAPPY else data[offset:end]


def _block_entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of a block, where each key shares a prefix with the previous key."""
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
    r"""Return the key of one slice of a variable, which sorts like the numbers in it.

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
    """Encode a number in the fewest bytes: leading ones count the bytes, then follow its bits."""
    size = next(n for n in range(1, 11) if -(1 << (7 * n - 1)) <= value < 1 << (7 * n - 1))
    header = ((1 << size) - 1) << (8 * size - size)  # the sign bit follows these
    return ((value & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")


def read_slice(spec: str) -> Sequence[slice]:
    """Return the slices that a node restores: ``"10 4 0,5:0,4"``, or ``""`` for the whole variable.

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

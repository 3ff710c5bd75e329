"""Values in HDF5 files: checked bytes, B-trees, types, shapes, and arrays in chunks or not."""

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weights_cache.reading_budgets import check_time, spend

#: The address that means undefined.
UNDEFINED = 2**64 - 1

#: Memory of a Python object for an entry of the file, with its parts.
OBJECT_BYTES = 200

_MOST_AXES = 32

# Classes of types.
_INTEGER, _FLOAT, _TEXT, _OPAQUE, _ENUM, _VARIABLE = 0, 1, 3, 5, 8, 9
#: Bits of the exponent and of the mantissa, by bytes of a float.
_FLOATS = {2: (5, 10), 4: (8, 23), 8: (11, 52)}

# Forms of storage.
_COMPACT, _CONTIGUOUS, _CHUNKED = 0, 1, 2

# Built-in filters of HDF5.
_DEFLATE, _SHUFFLE, _CHECKSUM = 1, 2, 3


class Bytes:
    """The content of a file; reading outside of it raises a ValueError."""

    def __init__(self, data: bytes):
        self.data = data
        #: Texts that were read from heaps, by the addresses of the heaps.
        self.heaps: dict[int, dict[int, tuple[int, int]]] = {}

    def slice(self, start: int, size: int) -> bytes:
        """Return ``size`` bytes from ``start``."""
        if start + size > len(self.data):
            raise ValueError(f"{size} bytes at byte {start} are outside of {len(self.data)} bytes")
        return self.data[start : start + size]

    def unpack(self, form: str, start: int) -> tuple[Any, ...]:
        """Return values in a format of ``struct``."""
        return struct.unpack(form, self.slice(start, struct.calcsize(form)))

    def byte(self, start: int) -> int:
        """Return one byte as an integer."""
        return self.slice(start, 1)[0]

    def number(self, start: int, width: int) -> int:
        """Return an unsigned integer of ``width`` bytes."""
        return int.from_bytes(self.slice(start, width), "little")

    def text(self, start: int, size: int | None = None) -> str:
        """Return a text that ends at the first zero, or after ``size`` bytes."""
        end = len(self.data) if size is None else start + size
        self.slice(start, end - start if size is not None else 0)
        zero = self.data.find(b"\0", start, end)
        end = end if zero < 0 else zero
        spend(OBJECT_BYTES + end - start, "the texts of the file")
        return self.data[start:end].decode()


class Leaf(NamedTuple):
    """An entry of a B-tree: the offset of its key, and the address of its child."""

    key: int
    child: int


def tree_leaves(file: Bytes, root: int, key_bytes: int, kind: int) -> Iterator[Leaf]:
    """Yield the entries of a B-tree (version 1) in order; raise ValueError for a cycle."""
    pending: list[tuple[int, int | None]] = [(root, None)]
    seen = set()
    while pending:
        address, parent = pending.pop()
        if address in seen:
            raise ValueError(f"the B-tree at byte {root} leads back to itself")
        seen.add(address)
        signature, found, level, count = file.unpack("<4sBBH", address)
        if signature != b"TREE" or found != kind or (parent is not None and level != parent - 1):
            raise ValueError(f"there is no B-tree's node at byte {address}")
        step = key_bytes + 8
        spend(OBJECT_BYTES * count, f"the B-tree at byte {root}")
        starts = [address + 24 + step * i for i in range(count)]
        entries = [Leaf(s, file.unpack("<Q", s + key_bytes)[0]) for s in starts]
        if level:
            pending += [(entry.child, level) for entry in reversed(entries)]
        else:
            yield from entries


class Datatype(NamedTuple):
    """A type of values: a NumPy dtype, or texts (``dtype`` of bytes) of fixed or variable size."""

    dtype: np.dtype
    is_text: bool = False
    is_variable: bool = False


class DataLayout(NamedTuple):
    """The location of an array's values: contiguous, or the B-tree of its chunks."""

    kind: int
    address: int
    size: int = 0
    chunk: tuple[int, ...] = ()


Filters = list[int]

#: Greatest compression ratio of deflate.
_MOST_INFLATED = 1032


def read_datatype(file: Bytes, start: int) -> Datatype:
    """Return the type of a datatype message.

    Raises:
        ValueError: the type is not supported, such as objects and references.
    """
    first, bits, _, _, size = file.unpack("<BBBBI", start)
    kind = first & 15
    order = ">" if bits & 1 else "<"
    if kind == _INTEGER and size in (1, 2, 4, 8):
        return Datatype(np.dtype(f"{order}{'i' if bits & 8 else 'u'}{size}"))
    if kind == _FLOAT and size in _FLOATS and not bits & 0x40:
        if file.unpack("<xBxB", start + 12) != _FLOATS[size]:
            raise ValueError(f"floats of {size} bytes are not in a format of IEEE 754")
        return Datatype(np.dtype(f"{order}f{size}"))
    if kind == _TEXT and size > 0:
        return Datatype(np.dtype((bytes, size)), is_text=True)
    if kind == _VARIABLE and bits & 15 == 1 and size == 16:
        return Datatype(np.dtype((bytes, size)), is_text=True, is_variable=True)
    if kind == _ENUM and size == 1:
        return Datatype(np.dtype(bool))
    if kind == _OPAQUE and size == 2:
        return Datatype(np.dtype("V2"))
    raise ValueError(f"values of HDF5's type class {kind}, {size} bytes wide, are not supported")


def read_dataspace(file: Bytes, start: int) -> tuple[int, ...]:
    """Return the shape of a dataspace message."""
    version, rank, _, kind = file.unpack("<BBBB", start)
    if version not in (1, 2) or rank > _MOST_AXES:
        raise ValueError(f"a shape of version {version} with {rank} axes is not supported")
    if version == 2 and kind == 2:  # a null dataspace
        return (0,)
    shape: tuple[int, ...] = file.unpack(f"<{rank}Q", start + (8 if version == 1 else 4))
    return shape


def read_values(
    file: Bytes, datatype: Datatype, shape: tuple[int, ...], start: int, end: int
) -> Any:
    """Return the values between two offsets: a text, a list of texts, or an array."""
    size = math.prod(shape) * datatype.dtype.itemsize
    if start + size > end:
        raise ValueError(f"{size} bytes of shape {shape} are more than the {end - start} there")
    if not datatype.is_text:
        count = math.prod(shape)
        return np.frombuffer(file.data, datatype.dtype, count, start).reshape(shape)
    width = datatype.dtype.itemsize
    starts = range(start, start + size, width)
    if datatype.is_variable:
        texts = [_variable_text(file, s) for s in starts]
    else:
        texts = [file.text(s, width) for s in starts]
    return texts if shape else texts[0]


def _variable_text(file: Bytes, start: int) -> str:
    """Return a text in a heap, from its reference: size, address of the heap, index in it."""
    size, heap, index = file.unpack("<IQI", start)
    if not size:
        return ""
    if heap not in file.heaps:
        file.heaps[heap] = _heap(file, heap)
    if index not in file.heaps[heap]:
        raise ValueError(f"there is no text {index} in the heap at byte {heap}")
    at, length = file.heaps[heap][index]
    return file.text(at, min(size, length))


def _heap(file: Bytes, start: int) -> dict[int, tuple[int, int]]:
    """Return offset and length of the texts of a heap, by index."""
    signature, _, held = file.unpack("<4sIQ", start)
    if signature != b"GCOL":
        raise ValueError(f"there is no heap of texts at byte {start}")
    found: dict[int, tuple[int, int]] = {}
    at, end = start + 16, min(start + held, len(file.data))
    while at + 16 <= end:
        number, _, _, length = file.unpack("<HHIQ", at)
        if not number:  # the unused rest of the heap
            break
        spend(OBJECT_BYTES, "the texts of the file")
        found.setdefault(number, (at + 16, length))
        at += 16 + -(-length // 8) * 8
    return found


def read_layout(file: Bytes, start: int) -> DataLayout:
    """Return the location of an array's values from its layout message."""
    version, kind = file.unpack("<BB", start)
    if version == 3 and kind == _CHUNKED:
        rank, address = file.unpack("<BQ", start + 2)
        if not 1 < rank <= _MOST_AXES + 1:
            raise ValueError(f"chunks of {rank - 1} axes are not supported")
        return DataLayout(kind, address, chunk=file.unpack(f"<{rank}I", start + 11)[:-1])
    if version in (3, 4) and kind == _COMPACT:
        return DataLayout(kind, start + 4, file.unpack("<H", start + 2)[0])
    if version in (3, 4) and kind == _CONTIGUOUS:
        return DataLayout(kind, *file.unpack("<QQ", start + 2))
    raise ValueError(
        f"values stored in HDF5's layout {kind} of version {version} are not supported: save it "
        f"again with Keras, or with h5py and no libver="
    )


def read_filters(file: Bytes, start: int) -> Filters:
    """Return the filters of chunks in the order in which they were applied."""
    version, count = file.unpack("<BB", start)
    if version not in (1, 2):
        raise ValueError(f"filters of version {version} are not supported")
    at = start + (8 if version == 1 else 2)
    filters = []
    for _ in range(count):
        number = file.unpack("<H", at)[0]
        if number not in (_DEFLATE, _SHUFFLE, _CHECKSUM):
            raise ValueError(f"HDF5's filter {number} is not supported: only gzip and shuffle are")
        filters.append(number)
        named = version == 1 or number >= 256
        size = file.unpack("<H", at + 2)[0] if named else 0
        at += 4 if named else 2
        values = file.unpack("<HH", at)[1]
        at += 4 + (-(-size // 8) * 8 if version == 1 else size) + 4 * values
        at += 4 * (values % 2) if version == 1 else 0
    return filters


def read_array(
    file: Bytes, datatype: Datatype, shape: tuple[int, ...], layout: DataLayout, filters: Filters
) -> np.ndarray:
    """Return the values of an array."""
    if datatype.is_text:
        raise ValueError("an array of texts is not a weight")
    size = math.prod(shape) * datatype.dtype.itemsize
    if layout.kind == _CHUNKED:
        held = len(file.data)
        most = held * (_MOST_INFLATED if _DEFLATE in filters else 1)
        if size > most:
            raise ValueError(
                f"an array of shape {shape} claims {size} bytes, but a file of {held} bytes "
                f"expands to at most {most}"
            )
        spend(size, f"an array of shape {shape}")
        return _from_chunks(file, datatype.dtype, shape, layout, filters)
    if filters:
        raise ValueError("filters of contiguous values are not supported")
    if not size:
        return np.zeros(shape, datatype.dtype)  # an axis has length 0
    if layout.address == UNDEFINED or layout.size < size:
        raise ValueError(f"an array of shape {shape} holds {layout.size} bytes, needs {size}")
    values: np.ndarray = read_values(file, datatype, shape, layout.address, layout.address + size)
    return values


def _from_chunks(
    file: Bytes, dtype: np.dtype, shape: tuple[int, ...], layout: DataLayout, filters: Filters
) -> np.ndarray:
    """Join chunks to an array; all must exist, and chunks at the borders are cut."""
    chunk = layout.chunk
    if len(chunk) != len(shape) or not all(chunk):
        raise ValueError(f"chunks of shape {chunk} in an array of shape {shape}")
    values = np.zeros(shape, dtype)
    expected = math.prod(-(-n // c) for n, c in zip(shape, chunk, strict=True))
    size = math.prod(chunk) * dtype.itemsize
    spend(size, f"a chunk of shape {chunk}")
    placed = set()
    written = expected and layout.address != UNDEFINED
    key_bytes = 16 + 8 * len(shape)
    for leaf in tree_leaves(file, layout.address, key_bytes, kind=1) if written else ():
        check_time()
        stored, skipped, *offset = file.unpack(f"<II{len(shape)}Q", leaf.key)
        if any(o % c or o >= n for o, c, n in zip(offset, chunk, shape, strict=True)):
            raise ValueError(f"a chunk at {offset} is outside of an array of shape {shape}")
        if tuple(offset) in placed:
            raise ValueError(f"the chunk at {offset} is stored twice")
        if skipped:
            raise ValueError(f"the chunk at {offset} skips some of its filters")
        unpacked = _unfiltered(file.slice(leaf.child, stored), filters, dtype.itemsize, size)
        region = tuple(slice(o, o + c) for o, c in zip(offset, chunk, strict=True))
        target = values[region]
        piece = np.frombuffer(unpacked, dtype).reshape(chunk)
        values[region] = piece[tuple(slice(0, n) for n in target.shape)]
        placed.add(tuple(offset))
    if len(placed) != expected:
        raise ValueError(f"only {len(placed)} of the {expected} chunks of an array exist")
    return values


def _unfiltered(data: bytes, filters: Filters, width: int, size: int) -> bytes:
    """Undo the filters of a chunk; raise ValueError unless the result has ``size`` bytes."""
    for number in reversed(filters):
        if number == _CHECKSUM:
            data = data[:-4]
        elif number == _SHUFFLE:
            data = np.frombuffer(data, np.uint8).reshape(width, -1).T.tobytes()
        else:
            data = _inflated(data, size)
    if len(data) != size:
        raise ValueError(f"a chunk holds {len(data)} bytes, not {size}")
    return data


def _inflated(data: bytes, size: int) -> bytes:
    """Decompress at most ``size`` bytes, and 4 bytes of a checksum."""
    try:
        return zlib.decompressobj().decompress(data, size + 4)
    except zlib.error as error:
        raise ValueError(f"a chunk cannot be unpacked: {error}") from error

"""Writer of the part of HDF5 that Keras's files need: groups, texts as attributes, and arrays.

Arrays are contiguous, texts of variable length lie in global heaps, and groups have B-trees of
version 1, so that every version of libhdf5 reads the files. Source: HDF5 File Format Specification
Version 3.0.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar, Union

import numpy as np

from core.errors import CoreError

_UNDEFINED = 2**64 - 1
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK_BYTES = 96

# Members of a leaf of a group's B-tree, and children of its other nodes.
_LEAF, _NODE = 8, 32

#: The least size of a global heap, and the most texts in one.
_HEAP_BYTES, _HEAP_TEXTS = 4096, 60_000

#: The most texts in one attribute: its message has less than 64 KiB.
MOST_TEXTS = 4000

# Types of messages in an object header.
_DATASPACE, _DATATYPE, _FILL_VALUE, _LAYOUT, _ATTRIBUTE, _SYMBOLS = 1, 3, 5, 8, 12, 17

#: Type of texts of variable length in UTF-8: sequences of one-byte characters.
_TEXT_TYPE = struct.pack("<BBBBI", 0x19, 1, 1, 0, 16) + struct.pack("<BBBBI", 0x13, 0x10, 0, 0, 1)

#: Bits of precision, place and size of the exponent, bits of the mantissa, and bias, by bytes.
_FLOATS = {2: (16, 10, 5, 10, 15), 4: (32, 23, 8, 23, 127), 8: (64, 52, 11, 52, 1023)}

Item = TypeVar("Item")
Attribute = str | Sequence[str]
Block = bytes | memoryview


#: Texts and lists of texts by name.
Attributes = Mapping[str, Attribute]


class _Group(NamedTuple):
    attributes: dict[str, Attribute]
    members: dict[str, Union["_Group", np.ndarray]]


def hdf5_blocks(
    arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Attributes]
) -> list[Block]:
    """Return the content of a file as blocks, of which arrays are not copied.

    Args:
        arrays: arrays of floats and integers by path, such as "layers/dense/vars/0".
        attributes: attributes by path of group; that of the root group is empty.

    Raises:
        CoreError: a name cannot be written, or an array has another dtype.

    >>> blocks = hdf5_blocks({"dense/kernel": np.zeros(3, np.float32)}, {"": {"made by": "core"}})
    >>> from core.converter.keras_files.hdf5 import open_hdf5
    >>> open_hdf5(b"".join(blocks)).get("dense/kernel").array()
    array([0., 0., 0.], dtype=float32)
    """
    root = _Group({}, {})
    for path, given in attributes.items():
        _inner(root, path.split("/") if path else []).attributes.update(given)
    for path, array in arrays.items():
        *parents, name = path.split("/")
        group = _inner(root, parents)
        if name in group.members:
            raise CoreError(f"HDF5 cannot hold two members named {path!r}")
        group.members[name] = array
    writer = _Writer()
    texts = [
        text for given in attributes.values() for value in given.values() for text in _listed(value)
    ]
    writer.add_texts(dict.fromkeys(texts))
    address = writer.group(root)
    end = writer.position
    superblock = _SIGNATURE + struct.pack("<8B", 0, 0, 0, 0, 0, 8, 8, 0)
    superblock += struct.pack("<HHI4Q", _LEAF // 2, _NODE // 2, 0, 0, _UNDEFINED, end, _UNDEFINED)
    superblock += _symbol(0, address)
    return [superblock, *writer.blocks]


def _inner(group: _Group, names: Sequence[str]) -> _Group:
    """Return an inner group, made if missing."""
    for name in names:
        found = group.members.setdefault(name, _Group({}, {}))
        if not isinstance(found, _Group):
            raise CoreError(f"HDF5 cannot hold both an array and a group named {name!r}")
        group = found
    return group


def _listed(value: Attribute) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


class _Writer:
    """Blocks after the superblock, with the addresses of texts."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.position = _SUPERBLOCK_BYTES
        self._texts: dict[str, bytes] = {}

    def put(self, *parts: Block) -> int:
        """Add bytes, padded to 8; return their address."""
        address = self.position
        size = sum(map(len, parts))
        padding = -size % 8
        self.blocks += [*parts, bytes(padding)]
        self.position += size + padding
        return address

    def add_texts(self, texts: Mapping[str, None]) -> None:
        """Add global heaps with all texts, to which attributes refer."""
        every = list(texts)
        for start in range(0, len(every), _HEAP_TEXTS):
            part = every[start : start + _HEAP_TEXTS]
            encoded = [text.encode() for text in part]
            objects = [
                struct.pack("<HHIQ", number, 1, 0, len(data)) + _padded(data)
                for number, data in enumerate(encoded, 1)
            ]
            used = 16 + sum(map(len, objects))
            size = max(_HEAP_BYTES, used + 16)
            objects.append(_padded(struct.pack("<HHIQ", 0, 0, 0, size - used), size - used))
            heap = self.put(struct.pack("<4sIQ", b"GCOL", 1, size), *objects)
            for number, (text, data) in enumerate(zip(part, encoded, strict=True), 1):
                self._texts[text] = struct.pack("<IQI", len(data), heap, number)

    def group(self, group: _Group) -> int:
        """Add a group after its members; return the address of its header."""
        named = {_name(name): member for name, member in group.members.items()}
        addresses = {}
        for name, member in sorted(named.items(), key=lambda item: item[0]):
            write = self.group if isinstance(member, _Group) else self.array
            addresses[name] = write(member)  # type: ignore[arg-type]
        tree, heap = self._tree(addresses)
        messages = [(_SYMBOLS, struct.pack("<QQ", tree, heap))]
        messages += [self._attribute(*attribute) for attribute in group.attributes.items()]
        return self._header(messages)

    def _tree(self, addresses: Mapping[bytes, int]) -> tuple[int, int]:
        """Add the names of a group's members and the B-tree of their addresses."""
        offsets, names = {}, bytearray(8)  # the empty name comes first
        for name in addresses:
            offsets[name] = len(names)
            names += _padded(name + b"\0")
        data = self.put(bytes(names))
        heap = self.put(struct.pack("<4sIQQQ", b"HEAP", 0, len(names), 1, data))
        level: list[tuple[int, int]] = []  # last name and address of each node
        for part in _parts(list(addresses), _LEAF):
            entries = b"".join(_symbol(offsets[name], addresses[name]) for name in part)
            leaf = struct.pack("<4sBBH", b"SNOD", 1, 0, len(part)) + entries
            level.append((offsets[part[-1]], self.put(_padded(leaf, 8 + 40 * _LEAF))))
        depth = 0
        while depth == 0 or len(level) > 1:
            level = self._nodes(level, depth)
            depth += 1
        return level[0][1], heap

    def _nodes(self, children: list[tuple[int, int]], depth: int) -> list[tuple[int, int]]:
        """Add the nodes of one level of a B-tree, which know their neighbours."""
        size = 24 + 16 * _NODE + 8
        parts = _parts(children, _NODE) or [[]]
        start, found, first = self.position, [], 0
        for number, part in enumerate(parts):
            left = start + size * (number - 1) if number else _UNDEFINED
            right = start + size * (number + 1) if number + 1 < len(parts) else _UNDEFINED
            node = struct.pack("<4sBBHQQ", b"TREE", 0, depth, len(part), left, right)
            node += struct.pack("<Q", first)
            node += b"".join(struct.pack("<QQ", address, last) for last, address in part)
            first = part[-1][0] if part else 0
            found.append((first, self.put(_padded(node, size))))
        return found

    def array(self, array: np.ndarray) -> int:
        """Add an array; return the address of its header."""
        stored = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        stored = stored.view(np.uint8) if stored.dtype == bool else stored
        address = _UNDEFINED
        if stored.size:
            address = self.put(stored.reshape(-1).view(np.uint8).data)
        return self._header(
            [
                (_DATASPACE, _dataspace(stored.shape)),
                (_DATATYPE, _datatype(stored.dtype)),
                (_FILL_VALUE, struct.pack("<4B", 2, 2, 2, 0)),
                (_LAYOUT, struct.pack("<BBQQ", 3, 1, address, stored.nbytes)),
            ]
        )

    def _attribute(self, name: str, value: Attribute) -> tuple[int, bytes]:
        """Return the message of an attribute: a text or a list of texts."""
        texts = _listed(value)
        if len(texts) > MOST_TEXTS:
            raise CoreError(
                f"the attribute {name!r} has {len(texts)} texts: an HDF5 attribute holds at most "
                f"{MOST_TEXTS}, so divide the list"
            )
        space = _dataspace(() if isinstance(value, str) else (len(texts),))
        encoded = name.encode() + b"\0"
        sizes = struct.pack("<BBHHH", 1, 0, len(encoded), len(_TEXT_TYPE), len(space))
        parts = [sizes, *map(_padded, (encoded, _TEXT_TYPE, space))]
        return _ATTRIBUTE, b"".join(parts + [self._texts[text] for text in texts])

    def _header(self, messages: Sequence[tuple[int, bytes]]) -> int:
        """Add an object header of version 1."""
        padded = [(kind, _padded(data)) for kind, data in messages]
        parts = [struct.pack("<HHB3x", kind, len(data), 0) + data for kind, data in padded]
        size = sum(map(len, parts))
        return self.put(struct.pack("<BBHII4x", 1, 0, len(parts), 1, size), *parts)


def _name(name: str) -> bytes:
    if not name or "/" in name or "\0" in name or name == ".":
        raise CoreError(
            f"HDF5 cannot hold a member named {name!r}: use a text without '/' and zeros"
        )
    return name.encode()


def _parts(items: list[Item], size: int) -> list[list[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _padded(data: bytes, size: int | None = None) -> bytes:
    """Return bytes with zeros up to a size, or to a multiple of 8."""
    return data + bytes(-len(data) % 8 if size is None else size - len(data))


def _symbol(name: int, address: int) -> bytes:
    return struct.pack("<QQII16x", name, address, 0, 0)


def _dataspace(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<BBB5x{len(shape)}Q", 1, len(shape), 0, *shape)


def _datatype(dtype: np.dtype) -> bytes:
    size = dtype.itemsize
    if dtype.kind == "f" and size in _FLOATS:
        bits, place, exponent, mantissa, bias = _FLOATS[size]
        head = struct.pack("<BBBBI", 0x11, 0x20, bits - 1, 0, size)
        return head + struct.pack("<HHBBBBI", 0, bits, place, exponent, 0, mantissa, bias)
    if dtype.kind in "iu":
        head = struct.pack("<BBBBI", 0x10, 8 if dtype.kind == "i" else 0, 0, 0, size)
        return head + struct.pack("<HH", 0, 8 * size)
    raise CoreError(f"an array of dtype {dtype} cannot be written: use floats or integers")

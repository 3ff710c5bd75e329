"""Reader of the part of HDF5 in Keras files: groups, attributes, and arrays of numbers.

libhdf5 is not used: damaged files make it crash or run forever (4 crashes and 6 endless loops in
6,000 bit-flipped files, HDF5 2.0), and it can open other files. This reader allocates no more than
the bytes of the file justify. Source: HDF5 File Format Specification Version 3.0.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from core.converter.keras_files.hdf5_values import (
    OBJECT_BYTES,
    UNDEFINED,
    Bytes,
    read_array,
    read_dataspace,
    read_datatype,
    read_filters,
    read_layout,
    read_values,
    tree_leaves,
)
from weights_cache.reading_budgets import spend

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SAVE_AGAIN = "save it again with Keras, or with h5py and no libver= or track_order="

# Types of messages in an object header.
_DATASPACE, _LINK_INFO, _DATATYPE, _LINK, _EXTERNAL, _LAYOUT = 1, 2, 3, 6, 7, 8
_FILTERS, _ATTRIBUTE, _CONTINUATION, _SYMBOLS, _ATTRIBUTE_INFO = 11, 12, 16, 17, 21
_SHARED = 2


class Message(NamedTuple):
    """One message of an object header: its type, and start and end of its data in the file."""

    kind: int
    start: int
    end: int


class Item:
    """A group or an array in an HDF5 file."""

    def __init__(self, file: Bytes, address: int):
        self._file = file
        self._messages = list(_messages(file, address))
        self._members: dict[str, Item] = {}

    def attribute(self, name: str) -> Any:
        """Return an attribute: a text, a list of texts or an array; None if it does not exist."""
        if name not in self._attributes:
            return None
        datatype, shape, start, end = self._attributes[name]
        file = self._file
        return read_values(
            file, read_datatype(file, datatype), read_dataspace(file, shape), start, end
        )

    @cached_property
    def _attributes(self) -> dict[str, tuple[int, int, int, int]]:
        """The offsets of the parts of each attribute: type, shape, values, end."""
        self._refuse_dense(_ATTRIBUTE_INFO, 2, "attributes")
        return dict(_attribute(self._file, message) for message in self._all(_ATTRIBUTE))

    @cached_property
    def children(self) -> dict[str, int]:
        """The addresses of a group's members by name, without soft and external links."""
        self._refuse_dense(_LINK_INFO, 8, "members of a group")
        found: dict[str, int] = {}
        for message in self._all(_SYMBOLS):
            tree, heap = self._file.unpack("<QQ", message.start)
            found.update(_symbols(self._file, tree, heap))
        found.update(link for m in self._all(_LINK) for link in _link(self._file, m))
        return found

    def get(self, path: str) -> "Item | None":
        """Return the member of a path such as ``"dense/kernel"``; None if it does not exist."""
        item = self
        for name in path.split("/"):
            if name not in item.children:
                return None
            if name not in item._members:
                item._members[name] = Item(self._file, item.children[name])
            item = item._members[name]
        return item

    @property
    def is_array(self) -> bool:
        """Whether the item is an array rather than a group."""
        return bool(self._all(_LAYOUT))

    def array(self) -> np.ndarray:
        """Return the values of an array.

        Raises:
            ValueError: the item is a group, or its values are incomplete, in another file, or in a
                form that Keras does not write.
        """
        if self._all(_EXTERNAL):
            raise ValueError("the values of an array lie in another file")
        space, datatype, layout = map(self._only, (_DATASPACE, _DATATYPE, _LAYOUT))
        filters = self._all(_FILTERS)
        return read_array(
            self._file,
            read_datatype(self._file, datatype.start),
            read_dataspace(self._file, space.start),
            read_layout(self._file, layout.start),
            read_filters(self._file, filters[0].start) if filters else [],
        )

    def _all(self, kind: int) -> list[Message]:
        return [message for message in self._messages if message.kind == kind]

    def _only(self, kind: int) -> Message:
        found = self._all(kind)
        if len(found) != 1:
            raise ValueError(f"an object has {len(found)} messages of type {kind}, not 1")
        return found[0]

    def _refuse_dense(self, kind: int, index_bytes: int, what: str) -> None:
        """Raise for attributes or links in the dense storage of newer versions of the format."""
        for message in self._all(kind):
            indexed = self._file.byte(message.start + 1) & 1
            heap = message.start + 2 + index_bytes * indexed
            if self._file.unpack("<Q", heap)[0] != UNDEFINED:
                raise ValueError(f"the {what} are stored in an unsupported form: {_SAVE_AGAIN}")


def open_hdf5(data: bytes) -> Item:
    """Return the root group of a file.

    Raises:
        ValueError, LookupError: the file is damaged, or not HDF5.
    """
    if not data.startswith(_SIGNATURE):
        raise ValueError("it is not an HDF5 file")
    file = Bytes(data)
    version = file.byte(8)
    if version > 3:
        raise ValueError(f"HDF5's superblock of version {version} is unknown: {_SAVE_AGAIN}")
    sizes = 13 if version < 2 else 9
    if file.unpack("<BB", sizes) != (8, 8):
        raise ValueError(f"addresses are not 8 bytes wide: {_SAVE_AGAIN}")
    base = (24, 28, 12, 12)[version]
    root = base + (40 if version < 2 else 24)
    if file.unpack("<Q", base)[0]:
        raise ValueError(f"it does not start at its first byte: {_SAVE_AGAIN}")
    return Item(file, file.unpack("<Q", root)[0])


def _messages(file: Bytes, address: int) -> Iterator[Message]:
    """Yield the messages of an object header from all of its blocks."""
    modern = file.slice(address, 4) == b"OHDR"
    blocks = [_modern_block(file, address) if modern else _block(file, address)]
    seen = set()
    for block in blocks:
        if block in seen:
            raise ValueError("the header of an object leads back to itself")
        seen.add(block)
        for message, flags in _in_block(file, *block, modern):
            if message.kind == _CONTINUATION:
                start, length = file.unpack("<QQ", message.start)
                blocks.append(_continuation(file, start, length, modern, blocks[0]))
            elif flags & _SHARED and message.kind in (_DATASPACE, _DATATYPE, _FILTERS, _ATTRIBUTE):
                raise ValueError(f"an object shares parts of its header: {_SAVE_AGAIN}")
            else:
                yield message


def _block(file: Bytes, address: int) -> tuple[int, int, int]:
    """Return start, end and bytes before each message of the first block, in version 1."""
    version, _, _, _, size = file.unpack("<BBHII", address)
    if version != 1:
        raise ValueError(f"there is no header of an object at byte {address}")
    return address + 16, address + 16 + size, 8


def _modern_block(file: Bytes, address: int) -> tuple[int, int, int]:
    """Return start, end and bytes before each message of the first block, in version 2."""
    version, flags = file.unpack("<BB", address + 4)
    if version != 2:
        raise ValueError(f"the header of an object at byte {address} has version {version}")
    at = address + 6 + 16 * bool(flags & 0x20) + 4 * bool(flags & 0x10)
    width = 1 << (flags & 3)
    start = at + width
    return start, start + file.number(at, width), 6 if flags & 4 else 4


def _continuation(
    file: Bytes, start: int, length: int, modern: bool, first: tuple[int, int, int]
) -> tuple[int, int, int]:
    if not modern:
        return start, start + length, first[2]
    if file.slice(start, 4) != b"OCHK":
        raise ValueError(f"there is no block of a header at byte {start}")
    return start + 4, start + length - 4, first[2]


def _in_block(
    file: Bytes, start: int, end: int, before: int, modern: bool
) -> Iterator[tuple[Message, int]]:
    file.slice(start, end - start)  # raises unless the block is inside the file
    while start + before <= end:
        spend(OBJECT_BYTES, "the headers of its objects")
        kind, size, flags = file.unpack("<BHB" if modern else "<HHB", start)
        start += before
        if start + size > end:
            raise ValueError("a message is longer than the header that it is in")
        yield Message(kind, start, start + size), flags
        start += size


def _attribute(file: Bytes, message: Message) -> tuple[str, tuple[int, int, int, int]]:
    """Return name and parts; version 1 pads parts to 8 bytes, version 3 has another byte."""
    version, flags, *sizes = file.unpack("<BBHHH", message.start)
    if version not in (1, 2, 3) or (version > 1 and flags):
        raise ValueError(f"an attribute of version {version}, flags {flags} is not supported")
    ends = [message.start + (9 if version == 3 else 8)]
    for size in sizes:
        ends.append(ends[-1] + (-(-size // 8) * 8 if version == 1 else size))
    name, datatype, shape, values = ends
    return file.text(name, sizes[0]), (datatype, shape, values, message.end)


def _symbols(file: Bytes, tree: int, heap: int) -> Iterator[tuple[str, int]]:
    """Yield names and addresses of the members of a group."""
    signature, _, _, _, names = file.unpack("<4sIQQQ", heap)
    if signature != b"HEAP":
        raise ValueError(f"there are no names of a group at byte {heap}")
    for node in tree_leaves(file, tree, key_bytes=8, kind=0):
        signature, _, count = file.unpack("<4sHH", node.child)
        if signature != b"SNOD":
            raise ValueError(f"there are no members of a group at byte {node.child}")
        spend(OBJECT_BYTES * count, "the members of its groups")
        for i in range(count):
            name, address, cached = file.unpack("<QQI", node.child + 8 + 40 * i)
            if cached != 2:  # a soft link
                yield file.text(names + name), address


def _link(file: Bytes, message: Message) -> Iterator[tuple[str, int]]:
    """Yield name and address of a link message; nothing for a soft link."""
    flags = file.byte(message.start + 1)
    at = message.start + 2
    kind = file.byte(at) if flags & 8 else 0
    at += bool(flags & 8) + 8 * bool(flags & 4) + bool(flags & 16)
    width = 1 << (flags & 3)
    size = file.number(at, width)
    if kind == 0:
        yield file.text(at + width, size), file.unpack("<Q", at + width + size)[0]

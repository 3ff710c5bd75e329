"""The bytes of an HDF5 file, of which nothing beyond the end is read, and its B-trees."""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from weights_cache.reading_budgets import spend

#: An address where nothing is.
UNDEFINED = 2**64 - 1

#: What an object of Python for an entry of the file takes, its parts included.
OBJECT_BYTES = 200


class Bytes:
    """The content of a file; whatever lies outside of it is a ValueError."""

    def __init__(self, data: bytes):
        self.data = data
        #: What was read of the heaps of texts, by their addresses.
        self.heaps: dict[int, dict[int, tuple[int, int]]] = {}

    def slice(self, start: int, size: int) -> bytes:
        """So many bytes from there on."""
        if start + size > len(self.data):
            raise ValueError(f"{size} bytes at byte {start} are outside of {len(self.data)} bytes")
        return self.data[start : start + size]

    def unpack(self, form: str, start: int) -> tuple[Any, ...]:
        """Values in the form that ``struct`` names."""
        return struct.unpack(form, self.slice(start, struct.calcsize(form)))

    def byte(self, start: int) -> int:
        """One byte as a number."""
        return self.slice(start, 1)[0]

    def number(self, start: int, width: int) -> int:
        """An unsigned number of so many bytes."""
        return int.from_bytes(self.slice(start, width), "little")

    def text(self, start: int, size: int | None = None) -> str:
        """A text that ends at the first zero, or after so many bytes."""
        end = len(self.data) if size is None else start + size
        self.slice(start, end - start if size is not None else 0)
        zero = self.data.find(b"\0", start, end)
        end = end if zero < 0 else zero
        spend(OBJECT_BYTES + end - start, "the texts of the file")
        return self.data[start:end].decode()


class Leaf(NamedTuple):
    """An entry of a B-tree: where its key lies in the file, and the address it leads to."""

    key: int
    child: int


def tree_leaves(file: Bytes, root: int, key_bytes: int, kind: int) -> Iterator[Leaf]:
    """The entries of a B-tree (version 1), in their order; nothing is visited twice."""
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

"""Checked reading of an HDF5 file's bytes, and its B-trees."""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from weights_cache.reading_budgets import spend

#: The address that means undefined.
UNDEFINED = 2**64 - 1

#: Memory of a Python object for an entry of the file, with its parts.
OBJECT_BYTES = 200


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

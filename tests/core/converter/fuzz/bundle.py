"""The checkpoint format of TensorFlow: a sorted table of entries, and the bytes of the tensors.

The table is LevelDB's, of one block of entries, uncompressed or compressed by Snappy.
"""

import struct
from collections.abc import Mapping

import numpy as np

from tests.core.converter.fuzz.protobuf import TYPES, field, shape, varint
from tests.core.converter.fuzz.snappy import compressed

MAGIC = 0xDB4775248B80FB57


def checkpoint(
    arrays: Mapping[str, np.ndarray], is_compressed: bool = False
) -> tuple[bytes, bytes]:
    """The index and the only data file of some float32 arrays."""
    entries, data = contents(arrays)
    return table(entries, is_compressed), data


def contents(arrays: Mapping[str, np.ndarray]) -> tuple[dict[bytes, bytes], bytes]:
    """The entries of the index, and the data file."""
    data, entries = b"", {b"": field(1, 1) + field(3, field(1, 1))}
    for name in sorted(arrays):
        content = arrays[name].astype("<f4").tobytes()
        entries[name.encode()] = (
            field(1, TYPES["DT_FLOAT"])
            + field(2, shape(list(arrays[name].shape)))
            + field(4, len(data))
            + field(5, len(content))
            + fixed32(6, masked_crc(content))
        )
        data += content
    return entries, data


def fixed32(number: int, value: int) -> bytes:
    """A field of four bytes."""
    return varint(number << 3 | 5) + struct.pack("<I", value)


def table(entries: Mapping[bytes, bytes], is_compressed: bool = False) -> bytes:
    """A block of entries, an empty one, an index of the first, and where the last two are."""
    first, empty = block(entries, is_compressed), block({}, is_compressed)
    last = {max(entries) + b"\0": varint(0) + varint(len(first) - 5)}
    index = block(last, is_compressed)
    handles = b"".join(
        varint(n) for n in (len(first), len(empty) - 5, len(first + empty), len(index) - 5)
    )
    return first + empty + index + handles.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def block(entries: Mapping[bytes, bytes], is_compressed: bool = False) -> bytes:
    """Entries in the order of their keys, none sharing the start of its key with the one before."""
    rows = (b"\0" + varint(len(k)) + varint(len(v)) + k + v for k, v in entries.items())
    content = b"".join(rows) + struct.pack("<II", 0, 1)
    stored = compressed(content) + b"\1" if is_compressed else content + b"\0"
    return stored + struct.pack("<I", masked_crc(stored))


def masked_crc(data: bytes) -> int:
    """The CRC-32C, rotated and shifted as TensorFlow stores it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

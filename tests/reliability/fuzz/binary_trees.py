"""Damage near the structures of HDF5, LevelDB and FlatBuffers files."""

import io
import re
import struct
from collections.abc import Sequence

import numpy as np

from tests.core.converter.fuzz.bundle import MAGIC, masked_crc
from tests.reliability.fuzz import json_trees, raw_bytes

Rng = np.random.Generator

#: Signatures of HDF5: B-trees, their leaves, heaps, global heaps, headers of objects.
_HDF5_NODES = (b"TREE", b"SNOD", b"HEAP", b"GCOL", b"OHDR", b"OCHK", b"\x89HDF", b"\x01\x00")
#: So many bytes from a signature belong to its head and first entries.
_NEIGHBOURHOOD = 96


def damaged_hdf5(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage to the configuration in the file, or to heads of its B-trees, heaps and objects."""
    if rng.random() < 0.5:
        return _with_damaged_config(data, rng)
    signature = _HDF5_NODES[int(rng.integers(len(_HDF5_NODES)))]
    places = _all_places(data, signature)
    if not places:
        raise ValueError("nothing of that signature")
    for _ in range(raw_bytes.places(rng)):
        start = places[int(rng.integers(len(places)))]
        at = min(start + int(rng.integers(_NEIGHBOURHOOD)), len(data) - 1)
        if rng.random() < 0.4:  # an address or a size from elsewhere
            word = places[int(rng.integers(len(places)))]
            at -= (at - start) % 8
            data = data[:at] + struct.pack("<Q", word) + data[at + 8 :]
        else:
            data = raw_bytes.word_or_flip_at(data, at, rng)
    return data


def _all_places(data: bytes, signature: bytes) -> list[int]:
    found, at = [], data.find(signature)
    while at >= 0:
        found.append(at)
        at = data.find(signature, at + 1)
    return found


def _with_damaged_config(data: bytes, rng: Rng) -> bytes:
    import h5py

    stream = io.BytesIO(data)
    with h5py.File(stream, "r+") as file:
        if "model_config" not in file.attrs:
            raise ValueError("weights alone have no configuration")
        text = file.attrs["model_config"]
        found = json_trees.damaged(text.encode() if isinstance(text, str) else text, (), rng)
        del file.attrs["model_config"]
        file.attrs["model_config"] = np.bytes_(found) if len(found) < 60_000 else text
    return stream.getvalue()


def damaged_table(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage inside of a block of a LevelDB table, whose checksum is made right again.

    Raises:
        ValueError: it is no such table.
    """
    if len(data) < 48 or struct.unpack("<Q", data[-8:])[0] != MAGIC:
        raise ValueError("no table")
    handles = _handles(data)
    at, size = handles[int(rng.integers(len(handles)))]
    for _ in range(raw_bytes.places(rng)):
        place = at + int(rng.integers(size))
        data = raw_bytes.word_or_flip_at(data, place, rng)
    content = data[at : at + size + 1]
    return data[: at + size + 1] + struct.pack("<I", masked_crc(content)) + data[at + size + 5 :]


def _handles(data: bytes) -> list[tuple[int, int]]:
    """Place and size of the index of all blocks, and of the first block."""
    numbers, at = [], len(data) - 48
    for _ in range(4):
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        numbers.append(number)
    index = numbers[2], numbers[3]
    blocks = [(0, numbers[0] - 5), index, index]
    found = [(a, n) for a, n in blocks if n > 0 and a + n + 5 <= len(data)]
    if not found:
        raise ValueError("no blocks")
    return found


def damaged_array(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Another dtype, shape or order in the head of a NumPy array, or numbers that are none.

    Raises:
        ValueError: it is no array.
    """
    if not data.startswith(b"\x93NUMPY") or len(data) < 10:
        raise ValueError("no array")
    size = struct.unpack_from("<H", data, 8)[0]
    head, rest = data[10 : 10 + size], data[10 + size :]
    if rng.random() < 0.3 and len(rest) >= 8:
        at = 4 * int(rng.integers(len(rest) // 4))
        return data[: 10 + size] + rest[:at] + _ODD_FLOATS[int(rng.integers(4))] + rest[at + 4 :]
    key, values = list(_HEADS.items())[int(rng.integers(len(_HEADS)))]
    value = values[int(rng.integers(len(values)))]
    head = re.sub(rb"('%s': )('[^']*'|\([^)]*\)|\w+)" % key, lambda m: m[1] + value, head)
    return data[:8] + struct.pack("<H", len(head)) + head + rest


#: What the head of an array may say.
_HEADS = {
    b"descr": (b"'|O'", b"'<f8'", b"'>f4'", b"'<i4'", b"'|b1'", b"'<U9'", b"'<c8'", b"'V0'", b"[]"),
    b"fortran_order": (b"True", b"None", b"1"),
    b"shape": (b"()", b"(0,)", b"(-1,)", b"(2, 3)", b"(1099511627776,)", b"(1e3,)", b"(2,) * 9"),
}
_ODD_FLOATS = [np.float32(x).tobytes() for x in (np.nan, np.inf, 1e38, -0.0)]


def damaged_parquet(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Odd numbers in the footer, which says what is where, or in the head of a page.

    Raises:
        ValueError: it is no such file.
    """
    if len(data) < 12 or data[-4:] != b"PAR1":
        raise ValueError("no Parquet")
    footer = max(4, len(data) - 8 - struct.unpack("<I", data[-8:-4])[0])
    for _ in range(raw_bytes.places(rng)):
        is_footer = rng.random() < 0.7
        at = int(rng.integers(footer, len(data) - 4) if is_footer else rng.integers(4, footer + 1))
        data = raw_bytes.word_or_flip_at(data, min(at, len(data) - 1), rng)
    return data


def damaged_flatbuffer(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage to numbers in the tables, or to tables, vtables and vectors that offsets lead to."""
    from tests.core.converter.fuzz.tflite import damaged

    if rng.random() < 0.6:
        try:
            return damaged(data, rng)
        except (TypeError, OverflowError, struct.error) as error:
            raise ValueError("the number fits no such field") from error
    for _ in range(raw_bytes.places(rng)):
        at = _reached(data, rng)
        data = (raw_bytes.word_at if rng.random() < 0.7 else raw_bytes.flip_at)(data, at, rng)
    return data


def _reached(data: bytes, rng: Rng) -> int:
    """A place that some offsets from the start on lead to."""
    at = 0
    for _ in range(int(rng.integers(1, 12))):
        if at + 4 > len(data):
            break
        step = struct.unpack_from("<I", data, at)[0]
        if not 0 < step < len(data) - at:
            break
        at += step + 4 * int(rng.integers(0, 8))
    return min(at, len(data) - 1)

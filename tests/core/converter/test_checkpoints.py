"""Checkpoints: tables of LevelDB, checksums, slices, strings."""

import struct
import zlib

import numpy as np
import pytest

from core.converter import crc32c as checksums
from core.converter.checkpoints import Checkpoint, read_slice, slice_key, table_entries
from core.converter.crc32c import crc32c, unmasked
from core.converter.tensor_protos import Budget
from core.errors import CoreError
from tests.core.converter.fuzz.bundle import checkpoint, fixed32, masked_crc, table
from tests.core.converter.fuzz.protobuf import field, shape, varint
from weights_cache.common.errors import WeightsError
from weights_cache.reading_budgets import BudgetError, reading_budget


def written(folder, entries: dict[bytes, bytes], data: bytes, header: bytes = field(1, 1)):
    """A checkpoint of entries, each of which has its place in the data."""
    index = table(dict(sorted({b"": header, **entries}.items())))
    (folder / "variables.index").write_bytes(index)
    (folder / "variables.data-00000-of-00001").write_bytes(data)
    return Checkpoint(folder / "variables", Budget(len(data)))


def entry(dtype: int, lengths: list[int], data: bytes, offset: int, size: int, rest: bytes = b""):
    checksum = fixed32(6, masked_crc(data[offset : offset + size]))
    place = field(4, offset) + field(5, size)
    return field(1, dtype) + field(2, shape(lengths)) + place + checksum + rest


def slow_crc32c(data: bytes, state: int = 0) -> int:
    state ^= 0xFFFFFFFF
    for octet in data:
        state ^= octet
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 2048, 2049, 5000, 12345])
def test_crc32c(rng, size, monkeypatch):
    data = rng.bytes(size)
    assert crc32c(data) == slow_crc32c(data) == crc32c(data[5:], crc32c(data[:5]))
    assert size < 9 or crc32c(data) != zlib.crc32(data)
    monkeypatch.setattr(checksums, "_BLOCKS", 3)  # several rounds of lanes
    assert crc32c(memoryview(data), 7) == slow_crc32c(data, 7)
    assert unmasked(masked_crc(data)) == crc32c(data)


def test_crc32c_of_the_standard():
    """RFC 3720, B.4."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


@pytest.mark.parametrize("is_compressed", [False, True])
def test_arrays(tmp_path, rng, is_compressed):
    """TensorFlow 1 compressed the index by Snappy."""
    arrays = {
        f"layer/{i}": rng.normal(size=(i, 3)).astype(np.float32) for i in range(5)
    }  # one is empty
    index, data = checkpoint(arrays, is_compressed)
    assert (index == checkpoint(arrays)[0]) != is_compressed
    (tmp_path / "variables.index").write_bytes(index)
    (tmp_path / "variables.data-00000-of-00001").write_bytes(data)
    found = Checkpoint(tmp_path / "variables", Budget(len(data)))
    assert found.names == sorted(arrays) and "layer/1" in found and "layer" not in found
    for name, array in arrays.items():
        np.testing.assert_array_equal(found.read(name), array)
    with pytest.raises(CoreError, match="the checkpoint has no b'layer/9'"):
        found.read("layer/9")


def test_strings(tmp_path):
    words = [b"owl", b"", b"\xff" * 300]
    lengths = b"".join(struct.pack("<I", len(word)) for word in words)
    data = b"".join(varint(len(word)) for word in words)
    data += struct.pack("<I", masked_crc(lengths)) + b"".join(words)
    summed = lengths + data[4:8] + b"".join(words)
    proto = field(1, 7) + field(2, shape([3])) + field(5, len(data))
    whole = proto + fixed32(6, masked_crc(summed))
    assert written(tmp_path, {b"w": whole}, data).read("w").tolist() == words
    for at in range(len(data)):
        spoiled = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises((CoreError, ValueError)):
            written(tmp_path, {b"w": whole}, spoiled).read("w")
    many = field(1, 7) + field(2, shape([2**40])) + field(5, len(data))
    with pytest.raises(CoreError, match="do not fit"):
        written(tmp_path, {b"w": many}, data).read("w")


def extents(*pairs: tuple[int, int | None]) -> bytes:
    """A TensorSliceProto; a length of None is the whole axis."""
    listed = [field(1, a) + (b"" if n is None else field(2, n)) for a, n in pairs]
    return field(7, b"".join(field(1, e) for e in listed))


def test_slices_are_joined(tmp_path):
    array = np.arange(200, dtype="<f4").reshape(100, 2)
    data = array.tobytes()
    parts = [((0, 70), (0, None)), ((70, 30), (0, None))]
    whole = field(1, 1) + field(2, shape([100, 2])) + b"".join(extents(*p) for p in parts)
    entries = {
        b"w": whole,
        slice_key("w", parts[0]): entry(1, [70, 2], data, 0, 560),
        slice_key("w", parts[1]): entry(1, [30, 2], data, 560, 240),
    }
    found = written(tmp_path, entries, data)
    assert found.names == ["w"]
    np.testing.assert_array_equal(found.read("w"), array)
    incomplete = {**entries, b"w": field(1, 1) + field(2, shape([100, 2])) + extents(*parts[0])}
    with pytest.raises(CoreError, match="cover 140 of 200"):
        written(tmp_path, incomplete, data).read("w")
    wrong = {**entries, slice_key("w", parts[1]): entry(1, [29, 2], data, 560, 232)}
    with pytest.raises(CoreError, match=r"has the shape \(29, 2\)"):
        written(tmp_path, wrong, data).read("w")
    huge = {**entries, b"w": field(1, 1) + field(2, shape([2**40, 2])) + extents(*parts[0])}
    with pytest.raises(CoreError, match="take more than"):
        written(tmp_path, huge, data).read("w")


def test_keys_of_slices_sort_as_numbers_do():
    starts = [0, 1, 63, 64, 8191, 8192, 2**20, 2**40, 2**62]
    keys = [slice_key("w", ((start, 1),)) for start in starts]
    assert keys == sorted(keys) and len({len(key) for key in keys}) > 4
    # As TensorFlow writes them.
    assert slice_key("w", ((64, 1000),)).hex() == "00770001" + "0101" + "c040" + "c3e8"


def test_slices_of_nodes():
    assert read_slice("") == []
    assert read_slice("10 4 0,5:-") == [slice(0, 5), slice(None)]
    for spec in ("10 a,b", "10 4"):
        with pytest.raises(ValueError):
            read_slice(spec)


@pytest.mark.parametrize(
    "proto, message",
    [
        (
            field(1, 1) + field(2, shape([2])) + field(4, 4) + field(5, 8),
            "outside of variables.data",
        ),
        (field(1, 1) + field(2, shape([2])) + field(4, -4) + field(5, 8), "outside"),
        (field(1, 1) + field(2, shape([2])) + field(5, -8), "outside"),
        (field(1, 1) + field(2, shape([2])) + field(5, 8), "'w' are damaged: their checksum"),
        (field(1, 1) + field(2, shape([-1])) + field(5, 8), "no definite shape"),
        (entry(1, [3], bytes(8), 0, 8), r"shape \(3,\) \(DT_FLOAT\) has 8 bytes"),
        (entry(20, [2], bytes(8), 0, 8), "DT_RESOURCE"),
    ],
)
def test_damaged_entries(proto, message, tmp_path):
    with pytest.raises(CoreError, match=message):
        written(tmp_path, {b"w": proto}, bytes(8)).read("w")


def test_damaged_indices(tmp_path):
    index, _ = checkpoint({"w": np.ones(3, np.float32)})
    assert [key for key, _ in table_entries(index)] == [b"", b"w"]
    footer = index[-48:]
    for spoiled, message in [
        (b"", "does not end as a table"),
        (index[:-1] + b"\0", "does not end as a table"),
        (b"\1" + index[1:], "checksum is wrong"),
        (bytes(50) + footer, "outside of the file|checksum|table"),
        (index[-60:], "outside of the file"),
    ]:
        with pytest.raises((CoreError, ValueError), match=message):
            list(table_entries(spoiled))
    with pytest.raises(WeightsError, match="No such file"):
        Checkpoint(tmp_path / "missing", Budget(0))
    with pytest.raises(CoreError, match="big-endian"):
        written(tmp_path, {}, b"", header=field(1, 1) + field(2, 1))


END = bytes(4) + struct.pack("<I", 1)  # of a block


def file(first: bytes, kind: int = 0, places: list[tuple[int, int]] | None = None) -> bytes:
    """An index of one block, with right checksums; ``places`` are what it says where blocks are."""

    def block(content: bytes, kind: int = 0) -> bytes:
        return content + bytes([kind]) + struct.pack("<I", masked_crc(content + bytes([kind])))

    one = block(first, kind)
    handles = [varint(at) + varint(n) for at, n in places or [(0, len(first))]]
    rows = (
        b"\0\1" + varint(len(handle)) + bytes([i]) + handle for i, handle in enumerate(handles, 97)
    )
    index = b"".join(rows) + END
    footer = varint(0) + varint(0) + varint(len(one)) + varint(len(index))
    magic = struct.pack("<Q", 0xDB4775248B80FB57)
    return one + block(index) + footer.ljust(40, b"\0") + magic


def test_no_block_is_read_twice(monkeypatch):
    """A small file could name one block many times, and ask for its checksum each time."""
    content = b"\0\1\1aX" + END
    size, read = len(content), []
    monkeypatch.setattr("core.converter.checkpoints.crc32c", lambda d: read.append(d) or crc32c(d))
    for places in ([(0, size)] * 20, [(0, size), (1, size - 1)], [(0, size), (size, 0)]):
        read.clear()
        with pytest.raises(CoreError, match="overlap, or are out of order"):
            list(table_entries(file(content, places=places)))
        assert len(read) == 2  # the list of blocks, and the first


def test_keys_rise():
    for rows in (b"\0\1\1bX" + b"\0\1\1aX", b"\0\1\1bX" * 2, b"\0\0\0" * 2):
        with pytest.raises(CoreError, match="key .* is out of order"):
            list(table_entries(file(rows + END)))
    empty = b"\0\0\1X" + b"\0\1\1aY"
    assert list(table_entries(file(empty + END))) == [(b"", b"X"), (b"a", b"Y")]


def test_compressed_blocks_and_shared_prefixes(monkeypatch):
    """Blocks made by hand, with right checksums."""
    shared = b"\0\3\1abcX" + b"\2\1\1dY"
    assert list(table_entries(file(shared + END))) == [(b"abc", b"X"), (b"abd", b"Y")]
    for content, kind, message in [
        (shared + END, 1, "a copy begins 1667391745 bytes before byte 0"),
        (shared + END, 2, "compressed by an unknown method, 2"),
        (b"\1\1\1ab" + END, 0, "outside of its block"),
        (b"\0\1\x7fab" + END, 0, "outside of its block"),
        (struct.pack("<I", 99), 0, "within its restarts"),
    ]:
        with pytest.raises(CoreError, match=message):
            list(table_entries(file(content, kind)))
    with pytest.raises(BudgetError, match="the index"), reading_budget("it", free_bytes=300):
        list(table_entries(file(shared + END)))

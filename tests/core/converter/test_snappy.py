"""The decoder of Snappy: literals, copies of all kinds, damaged data, and sizes that lie."""

import pytest

from core.converter.snappy import decompressed
from core.errors import CoreError
from tests.core.converter.fuzz.protobuf import varint
from tests.core.converter.fuzz.snappy import compressed, copy, literal
from tests.helpers import peak_of
from weights_cache.reading_budgets import BudgetError, reading_budget


def stream(size: int, *elements: bytes) -> bytes:
    return varint(size) + b"".join(elements)


@pytest.mark.parametrize("size", [0, 1, 60, 61, 256, 257, 65_536, 65_537, 2**24 + 1])
def test_literals(size, rng):
    """Of each width of their length: in the tag, and of one to four bytes behind it."""
    data = rng.bytes(size)
    assert decompressed(stream(size, literal(data))) == data
    wide = b"\xfc" + (size - 1).to_bytes(4, "little") + data if size else b""
    assert decompressed(stream(size, wide)) == data
    assert decompressed(stream(2 * size, literal(data), literal(data))) == 2 * data


@pytest.mark.parametrize("kind, offset", [(1, 2047), (2, 2047), (2, 65_535), (3, 65_536), (3, 7)])
@pytest.mark.parametrize("length", [4, 7, 11])
def test_copies_of_all_kinds(kind, offset, length, rng):
    data = expected = rng.bytes(70_000)
    for _ in range(length):
        expected += expected[-offset:][:1]
    elements = literal(data), copy(offset, length, kind)
    assert decompressed(stream(70_000 + length, *elements)) == expected


@pytest.mark.parametrize("kind", [2, 3])
@pytest.mark.parametrize("length", [1, 64])
def test_the_shortest_and_the_longest_copy(kind, length, rng):
    data = rng.bytes(100)
    assert decompressed(stream(100 + length, literal(data), copy(90, length, kind))) == (
        data + data[10 : 10 + length]
    )


@pytest.mark.parametrize("offset, expected", [(1, b"xabbbbbbbb"), (2, b"xabababab" + b"a")])
def test_copies_that_go_on_in_themselves(offset, expected):
    """The document has this example, with four bytes."""
    assert decompressed(b"\x07\x08xab\x01\x02") == b"xababab"
    for kind in (1, 2, 3):
        assert decompressed(stream(10, literal(b"xab"), copy(offset, 7, kind))) == expected


def test_whole_streams(rng):
    for data in (b"", b"abc" * 1000, rng.bytes(3000), bytes(100_000), bytes(range(256)) * 300):
        assert decompressed(compressed(data)) == data
    assert len(compressed(bytes(100_000))) < 5000


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "ends within a number"),
        (b"\x80" * 20, "more than 10 bytes"),
        (stream(3, b"\x08ab"), "ends within a literal"),
        (stream(3, b"\xf0"), "ends within a literal"),
        (stream(3, b"\xfc\xff\xff\xff\xff"), "ends within a literal"),
        (stream(7, literal(b"abc"), copy(2, 4, 1)[:-1]), "ends within a copy"),
        (stream(7, literal(b"abc"), copy(2, 4, 2)[:-1]), "ends within a copy"),
        (stream(7, literal(b"abc"), copy(2, 4, 3)[:-1]), "ends within a copy"),
        (stream(4, copy(1, 4, 1)), "begins 1 bytes before byte 0"),
        (stream(7, literal(b"abc"), copy(0, 4, 1)), "begins 0 bytes before byte 3"),
        (stream(7, literal(b"abc"), copy(4, 4, 3)), "begins 4 bytes before byte 3"),
        (stream(6, literal(b"abc"), copy(2, 4, 1)), "longer than the 6 bytes"),
        (stream(2, literal(b"abc")), "longer than the 2 bytes"),
        (stream(8, literal(b"abc"), copy(2, 4, 1)), "has 7 bytes, not 8"),
        (stream(2**32 - 1, literal(b"abc")), "9 bytes of Snappy cannot become 4294967295"),
    ],
)
def test_damaged_streams(data, message):
    with pytest.raises((CoreError, ValueError), match=message):
        decompressed(data)


def test_every_damaged_byte_ends_well(rng):
    data = compressed(b"weights of a layer" * 9 + rng.bytes(50))
    for at in range(len(data)):
        for bits in (1, 2, 4, 64, 255):
            spoiled = data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]
            try:
                assert len(decompressed(spoiled)) < 5000
            except (CoreError, ValueError):
                continue


def test_sizes_that_lie_take_no_memory():
    """A size within what copies could make is counted before a byte is decoded."""
    data = stream(60_000, literal(b"abc"), bytes(3000))

    def refused():
        with (
            pytest.raises(BudgetError, match="a compressed block"),
            reading_budget("it", free_bytes=100_000),
        ):
            decompressed(data)

    _, peak = peak_of(refused, 60_000)
    assert peak < 60_000

"""A compressor of Snappy, in the simplest way that makes literals and copies of all kinds."""

from itertools import takewhile

from tests.core.converter.fuzz.protobuf import varint


def compressed(data: bytes) -> bytes:
    """Return data with copies of what came before, which may go on in themselves."""
    found, at, first = varint(len(data)), 0, 0  # the first byte of the literal to come
    known: dict[bytes, int] = {}
    while at < len(data):
        start = known.get(data[at : at + 4], at)
        known[data[at : at + 4]] = at
        pairs = zip(data[start : start + 64], data[at : at + 64], strict=False)
        length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if start == at or length < 4:
            at += 1
            continue
        found += literal(data[first:at]) + copy(at - start, length)
        at = first = at + length
    return found + literal(data[first:])


def literal(data: bytes) -> bytes:
    """Return bytes that stand for themselves, with their length in the tag or behind it."""
    if not data:
        return b""
    last = len(data) - 1
    if last < 60:
        return bytes([last << 2]) + data
    count = (last.bit_length() + 7) // 8
    return bytes([(59 + count) << 2]) + last.to_bytes(count, "little") + data


def copy(offset: int, length: int, kind: int = 0) -> bytes:
    """Return a copy, by default of the kind with the fewest bytes that holds the offset."""
    kind = kind or (1 if offset < 2**11 and 4 <= length <= 11 else 2 if offset < 2**16 else 3)
    if kind == 1:
        return bytes([offset >> 8 << 5 | (length - 4) << 2 | 1, offset & 255])
    return bytes([(length - 1) << 2 | kind]) + offset.to_bytes(2 ** (kind - 1), "little")

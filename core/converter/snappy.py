"""Decoder of Snappy, by which blocks of a checkpoint's index may be compressed."""

from core.converter.protobuf import read_varint
from core.errors import CoreError
from weights_cache.reading_budgets import check_time, spend

#: The most bytes that one compressed byte becomes, rounded up: a copy of 3 bytes makes 64.
_MOST_TIMES = 22

#: Bytes of the offset of a copy, by the two lowest bits of its tag; 0 is a literal.
_OFFSET_BYTES = (0, 1, 2, 4)

#: Lengths of literals up to this one are in the tag; larger values count the bytes of a length.
_LONGEST_IN_TAG = 60


def decompressed(data: bytes) -> bytes:
    r"""Return the content of bytes that Snappy compressed.

    Source: format_description.txt of google/snappy.

    Args:
        data: one whole stream without frames.

    Raises:
        CoreError, ValueError: the data is damaged, or says a length that it does not have.

    >>> decompressed(b"\x07\x08xab\x01\x02")
    b'xababab'
    """
    size, at = read_varint(data, 0)
    if size > _MOST_TIMES * len(data):
        raise CoreError(f"{len(data)} bytes of Snappy cannot become {size}")
    spend(2 * size, "a compressed block")  # the result, and its copy
    result = bytearray()
    while at < len(data):
        check_time()
        tag = data[at]
        offset_end = at + 1 + _OFFSET_BYTES[tag & 3]
        if offset_end > len(data):
            raise CoreError("a compressed block ends within a copy")
        if tag & 3:
            part = _copied(result, tag, int.from_bytes(data[at + 1 : offset_end], "little"))
            at = offset_end
        else:
            start, at = _literal(data, at)
            part = data[start:at]
        if len(result) + len(part) > size:
            raise CoreError(f"a compressed block is longer than the {size} bytes that it says")
        result += part
    if len(result) != size:
        raise CoreError(f"a compressed block has {len(result)} bytes, not {size}")
    return bytes(result)


def _literal(data: bytes, at: int) -> tuple[int, int]:
    """Return start and end of the literal whose tag stands at an offset."""
    length, start = data[at] >> 2, at + 1
    if length >= _LONGEST_IN_TAG:
        start += length - _LONGEST_IN_TAG + 1
        length = int.from_bytes(data[at + 1 : start], "little")
    end = start + length + 1
    if end > len(data):
        raise CoreError("a compressed block ends within a literal")
    return start, end


def _copied(result: bytearray, tag: int, offset: int) -> bytes | bytearray:
    """Return the bytes of a copy, which goes on in itself if it is longer than its offset."""
    length = (tag >> 2) + 1
    if tag & 3 == 1:
        length, offset = (tag >> 2 & 7) + 4, offset | (tag >> 5) << 8
    if not 0 < offset <= len(result):
        raise CoreError(f"a copy begins {offset} bytes before byte {len(result)} of a block")
    start = len(result) - offset
    part = result[start : start + length]
    return part if len(part) == length else (part * (length // offset + 1))[:length]

"""The wire format: what is valid is read, and what is not never leads outside of the bytes."""

import numpy as np
import pytest

from core.converter.protobuf import DEEPEST, Message, unpacked
from tests.core.converter.fuzz.protobuf import varint

MINUS_ONE = b"\xff" * 9 + b"\x01"


def test_fields_of_every_kind():
    message = Message(
        b"\x08" + MINUS_ONE  # 1: -1
        + b"\x12\x03owl\x12\x03ray"  # 2: two strings
        + b"\x1d\x00\x00\x80\x3f"  # 3: 1.0 in four bytes
        + b"\x21" + bytes(7) + b"\x40"  # 4: 2.0 in eight
        + b"\x2a\x03\x01\x96\x01\x28\x05"  # 5: [1, 150] packed, then 5
        + b"\x32\x02\x08\x07"  # 6: a message
        + b"\x3a\x07\x0a\x01k\x12\x02\x08\x09"  # 7: a map's entry
    )  # fmt: skip
    assert message.integer(1) == -1
    assert (message.text(2), message.texts(2)) == ("ray", ["owl", "ray"])
    assert message.floats(3).tolist() == [1.0] and message.fixed32(3) == 0x3F800000
    assert message.floats(4, "<f8").tolist() == [2.0]
    assert message.integers(5).tolist() == [1, 150, 5]
    assert message.message(6).integer(1) == 7
    assert [(k, e.message(2).integer(1)) for k, e in message.pairs(7)] == [("k", 9)]
    missing = (message.integer(8), message.text(8), list(message.messages(8)), message.fixed32(8))
    assert missing == (0, "", [], 0)


def test_lists_of_numbers(rng):
    numbers = [0, 127, 128, 2**31, 2**63, 2**64 - 1, *rng.integers(0, 2**40, 500).tolist()]
    data = b"".join(map(varint, numbers))
    assert unpacked(memoryview(data)).tolist() == numbers
    assert Message(b"\x0a" + varint(len(data)) + data).integers(1).tolist()[4:6] == [-(2**63), -1]


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\x80", "ends within a number"),
        (b"\x08" + b"\xff" * 10, "more than 10 bytes"),
        (b"\x0a\x05owl", "takes 5 bytes, but 3 are left"),
        (b"\x0a" + MINUS_ONE, "takes 18446744073709551615 bytes"),
        (b"\x0d\x00\x00", "takes 4 bytes, but 2 are left"),
        (b"\x00\x00", "number 0"),
        (b"\x0b\x0c", "wire type 3"),
        (b"\x0e", "wire type 6"),
    ],
)
def test_damaged_messages(data, message):
    with pytest.raises(ValueError, match=message):
        Message(data)


def test_fields_of_another_kind_than_asked_for():
    message = Message(b"\x08\x01\x12\x01\xff")
    for read, text in [
        (lambda: message.blob(1), "is a number"),
        (lambda: message.integer(2), "is not a number"),
        (lambda: message.text(2), "utf-8"),
        (lambda: message.integers(2), "ends within one"),
        (lambda: message.fixed32(2), "does not have 4 bytes"),
        (lambda: message.floats(2), "multiple"),
        (lambda: unpacked(memoryview(b"\xff" * 11 + b"\1")), "more than 10 bytes"),
    ]:
        with pytest.raises(ValueError, match=text):
            read()


def test_depth_and_count_are_limited(monkeypatch):
    message = Message(b"")
    with pytest.raises(ValueError, match=f"more than {DEEPEST} deep"):
        for _ in range(DEEPEST + 1):
            message = message.message(1)
    monkeypatch.setattr("core.converter.protobuf.MOST_FIELDS", 63)
    with pytest.raises(ValueError, match="more than 63 fields"):
        Message(b"\x08\x01" * 64)


def test_a_view_is_not_copied():
    data = b"\x0a\x04" + bytes(4)
    assert np.shares_memory(np.frombuffer(data, np.uint8), np.asarray(Message(data).blob(1)))

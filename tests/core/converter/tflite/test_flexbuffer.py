"""Options of custom ops, and bytes that pretend to be some."""

import struct

import pytest

from core.converter.tflite.flexbuffer import LONGEST_KEY, read_options
from core.errors import CoreError
from tests.helpers import require


def overlapping(length, count):
    """A map whose keys end together: each is the text behind the first letter of the one before."""
    text = b"k" * length + b"\0"
    data = bytearray(text.ljust(len(text) + -len(text) % 4, b"\0"))
    keys = len(data)
    data += b"".join(struct.pack("<I", keys + 4 * i - i) for i in range(count))
    data += struct.pack("<3I", len(data) - keys, 4, count)
    values = len(data)
    data += bytes(4 * count) + bytes([1 << 2 | 2]) * count
    return bytes(data + struct.pack("<I", len(data) - values) + bytes([9 << 2 | 2, 4]))


def test_keys_may_share_a_text():
    assert read_options(overlapping(3, 2)) == {"kkk": 0, "kk": 0}


def test_a_long_key_is_refused():
    assert set(read_options(overlapping(LONGEST_KEY, 1))) == {"k" * LONGEST_KEY}
    with pytest.raises(CoreError, match="longer than 256"):
        read_options(overlapping(LONGEST_KEY + 1, 1))


def test_keys_that_share_a_text_are_not_longer_than_the_bytes():
    with pytest.raises(CoreError, match="overlapping values"):
        read_options(overlapping(LONGEST_KEY, 250))


def test_names_and_texts_that_are_not_utf8_are_read():
    assert read_options(bytes([0xFF, 0, 1, 3, 1, 1, 1, 7, 4, 2, 36, 1])) == {r"\xff": 7}


def typed(options):
    """Options with lists of one type, as programs in C++ write them."""
    builder = require("flatbuffers.flexbuffers").Builder()
    with builder.Map():
        for name, value in options.items():
            builder.Key(name)
            if isinstance(value, list):
                builder.TypedVectorFromElements(value)
            else:
                builder.Add(value)
    return bytes(builder.Finish())


def test_lists_of_numbers_are_read():
    options = {"few": [1, -2, 300], "many": list(range(80)), "real": [0.5, -1.5], "n": 3}
    assert read_options(typed(options)) == options


def test_lists_of_several_types_are_left_out():
    flexbuffers = require("flatbuffers.flexbuffers")
    assert read_options(flexbuffers.Dumps({"mixed": [1, "a"], "n": 3})) == {"n": 3}


def test_a_list_is_not_longer_than_the_bytes():
    whole = typed({"k": [1, 2, 3, 4, 5]})
    at = whole.index(bytes([5, 1, 2, 3, 4, 5]))
    for count in (60, 255):
        damaged = whole[:at] + bytes([count]) + whole[at + 1 :]
        with pytest.raises(CoreError, match=f"a list of {count} numbers is outside"):
            read_options(damaged)

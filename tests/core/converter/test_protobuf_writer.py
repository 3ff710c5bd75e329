"""What is written as protocol buffers is read back by the reader."""

import numpy as np
import pytest

from core.converter.protobuf import Message
from core.converter.protobuf_writer import (
    bytes_field,
    float_field,
    floats_field,
    integer_field,
    integers_field,
    text_field,
    varint,
)


@pytest.mark.parametrize("value", [0, 1, 127, 128, 2**31, 2**63 - 1, -1, -(2**63)])
def test_integers(value):
    assert Message(integer_field(5, value)).integer(5) == value


def test_lists_of_integers(rng):
    values = rng.integers(-(2**62), 2**62, 50).tolist()
    assert Message(integers_field(16, values)).integers(16).tolist() == values


def test_floats():
    message = Message(floats_field(7, [1.5, -2.25]) + float_field(2, 0.1))
    assert message.floats(7).tolist() == [1.5, -2.25]
    assert message.floats(2)[0] == np.float32(0.1)


def test_nested_messages():
    inner = text_field(1, "größer") + integer_field(2, 3)
    message = Message(bytes_field(9, inner) + bytes_field(9, b""))
    first, second = message.messages(9)
    assert (first.text(1), first.integer(2), 1 in second) == ("größer", 3, False)


def test_long_fields_have_long_lengths():
    data = bytes(300)
    field = bytes_field(1, data)
    assert field[1:3] == varint(300)
    assert Message(field).blob(1) == data

r"""Writer of the wire format of protocol buffers: fields as bytes, which are joined to messages.

>>> from core.converter.protobuf import Message
>>> message = Message(integer_field(1, 150) + bytes_field(2, b"shark"))
>>> message.integer(1), message.text(2)
(150, 'shark')
"""

import struct
from collections.abc import Iterable

_VARINT, _BYTES, _FIXED32 = 0, 2, 5

#: Values of negative numbers, which take ten bytes.
_WRAP = 1 << 64


def varint(value: int) -> bytes:
    r"""Return a number of any sign as a varint.

    >>> varint(150), len(varint(-1))
    (b'\x96\x01', 10)
    """
    value %= _WRAP
    octets = bytearray()
    while value >= 0x80:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


def integer_field(number: int, value: int) -> bytes:
    """Return a field with an integer."""
    return varint(number << 3 | _VARINT) + varint(value)


def float_field(number: int, value: float) -> bytes:
    """Return a field with a number of float32."""
    return varint(number << 3 | _FIXED32) + struct.pack("<f", value)


def bytes_field(number: int, data: bytes | memoryview) -> bytes:
    """Return a field with bytes, or a message."""
    return b"".join((varint(number << 3 | _BYTES), varint(len(data)), data))


def text_field(number: int, text: str) -> bytes:
    """Return a field with a string."""
    return bytes_field(number, text.encode())


def integers_field(number: int, values: Iterable[int]) -> bytes:
    """Return a field with a packed list of integers."""
    return bytes_field(number, b"".join(map(varint, values)))


def floats_field(number: int, values: Iterable[float]) -> bytes:
    """Return a field with a packed list of numbers of float32."""
    return bytes_field(number, b"".join(struct.pack("<f", value) for value in values))

"""Numbers of the binary format, written in as few bytes as possible (LEB128)."""


def unsigned(value: int) -> bytes:
    r"""Return an unsigned number as bytes.

    >>> unsigned(624485)
    b'\xe5\x8e&'
    """
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    r"""Return a signed number as bytes.

    >>> signed(-123456)
    b'\xc0\xbbx'
    """
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)

"""Numbers, names and lists of the binary format, read one after the other within bounds."""

from collections.abc import Callable
from typing import TypeVar

from core.wasm.errors import MalformedModule

Item = TypeVar("Item")


class Cursor:
    r"""A position in bytes, which moves behind what is read.

    Args:
        data: the bytes.
        position: index of the first byte.
        end: index behind the last byte; by default the length of the bytes.

    >>> cursor = Cursor(b"\xe5\x8e\x26\x7f")
    >>> cursor.unsigned(), cursor.signed()
    (624485, -1)
    """

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int = 0, end: int | None = None):
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end

    def error(self, message: str, offset: int | None = None) -> MalformedModule:
        """The error for what was found at an offset, by default at the position."""
        offset = self.position if offset is None else offset
        return MalformedModule(f"{message}, at byte {offset} of the module", offset)

    def byte(self) -> int:
        """Read one byte."""
        if self.position >= self.end:
            raise self.error(f"the module or section ends at byte {self.end}, expected a byte more")
        self.position += 1
        return self.data[self.position - 1]

    def take(self, count: int) -> bytes:
        """Read some bytes."""
        if count > self.end - self.position:
            raise self.error(f"expected {count} bytes, got {self.end - self.position}")
        self.position += count
        return self.data[self.position - count : self.position]

    def unsigned(self, bits: int = 32) -> int:
        """Read an unsigned LEB128 number."""
        value = self.byte()
        return value if value < 0x80 else self._rest(value, bits, signed=False)

    def signed(self, bits: int = 32) -> int:
        """Read a signed LEB128 number."""
        value = self.byte()
        if value < 0x80:
            return value - 0x80 if value & 0x40 else value
        return self._rest(value, bits, signed=True)

    def _rest(self, value: int, bits: int, signed: bool) -> int:
        start = self.position - 1
        value &= 0x7F
        shift = 7
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift >= bits:
                raise self.error(f"a number has more bytes than its {bits} bits need", start)
        if signed and byte & 0x40:
            value -= 1 << shift
        low = -(1 << (bits - 1)) if signed else 0
        if not low <= value < low + (1 << bits):
            raise self.error(f"the number {value} does not fit into {bits} bits", start)
        return value

    def name(self) -> str:
        """Read a text in UTF-8."""
        start = self.position
        try:
            return self.take(self.unsigned()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error(f"a name is not in UTF-8: {error.reason}", start) from None

    def items(self, read: Callable[[], Item]) -> tuple[Item, ...]:
        """Read a list whose length stands before it; every item takes a byte at least."""
        start = self.position
        count = self.unsigned()
        if count > self.end - self.position:
            left = self.end - self.position
            raise self.error(f"a list of {count} items has only {left} bytes left", start)
        return tuple([read() for _ in range(count)])

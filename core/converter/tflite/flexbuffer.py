"""FlexBuffers: the options of custom ops, a map of names to numbers, bools and texts.

After the format's own description, https://flatbuffers.dev/internals/#flexbuffers.
"""

import struct
from typing import Any

from core.errors import CoreError

_UNSIGNED = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_SIGNED = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}
_FLOAT = {2: "<e", 4: "<f", 8: "<d"}

#: Numbers of types: what lies in place, the same behind an offset, and others.
_INLINE = {1: _SIGNED, 2: _UNSIGNED, 3: _FLOAT, 26: _UNSIGNED}
_INDIRECT = {6: _SIGNED, 7: _UNSIGNED, 8: _FLOAT}
_NULL, _TEXT, _MAP, _BOOL = 0, 5, 9, 26

#: Options of ops are few, and their names short.
MOST_OPTIONS = 1024
LONGEST_KEY = 256


def read_options(data: bytes) -> dict[str, Any]:
    """The numbers, bools and texts of a map; values of other kinds, such as vectors, are left out.

    Raises:
        CoreError: the bytes are no map, or damaged.

    >>> read_options(bytes([107, 0, 1, 3, 1, 1, 1, 7, 4, 2, 36, 1]))
    {'k': 7}
    """
    if len(data) < 3 or data[-2] >> 2 != _MAP:
        raise CoreError(f"options of {len(data)} bytes are no FlexBuffer with a map")
    width, packed = data[-1], data[-2]
    place = _behind(data, len(data) - 2 - width, width)
    width = 1 << (packed & 3)
    count = _number(data, place - width, width, _UNSIGNED)
    keys = _behind(data, place - 3 * width, width)
    key_width = _number(data, place - 2 * width, width, _UNSIGNED)
    if count > MOST_OPTIONS:
        raise CoreError(f"{count} options are more than {MOST_OPTIONS}")
    found: dict[str, Any] = {}
    left = len(data)
    for i in range(count):
        name = _key(data, _behind(data, keys + i * key_width, key_width))
        kind = _number(data, place + count * width + i, 1, _UNSIGNED)
        value = _value(data, place + i * width, width, kind)
        left -= len(name) + (len(value) if isinstance(value, str) else 0)
        if left < 0:
            raise CoreError(f"texts that overlap are longer than all {len(data)} bytes of options")
        if value is not None:
            found[name] = value
    return found


def _value(data: bytes, place: int, width: int, packed: int) -> Any:
    kind = packed >> 2
    if kind in _INLINE:
        value = _number(data, place, width, _INLINE[kind])
        return bool(value) if kind == _BOOL else value
    if kind not in (*_INDIRECT, _TEXT):
        return None
    place, width = _behind(data, place, width), 1 << (packed & 3)
    if kind in _INDIRECT:
        return _number(data, place, width, _INDIRECT[kind])
    size = _number(data, place - width, width, _UNSIGNED)
    if size > len(data) - place:
        raise CoreError("a text lies outside of the options")
    return data[place : place + size].decode("utf-8", "backslashreplace")


def _number(data: bytes, place: int, width: int, kinds: dict[int, str]) -> Any:
    if width not in kinds or not 0 <= place <= len(data) - width:
        raise CoreError(f"a number of {width} bytes at {place} lies outside of the options")
    return struct.unpack_from(kinds[width], data, place)[0]


def _behind(data: bytes, place: int, width: int) -> int:
    """Where an offset leads, which is backwards."""
    return place - _number(data, place, width, _UNSIGNED)


def _key(data: bytes, place: int) -> str:
    end = data.find(b"\0", place, place + LONGEST_KEY + 1) if place >= 0 else -1
    if end < 0:
        raise CoreError(f"a name is longer than {LONGEST_KEY} or lies outside of the options")
    return data[place:end].decode("utf-8", "backslashreplace")

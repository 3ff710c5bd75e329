"""Reader of FlexBuffers: options of custom ops.

They are a map from names to numbers, bools, texts and lists of numbers, or for ops of TensorFlow a
list of texts.

Source: the description of the format, https://flatbuffers.dev/internals/#flexbuffers.
"""

import struct
from typing import Any

from core.errors import CoreError

_UNSIGNED = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_SIGNED = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}
_FLOAT = {2: "<e", 4: "<f", 8: "<d"}

#: Formats by type: of inline values, and of values behind an offset; then other types.
_INLINE = {1: _SIGNED, 2: _UNSIGNED, 3: _FLOAT, 26: _UNSIGNED}
_INDIRECT = {6: _SIGNED, 7: _UNSIGNED, 8: _FLOAT}
_VECTORS = {11: _SIGNED, 12: _UNSIGNED, 13: _FLOAT}
_TEXT, _MAP, _LIST, _BLOB, _BOOL = 5, 9, 10, 25, 26

#: Limits for options of ops, which are few and have short names.
MOST_OPTIONS = 1024
LONGEST_KEY = 256


def read_options(data: bytes) -> dict[str, Any]:
    """Return the numbers, bools, texts and lists of numbers of a map, without other values.

    Raises:
        CoreError: the bytes are not a map, or damaged.

    >>> read_options(bytes([107, 0, 1, 3, 1, 1, 1, 7, 4, 2, 36, 1]))
    {'k': 7}
    """
    offset, width, count = _root(data, _MAP, "map")
    keys = _target(data, offset - 3 * width, width)
    key_width = _number(data, offset - 2 * width, width, _UNSIGNED)
    found: dict[str, Any] = {}
    left = len(data)
    for i in range(count):
        name = _key(data, _target(data, keys + i * key_width, key_width))
        kind = _number(data, offset + count * width + i, 1, _UNSIGNED)
        value = _value(data, offset + i * width, width, kind)
        left -= len(name) + (len(value) if isinstance(value, (str, list)) else 0)
        if left < 0:
            raise CoreError(f"overlapping values are longer than all {len(data)} bytes of options")
        if value is not None:
            found[name] = value
    return found


def read_texts(data: bytes) -> list[bytes]:
    """Return the bytes of each text of a list.

    Raises:
        CoreError: the bytes are not a list of texts, or damaged.

    >>> read_texts(bytes([1, 65, 0, 1, 66, 0, 2, 6, 4, 20, 20, 4, 40, 1]))
    [b'A', b'B']
    """
    offset, width, count = _root(data, _LIST, "list")
    found, left = [], len(data)
    for i in range(count):
        packed = _number(data, offset + count * width + i, 1, _UNSIGNED)
        if packed >> 2 not in (_TEXT, _BLOB):
            raise CoreError(f"item {i} of the options is no text")
        found.append(_bytes(data, _target(data, offset + i * width, width), 1 << (packed & 3)))
        left -= len(found[-1])
        if left < 0:
            raise CoreError(f"overlapping texts are longer than all {len(data)} bytes of options")
    return found


def _root(data: bytes, kind: int, name: str) -> tuple[int, int, int]:
    """Return the offset of the items of a map or list, the width of each, and their number."""
    if len(data) < 3 or data[-2] >> 2 != kind:
        raise CoreError(f"options of {len(data)} bytes are not a FlexBuffer with a {name}")
    width, packed = data[-1], data[-2]
    offset = _target(data, len(data) - 2 - width, width)
    width = 1 << (packed & 3)
    count = _number(data, offset - width, width, _UNSIGNED)
    if count > MOST_OPTIONS:
        raise CoreError(f"{count} options are more than {MOST_OPTIONS}")
    return offset, width, count


def _value(data: bytes, offset: int, width: int, packed: int) -> Any:
    kind = packed >> 2
    if kind in _INLINE:
        value = _number(data, offset, width, _INLINE[kind])
        return bool(value) if kind == _BOOL else value
    if kind not in (*_INDIRECT, *_VECTORS, _TEXT):
        return None
    offset, width = _target(data, offset, width), 1 << (packed & 3)
    if kind in _VECTORS:
        return _numbers(data, offset, width, _VECTORS[kind])
    if kind in _INDIRECT:
        return _number(data, offset, width, _INDIRECT[kind])
    return _bytes(data, offset, width).decode("utf-8", "backslashreplace")


def _bytes(data: bytes, offset: int, width: int) -> bytes:
    """Return a text, before which stands its size."""
    size = _number(data, offset - width, width, _UNSIGNED)
    if size > len(data) - offset:
        raise CoreError("a text is outside of the options")
    return data[offset : offset + size]


def _numbers(data: bytes, offset: int, width: int, kinds: dict[int, str]) -> list[Any]:
    """Return a vector, before which stands its length."""
    count = _number(data, offset - width, width, _UNSIGNED)
    if count * width > len(data) - offset:
        raise CoreError(f"a list of {count} numbers is outside of the options")
    return [_number(data, offset + i * width, width, kinds) for i in range(count)]


def _number(data: bytes, offset: int, width: int, kinds: dict[int, str]) -> Any:
    if width not in kinds or not 0 <= offset <= len(data) - width:
        raise CoreError(f"a number of {width} bytes at {offset} is outside of the options")
    return struct.unpack_from(kinds[width], data, offset)[0]


def _target(data: bytes, offset: int, width: int) -> int:
    """Return the target of a backward offset."""
    return offset - _number(data, offset, width, _UNSIGNED)


def _key(data: bytes, offset: int) -> str:
    end = data.find(b"\0", offset, offset + LONGEST_KEY + 1) if offset >= 0 else -1
    if end < 0:
        raise CoreError(f"a name is longer than {LONGEST_KEY} or outside of the options")
    return data[offset:end].decode("utf-8", "backslashreplace")

"""Messages between a page and the server.

A page sends texts, JSON objects with a ``type``, and images: four bytes with the length of a JSON
object (little-endian), the object, and the encoded image. The server sends texts. Each image gets
one answer with its number, so that a page knows how many are on their way.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NamedTuple, NoReturn

from weights_cache.common.errors import ZooError

#: Bytes of the object before an image; and of a text that a page sends.
LONGEST_HEADER = 4096
LONGEST_TEXT = 65_536

#: Types of messages that the server itself uses.
RESERVED = ("frame", "set", "hello", "result", "dropped", "error", "closed")

_LENGTH = 4


def refuse_reserved(type: str) -> None:
    """Raise a ZooError for a type of messages that the server itself uses."""
    if type in RESERVED:
        raise ZooError(f"messages of type {type!r} belong to the server: use another name")


class SentImage(NamedTuple):
    """An image that a page sent."""

    number: int  # 0 or more, which the answer repeats
    type: str  # "frame", or a type of the app's own
    content: dict[str, Any]  # what else the page said
    data: bytes  # encoded, such as JPEG


def image_of(data: bytes) -> SentImage:
    """Return the image of a binary message.

    Raises:
        ZooError: it has another form.

    >>> image_of(message_of({"number": 3, "type": "frame"}, b"JPEG"))
    SentImage(number=3, type='frame', content={}, data=b'JPEG')
    """
    length = int.from_bytes(data[:_LENGTH], "little")
    if not 2 <= length <= min(LONGEST_HEADER, len(data) - _LENGTH):
        raise ZooError(
            f"a binary message of {len(data)} bytes must begin with the length of its JSON object, "
            f"four bytes, little-endian, at most {LONGEST_HEADER}: it says {length}"
        )
    end = _LENGTH + length
    content = _object(data[_LENGTH:end], "the object before an image")
    number, kind = content.pop("number", None), content.pop("type", "frame")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**53:
        raise ZooError(f"number={number!r:.80} of an image must be an integer of at least 0")
    if not isinstance(kind, str):
        raise ZooError(f"type={kind!r:.80} of an image must be a text")
    return SentImage(number, kind, content, data[end:])


def message_of(content: dict[str, Any], image: bytes) -> bytes:
    """Return a binary message, as pages write it."""
    header = json.dumps(content).encode()
    return len(header).to_bytes(_LENGTH, "little") + header + image


def text_of(text: str) -> dict[str, Any]:
    """Return the object of a text message, which has a ``type``.

    Raises:
        ZooError: it is no JSON, or another value.
    """
    if len(text) > LONGEST_TEXT:
        raise ZooError(f"a text of {len(text):,} characters is too long: at most {LONGEST_TEXT:,}")
    content = _object(text, "a text message")
    if not isinstance(content.get("type"), str):
        raise ZooError("a text message must be a JSON object with a text 'type'")
    return content


def _object(text: str | bytes, what: str) -> dict[str, Any]:
    try:
        content = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ZooError(f"{what} is no JSON: {error}") from None
    if not isinstance(content, dict):
        raise ZooError(f"{what} must be a JSON object, not {type(content).__name__}")
    return content


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse(text[:20])


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value of JSON")

"""Images in data URLs, and the kinds of URLs; `zoo.images.fetching` talks to servers."""

from __future__ import annotations

import re
from base64 import b64decode
from urllib.parse import unquote_to_bytes

from weights_cache.shown_urls import host_of, parts_of, shown_url
from zoo.images.errors import VIDEO_ADVICE
from zoo.images.pixels import ImageError

MAX_DOWNLOAD = 64 * 2**20
"""Most bytes of an image at a URL."""

#: A single letter is a drive of Windows.
_SCHEME = r"([a-z][a-z0-9+.-]+)://|(data):"
_STREAMS = ("rtsp", "rtsps", "rtmp", "rtp", "udp", "srt", "mms")


def scheme_of(location: str) -> str | None:
    """Return the scheme of a URL in lower case, or None for a path.

    >>> scheme_of("HTTPS://a.b/c.jpg"), scheme_of("data:,"), scheme_of("c:/d.jpg"), scheme_of("x")
    ('https', 'data', None, None)
    """
    found = re.match(_SCHEME, location, re.IGNORECASE)
    return (found[1] or found[2]).lower() if found else None


def read_url(url: str) -> tuple[bytes, str]:
    """Return the bytes at a URL of http, https or data, and their name in errors.

    Raises:
        ImageError: the URL has another scheme, or cannot be fetched.

    >>> read_url("data:;base64,aGVsbG8=")
    (b'hello', 'data URL of 21 characters')
    """
    scheme = scheme_of(url)
    if scheme in ("http", "https"):
        from zoo.images.fetching import fetch_image  # with the parts that talk to servers

        return fetch_image(url)
    if scheme == "data":
        return _data(url)
    advice = VIDEO_ADVICE if scheme in _STREAMS else "download it and pass its path"
    raise ImageError(f"{named(url)} is not read: URLs of http, https, file and data are; {advice}")


def path_of_file_url(url: str) -> str:
    """Return the path of a URL of a local file.

    Raises:
        ImageError: the URL names another machine.

    >>> path_of_file_url("file:///images/my%20dog.jpg")
    '/images/my dog.jpg'
    """
    from urllib.request import url2pathname

    parts = parts_of(url)
    if parts is None:
        raise ImageError(f"{named(url)} is not a readable URL: write file:///folder/image.jpg")
    if parts.netloc not in ("", "localhost"):
        raise ImageError(
            f"{named(url)} is a file of the machine {host_of(url)!r}: a file of this one has "
            "three slashes, file:///folder/image.jpg"
        )
    return url2pathname(parts.path)


def _data(url: str) -> tuple[bytes, str]:
    name = f"data URL of {len(url):,} characters"
    head, _, text = url.partition(",")
    data = unquote_to_bytes(text)
    if not head.lower().endswith(";base64"):
        return data, name
    try:
        return b64decode(data, validate=True), name
    except ValueError:
        raise ImageError(
            f"{name} is not valid base64: it may have been cut, copy it again"
        ) from None


def named(url: str) -> str:
    """The URL in messages, quoted; cut only after passwords are out of it."""
    return f"{shown_url(url)!r:.300}"

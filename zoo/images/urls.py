"""Kinds of URLs, and how errors show them; `zoo.images.fetching` reads them."""

from __future__ import annotations

import re

from weights_cache.shown_urls import host_of, parts_of, shown_url
from zoo.images.pixels import ImageError

MAX_DOWNLOAD = 64 * 2**20
"""Most bytes of an image at a URL."""

#: A single letter is a drive of Windows.
_SCHEME = r"([a-z][a-z0-9+.-]+)://|(data):"


def scheme_of(location: str) -> str | None:
    """Return the scheme of a URL in lower case, or None for a path.

    >>> scheme_of("HTTPS://a.b/c.jpg"), scheme_of("data:,"), scheme_of("c:/d.jpg"), scheme_of("x")
    ('https', 'data', None, None)
    """
    found = re.match(_SCHEME, location, re.IGNORECASE)
    return (found[1] or found[2]).lower() if found else None


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


def named(url: str) -> str:
    """The URL in messages, quoted; cut only after passwords are out of it."""
    return f"{shown_url(url)!r:.300}"

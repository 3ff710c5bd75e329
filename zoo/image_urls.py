"""Images at URLs: fetched, or from the URL itself. requests is imported when one is fetched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weights_cache.dependencies import needed_for
from weights_cache.places import is_offline
from zoo.image_errors import VIDEO_ADVICE
from zoo.pixels import ImageError

if TYPE_CHECKING:
    import requests

MAX_DOWNLOAD = 64 * 2**20
"""Most bytes that are fetched from a URL."""

_MAX_REDIRECTS = 5
_TIMEOUTS = (5, 15)  # seconds to connect, seconds between two packets

#: A letter alone is a drive of Windows.
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://|(data):", re.IGNORECASE)
_STREAMS = ("rtsp", "rtsps", "rtmp", "rtp", "udp", "srt", "mms")


def scheme_of(place: str) -> str | None:
    """What a URL begins with, in lower case; None for a path.

    >>> scheme_of("HTTPS://a.b/c.jpg"), scheme_of("data:,"), scheme_of("c:/d.jpg"), scheme_of("x")
    ('https', 'data', None, None)
    """
    found = _SCHEME.match(place)
    return (found[1] or found[2]).lower() if found else None


def read_url(url: str) -> tuple[bytes, str]:
    """The bytes behind a URL of http, https or data, and what error messages call them.

    Raises:
        ImageError: the URL is of another kind, or leads nowhere.

    >>> read_url("data:;base64,aGVsbG8=")
    (b'hello', 'data URL of 21 characters')
    """
    scheme = scheme_of(url)
    if scheme in ("http", "https"):
        return _fetch(url)
    if scheme == "data":
        return _data(url)
    advice = VIDEO_ADVICE if scheme in _STREAMS else "download it and pass its path"
    raise ImageError(f"{url!r:.300} is not read: URLs of http, https, file and data are; {advice}")


def path_of_file_url(url: str) -> str:
    """The path that a URL of this machine's files stands for.

    Raises:
        ImageError: the URL names another machine.

    >>> path_of_file_url("file:///photos/my%20dog.jpg")
    '/photos/my dog.jpg'
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise ImageError(
            f"{url!r:.300} is a file of the machine {parts.netloc!r}: a file of this one has "
            "three slashes, file:///folder/image.jpg"
        )
    return url2pathname(parts.path)


def _data(url: str) -> tuple[bytes, str]:
    from base64 import b64decode
    from urllib.parse import unquote_to_bytes

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


def _fetch(url: str) -> tuple[bytes, str]:
    if is_offline():
        raise ImageError(f"{url!r} is not fetched because ZOO_OFFLINE is set: unset it")
    with needed_for("fetching an image"):
        import requests

    try:
        with requests.Session() as session:
            session.max_redirects = _MAX_REDIRECTS
            headers = {"Accept-Encoding": "identity"}
            with session.get(url, headers=headers, timeout=_TIMEOUTS, stream=True) as response:
                kind = response.headers.get("Content-Type", "unknown type")
                return _body(response, url), f"{url!r} (sent as {kind})"
    except (requests.RequestException, ValueError) as error:
        lost = isinstance(error, requests.ConnectionError)
        reason = "no connection" if lost else str(error)
        raise ImageError(f"{url!r} cannot be fetched ({reason}): check it in a browser") from error


def _body(response: requests.Response, url: str) -> bytes:
    if response.status_code != 200:
        raise ImageError(
            f"{url!r} answered with status {response.status_code}, not 200: check the address"
        )
    body = bytearray()
    for chunk in response.iter_content(2**16):
        body += chunk
        if len(body) > MAX_DOWNLOAD:
            raise ImageError(
                f"{url!r} is larger than {MAX_DOWNLOAD:,} bytes: download it and pass its path"
            )
    return bytes(body)

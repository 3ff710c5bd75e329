"""Images at URLs of http and https, fetched once and within limits, and in data URLs."""

from base64 import b64decode
from urllib.parse import unquote_to_bytes

from weights_cache.download import LIMITS
from weights_cache.failures import DownloadError, harmless
from weights_cache.http_answers import Budget, HttpAnswer, answer_to, open_session
from weights_cache.locations import is_offline
from zoo.images.errors import VIDEO_ADVICE
from zoo.images.pixels import ImageError
from zoo.images.urls import MAX_DOWNLOAD, named, scheme_of

#: Schemes of live video.
_STREAMS = ("rtsp", "rtsps", "rtmp", "rtp", "udp", "srt", "mms")


def read_url(url: str) -> tuple[bytes, str]:
    """Return the bytes at a URL of http, https or data, and their name in errors.

    Raises:
        ImageError: the URL has another scheme, or cannot be fetched.

    >>> read_url("data:;base64,aGVsbG8=")
    (b'hello', 'data URL of 21 characters')
    """
    scheme = scheme_of(url)
    if scheme in ("http", "https"):
        return _fetch(url)
    if scheme == "data":
        return _data(url)
    advice = VIDEO_ADVICE if scheme in _STREAMS else "download it and pass its path"
    raise ImageError(f"{named(url)} is not read: URLs of http, https, file and data are; {advice}")


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


def _fetch(url: str) -> tuple[bytes, str]:
    """Return the bytes at a URL of http or https, and their name in errors.

    The server is asked once, where it is asked several times for weights; the limits are those of
    weights.

    Raises:
        ImageError: the server refuses it or does not answer, or it is too large.
    """
    shown = named(url)
    if is_offline():
        raise ImageError(f"{shown} is not fetched because ZOO_OFFLINE is set: unset it")
    limits = LIMITS.with_user_rate()
    in_all = limits.seconds_for(MAX_DOWNLOAD)
    budget = Budget(limits.silence, in_all, in_all)
    try:
        with (
            open_session("fetching an image") as session,
            answer_to(session, url, {}, limits, budget) as answer,
        ):
            kind = harmless(answer.headers.get("Content-Type", "unknown type"))
            return _body(answer, shown), f"{shown} (sent as {kind:.80})"
    except DownloadError as error:
        raise ImageError(f"{shown} cannot be fetched ({error}): check it in a browser") from error


def _body(answer: HttpAnswer, shown: str) -> bytes:
    if answer.status != 200:
        raise ImageError(
            f"{shown} answered with status {answer.status}, not 200: check the address"
        )
    if answer.length > MAX_DOWNLOAD:
        raise _too_large(shown)
    body = bytearray()
    for block in answer.blocks(decoded=True):
        body += block
        if len(body) > MAX_DOWNLOAD:
            raise _too_large(shown)
    return bytes(body)


def _too_large(shown: str) -> ImageError:
    return ImageError(
        f"{shown} is larger than {MAX_DOWNLOAD:,} bytes: download it and pass its path"
    )

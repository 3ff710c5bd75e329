"""Images at URLs: fetched once, within limits."""

from weights_cache.download import LIMITS
from weights_cache.failures import DownloadError, harmless
from weights_cache.http_answers import Budget, HttpAnswer, answer_to, open_session
from weights_cache.locations import is_offline
from zoo.images.pixels import ImageError
from zoo.images.urls import MAX_DOWNLOAD, named


def fetch_image(url: str) -> tuple[bytes, str]:
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

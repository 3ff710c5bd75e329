"""Final answers to HTTP requests: redirects are followed, errors become a DownloadError.

All network access for weights, models at URLs and images goes through this module.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from weights_cache.common.dependencies import needed_for
from weights_cache.failures import DownloadError, UnusableError, explain, interruption_in
from weights_cache.shown_urls import shown_url
from weights_cache.transfer_limits import TransferLimits

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

    from weights_cache.sessions import Session

REDIRECTS = 10
_BLOCK = 2**16
_MOST_DIGITS = 18  # of a Content-Length


class Budget(NamedTuple):
    """Seconds until the headers of the final answer, and until the end of its body.

    ``in_all`` are the seconds that the whole file may take, for the message.
    """

    headers: float
    body: float
    in_all: float


def open_session(purpose: str = "fetching weights") -> "Session":
    """Return a session for the downloads of one model; the session keeps connections open."""
    with needed_for(purpose):
        from weights_cache.sessions import Session
    return Session()


class HttpAnswer:
    """The headers of a final answer, and its body as a stream."""

    def __init__(self, response: "Response", session: "Session") -> None:
        self.status, self.reason = response.status_code, response.reason or ""
        self.headers = response.headers
        self._response, self._session = response, session

    @property
    def length(self) -> int:
        """Content-Length; 0 if the header is missing."""
        text = self.headers.get("Content-Length", "")
        # Python does not convert thousands of digits.
        return int(text[:_MOST_DIGITS]) if text.isdecimal() else 0

    def blocks(self, *, decoded: bool = False) -> Iterator[bytes]:
        """Yield blocks of the body; ``decoded`` undoes its Content-Encoding.

        Raises:
            DownloadError: the body ends early, arrives too slowly, or is invalid HTTP.
        """
        with _explained():
            for block in self._response.raw.stream(_BLOCK, decode_content=decoded):
                self._session.meter.count_block()
                yield block


@contextmanager
def answer_to(
    session: "Session", url: str, headers: dict[str, str], limits: TransferLimits, budget: Budget
) -> Iterator[HttpAnswer]:
    """Request ``url`` and follow its redirects; the answer is closed at the end of the block.

    At most `REDIRECTS` redirects are followed, to http and https and never from https to http. The
    body of a redirect is not read. Passwords, of the URL or of ``.netrc``, are sent to the server
    of ``url`` only, and cookies only to the server that set them.

    Raises:
        DownloadError: the server does not answer in time, or a redirect is refused.
    """
    session.meter.expect_headers(limits, budget.headers)
    with _explained():
        response = _final(session, url, headers)
    try:
        session.meter.expect_body(budget.body, budget.in_all)
        yield HttpAnswer(response, session)
    finally:
        response.close()


def _final(session: "Session", url: str, headers: dict[str, str]) -> "Response":
    session.cookies.clear()
    credentials: _Credentials | None = None
    for _ in range(REDIRECTS + 1):
        response = session.get(
            url,
            headers=headers,
            auth=credentials,
            stream=True,
            allow_redirects=False,
            timeout=session.meter.connect_timeouts(),
        )
        if not response.is_redirect:
            return response
        response.close()
        url = _target(response)
        if credentials is None:
            credentials = _Credentials(response.request)
        if session.should_strip_auth(response.url, url):
            credentials.forget()
            session.cookies.clear()
    raise UnusableError(f"leads to more than {REDIRECTS} redirects", "endless redirects")


class _Credentials:
    """The Authorization header of the first request, which keeps requests from using netrc."""

    def __init__(self, request: "PreparedRequest") -> None:
        self._authorization = request.headers.get("Authorization")

    def __call__(self, request: "PreparedRequest") -> "PreparedRequest":
        if self._authorization:
            request.headers["Authorization"] = self._authorization
        return request

    def forget(self) -> None:
        """Drop the header after a redirect to another server, for all later redirects too."""
        self._authorization = None


def _target(response: "Response") -> str:
    """Return the target URL of a redirect; raise UnusableError unless it is http or https."""
    location, parts = response.headers["Location"], None
    with suppress(ValueError):  # whose text may have a password, and would stay with the error
        url = urljoin(response.url, location.encode("latin-1").decode())
        split = urlsplit(url)
        server, _ = split.hostname, split.port  # raises for a port that is no number
        parts = split
    if parts is None:
        raise UnusableError(
            f"redirects to an invalid URL ({shown_url(location):.200})", "wrong redirect"
        )
    before = urlsplit(response.url).scheme
    if parts.scheme not in ("http", "https") or not server:
        raise UnusableError(
            f"redirects to {shown_url(url):.200}: only URLs of http and https are followed",
            "wrong redirect",
        )
    if before == "https" and parts.scheme == "http":
        raise UnusableError("redirected from https to http, which is refused", "wrong redirect")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


@contextmanager
def _explained() -> Iterator[None]:
    """Turn exceptions of the connection into a DownloadError; interruptions from outside pass.

    The chain of exceptions is dropped: those of requests have whole URLs in their messages and the
    request with its passwords. ``from None`` would only hide it from tracebacks; other programs,
    such as Dask where it sends errors to other machines, go through all of it.
    """
    handled = sys.exc_info()[1]
    try:
        yield
    except DownloadError:
        raise
    except Exception as error:
        unwrapped = interruption_in(error, handled) or explain(error)
        try:
            raise unwrapped  # noqa: B904  (without a cause)
        finally:
            unwrapped.__context__ = handled

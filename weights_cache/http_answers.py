"""The final answer to a request: redirects are followed here, and errors are put in words.

The one place where weights, models at URLs and images meet the network.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from weights_cache.dependencies import needed_for
from weights_cache.failures import DownloadError, UnusableError, explain, interruption_in
from weights_cache.shown_urls import shown_url
from weights_cache.transfer_limits import TransferLimits

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

    from weights_cache.sessions import Session

REDIRECTS = 10
_BLOCK = 2**16
_MOST_DIGITS = 18  # of a length that is read


class Budget(NamedTuple):
    """Seconds: until the headers of the final answer, and until the end of its body.

    ``in_all`` is what the file might take when it was begun, for the error.
    """

    headers: float
    body: float
    in_all: float


def open_session(purpose: str = "fetching weights") -> "Session":
    """Return a session for the downloads of one model (it keeps the connection open)."""
    with needed_for(purpose):
        import requests  # noqa: F401

        from weights_cache.sessions import Session
    return Session()


class HttpAnswer:
    """The headers of a final answer, and its body as it comes."""

    def __init__(self, response: "Response", session: "Session") -> None:
        self.status, self.reason = response.status_code, response.reason or ""
        self.headers = response.headers
        self._response, self._session = response, session

    @property
    def length(self) -> int:
        """The bytes of the body that its header announces; 0 where it does not."""
        text = self.headers.get("Content-Length", "")
        # Thousands of digits are no length of a file, and Python refuses to read them.
        return int(text[:_MOST_DIGITS]) if text.isdecimal() else 0

    def blocks(self, *, decoded: bool = False) -> Iterator[bytes]:
        """Blocks of the body; ``decoded`` undoes its Content-Encoding.

        Raises:
            DownloadError: it ends early, comes too slowly, or is no valid HTTP.
        """
        with _explained():
            for block in self._response.raw.stream(_BLOCK, decode_content=decoded):
                self._session.meter.give_block()
                yield block


@contextmanager
def answer_to(
    session: "Session", url: str, headers: dict[str, str], limits: TransferLimits, budget: Budget
) -> Iterator[HttpAnswer]:
    """Ask for ``url`` and follow its redirects; the answer is closed with the ``with`` block.

    At most `REDIRECTS` are followed, to http and https and never from https to http. The body of a
    redirect is not read. Passwords, of the URL or of ``.netrc``, are sent to the server of ``url``
    only, and cookies not from one server to another.

    Raises:
        DownloadError: there is no answer in time, or it leads where it must not.
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
    """What the first request was authorised by; with it requests looks for nothing else."""

    def __init__(self, request: "PreparedRequest") -> None:
        self._authorization = request.headers.get("Authorization")

    def __call__(self, request: "PreparedRequest") -> "PreparedRequest":
        if self._authorization:
            request.headers["Authorization"] = self._authorization
        return request

    def forget(self) -> None:
        """Another server is not to get it, nor one that it leads back to."""
        self._authorization = None


def _target(response: "Response") -> str:
    """The URL that a redirect leads to; an error unless it is one of http or https."""
    try:
        place = response.headers["Location"].encode("latin-1").decode()
        url = urljoin(response.url, place)
        parts = urlsplit(url)
        server, _ = parts.hostname, parts.port  # raises for a port that is no number
    except ValueError as error:
        raise UnusableError(f"redirects to what is no URL ({error})", "wrong redirect") from None
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
    """Turn whatever goes wrong inside into a DownloadError, but not what comes from outside.

    The chain of exceptions is cut, because requests puts whole URLs into its own.
    """
    handled = sys.exc_info()[1]
    try:
        yield
    except DownloadError:
        raise
    except Exception as error:
        interruption = interruption_in(error, handled)
        if interruption is not None:
            raise interruption  # noqa: B904  (as it came, not as requests wrapped it)
        raise explain(error) from None

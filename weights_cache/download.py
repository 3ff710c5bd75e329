"""Receiving one file over HTTP: resumed after a cut, retried with back-off, never too long.

The rules and the faults behind them are listed in README.md, section "Guarantees".
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from weights_cache.dependencies import needed_for
from weights_cache.errors import WeightsError
from weights_cache.parts import Part, WrongBytesError
from weights_cache.places import MIRROR_VARIABLE

if TYPE_CHECKING:
    from requests import Response, Session

_BLOCK = 2**16
_REDIRECTS = 10


class Limits(NamedTuple):
    """How long a download waits, in seconds, and how often it tries one URL."""

    connect: float = 5.0
    read: float = 15.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 30.0
    sleep: Callable[[float], None] = time.sleep


LIMITS = Limits()


class _UnusableError(Exception):
    """The URL will not give the file, however often it is asked."""


class _TransientError(Exception):
    """Asking again may help, after ``wait`` seconds if the server said so."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def open_session() -> "Session":
    """Return a session for the downloads of one model (it keeps the connection open)."""
    with needed_for("fetching weights"):
        import requests
    session = requests.Session()
    session.max_redirects = _REDIRECTS
    # Bytes are counted and hashed as sent; a compressed answer could unpack to any size.
    session.headers.update({"Accept-Encoding": "identity", "User-Agent": "friendly-zoo"})
    return session


def download(
    part: Part,
    session: "Session",
    urls: Sequence[str],
    what: str,
    limits: Limits | None = None,
) -> None:
    """Receive ``part`` from the first of ``urls`` that gives the right bytes, and finish it.

    A URL is asked again after a cut, a timeout, status 429 or 5xx (with back-off, resuming what
    came), and once more from the first byte after wrong bytes; not after another status.
    Raises WeightsError with ``what`` was wanted and the reason for each URL.
    """
    reasons = []
    for url in urls:
        reason = _try_url(url, part, session, limits or LIMITS)
        if reason is None:
            return
        reasons.append(f"{url}: {reason}")
    raise WeightsError(
        f"cannot fetch {what}: {'; '.join(reasons)}. Try again later, or set "
        f"{MIRROR_VARIABLE} to a folder or URL that has it"
    )


def _try_url(url: str, part: Part, session: "Session", limits: Limits) -> str | None:
    """Return why ``url`` did not give the file, or None when the part is finished."""
    source = _Source(url, session, limits)
    reason = ""
    wrong = 0
    for attempt in range(limits.attempts):
        try:
            source.receive(part)
            part.finish()
            return None
        except _UnusableError as error:
            return str(error)
        except WrongBytesError as error:
            part.restart()
            reason = str(error)
            wrong += 1
            if wrong == 2:
                break
        except _TransientError as error:
            reason = f"{error} (tried {attempt + 1} times)"
            if attempt + 1 < limits.attempts:
                limits.sleep(_wait(attempt, error.wait, limits))
    return reason


def _wait(attempt: int, retry_after: float | None, limits: Limits) -> float:
    if retry_after is not None:
        return min(retry_after, limits.longest_retry_after)
    return min(limits.first_wait * 2**attempt, limits.longest_wait)


class _Source:
    """One URL, and what its server said of the version that it sends."""

    def __init__(self, url: str, session: "Session", limits: Limits) -> None:
        self._url = url
        self._session = session
        self._timeout = (limits.connect, limits.read)
        self._validator: str | None = None

    def receive(self, part: Part) -> None:
        """Add the bytes that ``part`` lacks, in one request."""
        import requests
        import urllib3

        if part.is_complete:
            return
        try:
            with self._get(part) as response:
                self._check_answer(response, part)
                for block in response.raw.stream(_BLOCK, decode_content=False):
                    part.write(block)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise _explain(error) from error
        if part.is_short:
            raise _TransientError(f"ended after {part.size} of {part.file.bytes} bytes")

    def _get(self, part: Part) -> "Response":
        headers = {}
        if part.size and (part.is_known or self._validator):
            headers["Range"] = f"bytes={part.size}-"
            if self._validator:
                headers["If-Range"] = self._validator
        return self._session.get(self._url, headers=headers, stream=True, timeout=self._timeout)

    def _check_answer(self, response: "Response", part: Part) -> None:
        _check_status(response)
        if response.status_code == 206:
            _check_range(response, part)
        elif part.size:
            part.restart()  # the server ignores ranges, or has another version by now
        _check_body(response, part)
        self._validator = _strong_validator(response)


def _check_status(response: "Response") -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        raise _TransientError(_status_text(response), _retry_after(response))
    if status == 416:
        raise WrongBytesError("the server has fewer bytes than were received before (status 416)")
    if status not in (200, 206):
        raise _UnusableError(_status_text(response))


def _check_range(response: "Response", part: Part) -> None:
    """The part that was asked for, and no other."""
    sent = response.headers.get("Content-Range", "")
    if not part.size or not sent.startswith(f"bytes {part.size}-"):
        raise WrongBytesError(f"sent the range {sent!r} when asked for bytes {part.size}-")


def _check_body(response: "Response", part: Part) -> None:
    """Refuse a login page or a compressed body before a byte of it is read."""
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise WrongBytesError(f"sent the encoding {encoding!r} when asked for identity")
    part.check_headers(response.headers)


def _strong_validator(response: "Response") -> str | None:
    """What If-Range may hold: an ETag unless it is a weak one, else the date of change."""
    etag = response.headers.get("ETag")
    if etag and not etag.startswith("W/"):
        return etag
    return response.headers.get("Last-Modified")


def _status_text(response: "Response") -> str:
    return f"answered with status {response.status_code} {response.reason or ''}".rstrip()


def _retry_after(response: "Response") -> float | None:
    """Seconds of a Retry-After header, given as a number or as a date."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _explain(error: Exception) -> Exception:
    """Say in words what went wrong with the connection, and whether asking again may help."""
    import requests
    import urllib3

    if isinstance(error, (requests.Timeout, urllib3.exceptions.TimeoutError)):
        return _TransientError("timed out")
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(cause, urllib3.exceptions.NewConnectionError):
        return _UnusableError(f"no connection ({_last_words(cause)})")
    cut = (
        requests.ConnectionError,
        urllib3.exceptions.ProtocolError,
        urllib3.exceptions.SSLError,  # in mid-body; a certificate is refused by the next one
    )
    if isinstance(error, cut) and not isinstance(error, requests.exceptions.SSLError):
        return _TransientError(f"the connection broke ({_last_words(error)})")
    return _UnusableError(_last_words(error))


def _last_words(error: Exception) -> str:
    """The reason inside an error that wraps others (not __context__: that may be the caller's)."""
    inner = [getattr(error, "reason", None), *reversed(error.args)]
    wrapped = next((one for one in inner if isinstance(one, Exception)), None)
    if wrapped is not None:
        return _last_words(wrapped)
    return str(error).rpartition(": ")[2] or type(error).__name__

"""Receiving one file over HTTP: resumed after a cut, retried with back-off, never too long.

The rules and the faults behind them are listed in README.md, section "Guarantees".
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from weights_cache.dependencies import needed_for
from weights_cache.failures import (
    Failure,
    TransientError,
    UnavailableError,
    UnusableError,
    explain,
)
from weights_cache.parts import Part, WrongBytesError
from weights_cache.progress import PATIENCE, after_patience

if TYPE_CHECKING:
    from requests import Response, Session

_BLOCK = 2**16
_REDIRECTS = 10
_SHORTEST = 0.001  # seconds of a time-out: 0 is none to sockets

#: Servers that never answered, and when that was: others are asked first for a while.
_silent: dict[str, float] = {}


class Limits(NamedTuple):
    """How long a download waits, in seconds, and how often it tries one URL.

    ``silence`` is what all attempts at one URL may take together before its first byte;
    ``patience`` is how long nothing is said of waiting; ``rest`` is how long a server that was
    silent is passed over where another URL is left.
    """

    connect: float = 5.0
    read: float = 15.0
    silence: float = 18.0
    patience: float = PATIENCE
    rest: float = 60.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


LIMITS = Limits()


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
    say: Callable[[str], object],
    limits: Limits | None = None,
) -> None:
    """Receive ``part`` from the first of ``urls`` that gives the right bytes, and finish it.

    A URL is asked again after a cut, a timeout, status 429 or 5xx (with back-off, resuming what
    came), and once more from the first byte after wrong bytes; not after another status. A server
    from which no byte comes is given up after ``limits.silence`` seconds. ``say`` gets a line when
    there is nothing to show for some time.

    Raises UnavailableError with the reason for each URL.
    """
    limits = limits or LIMITS
    failures = []
    for url in _worth_asking(urls, limits):
        failure = _try_url(url, part, session, say, limits)
        if failure is None:
            return
        failures.append(failure)
    raise UnavailableError(failures)


def _worth_asking(urls: Sequence[str], limits: Limits) -> Sequence[str]:
    """Without those of servers that were silent a moment ago, unless there are no other ones."""
    now = limits.clock() if _silent else 0.0
    resting = {host for host, then in list(_silent.items()) if now - then < limits.rest}
    return [url for url in urls if host_of(url) not in resting] or urls


def host_of(url: str) -> str:
    """Name of the server, with its port if it has an unusual one; of what is no URL itself.

    >>> host_of("https://example.org/weights.bin")
    'example.org'
    """
    try:
        return urlsplit(url).netloc or url
    except ValueError:
        return url


def _try_url(
    url: str, part: Part, session: "Session", say: Callable[[str], object], limits: Limits
) -> Failure | None:
    """Return why ``url`` did not give the file, or None when the part is finished."""
    source = _Source(url, session, say, limits)
    failure: Failure | None = None
    wrong = 0
    for attempt in range(limits.attempts):
        try:
            source.receive(part)
            part.finish()
            return None
        except UnusableError as error:
            return Failure(url, error.short, str(error), error.answered)
        except WrongBytesError as error:
            part.restart()
            failure = Failure(url, error.short, str(error))
            wrong += 1
            if wrong == 2:
                break
        except TransientError as error:
            reason = f"{error} (tried {attempt + 1} times)"
            failure = Failure(url, error.short, reason, error.answered)
            pause = _wait(attempt, error.wait, limits)
            if source.is_silent(pause):
                return source.give_up(failure)
            if attempt + 1 < limits.attempts:
                limits.sleep(pause)
    return failure


def _wait(attempt: int, retry_after: float | None, limits: Limits) -> float:
    if retry_after is not None:
        return min(retry_after, limits.longest_retry_after)
    return min(limits.first_wait * 2**attempt, limits.longest_wait)


class _Source:
    """One URL, what its server said of the version that it sends, and how long it was silent."""

    def __init__(
        self, url: str, session: "Session", say: Callable[[str], object], limits: Limits
    ) -> None:
        self._url = url
        self._session = session
        self._say = say
        self._limits = limits
        self._validator: str | None = None
        self._heard = False  # a byte of the file
        self._waiting = False  # that was said
        self._asked: float | None = None  # when it was first asked of what it has not answered

    def receive(self, part: Part) -> None:
        """Add the bytes that ``part`` lacks, in one request."""
        import requests
        import urllib3

        if part.size == part.file.bytes:
            return
        try:
            waiting = after_patience(self._say_waiting, self._limits.patience)
            with waiting as timer, self._get(part) as response:
                self._check_answer(response, part)
                for block in response.raw.stream(_BLOCK, decode_content=False):
                    self._heard = True
                    timer.cancel()
                    part.write(block)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise explain(error) from error
        if part.size < part.file.bytes:
            raise TransientError(
                f"ended after {part.size} of {part.file.bytes} bytes", "connection broke"
            )

    def is_silent(self, pause: float) -> bool:
        """Whether nothing has come, and after a pause no time is left for the first byte."""
        return not self._heard and self._asked is not None and self._left() <= pause

    def give_up(self, failure: Failure) -> Failure:
        """Say so, pass the server over for a while, and return the reason."""
        host, short = host_of(self._url), f"no answer in {self._limits.silence:g} s"
        _silent[host] = self._limits.clock()
        self._say(f"{host}: {short}, given up")
        return failure._replace(short=short)

    def _left(self) -> float:
        """Seconds that are left for the first byte."""
        now = self._limits.clock()
        if self._asked is None:
            self._asked = now
        return self._limits.silence - (now - self._asked)

    def _say_waiting(self) -> None:
        """Once, however often this URL is asked."""
        if not self._waiting:
            self._waiting = True
            seconds = self._limits.silence
            self._say(f"waiting for {host_of(self._url)} (given up after {seconds:g} s)")

    def _get(self, part: Part) -> "Response":
        headers = {}
        if part.size:
            headers["Range"] = f"bytes={part.size}-"
            if self._validator:
                headers["If-Range"] = self._validator
        return self._session.get(self._url, headers=headers, stream=True, timeout=self._timeout())

    def _timeout(self) -> tuple[float, float]:
        """Seconds to connect, and between bytes; before the first one no more than are left."""
        connect, read = self._limits.connect, self._limits.read
        if self._heard:
            return connect, read
        left = max(self._left(), _SHORTEST)
        return min(connect, left), min(read, left)

    def _check_answer(self, response: "Response", part: Part) -> None:
        if response.status_code not in (200, 206):
            self._asked = None  # that is an answer
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
        busy = TransientError(_status_text(response), f"status {status}")
        busy.wait = _retry_after(response)
        raise busy
    if status == 416:
        raise WrongBytesError("the server has fewer bytes than were received before (status 416)")
    if status not in (200, 206):
        raise UnusableError(_status_text(response), f"status {status}")


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
    expected = part.file.bytes - part.size
    declared = response.headers.get("Content-Length", str(expected))
    if declared != str(expected):
        kind = response.headers.get("Content-Type", "no type")
        raise WrongBytesError(f"announced {declared} bytes ({kind}) instead of {expected}")


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

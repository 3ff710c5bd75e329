"""Download of one file over HTTP: resumed after a lost connection, retried with back-off, bounded.

The rules and the faults behind them are listed in `docs/guarantees.md`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weights_cache.failures import (
    DownloadError,
    Failure,
    SlowError,
    TransientError,
    UnavailableError,
    UnusableError,
    harmless,
)
from weights_cache.http_answers import Budget, HttpAnswer, answer_to, open_session
from weights_cache.partial_files import Part, WrongBytesError
from weights_cache.progress import after_patience
from weights_cache.shown_urls import host_of, shown_url
from weights_cache.transfer_limits import TransferLimits

if TYPE_CHECKING:
    from weights_cache.sessions import Session

__all__ = ["LIMITS", "TransferLimits", "download", "open_session"]

_SHORTEST = 0.001  # seconds of a time-out: to sockets 0 means non-blocking

LIMITS = TransferLimits()

#: Times at which servers did not answer or were too slow: other servers go first for a while.
_silent: dict[str, float] = {}


def download(
    part: Part,
    session: "Session",
    urls: Sequence[str],
    say: Callable[[str], object],
    limits: TransferLimits | None = None,
) -> None:
    """Receive ``part`` from the first of ``urls`` that sends the right bytes, and finish the part.

    A request is repeated after a lost connection, a timeout, status 429 or 5xx (with back-off,
    resuming the download), and once from the first byte after wrong bytes; not after another
    status. A server that sends no byte is given up after ``limits.silence`` seconds, a server that
    sends fewer bytes per second than ``limits.least_rate`` immediately. ``say`` is called with a
    line while a server does not answer.

    Raises:
        UnavailableError: no URL has the file; the error holds the reason for each.
    """
    limits = (limits or LIMITS).with_user_rate()
    in_all = limits.seconds_for(part.file.bytes)
    end = limits.clock() + in_all
    failures: list[Failure] = []
    for url in _urls_to_try(urls, limits):
        if failures and limits.clock() >= end:
            break
        failure = _try_url(_Source(url, session, say, limits, end, in_all), part)
        if failure is None:
            return
        failures.append(failure)
    raise UnavailableError(failures)


def _urls_to_try(urls: Sequence[str], limits: TransferLimits) -> Sequence[str]:
    """Return the URLs of servers that did not fail a moment ago, or all if no such URL is left."""
    now = limits.clock() if _silent else 0.0
    resting = {host for host, then in list(_silent.items()) if now - then < limits.rest}
    return [url for url in urls if host_of(url) not in resting] or urls


def _try_url(source: "_Source", part: Part) -> Failure | None:
    """Return the reason why a URL did not give the file, or None when the part is finished."""
    failure: Failure | None = None
    wrong = 0
    for attempt in range(source.limits.attempts):
        try:
            source.receive(part)
            part.finish()
            return None
        except SlowError as error:
            return source.give_up(source.failure(error, str(error)))
        except UnusableError as error:
            return source.failure(error, str(error))
        except WrongBytesError as error:
            part.restart()
            failure = source.failure(error, str(error))
            wrong += 1
            if wrong == 2:
                break
        except TransientError as error:
            failure = source.failure(error, f"{error} (tried {attempt + 1} times)")
            pause = _wait(attempt, error.wait, source.limits)
            if source.is_silent(pause):
                return source.give_up(failure, f"no answer in {source.limits.silence:g} s")
            if not source.may_pause(pause, asked=error.wait is not None):
                break
            if attempt + 1 < source.limits.attempts:
                source.limits.sleep(pause)
    return failure


def _wait(attempt: int, retry_after: float | None, limits: TransferLimits) -> float:
    if retry_after is not None:
        return min(retry_after, limits.longest_retry_after)
    return min(limits.first_wait * 2**attempt, limits.longest_wait)


@dataclass(repr=False, eq=False)  # a repr would show passwords of the URL
class _Source:
    """One URL, the validator of the version that its server sends, and the time without an answer.

    Args:
        url: URL of the file.
        session: session for the requests.
        say: called with lines about waiting.
        limits: limits of the transfer.
        end: deadline of the file, by the clock of the limits.
        in_all: seconds from the start of the file to ``end``.
    """

    url: str
    session: "Session"
    say: Callable[[str], object]
    limits: TransferLimits
    end: float
    in_all: float
    _validator: str | None = None
    _heard: bool = False  # a byte of the file was received
    _waiting: bool = False  # the line about waiting was printed
    _asked: float | None = None  # time of the first request without an answer
    _paused: float = 0.0  # seconds of Retry-After

    def receive(self, part: Part) -> None:
        """Receive the bytes that ``part`` lacks, in one request."""
        if part.is_complete:
            return
        waiting = after_patience(self._say_waiting, self.limits.patience)
        budget = self._budget()
        request = answer_to(self.session, self.url, self._headers(part), self.limits, budget)
        with waiting as timer, request as answer:
            self._check_answer(answer, part)
            for block in answer.blocks():
                self._heard = True
                timer.cancel()
                part.write(block)
        if part.is_short:
            raise TransientError(
                f"ended after {part.size} of {part.file.bytes} bytes", "connection broke"
            )

    def failure(self, error: DownloadError | WrongBytesError, reason: str) -> Failure:
        """Return the reason why this URL did not give the file."""
        answered = getattr(error, "answered", True)
        return Failure(shown_url(self.url), error.short, harmless(reason), answered)

    def is_silent(self, pause: float) -> bool:
        """Whether no byte was received, and after a pause no time is left for the first."""
        return not self._heard and self._asked is not None and self._left() <= pause

    def may_pause(self, pause: float, asked: bool) -> bool:
        """Whether there is time for a pause; ``asked`` if the server required the pause."""
        self._paused += pause if asked else 0.0
        return self._paused <= self.limits.busy and self.limits.clock() + pause < self.end

    def give_up(self, failure: Failure, short: str = "") -> Failure:
        """Report the failure, skip the server for a while, and return the failure."""
        host, short = host_of(self.url), short or failure.short
        _silent[host] = self.limits.clock()
        self.say(f"{host}: {short}, given up")
        return failure._replace(short=short)

    def _left(self) -> float:
        """Return the seconds left for the first byte."""
        now = self.limits.clock()
        if self._asked is None:
            self._asked = now
        return self.limits.silence - (now - self._asked)

    def _say_waiting(self) -> None:
        """Report the waiting, once per URL."""
        if not self._waiting:
            self._waiting = True
            seconds = self.limits.silence
            self.say(f"waiting for {host_of(self.url)} (given up after {seconds:g} s)")

    def _headers(self, part: Part) -> dict[str, str]:
        headers = {}
        if part.size and (part.is_known or self._validator):
            headers["Range"] = f"bytes={part.size}-"
            if self._validator:
                headers["If-Range"] = self._validator
        return headers

    def _budget(self) -> Budget:
        """Return the seconds left until the headers and for the body."""
        before_body = self.limits.silence if self._heard else self._left()
        in_time = self.end - self.limits.clock()
        return Budget(max(min(before_body, in_time), _SHORTEST), in_time, self.in_all)

    def _check_answer(self, answer: HttpAnswer, part: Part) -> None:
        if answer.status not in (200, 206):
            self._asked = None  # an error status is an answer too
        _check_status(answer)
        if answer.status == 206:
            _check_range(answer, part)
        elif part.size:
            part.restart()  # the server ignores ranges, or has another version by now
        _check_body(answer, part)
        self._validator = _strong_validator(answer.headers)


def _check_status(answer: HttpAnswer) -> None:
    status = answer.status
    if status == 429 or status >= 500:
        busy = TransientError(_status_text(answer), f"status {status}")
        busy.wait = _retry_after(answer)
        raise busy
    if status == 416:
        raise WrongBytesError("the server has fewer bytes than were received before (status 416)")
    if status not in (200, 206):
        raise UnusableError(_status_text(answer), f"status {status}")


def _check_range(answer: HttpAnswer, part: Part) -> None:
    """Raise WrongBytesError unless the answer has the range of bytes that was requested."""
    sent = answer.headers.get("Content-Range", "")
    if not part.size or not sent.startswith(f"bytes {part.size}-"):
        raise WrongBytesError(f"sent the range {sent!r:.100} when asked for bytes {part.size}-")


def _check_body(answer: HttpAnswer, part: Part) -> None:
    """Raise WrongBytesError for a login page or a compressed body, before the body is read."""
    encoding = answer.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise WrongBytesError(f"sent the encoding {encoding!r:.100} when asked for identity")
    part.check_headers(answer.headers)


def _strong_validator(headers: Mapping[str, str]) -> str | None:
    """Return the value for If-Range: a strong ETag, else the date of change."""
    etag, date = headers.get("ETag", ""), headers.get("Last-Modified", "")
    chosen = etag if etag and not etag.startswith("W/") else date
    return chosen if chosen.isprintable() and chosen else None


def _status_text(answer: HttpAnswer) -> str:
    return f"answered with status {answer.status} {answer.reason:.60}".rstrip()


def _retry_after(answer: HttpAnswer) -> float | None:
    """Return the seconds of a Retry-After header, which holds a number or a date."""
    text = answer.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, LookupError):
        return None

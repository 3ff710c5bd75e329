"""Reasons why a download failed: a short form for messages, and the full form for details."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weights_cache.common.messages import visible
from weights_cache.interruptions import is_interruption, raising_package
from weights_cache.shown_urls import shown_url

_LONGEST_REASON = 60  # characters of a short reason
_LONGEST_TEXT = 400  # characters of a full reason
_LONGEST_READ = 8192


def harmless(text: str) -> str:
    r"""Return text of a server, shortened, without passwords and control characters.

    >>> print(harmless("http://me:secret@example.org sent \x1b[2J"))
    http://***@example.org sent \x1b[2J
    """
    if len(text) > _LONGEST_READ:  # a password would not be recognised after a cut
        text = f"{text[:_LONGEST_READ].rpartition(' ')[0]} ..."
    return visible(shown_url(text), lines=False)[:_LONGEST_TEXT]


class Failure(NamedTuple):
    """The short and the full reason why a URL did not give the file.

    ``url`` is without passwords.
    """

    url: str
    short: str
    reason: str
    answered: bool = True  # the server sent at least a status

    def __str__(self) -> str:
        return f"{self.url}: {self.reason}"


class UnavailableError(Exception):
    """No URL gave the file."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("; ".join(map(str, failures)))
        self.failures = failures


class DownloadError(Exception):
    """A request failed: the full reason, made harmless, and ``short`` for one line."""

    def __init__(self, reason: str, short: str = "", answered: bool = True) -> None:
        reason = harmless(reason)
        super().__init__(reason)
        self.short = short or f"{reason:.{_LONGEST_REASON}}"
        self.answered = answered


class UnusableError(DownloadError):
    """The URL does not give the file; further requests are useless."""


class SlowError(UnusableError):
    """The server sends fewer bytes per second than the least rate."""


class TransientError(DownloadError):
    """A further request may succeed, after ``wait`` seconds if the server gave a time."""

    wait: float | None = None


def explain(error: Exception) -> Exception:
    """Return a DownloadError for an exception of the connection: transient or not."""
    import requests
    import urllib3

    if not isinstance(error, (requests.RequestException, urllib3.exceptions.HTTPError, OSError)):
        reason = f"sent an answer that is no valid HTTP ({_innermost_reason(error):.200})"
        return UnusableError(reason, "no valid HTTP")
    if isinstance(error, (requests.Timeout, urllib3.exceptions.TimeoutError)):
        return TransientError("timed out", "no answer", answered=False)
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(cause, urllib3.exceptions.NewConnectionError):
        reason = f"no connection ({_innermost_reason(cause)})"
        return UnusableError(reason, "no connection", answered=False)
    cut = (
        requests.ConnectionError,
        urllib3.exceptions.ProtocolError,
        urllib3.exceptions.SSLError,  # in the body; a refused certificate is requests' own SSLError
    )
    if isinstance(error, cut) and not isinstance(error, requests.exceptions.SSLError):
        reason = f"the connection broke ({_innermost_reason(error)})"
        return TransientError(reason, "connection broke")
    return UnusableError(_innermost_reason(error))


#: Packages whose exceptions wrap those of others.
_WRAPPERS = ("requests", "urllib3")
#: Packages that connect and send.
_CONNECTING = ("http", "urllib3")


def interruption_in(
    error: BaseException, handled: BaseException | None = None
) -> BaseException | None:
    """Return the exception from outside the reading code, such as of a signal handler, or None.

    It may be wrapped by urllib3 and requests, which take the TimeoutError of a signal handler for
    a time-out of the connection.

    Args:
        error: the exception that was caught.
        handled: exception that the caller was handling before, at which the chain ends.
    """
    for one in _chain(error, handled):
        if type(one).__module__.partition(".")[0] in _WRAPPERS:
            continue  # urllib3's exceptions have the traceback of the wrapped one
        is_of_network = isinstance(one, TimeoutError) and raising_package(one) in _CONNECTING
        if is_interruption(one) and not is_of_network:
            return one
    return None


def _chain(error: BaseException | None, handled: BaseException | None) -> Iterator[BaseException]:
    seen = {id(handled)}
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _innermost_reason(error: Exception) -> str:
    """Return the reason inside wrapped errors (not of __context__, which may be the caller's)."""
    inner = [getattr(error, "reason", None), *reversed(error.args)]
    wrapped = next((one for one in inner if isinstance(one, Exception)), None)
    if wrapped is not None:
        return _innermost_reason(wrapped)
    return str(error).rpartition(": ")[2] or type(error).__name__

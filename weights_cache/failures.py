"""Why a download failed: in a few words for everybody, and in full for who looks closer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weights_cache.interruptions import is_interruption
from weights_cache.messages import visible
from weights_cache.shown_urls import shown_url

_LONGEST_REASON = 60  # characters, where a reason has to be short
_LONGEST_TEXT = 400  # where it need not
_LONGEST_READ = 8192


def harmless(text: str) -> str:
    r"""What a server may have sent: cut, without passwords and without commands to a terminal.

    >>> print(harmless("http://me:secret@example.org sent \x1b[2J"))
    http://***@example.org sent \x1b[2J
    """
    if len(text) > _LONGEST_READ:  # a password that is cut could not be recognised
        text = f"{text[:_LONGEST_READ].rpartition(' ')[0]} ..."
    return visible(shown_url(text), lines=False)[:_LONGEST_TEXT]


class Failure(NamedTuple):
    """Why a URL did not give the file: in a few words, and with all that is known.

    ``url`` is as it may be shown, without passwords.
    """

    url: str
    short: str
    reason: str
    answered: bool = True  # the server did, if only with a status

    def __str__(self) -> str:
        return f"{self.url}: {self.reason}"


class UnavailableError(Exception):
    """No URL gave the file."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("; ".join(map(str, failures)))
        self.failures = failures


class DownloadError(Exception):
    """Why a request gave nothing: in full, and ``short`` for a line with other words.

    The reason is made harmless.
    """

    def __init__(self, reason: str, short: str = "", answered: bool = True) -> None:
        reason = harmless(reason)
        super().__init__(reason)
        self.short = short or f"{reason:.{_LONGEST_REASON}}"
        self.answered = answered


class UnusableError(DownloadError):
    """The URL will not give the file, however often it is asked."""


class SlowError(UnusableError):
    """The server answers, but sends less than it has to."""


class TransientError(DownloadError):
    """Asking again may help, after ``wait`` seconds if the server said so."""

    wait: float | None = None


def explain(error: Exception) -> Exception:
    """Say in words what went wrong with the connection, and whether asking again may help."""
    import requests
    import urllib3

    if not isinstance(error, (requests.RequestException, urllib3.exceptions.HTTPError, OSError)):
        reason = f"sent an answer that is no valid HTTP ({_last_words(error):.200})"
        return UnusableError(reason, "no valid HTTP")
    if isinstance(error, (requests.Timeout, urllib3.exceptions.TimeoutError)):
        return TransientError("timed out", "no answer", answered=False)
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(cause, urllib3.exceptions.NewConnectionError):
        reason = f"no connection ({_last_words(cause)})"
        return UnusableError(reason, "no connection", answered=False)
    cut = (
        requests.ConnectionError,
        urllib3.exceptions.ProtocolError,
        urllib3.exceptions.SSLError,  # in mid-body; a certificate is refused by the next one
    )
    if isinstance(error, cut) and not isinstance(error, requests.exceptions.SSLError):
        reason = f"the connection broke ({_last_words(error)})"
        return TransientError(reason, "connection broke")
    return UnusableError(_last_words(error))


#: Packages whose exceptions wrap those of others.
_WRAPPERS = ("requests", "urllib3")


def interruption_in(
    error: BaseException, handled: BaseException | None = None
) -> BaseException | None:
    """What came from outside of the code that reads, by itself or wrapped by urllib3 and requests.

    A signal handler may raise TimeoutError, which they take for one of the connection.

    Args:
        error: as it was caught.
        handled: the exception that the caller was handling before, at which the chain ends.
    """
    for one in _chain(error, handled):
        if type(one).__module__.partition(".")[0] in _WRAPPERS:
            continue  # urllib3 raises its own with the traceback of what it wraps
        if is_interruption(one) and not (isinstance(one, TimeoutError) and _is_of_network(one)):
            return one
    return None


def _chain(error: BaseException | None, handled: BaseException | None) -> Iterator[BaseException]:
    seen = {id(handled)}
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_of_network(error: TimeoutError) -> bool:
    """Whether a socket raised it, called by the modules that connect and send."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    name = str(traceback.tb_frame.f_globals.get("__name__", "")) if traceback else ""
    return name.partition(".")[0] in ("http", "urllib3")


def _last_words(error: Exception) -> str:
    """The reason inside an error that wraps others (not __context__: that may be the caller's)."""
    inner = [getattr(error, "reason", None), *reversed(error.args)]
    wrapped = next((one for one in inner if isinstance(one, Exception)), None)
    if wrapped is not None:
        return _last_words(wrapped)
    return str(error).rpartition(": ")[2] or type(error).__name__

"""Why a download failed: in a few words for everybody, and in full for who looks closer."""

from collections.abc import Sequence
from typing import NamedTuple

_LONGEST_REASON = 60  # characters, where a reason has to be short


class Failure(NamedTuple):
    """Why a URL did not give the file: in a few words, and with all that is known."""

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
    """Why a request gave nothing: in full, and ``short`` for a line with other words."""

    def __init__(self, reason: str, short: str = "", answered: bool = True) -> None:
        super().__init__(reason)
        self.short = short or f"{reason:.{_LONGEST_REASON}}"
        self.answered = answered


class UnusableError(DownloadError):
    """The URL will not give the file, however often it is asked."""


class TransientError(DownloadError):
    """Asking again may help, after ``wait`` seconds if the server said so."""

    wait: float | None = None


def explain(error: Exception) -> Exception:
    """Say in words what went wrong with the connection, and whether asking again may help."""
    import requests
    import urllib3

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


def _last_words(error: Exception) -> str:
    """The reason inside an error that wraps others (not __context__: that may be the caller's)."""
    inner = [getattr(error, "reason", None), *reversed(error.args)]
    wrapped = next((one for one in inner if isinstance(one, Exception)), None)
    if wrapped is not None:
        return _last_words(wrapped)
    return str(error).rpartition(": ")[2] or type(error).__name__

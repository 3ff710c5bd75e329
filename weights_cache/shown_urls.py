"""Removal of passwords and tokens from URLs for messages, notes and pickles."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weights_cache.common.errors import WeightsError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_HIDDEN = "***"

#: User name and password. A password may contain ``/`` or ``?``: then the text after the colon is
#: no port, and all up to the last ``@`` is hidden. Repeats are limited to bound the time.
_USER = r"""
        ((?:[a-z][a-z0-9+.-]{0,15}:/{1,2}|(?<![\w./:-])//))
        (?:[^/?\#\s]{0,4096}@|[^\s/?\#@:\[]{0,99}:(?!\d{1,5}(?:[/?\#\s'",;:)]|$)|[/\s]|$)\S{0,4096}@)"""
#: Values of a query or fragment with the name of a secret.
_VALUE = r"""
        ([?&;\#](?:[\w.~%-]{0,64}(?:token|key|secret|passw|pwd|auth|signature|credential|session)
        [\w.~%-]{0,64}|sig|code|pass)=)[^&;\#\s'"<>)]*"""
#: Patterns, compiled when first used, which takes a millisecond: most texts need none.
_FLAGS = re.IGNORECASE | re.VERBOSE


def shown_url(text: str) -> str:
    """Return a URL, or a text with URLs in it, with every password and token hidden.

    Args:
        text: the text; user name and password before the server's name are hidden, and values of
            the query with a name such as ``token``, ``key`` or ``signature``.

    >>> shown_url("no answer from http://me:secret@example.org/a.bin?v=2&token=abc")
    'no answer from http://***@example.org/a.bin?v=2&token=***'
    """
    if "@" in text:
        text = re.sub(_USER, rf"\1{_HIDDEN}@", text, flags=_FLAGS)
    return re.sub(_VALUE, rf"\1{_HIDDEN}", text, flags=_FLAGS) if "=" in text else text


def other_scheme(what: str, url: str, instead: str) -> WeightsError:
    """Return the error for a URL of neither http nor https.

    >>> print(other_scheme("mirror", "ftp://me:secret@a.org", "a folder"))
    the mirror 'ftp://***@a.org' is not supported: give a URL of http or https, or a folder
    """
    return WeightsError(
        f"the {what} {shown_url(url)!r:.300} is not supported: "
        f"give a URL of http or https, or {instead}"
    )


def parts_of(url: str) -> "SplitResult | None":
    """Return the parts of a URL, or None if it is not readable.

    The ValueError of `urlsplit` may have the password in its text, and would stay with each error
    that is raised while it is handled, and with the error's pickles.
    """
    with suppress(ValueError):
        return urlsplit(url)
    return None


def host_of(url: str) -> str:
    """Return the server of a URL, with its port if given; return other text unchanged.

    >>> host_of("https://example.org/weights.bin")
    'example.org'
    """
    shown = shown_url(url)
    parts = parts_of(shown)
    server = parts.netloc.rpartition("@")[2] if parts else ""
    return server or shown

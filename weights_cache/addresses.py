"""URLs of models: their syntax, and the URLs of the files beside a model."""

import hashlib
import re
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from weights_cache.common.errors import WeightsError
from weights_cache.paths import require_relative
from weights_cache.shown_urls import parts_of, shown_url

MODEL_NAME = "model.json"
_HASH = re.compile(r"sha256=([0-9a-f]{64})", re.IGNORECASE)


def is_url(text: object) -> bool:
    """Whether a text is the URL of a web server.

    >>> is_url("https://example.org/model.json"), is_url("model.json")
    (True, False)
    """
    return isinstance(text, str) and text.lower().startswith(("http://", "https://"))


class Address(NamedTuple):
    """The URL of a model's main file, the file's name, and its sha256 if the URL gives one."""

    url: str
    name: str
    sha256: str | None

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Parse a URL; without an ending like ``.tflite`` it is the URL of a folder.

        Raises:
            WeightsError: the URL has no server, has a password, or ends with a fragment other than
                ``#sha256=<64 hexadecimal digits>``.

        >>> Address.parse("https://example.org/models/cats/").url
        'https://example.org/models/cats/model.json'
        """
        parts = parts_of(text)
        if parts is None:
            raise WeightsError(
                f"{shown_url(text)!r} is not a readable URL: write https://server/path/model.json"
            )
        scheme, netloc, path, query, fragment = parts
        server = parts.hostname
        if not server or "@" in netloc or "//***@" in shown_url(text):
            reason = (
                "has a user name or password: put them into ~/.netrc"
                if server
                else ("has no server: write https://server/path/model.json")
            )
            raise WeightsError(f"the URL {shown_url(text)!r} {reason}")
        if not re.fullmatch(r"\.[A-Za-z]\w*", PurePosixPath(path).suffix) or path.endswith("/"):
            path = f"{path.rstrip('/')}/{MODEL_NAME}"
        name = re.sub(r"[^\w.-]", "_", unquote(path.rpartition("/")[2]))
        url = urlunsplit((scheme, netloc, path, query, ""))
        return cls(url, name, _given_hash(fragment, text))

    @property
    def shown(self) -> str:
        """The URL without passwords, as messages and notes show it."""
        return shown_url(self.url)

    @property
    def key(self) -> str:
        """A readable folder name that is unique to the URL."""
        shown = re.sub(r"[^A-Za-z0-9]+", "-", urlsplit(self.url).netloc).strip("-")
        return f"{shown[:40]}-{hashlib.sha256(self.url.encode()).hexdigest()[:16]}"

    def beside(self, name: str) -> str:
        """Return the URL of a file that the main file names; the query is kept.

        Raises:
            WeightsError: the name is a path out of the folder.

        >>> Address.parse("https://example.org/a/model.json?v=2").beside("w 1.bin")
        'https://example.org/a/w%201.bin?v=2'
        """
        relative = require_relative(name, self.shown)
        scheme, netloc, path, query, _ = urlsplit(self.url)
        folder = path.rpartition("/")[0]
        return urlunsplit((scheme, netloc, f"{folder}/{quote(relative, safe='/%')}", query, ""))


def _given_hash(fragment: str, text: str) -> str | None:
    match = _HASH.fullmatch(fragment)
    if fragment and not match:
        shown = shown_url(text)
        raise WeightsError(
            f"the URL {shown!r} ends with #{shown.partition('#')[2]}: only #sha256= and 64 "
            "hexadecimal digits, the hash of the file, may follow the name"
        )
    return match.group(1).lower() if match else None

"""A file whose length and hash nobody knows yet: what comes at its first use is remembered."""

from collections.abc import Mapping
from pathlib import Path

from weights_cache.file_checks import sha256_of
from weights_cache.partial_files import Part, Report, WrongBytesError
from weights_cache.registry import FileRecord

#: Short reasons: an answer that is made for people, and one of more bytes than may be.
WEB_PAGE, TOO_LARGE = "web page", "too large"


#: Of a length that is read; more are no length of a file, and Python refuses thousands of them.
_MOST_DIGITS = 18


class OtherHashError(Exception):
    """A file came whole, but is not the one that was expected; ``found`` is its sha256."""

    def __init__(self, found: str) -> None:
        super().__init__(f"has sha256 {found}")
        self.found = found


class FirstPart(Part):
    """Received bytes of a file of any length up to a limit.

    Args:
        target: its place.
        file: its name, the most bytes that it may have, and its sha256, or an empty text.
            When the file is finished, those that it has.
        report: as for `Part`.
    """

    is_known = False

    def __init__(self, target: Path, file: FileRecord, report: Report):
        super().__init__(target, file, report)
        self._length: int | None = None
        self.restart()  # what an earlier process left may be of another version

    @property
    def is_complete(self) -> bool:
        """Whether as much came as was announced."""
        return self.size == self._length

    @property
    def is_short(self) -> bool:
        """Whether less came; where nothing was announced, chunks are checked as they come."""
        return self._length is not None and self.size < self._length

    def check_headers(self, headers: Mapping[str, str]) -> None:
        """Refuse a web page, and what is too large or has no marked end."""
        kind, length = headers.get("Content-Type", ""), headers.get("Content-Length", "")
        if kind.partition(";")[0].strip().lower() == "text/html":
            raise WrongBytesError("sent a web page (text/html), not the file itself", WEB_PAGE)
        if length.isdecimal() and len(length) <= _MOST_DIGITS:
            self._length = self.size + int(length)
            self._require_room(self._length)
        elif headers.get("Transfer-Encoding", "").lower() != "chunked":
            raise WrongBytesError("sent neither a length nor chunks, so the end could be a cut")

    def write(self, block: bytes) -> None:
        """Append ``block``; WrongBytesError as soon as there is more than may be."""
        self._require_room(self.size + len(block))
        super().write(block)

    def _require_room(self, size: int) -> None:
        if size > self.file.bytes:
            reason = f"has {size} bytes or more, and {self.file.bytes} are the most that may come"
            raise WrongBytesError(reason, TOO_LARGE)

    def _check(self) -> None:
        found = sha256_of(self._stream)
        if self.file.sha256 not in ("", found):
            raise OtherHashError(found)
        self.file = self.file._replace(bytes=self.size, sha256=found)

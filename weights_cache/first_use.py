"""Download of a file of unknown length and hash; both are recorded at the first use."""

from collections.abc import Mapping
from pathlib import Path

from weights_cache.file_checks import sha256_of
from weights_cache.partial_files import Part, Report, WrongBytesError
from weights_cache.registry import FileRecord

#: Short reasons: the answer is an HTML page; the answer has too many bytes.
WEB_PAGE, TOO_LARGE = "web page", "too large"


#: Digits of a Content-Length; no file is longer, and Python does not convert thousands of digits.
_MOST_DIGITS = 18


class OtherHashError(Exception):
    """A complete file has another sha256 than expected: ``found``."""

    def __init__(self, found: str) -> None:
        super().__init__(f"has sha256 {found}")
        self.found = found


class FirstPart(Part):
    """Received bytes of a file of any length up to a limit.

    Args:
        target: path of the finished file.
        file: name, greatest length, and sha256 or an empty text; when the file is finished, its
            true length and sha256.
        report: as for `Part`.
    """

    is_known = False

    def __init__(self, target: Path, file: FileRecord, report: Report):
        super().__init__(target, file, report)
        self._length: int | None = None
        self.restart()  # a part of an earlier process may be of another version

    @property
    def is_complete(self) -> bool:
        """Whether all announced bytes were received."""
        return self.size == self._length

    @property
    def is_short(self) -> bool:
        """Whether announced bytes are missing; an answer in chunks marks its end itself."""
        return self._length is not None and self.size < self._length

    def check_headers(self, headers: Mapping[str, str]) -> None:
        """Raise WrongBytesError for an HTML page, or an answer too large or without an end."""
        kind, length = headers.get("Content-Type", ""), headers.get("Content-Length", "")
        if kind.partition(";")[0].strip().lower() == "text/html":
            raise WrongBytesError("sent a web page (text/html), not the file itself", WEB_PAGE)
        if length.isdecimal() and len(length) <= _MOST_DIGITS:
            self._length = self.size + int(length)
            self._require_room(self._length)
        elif headers.get("Transfer-Encoding", "").lower() != "chunked":
            raise WrongBytesError("sent neither a length nor chunks, so the end could be a cut")

    def write(self, block: bytes) -> None:
        """Append ``block``; raise WrongBytesError if the file becomes larger than its limit."""
        self._require_room(self.size + len(block))
        super().write(block)

    def _require_room(self, size: int) -> None:
        if size > self.file.bytes:
            reason = f"has {size} bytes or more, and at most {self.file.bytes} are allowed"
            raise WrongBytesError(reason, TOO_LARGE)

    def _check(self) -> None:
        found = sha256_of(self._stream)
        if self.file.sha256 not in ("", found):
            raise OtherHashError(found)
        self.file = self.file._replace(bytes=self.size, sha256=found)

"""Base class of every error that this project raises on purpose, and the errors about weights.

The class is in the lowest package so that ``core`` and ``zoo`` can derive from it.
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

from weights_cache.common.sizes import count_text, size_text

DEBUG_VARIABLE = "ZOO_DEBUG"


class ZooError(Exception):
    """An error that the caller can correct: the message has the value, the limit, the next step."""

    __module__ = "zoo"  # the public location, for tracebacks


class WeightsError(ZooError):
    """A weight file is missing, damaged, of an unknown kind, or cannot be fetched or written."""

    __module__ = "zoo"


class AbsentFile(NamedTuple):
    """A file that is missing or damaged on this machine."""

    record: str  # name of the registered model
    path: str  # in the folder of the record
    bytes: int


class MissingError(WeightsError):
    """Weights are missing or damaged on this machine, and cannot be fetched now.

    The message has three lines: the missing files, the command that fetches them, and the steps for
    a computer without internet.
    With the environment variable ``ZOO_DEBUG`` set, ``details`` follow.

    Args:
        name: name of the model, as `zoo weights fetch` takes it.
        files: files that are missing or damaged, also those of models that this model uses.
        reason: short reason why the files are absent or could not be fetched.
        details: for each file (of many for the first) the locations searched, and their faults.
        partners: names of the other models that ``files`` belong to.
    """

    _advice = "To fetch it, run"

    def __init__(
        self,
        name: str,
        files: Iterable[AbsentFile],
        reason: str = "",
        details: str = "",
        partners: Iterable[str] = (),
    ):
        self.name, self.reason, self.details = name, reason, details
        self.files = tuple(dict.fromkeys(files))
        self.partners = tuple(partners)
        super().__init__(name, self.files, reason, details, self.partners)

    @property
    def lines(self) -> tuple[str, str, str]:
        """The three lines: missing files, command that fetches them, steps without internet."""
        why = f": {self.reason}" if self.reason else ""
        kit = f"{self.name.partition('.')[0]}.zip"
        return (
            f"The model {self.name} ({self._contents()}) is not on this machine{why}.",
            f"{self._advice} `zoo weights fetch {self.name}`.",
            f"Without internet: run `zoo weights kit {kit} {self.name}` on a computer with "
            f"internet, then here `zoo weights install {kit}`.",
        )

    def __str__(self) -> str:
        extra = [self.details] if self.details and os.environ.get(DEBUG_VARIABLE) else []
        return "\n".join([*self.lines, *extra])

    def for_model(
        self, name: str, others: Iterable[AbsentFile] = (), partners: Iterable[str] = ()
    ) -> "MissingError":
        """Return this error for the model ``name``, with further files that the model lacks."""
        files = (*self.files, *others)
        return type(self)(name, files, self.reason, self.details, partners)

    def _contents(self) -> str:
        files = count_text(len(self.files), "file")
        size = size_text(sum(file.bytes for file in self.files))
        if not self.partners:
            return f"{files}, {size}"
        shown, more = self.partners[:2], len(self.partners[2:])
        partners = f"{', '.join(shown)} and {more} more" if more else " and ".join(shown)
        return f"{files} of {len(self.partners) + 1} models, {size} with {partners}"


class OfflineError(MissingError):
    """Weights are missing or damaged on this machine, and the network is switched off."""

    _advice = "To fetch it, unset ZOO_OFFLINE and run"


class FetchError(MissingError):
    """Weights could not be fetched; the message has the reason for each server."""

    _advice = "To try again, run"


class UnreachableError(FetchError):
    """No server could be reached, so fetching other weights would fail as well."""

"""The base of every error this project raises on purpose.

It lives in the lowest package so that ``core`` and ``zoo`` can build on it.
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

DEBUG_VARIABLE = "ZOO_DEBUG"


class ZooError(Exception):
    """Something the caller can put right: names the value, the limit and the next step."""

    __module__ = "zoo"  # where users find it, so tracebacks say so


class WeightsError(ZooError):
    """A weight file is missing, damaged, of an unknown kind, or cannot be fetched or written."""

    __module__ = "zoo"


class AbsentFile(NamedTuple):
    """A file that is missing or damaged on this machine."""

    record: str  # name of the registered model
    path: str  # in the folder of the record
    bytes: int


class MissingError(WeightsError):
    """Weights are missing or damaged on this machine, and cannot be had now.

    Its text is three short lines: what is missing, what to type, and what to do without internet.
    With the environment variable ``ZOO_DEBUG`` set, ``details`` follow.

    Args:
        name: of the model, as `zoo weights fetch` takes it.
        files: what is missing or damaged, with the parts that the model works with.
        reason: in a few words why the files are not there, or could not be fetched.
        details: each file (of many the first), where it was looked for, and what was found there.
        partners: names of the other models that ``files`` belong to.
    """

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
        """What is missing, what to type, and what to do without internet."""
        why = f": {self.reason}" if self.reason else ""
        kit = f"{self.name.partition('.')[0]}.zip"
        return (
            f"The model {self.name} ({self._contents()}) is not on this machine{why}.",
            self._advice(f"`zoo weights fetch {self.name}`"),
            f"Without internet: run `zoo weights kit {kit} {self.name}` on a computer with "
            f"internet, then here `zoo weights install {kit}`.",
        )

    def __str__(self) -> str:
        extra = [self.details] if self.details and os.environ.get(DEBUG_VARIABLE) else []
        return "\n".join([*self.lines, *extra])

    def of_model(
        self, name: str, others: Iterable[AbsentFile] = (), partners: Iterable[str] = ()
    ) -> "MissingError":
        """The error about what the user calls ``name``, with what else that model lacks."""
        files = (*self.files, *others)
        return type(self)(name, files, self.reason, self.details, partners)

    def _contents(self) -> str:
        from weights_cache.sizes import count_text, size_text

        files = count_text(len(self.files), "file")
        size = size_text(sum(file.bytes for file in self.files))
        if not self.partners:
            return f"{files}, {size}"
        shown, more = self.partners[:2], len(self.partners[2:])
        partners = f"{', '.join(shown)} and {more} more" if more else " and ".join(shown)
        return f"{files} of {len(self.partners) + 1} models, {size} with {partners}"

    def _advice(self, command: str) -> str:
        return f"To fetch it, run {command}."


class OfflineError(MissingError):
    """Weights are missing or damaged on this machine, and the network is switched off."""

    def _advice(self, command: str) -> str:
        return f"To fetch it, unset ZOO_OFFLINE and run {command}."


class FetchError(MissingError):
    """Weights could not be fetched: of each server the reason is given."""

    def _advice(self, command: str) -> str:
        return f"To try again, run {command}."


class UnreachableError(FetchError):
    """No server could be reached, so that fetching other weights would fail as well."""

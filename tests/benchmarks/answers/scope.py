"""What is measured: which models, and how many photos of each kind."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeVar

from zoo.catalog.entries import all_entries, chosen_name, verbs_of

T = TypeVar("T")


class Scope(NamedTuple):
    """Names or patterns of models, with "default", "fast" and "best" of a function among them."""

    patterns: tuple[str, ...] = ("*",)
    limit: int | None = None  # photos of a kind

    def models(self, verb: str, labels: str | None = None) -> list[str]:
        """Names of the models of a function, by default with labels of any kind."""
        wanted = [chosen_name(pattern, verb) for pattern in self.patterns]
        return [
            name
            for name, entry in all_entries().items()
            if verb in verbs_of(entry)
            and labels in (None, entry.labels)
            and any(fnmatchcase(name, pattern) for pattern in wanted)
        ]

    def some(self, photos: Iterable[T]) -> list[T]:
        """The photos, or so many of them, from the first to the last."""
        found = list(photos)
        if self.limit is None or self.limit >= len(found):
            return found
        return [found[i * len(found) // self.limit] for i in range(self.limit)]

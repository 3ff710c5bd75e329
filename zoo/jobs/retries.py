"""Retries of chunks whose worker died; they isolate the image that kills it."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress

from weights_cache.common.errors import ZooError
from zoo.jobs.results_folder import GO_ON, ResultsFolder
from zoo.jobs.work import Order

#: Worker deaths in a row, without a finished chunk, after which the machine is at fault.
MOST_ENDS = 40

REASON = (
    "the process that looked at it ended without an answer, twice: it needs more memory than there "
    "is, or a library crashed"
)


class Retries:
    """Retries chunks, and finds the images that kill workers.

    The second try of a chunk notes each image in a journal before it is read. Where two processes
    ended at one image, it is skipped, with a reason. Who kills processes at random meets different
    images, and loses none.
    """

    def __init__(self, folder: ResultsFolder):
        self._folder = folder
        self._suspects: dict[int, set[int]] = defaultdict(set)
        self._ends = 0

    def again(self, order: Order) -> Order:
        """Return the order that replaces one whose process ended.

        Raises:
            ZooError: processes end one after another.
        """
        self._ends += 1
        if self._ends > MOST_ENDS:
            raise ZooError(
                f"{self._ends} worker processes ended one after another: memory may be short, so "
                f"give fewer workers= (--workers); {GO_ON}"
            )
        number, suspect = order.chunk.number, self._suspect(order)
        if suspect is None:
            return order._replace(careful=True)
        if suspect in self._suspects[number]:
            skipped = {**order.skipped, suspect: REASON}
            return order._replace(careful=True, skipped=skipped)
        self._suspects[number].add(suspect)
        return order._replace(careful=True)

    def _suspect(self, order: Order) -> int | None:
        """Return the index of the image in progress when the worker died, if known."""
        journal = self._folder.journal(order.chunk.number)
        try:
            text = journal.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            journal.unlink()  # it must not speak for the next process
        return int(text) if text.isdigit() else None

    def passed(self) -> None:
        """Note that a chunk was done."""
        self._ends = 0

"""Budgets for reading one model file: bytes of memory and seconds, counted while it is read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from weights_cache.common.errors import WeightsError

#: Allowed memory in multiples of the size of the file, beside ``free_bytes``.
TIMES_THE_SIZE = 4

#: Default of ``free_bytes``, and of the seconds.
FREE_BYTES = 512 * 2**20
SECONDS = 60.0


class BudgetError(WeightsError):
    """Reading a file would take more bytes of memory, or more seconds, than allowed.

    Args:
        message: text that names the file.
        name: name of the limit, ``"file_bytes"`` or ``"file_seconds"``.
        most: value of the limit.
    """

    def __init__(self, message: str, name: str = "", most: float = 0.0):
        self.name, self.most = name, most
        super().__init__(message)


class ReadingBudget:
    """The remaining memory and time for reading one model with all of its files.

    Args:
        path: path of the file, for errors.
        free_bytes: bytes allowed beside four times the size of the files.
        seconds: time limit.
    """

    def __init__(self, path: object, free_bytes: float, seconds: float):
        self._path, self._free_bytes, self._seconds = path, free_bytes, seconds
        self._left = free_bytes
        self._size = 0
        self._known: set[tuple[int, int]] = set()
        self._deadline = monotonic() + seconds

    def spend(self, count: int, what: str) -> None:
        """Count bytes before they are allocated.

        Raises:
            BudgetError: the limit of bytes or of seconds is exceeded.
        """
        self._left -= count
        if self._left < 0:
            allowed = self._free_bytes + TIMES_THE_SIZE * self._size
            raise BudgetError(
                f"cannot read {self._path}: {what} would take {count:,} bytes of memory, and "
                f"reading {allowed - self._left:,.0f} bytes in all; allowed are 4 times the "
                f"{self._size:,} bytes of the file and {self._free_bytes:,.0f} more",
                "file_bytes",
                self._free_bytes,
            )
        self.check_time()

    def check_time(self) -> None:
        """Raise a BudgetError if reading takes too long."""
        if monotonic() > self._deadline:
            raise BudgetError(
                f"cannot read {self._path}: reading takes more than {self._seconds:g} seconds",
                "file_seconds",
                self._seconds,
            )

    def add_file(self, status: os.stat_result) -> None:
        """Extend the budget by the size of a file; a second read of a file counts as memory."""
        key = status.st_dev, status.st_ino
        if key in self._known and key[1]:
            self.spend(status.st_size, "reading a file again")
            return
        self._known.add(key)
        self._size += status.st_size
        self._left += TIMES_THE_SIZE * status.st_size

    def add_own_file(self, status: os.stat_result) -> None:
        """Register a temporary file made while reading, which does not extend the budget."""
        self._known.add((status.st_dev, status.st_ino))


_active: ContextVar[ReadingBudget | None] = ContextVar("reading_budget", default=None)

#: The budget of the file being read; None outside of `reading_budget`.
active_budget = _active.get


@contextmanager
def reading_budget(
    path: object, free_bytes: float = FREE_BYTES, seconds: float = SECONDS
) -> Iterator[ReadingBudget]:
    """Limit the memory and time of reading a file in the block, in this thread or task only.

    A nested budget has no effect: the outermost is the budget of the whole model.

    Args:
        path: of the file, for errors.
        free_bytes: what reading may take beside four times the size of the files that it opens.
        seconds: that it may take.

    >>> with reading_budget("model.h5", free_bytes=1000):
    ...     spend(2000, "its weights")
    Traceback (most recent call last):
    weights_cache.reading_budgets.BudgetError: cannot read model.h5: its weights would take \
2,000 bytes of memory, and reading 2,000 bytes in all; allowed are 4 times the 0 bytes of the file \
and 1,000 more
    """
    around = _active.get()
    if around is not None:
        yield around
        return
    budget = ReadingBudget(path, free_bytes, seconds)
    token = _active.set(budget)
    try:
        yield budget
    finally:
        _active.reset(token)


def spend(count: int, what: str) -> None:
    """Count bytes that reading is about to allocate; no effect outside of `reading_budget`.

    Raises:
        BudgetError: the limit of bytes or of seconds is exceeded.
    """
    if budget := _active.get():
        budget.spend(count, what)


def check_time() -> None:
    """Raise a BudgetError if reading takes too long."""
    if budget := _active.get():
        budget.check_time()


def add_file(status: os.stat_result) -> None:
    """Extend the active budget by the size of a file."""
    if budget := _active.get():
        budget.add_file(status)

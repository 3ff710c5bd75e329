"""What functions that ran in another thread returned or raised."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol


class HasError(Protocol):
    """Keeps an error for somebody."""

    error: BaseException | None


class Future:
    """What a function returned or raised, for whoever waits for it."""

    __slots__ = ("_check", "_function", "_result", "done", "error")

    def __init__(self, function: Callable[[], Any], check: Callable[[], None] | None = None):
        self._function, self._check = function, check
        self._result: Any = None
        self.error: BaseException | None = None
        self.done = Lock()
        self.done.acquire()

    def run(self) -> None:
        """For the other thread. An error is for who waits, and kept nowhere else."""
        try:
            if self._check is not None:
                self._check()
            self._result = self._function()
        except BaseException as error:
            self.error = error
        finally:
            self.done.release()

    def taken(self) -> Any:
        """The result; or the error is raised."""
        raise_error_of(self)
        return self._result


def raise_error_of(place: HasError) -> None:
    """Raise the error there, if any, so that nobody knows it any more.

    It knows the frames that it passes: one that knew it would keep all of them alive.
    """
    error, place.error = place.error, None
    try:
        if error is not None:
            raise error
    finally:
        del error

"""Results and errors of functions that run in another thread."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol


class HasError(Protocol):
    """An object with an error to be raised later."""

    error: BaseException | None


class Future:
    """The future result or error of a function in another thread."""

    __slots__ = ("_check", "_function", "_result", "done", "error")

    def __init__(self, function: Callable[[], Any], check: Callable[[], None] | None = None):
        self._function, self._check = function, check
        self._result: Any = None
        self.error: BaseException | None = None
        self.done = Lock()
        self.done.acquire()

    def run(self) -> None:
        """Run the function, in the other thread; an error is stored in the future only."""
        try:
            if self._check is not None:
                self._check()
            self._result = self._function()
        except BaseException as error:
            self.error = error
        finally:
            self.done.release()

    def taken(self) -> Any:
        """Return the result, or raise the error."""
        raise_error_of(self)
        return self._result


def raise_error_of(holder: HasError) -> None:
    """Raise the error of an object, if any, after removing it from the object.

    The traceback of an error refers to its frames: a stored error would keep all of them alive.
    """
    error, holder.error = holder.error, None
    try:
        if error is not None:
            raise error
    finally:
        del error

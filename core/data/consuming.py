"""Map and iterate: functions of a dataset's elements, and loops over all of them."""

from collections.abc import Awaitable, Callable, Iterator
from inspect import isawaitable
from typing import Any, Generic, TypeVar

from core.engine.async_run import run_async
from core.errors import CoreError

Element = TypeVar("Element")

_NO_MORE = object()


class Consumed(Generic[Element]):
    """Loops over all elements."""

    def __iter__(self) -> Iterator[Element]:
        raise NotImplementedError

    def for_each(self, function: Callable[..., object]) -> None:
        """Call a function for each element, of a tuple with the parts."""
        check_function(function)
        for element in self:
            function(*parts_of(element))

    async def for_each_async(self, function: Callable[..., Awaitable[object] | object]) -> None:
        """Call a function for each element while the event loop runs; a coroutine is awaited.

        Elements are computed in a worker thread.
        """
        check_function(function)
        elements = iter(self)
        while (found := await run_async(next, elements, _NO_MORE)) is not _NO_MORE:
            result = function(*parts_of(found))
            if isawaitable(result):
                await result

    def to_list(self) -> list[Element]:
        """Return all elements."""
        return list(self)

    def to_array(self) -> list[Element]:
        """Return all elements; the name in TensorFlow.js of `to_list`."""
        return self.to_list()


def parts_of(element: Any) -> tuple[Any, ...]:
    """Return the arguments that functions get for an element."""
    return element if isinstance(element, tuple) else (element,)


def check_function(value: object) -> None:
    """Raise CoreError unless a value is callable."""
    if not callable(value):
        raise CoreError(f"a function of elements is needed, got {value!r:.80}")

"""Passes over iterables and over the iterables that functions return."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from core.data.lengths import Length, unknown
from core.data.seeds import PEEK, Key
from core.errors import CoreError

Element = TypeVar("Element")


def passes_of(source: Any) -> tuple[Callable[[Key], Iterator[Any]], Length]:
    """Return a function that starts a pass over a source, and one that returns its length.

    Args:
        source: a function that returns an iterable, or an iterable.

    Raises:
        CoreError: the source is of another kind.
    """
    if callable(source) and not isinstance(source, Iterable):
        return lambda key: _iterator(source()), unknown
    if isinstance(source, Iterator):
        return _OnePass(source).start, unknown
    _iterator(source)
    if hasattr(source, "__len__"):
        return lambda key: iter(source), lambda: len(source)
    return lambda key: iter(source), unknown


class _OnePass(Generic[Element]):
    """The only pass over an iterator, whose first element can be looked at."""

    def __init__(self, items: Iterator[Element]):
        self._items, self._head, self._is_used = items, list[Element](), False

    def start(self, key: Key) -> Iterator[Element]:
        if key == PEEK and not self._is_used:
            self._head = self._head or list(islice(self._items, 1))
            return iter(self._head)
        if self._is_used:
            raise CoreError(
                "the dataset was made of an iterator, which has ended: pass a function that makes "
                "it, such as from_generator(lambda: numbers())"
            )
        self._is_used = True
        return chain(self._head, self._items)


def _iterator(source: Any) -> Iterator[Any]:
    try:
        return iter(source)
    except TypeError:
        raise CoreError(
            f"an iterable, or a function that returns one, is needed, got {source!r:.80}"
        ) from None

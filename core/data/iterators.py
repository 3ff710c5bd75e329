"""Steps over the elements of one pass: shuffle, batch, compute in threads, prefetch."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import count, islice
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import ref

from core.data.elements import stacked
from core.data.seeds import PEEK, Key

if TYPE_CHECKING:
    from numpy.random import Generator

Item = TypeVar("Item")
Result = TypeVar("Result")

_DRAWS = 1024  # random numbers drawn at once
_LOOK_SECONDS = 1.0  # between looks whether anybody still takes what a thread computes


def shuffled(
    items: Iterable[Item], buffer_size: int | None, generator: "Generator"
) -> Iterator[Item]:
    """Yield items in random order: each is drawn from a buffer of the next so many.

    Args:
        items: the items.
        buffer_size: length of the buffer; None for all items.
        generator: source of the random numbers.
    """
    items = iter(items)
    buffer = list(islice(items, buffer_size))
    positions = _positions(len(buffer), generator) if buffer else iter(())
    for item, position in zip(items, positions, strict=False):
        chosen, buffer[position] = buffer[position], item
        yield chosen
    for position in generator.permutation(len(buffer)).tolist():
        yield buffer[position]


def _positions(length: int, generator: "Generator") -> Iterator[int]:
    while True:
        yield from generator.integers(length, size=_DRAWS).tolist()


def batched(items: Iterable[Any], size: int, drop_remainder: bool) -> Iterator[Any]:
    """Yield batches of ``size`` items; the last may be smaller, unless it is dropped."""
    items = iter(items)
    while group := list(islice(items, size)):
        if len(group) == size or not drop_remainder:
            yield stacked(group)


def mapped_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield the results of a function in the order of the items; so many are computed at a time.

    Errors of the function are raised instead. When the consumer stops early, waiting calls
    are dropped, and the threads end after the current ones.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="core-data-map")
    running: deque[Future[Result]] = deque()
    try:
        for item in items:
            running.append(pool.submit(copy_context().run, function, item))
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def prefetched(start: Callable[[], Iterator[Item]], size: int) -> Iterator[Item]:
    """Yield items that a daemon thread computes ahead, at most so many.

    An error ends the iteration where it occurs, with its traceback. When the consumer stops early,
    or the iterator is dropped, the thread ends after the current item.

    Args:
        start: makes the iterator, in the thread.
        size: most items that are held, with the one that is being computed.
    """
    consumer = _Consumer()
    shared = _Shelf[Item](size, consumer)
    context = copy_context()
    thread = Thread(target=context.run, args=(_fill, shared, start), daemon=True)
    thread.name = f"core-data-prefetch-{thread.name}"
    try:
        thread.start()
        while True:
            yield shared.take()
    except _Ended:
        return
    finally:
        shared.stop()


def _fill(shelf: "_Shelf[Item]", start: Callable[[], Iterator[Item]]) -> None:
    """Compute items and put them into a bounded queue until it is stopped."""
    try:
        items = start()
        try:
            while shelf.wait_for_room():
                shelf.put(next(items))
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
    except StopIteration:
        shelf.end(None)
    except BaseException as error:  # the consumer raises it
        shelf.end(error)


class _Consumer:
    """Exists while a pass goes on.

    An exception of a signal handler may strike the call of `_Shelf.stop`, too; it cannot keep this
    object from being freed.
    """

    __slots__ = ("__weakref__",)


class _Shelf(Generic[Item]):
    """Bounded queue of items between the thread that computes them and the consumer."""

    def __init__(self, size: int, consumer: _Consumer):
        self.size = size
        self._consumer = ref(consumer)
        self.items: deque[Item] = deque()
        self.changed = Condition()
        self.is_ended = self.is_stopped = False
        self.error: BaseException | None = None

    def wait_for_room(self) -> bool:
        """Wait until one more item fits; False after `stop`, or once the consumer is gone."""
        with self.changed:
            while not self.is_stopped and len(self.items) >= self.size:
                self.changed.wait(_LOOK_SECONDS)
                self.is_stopped |= self._consumer() is None
            return not self.is_stopped

    def put(self, item: Item) -> None:
        """Add an item, which `wait_for_room` has found room for."""
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def end(self, error: BaseException | None) -> None:
        """End the items; an error is raised instead of the next one."""
        with self.changed:
            self.is_ended, self.error = True, error
            self.changed.notify_all()

    def take(self) -> Item:
        """Wait for an item and return it.

        Raises:
            LookupError: the last one was taken; or the error that ended them.
        """
        with self.changed:
            self.changed.wait_for(lambda: self.is_ended or self.items)
            if self.items:
                self.changed.notify_all()
                return self.items.popleft()
        raise self.error or _Ended

    def stop(self) -> None:
        """End the thread after its current item, and drop what it has computed."""
        with self.changed:
            self.is_stopped = True
            self.items.clear()
            self.changed.notify_all()


class _Ended(LookupError):  # noqa: N818 - no error
    """The last item was taken."""


def repeated(start: Callable[[Key], Iterator[Item]], key: Key, times: int | None) -> Iterator[Item]:
    """Yield the items of so many passes, None for endlessly; no more after an empty one."""
    for number in count() if times is None else range(times):
        is_empty = True
        for item in start((*key, number) if key else PEEK):
            is_empty = False
            yield item
        if is_empty:
            return


class Cache(Generic[Item]):
    """Items of the first whole pass."""

    def __init__(self) -> None:
        self._items: list[Item] | None = None

    def start(self, first: Callable[[Key], Iterator[Item]], key: Key) -> Iterator[Item]:
        """Yield the items that are kept; before, those of a pass, which are kept at its end."""
        if self._items is not None:
            yield from self._items
            return
        items = []
        for item in first(key):
            items.append(item)
            yield item
        if key != PEEK:
            self._items = items

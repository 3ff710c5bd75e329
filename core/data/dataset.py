"""`Dataset`: elements that are computed when they are iterated over, as often as one likes."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import numpy as np

from core.data import iterators, lengths
from core.data.consuming import Consumed, check_function, parts_of
from core.data.elements import (
    Nested,
    NestedSpec,
    as_arrays,
    batch_spec,
    number_of_rows,
    row,
    spec_of,
)
from core.data.lengths import Length
from core.data.rows import ArrayTable, Rows
from core.data.seeds import PEEK, Key, Seeded, checked_seed, generator_of
from core.data.sources import passes_of
from core.engine.specs import integer
from core.errors import CoreError

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike

Element = TypeVar("Element")
Other = TypeVar("Other")


class Dataset(Consumed[Element]):
    """Elements that are computed one after the other in each iteration.

    An element is an array, a tensor or a scalar, or a tuple or dict of them. Functions get the
    parts of a tuple as arguments of their own: ``dataset.map(lambda x, y: (x / 255, y))``.
    Programs make datasets with `from_arrays`, `from_generator` and the functions of `core.data`.

    Args:
        start: makes the iterator of a pass, for its key.
        length: gives the number of elements.
        spec: gives the shapes and dtypes; by default those of the first element.
        rows: samples by index, instead of the other arguments.

    >>> import numpy as np
    >>> numbers = Dataset.from_arrays(np.arange(5)).map(lambda x: x * x)
    >>> numbers.batch(2).to_list()
    [array([0, 1]), array([4, 9]), array([16])]
    >>> len(numbers.batch(2))
    3
    """

    def __init__(
        self,
        start: Callable[[Key], Iterator[Element]] | None = None,
        length: Length = lengths.unknown,
        spec: Callable[[], NestedSpec] | None = None,
        rows: Rows | None = None,
    ):
        if rows is not None:
            start, length, spec = rows.start, rows.length, rows.table.spec
        if start is None:
            raise CoreError("a Dataset is made by core.data.from_arrays and its neighbours")
        self._start, self._length, self._spec = start, length, spec
        self._rows = rows
        self._exact = rows if rows and rows.table.gathers else None
        self._passes, self._is_new = count(), True

    @overload
    @staticmethod
    def from_arrays(x: "dict[str, ArrayLike]", /) -> "Dataset[dict[str, np.ndarray]]": ...
    @overload
    @staticmethod
    def from_arrays(x: "ArrayLike", /) -> "Dataset[np.ndarray]": ...
    @overload
    @staticmethod
    def from_arrays(
        x: "ArrayLike", y: "ArrayLike", /
    ) -> "Dataset[tuple[np.ndarray, np.ndarray]]": ...
    @overload
    @staticmethod
    def from_arrays(*arrays: "Nested | ArrayLike") -> "Dataset[Nested]": ...
    @staticmethod
    def from_arrays(*arrays: "Nested | ArrayLike") -> "Dataset[Any]":
        """Return the samples of arrays, along their first axes.

        Shuffles are of all samples by default, and batches are gathered from the arrays at once.

        Args:
            *arrays: an array, a tensor, or a tuple, list or dict of them, of which elements are the
                samples; several are like a tuple.

        Raises:
            CoreError: numbers of samples differ.

        >>> Dataset.from_arrays({"x": [1, 2], "y": [3.0, 4.0]}).batch(2).to_list()
        [{'x': array([1, 2]), 'y': array([3., 4.])}]
        """
        if not arrays:
            raise CoreError("from_arrays needs an array")
        whole = as_arrays(arrays[0] if len(arrays) == 1 else arrays)
        return Dataset(rows=Rows(ArrayTable(whole)))

    @staticmethod
    def from_generator(
        source: "Callable[[], Iterable[Other]] | Iterable[Other]",
    ) -> "Dataset[Other]":
        """Return the items of an iterable that a function makes anew for each pass.

        Args:
            source: a function without arguments, such as a generator function; or a list or
                another iterable. An iterator ends with the first pass: the second one raises.

        Raises:
            CoreError: the source is not iterable, or an iterator that has ended.

        >>> squares = Dataset.from_generator(lambda: (i * i for i in range(4)))
        >>> list(squares), list(squares)
        ([0, 1, 4, 9], [0, 1, 4, 9])
        """
        return Dataset(*passes_of(source))

    def __iter__(self) -> Iterator[Element]:
        self._is_new = False
        return self._start((next(self._passes),))

    def _begin_at(self, number: int) -> None:
        """Let the first pass be that of a number: a training that goes on in a new process."""
        if self._is_new:
            self._passes = count(number)

    def __len__(self) -> int:
        return lengths.known(self._length())

    def __bool__(self) -> bool:
        return True  # or Python would ask for the length

    def __repr__(self) -> str:
        length = self._length()
        size = "an unknown number of" if length is None else f"{length:g}"
        return f"<dataset of {size.replace('inf', 'endlessly many')} elements>"

    @property
    def element_spec(self) -> NestedSpec:
        """Shapes and dtypes of elements; the first length of batches is None if the last differs.

        A map, a generator and other sources are asked for their first element.

        >>> import numpy as np
        >>> Dataset.from_arrays(np.zeros((5, 2))).batch(2).element_spec
        PartialSpec(shape=(None, 2), dtype='float64')
        """
        if self._spec is not None:
            return self._spec()
        for element in self._start(PEEK):
            return cast(NestedSpec, spec_of(element))
        raise CoreError("an empty dataset has no element_spec")

    def map(
        self, function: Callable[..., Other] | Seeded[Other], threads: int | None = None
    ) -> "Dataset[Other]":
        """Return a dataset of the results of a function.

        Args:
            function: gets an element, of a tuple the parts; or an augmentation.
            threads: how many elements are computed at a time, in threads; the order stays. NumPy
                computes in threads, Python code does not. None for none: in the consumer's.
        """
        if not isinstance(function, Seeded):
            check_function(function)
        several = None if threads is None else integer(threads, "threads", 1)

        def start(key: Key) -> Iterator[Other]:
            def call(pair: tuple[int, Element]) -> Other:
                if isinstance(function, Seeded):
                    return function.call_at(key, pair[0], *parts_of(pair[1]))
                return function(*parts_of(pair[1]))

            numbered = enumerate(self._start(key))
            if several is None:
                return map(call, numbered)
            return iterators.mapped_in_threads(call, numbered, several)

        return Dataset(start, self._length)

    def map_async(
        self, function: Callable[..., Awaitable[Other]], threads: int = 2
    ) -> "Dataset[Other]":
        """Return a dataset of the results of a coroutine function, such as a download.

        Args:
            function: gets an element, of a tuple the parts, and is awaited.
            threads: how many elements are computed at a time, each with an event loop.
        """
        check_function(function)

        def waited(*element: Any) -> Other:
            from asyncio import run  # takes a while to import, and few need it

            async def awaited() -> Other:
                return await function(*element)

            return run(awaited())

        return self.map(waited, integer(threads, "threads", 1))

    def filter(self, predicate: Callable[..., object]) -> "Dataset[Element]":
        """Return a dataset of the elements for which a function gives true."""
        check_function(predicate)

        def start(key: Key) -> Iterator[Element]:
            return (e for e in self._start(key) if predicate(*parts_of(e)))

        return Dataset(start, lengths.unknown, self._spec)

    def batch(self, batch_size: int, drop_remainder: bool = False) -> "Dataset[Element]":
        """Return a dataset of batches: elements stacked along a new first axis.

        Args:
            batch_size: elements of a batch, 1 or more.
            drop_remainder: leave out the last batch if it is smaller.
        """
        size = integer(batch_size, "batch_size", 1)
        exact = self._exact

        def start(key: Key) -> Iterator[Element]:
            if exact is not None:
                return exact.batches(key, size, drop_remainder)
            return iterators.batched(self._start(key), size, drop_remainder)

        def spec() -> NestedSpec:
            n = self._length()
            is_whole = drop_remainder or (n is not None and (n + size) % size == 0)
            is_whole = is_whole or n == float("inf")
            return cast(NestedSpec, batch_spec(self.element_spec, size if is_whole else None))

        return Dataset(start, lengths.of_batches(self._length, size, drop_remainder), spec)

    def unbatch(self) -> "Dataset[Element]":
        """Return a dataset of the samples of batches."""

        def start(key: Key) -> Iterator[Element]:
            for batch in self._start(key):
                for index in range(number_of_rows(batch, "the batch")):
                    yield row(batch, index)

        return Dataset(start)

    def shuffle(
        self,
        buffer_size: int | None = None,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
    ) -> "Dataset[Element]":
        """Return a dataset of the elements in random order.

        Args:
            buffer_size: each element is drawn from the next so many, which are in memory; None
                for all elements. Samples of arrays and files of a folder need no memory for it.
            seed: integer, 0 or more: the same seed gives the same orders; None for a random one.
            reshuffle_each_iteration: draw another order for each pass.

        >>> dataset = Dataset.from_arrays([10, 11, 12, 13]).shuffle(seed=3).batch(4)
        >>> dataset.to_list(), dataset.to_list()
        ([array([13, 12, 11, 10])], [array([10, 11, 12, 13])])
        """
        size = None if buffer_size is None else integer(buffer_size, "buffer_size", 1)
        if size is None and self._length() == float("inf"):
            raise CoreError("an endless dataset needs buffer_size; or call shuffle before repeat")
        number = checked_seed(seed)

        def generator(key: Key) -> "Generator":
            return generator_of(number, *(key if reshuffle_each_iteration else ()))

        def start(key: Key) -> Iterator[Element]:
            return iterators.shuffled(self._start(key), size, generator(key))

        if self._rows is not None:
            return Dataset(rows=self._rows.shuffled(size, generator))
        return Dataset(start, self._length, self._spec)

    def repeat(self, count: int | None = None) -> "Dataset[Element]":
        """Return a dataset of all elements so many times; endlessly for None or -1."""
        times = None if count in (None, -1) else integer(count, "count", 0)
        if self._exact is not None:
            return Dataset(rows=self._exact.repeated(times))
        return Dataset(
            lambda key: iterators.repeated(self._start, key, times),
            lengths.repeated(self._length, times),
            self._spec,
        )

    def take(self, count: int) -> "Dataset[Element]":
        """Return a dataset of the first so many elements; of all for -1."""
        most = integer(count, "count", -1)
        if most == -1:
            return self
        if self._exact is not None:
            return Dataset(rows=self._exact.taken(most))
        length = lengths.taken(self._length, most)
        return Dataset(lambda key: islice(self._start(key), most), length, self._spec)

    def skip(self, count: int) -> "Dataset[Element]":
        """Return a dataset without the first so many elements."""
        least = integer(count, "count", 0)
        if self._exact is not None:
            return Dataset(rows=self._exact.skipped(least))
        length = lengths.skipped(self._length, least)
        return Dataset(lambda key: islice(self._start(key), least, None), length, self._spec)

    def concatenate(self, *others: "Dataset[Element]") -> "Dataset[Element]":
        """Return a dataset of the elements of this one, then of others."""
        all_of_them = (self, *map(checked_dataset, others))
        return Dataset(
            lambda key: chain.from_iterable(d._start(key) for d in all_of_them),
            lengths.total(*(d._length for d in all_of_them)),
            self._spec,
        )

    def enumerate(self, start: int = 0) -> "Dataset[tuple[int, Element]]":
        """Return a dataset of pairs: the number of an element, and the element."""
        first = integer(start, "start")
        return Dataset(lambda key: enumerate(self._start(key), first), self._length)

    def prefetch(self, buffer_size: int = 2) -> "Dataset[Element]":
        """Return a dataset whose elements a thread computes ahead.

        Args:
            buffer_size: most elements that are held, with the one that is being computed.
        """
        size = integer(buffer_size, "buffer_size", 1)
        return Dataset(
            lambda key: iterators.prefetched(lambda: self._start(key), size),
            self._length,
            self._spec,
        )

    def cache(self) -> "Dataset[Element]":
        """Return a dataset that keeps its elements in memory in the first whole pass.

        Place shuffle and augmentations after it, or their results are kept as well.
        """
        kept = iterators.Cache[Element]()
        return Dataset(lambda key: kept.start(self._start, key), self._length, self._spec)


def zip_datasets(*datasets: Dataset[Any]) -> Dataset[Any]:
    """Return a dataset of tuples, of one element of each dataset; it ends with the shortest.

    >>> a, b = Dataset.from_generator([1, 2, 3]), Dataset.from_generator("ab")
    >>> zip_datasets(a, b).to_list()
    [(1, 'a'), (2, 'b')]
    """
    several = tuple(map(checked_dataset, datasets))
    if not several:
        raise CoreError("zip needs a dataset")
    return Dataset(
        lambda key: zip(*(d._start(key) for d in several), strict=False),
        lengths.least(*(d._length for d in several)),
    )


def concatenate(*datasets: Dataset[Element]) -> Dataset[Element]:
    """Return a dataset of the elements of the first dataset, then of the next.

    >>> concatenate(Dataset.from_generator([1, 2]), Dataset.from_generator([3])).to_list()
    [1, 2, 3]
    """
    if not datasets:
        raise CoreError("concatenate needs a dataset")
    return checked_dataset(datasets[0]).concatenate(*datasets[1:])


def func(function: Callable[[], Element | None]) -> Dataset[Element]:
    """Return a dataset of the results of a function, which is called until it returns None.

    >>> numbers = iter([1, 2])
    >>> func(lambda: next(numbers, None)).to_list()
    [1, 2]
    """
    check_function(function)
    return Dataset.from_generator(lambda: iter(function, None))


def checked_dataset(value: Dataset[Element]) -> Dataset[Element]:
    """Return a dataset.

    Raises:
        CoreError: the value is of another kind.
    """
    if not isinstance(value, Dataset):
        raise CoreError(f"{value!r:.80} is not a Dataset: core.data.from_generator makes one of it")
    return value

"""Samples that are found by their index, in orders of indices.

Orders are shuffled, repeated and cut instead of the samples, and a batch is gathered at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from core.data import lengths
from core.data.elements import map_leaves, number_of_rows, row, row_spec
from core.data.iterators import shuffled
from core.data.lengths import Length
from core.data.seeds import PEEK, Key

if TYPE_CHECKING:
    from numpy.random import Generator

#: Function that yields the indices of a pass, in pieces of any lengths.
Orders = Callable[[Key], Iterator[np.ndarray]]

_PIECE = 256  # indices of a piece, where they come one by one


class Table(ABC):
    """Samples by index."""

    #: Whether every index has a sample, and `gather` works.
    gathers = False

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def indices(self) -> np.ndarray:
        """Return the indices of all samples, in order."""

    @abstractmethod
    def samples(self, indices: Iterable[int]) -> Iterator[Any]:
        """Yield the samples of some indices."""

    @abstractmethod
    def spec(self) -> Any:
        """Return shapes and dtypes of a sample."""

    def gather(self, indices: np.ndarray) -> Any:
        """Return the samples of some indices as one batch."""
        raise NotImplementedError


class ArrayTable(Table):
    """Samples along the first axes of arrays in tuples, lists and dicts."""

    gathers = True

    def __init__(self, arrays: Any):
        self._arrays, self._length = arrays, number_of_rows(arrays, "data")

    def __len__(self) -> int:
        return self._length

    def indices(self) -> np.ndarray:
        """Return the indices of all samples, in order."""
        return np.arange(self._length)

    def samples(self, indices: Iterable[int]) -> Iterator[Any]:
        """Yield views of the arrays."""
        return (row(self._arrays, index) for index in indices)

    def spec(self) -> Any:
        """Return shapes and dtypes of a sample."""
        return map_leaves(row_spec, self._arrays)

    def gather(self, indices: np.ndarray) -> Any:
        """Return the samples of some indices as one batch, which is a copy."""
        return map_leaves(lambda array: array.take(indices, axis=0), self._arrays)


class Rows:
    """A table's samples in an order.

    Args:
        table: the samples.
        orders: gives the indices of a pass; by default all.
        length: gives the number of indices.
    """

    def __init__(self, table: Table, orders: Orders | None = None, length: Length | None = None):
        self.table = table
        self.orders: Orders = orders or (lambda key: iter([table.indices()]))
        self.length: Length = length or table.__len__

    def start(self, key: Key) -> Iterator[Any]:
        """Yield the samples of a pass."""
        return self.table.samples(self._indices(key))

    def _indices(self, key: Key) -> Iterator[int]:
        return chain.from_iterable(order.tolist() for order in self.orders(key))

    def batches(self, key: Key, size: int, drop_remainder: bool) -> Iterator[Any]:
        """Yield batches of a pass, each gathered at once."""
        rest = np.arange(0)
        for piece in self.orders(key):
            order = np.concatenate([rest, piece]) if rest.size else piece
            whole = len(order) - len(order) % size
            for at in range(0, whole, size):
                yield self.table.gather(order[at : at + size])
            rest = order[whole:]
        if rest.size and not drop_remainder:
            yield self.table.gather(rest)

    def shuffled(self, size: int | None, generator: "Callable[[Key], Generator]") -> "Rows":
        """Return the samples in random orders, drawn from the next so many indices or from all."""

        def orders(key: Key) -> Iterator[np.ndarray]:
            if size is None:
                whole = np.concatenate([np.arange(0), *self.orders(key)])
                yield generator(key).permutation(whole)
                return
            indices = shuffled(self._indices(key), size, generator(key))
            while piece := list(islice(indices, _PIECE)):
                yield np.array(piece)

        return Rows(self.table, orders, self.length)

    def repeated(self, times: int | None) -> "Rows":
        """Return the samples repeated; None for endlessly. Each repetition is a pass."""

        def orders(key: Key) -> Iterator[np.ndarray]:
            for number in count() if times is None else range(times):
                is_empty = True
                for piece in self.orders((*key, number) if key else PEEK):
                    is_empty = is_empty and not piece.size
                    yield piece
                if is_empty:
                    return

        return Rows(self.table, orders, lengths.repeated(self.length, times))

    def taken(self, most: int) -> "Rows":
        """Return the first samples."""

        def orders(key: Key) -> Iterator[np.ndarray]:
            left = most
            pieces = self.orders(key)
            while left and (piece := next(pieces, None)) is not None:
                yield piece[:left]
                left -= min(left, len(piece))

        return Rows(self.table, orders, lengths.taken(self.length, most))

    def skipped(self, least: int) -> "Rows":
        """Return the samples without the first ones."""

        def orders(key: Key) -> Iterator[np.ndarray]:
            left = least
            for piece in self.orders(key):
                yield piece[left:]
                left -= min(left, len(piece))

        return Rows(self.table, orders, lengths.skipped(self.length, least))

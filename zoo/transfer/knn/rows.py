"""Rows of unit length with the classes that own them, in an array that grows."""

from collections.abc import Mapping

import numpy as np

from weights_cache.common.errors import ZooError

_UNIT_ERROR = 1e-3  # of the length of a row that counts as one of unit length
_FIRST_ROOM = 16  # rows
_BLOCK = 1024  # rows that are brought to unit length at once


def unit_row(features: object) -> np.ndarray:
    """Return features of any shape as a row of unit length: float32 [values].

    Raises:
        ZooError: they are not finite numbers, or all 0.

    >>> unit_row([[3], [4]])
    array([0.6, 0.8], dtype=float32)
    """
    values = _finite(_as_numbers(features, "the features").ravel(), "the features")
    if not values.any():
        content = "all 0, which has no direction" if len(values) else "empty"
        raise ZooError(f"the features are {content}: give those of another image")
    values = values / np.abs(values).max()  # squares of large numbers would overflow
    return (values / np.sqrt(values @ values)).astype(np.float32)


def unit_rows(rows: object, what: str) -> np.ndarray:
    """Return a copy of rows at unit length: float32 [n, values].

    Rows whose length is 1, up to the error of half precision, stay as they are.

    Args:
        rows: numbers [n, values], at least one.
        what: a name of the rows, for errors.

    Raises:
        ZooError: they are not two-dimensional or not finite, or a row is all 0.
    """
    values = _as_numbers(rows, what)
    if values.ndim != 2 or not values.size:
        raise ZooError(f"{what} have the shape {list(values.shape)}, not [examples, values]")
    units = np.empty(values.shape, np.float32)
    for start in range(0, len(values), _BLOCK):  # in float64, which takes memory
        end = start + _BLOCK
        units[start:end] = _unit_block(_finite(values[start:end], what), what)
    return units


def _unit_block(rows: np.ndarray, what: str) -> np.ndarray:
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        raise ZooError(f"{what} have a row of zeros, which has no direction: leave it out")
    scaled = rows / largest  # squares of large numbers would overflow
    scaled_lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    is_unit = np.abs(largest * scaled_lengths - 1) <= _UNIT_ERROR
    return np.where(is_unit, rows, scaled / scaled_lengths)


class OwnedRows:
    """Rows in the order in which they were added, each with the number of the class that owns it.

    Args:
        values: float32 [n, values], or None for no rows.
        owners: int64 [n].

    >>> rows = OwnedRows()
    >>> for owner, row in enumerate(np.eye(3, dtype=np.float32)):
    ...     rows.append(row, owner)
    >>> rows.nearest(np.array([0, 0.6, 0.8], np.float32), 2, {0: 0, 1: 1, 2: 2})
    [2, 1]
    """

    def __init__(self, values: np.ndarray | None = None, owners: np.ndarray | None = None):
        self._values = np.empty((0, 0), np.float32) if values is None else values
        self._owners = np.empty(0, np.int64) if owners is None else owners
        self._count = len(self._values)

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> np.ndarray:
        """The rows: float32 [n, values], a view."""
        return self._values[: self._count]

    @property
    def owners(self) -> np.ndarray:
        """The number of each row's class: int64 [n], a view."""
        return self._owners[: self._count]

    def append(self, row: np.ndarray, owner: int) -> None:
        """Add a row [values]; where there are rows, as long as theirs."""
        if not self._count or self._count == len(self._values):
            self._grow(len(row))
        self._values[self._count], self._owners[self._count] = row, owner
        self._count += 1

    def pop(self) -> int:
        """Forget the row that was added last, and return its owner."""
        self._count -= 1
        return int(self._owners[self._count])

    def without(self, owner: int) -> "OwnedRows":
        """Return the rows of all other owners."""
        kept = self.owners != owner
        return OwnedRows(self.values[kept], self.owners[kept])

    def nearest(self, row: np.ndarray, count: int, ranks: Mapping[int, int]) -> list[int]:
        """Return the owners of the rows that are most similar to a row, the nearest first.

        Args:
            row: float32 [values] of unit length.
            count: how many, 1 up to the number of rows.
            ranks: of owners; of rows as similar that of the lowest rank is nearer, then the one
                that was added first.
        """
        # Every row is summed up in one order, so that equal rows are as similar; BLAS has several.
        similarities = np.einsum("ij,j->i", self.values, row)
        least = np.partition(similarities, -count)[-count]
        near = np.flatnonzero(similarities >= least)
        owners = self.owners[near].tolist()
        order = np.lexsort(([ranks[owner] for owner in owners], -similarities[near]))
        return [owners[index] for index in order[:count]]

    def _grow(self, length: int) -> None:
        room = max(_FIRST_ROOM, 2 * self._count)
        values, owners = np.empty((room, length), np.float32), np.empty(room, np.int64)
        if self._count:
            values[: self._count], owners[: self._count] = self.values, self.owners
        self._values, self._owners = values, owners


def _as_numbers(numbers: object, what: str) -> np.ndarray:
    try:
        values = np.asarray(numbers)
    except (TypeError, ValueError) as error:
        raise ZooError(f"{what} are no array of numbers: {error}") from error
    if values.dtype.kind not in "biuf":
        raise ZooError(f"{what} are no numbers but {values.dtype}: give an array or a tensor")
    return values


def _finite(values: np.ndarray, what: str) -> np.ndarray:
    """Return values as float64."""
    if not np.isfinite(values).all():
        raise ZooError(f"{what} have values that are not finite, NaN or infinity")
    return values.astype(np.float64)

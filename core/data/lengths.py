"""Numbers of elements of datasets: integers, inf for endless ones, None where it is unknown."""

from collections.abc import Callable
from math import ceil, inf

from core.errors import CoreError

#: Function that returns the number of elements: inf for endless, None for unknown.
Length = Callable[[], float | None]


class UnknownLengthError(CoreError, TypeError):
    """The number of elements of a dataset is unknown or endless."""


def unknown() -> None:
    """Return None, for an unknown length."""


def known(length: float | None) -> int:
    """Return a length that is a number.

    Raises:
        UnknownLengthError: it is unknown or endless; Python's `list` understands this error.
    """
    if length is None:
        raise UnknownLengthError(
            "the number of elements is unknown before the dataset is iterated over, as after "
            "from_generator, filter or unbatch: count them with len(dataset.to_list())"
        )
    if length == inf:
        raise UnknownLengthError("the dataset is endless: take(n) gives one of n elements")
    return int(length)


def of_batches(length: Length, size: int, drop_remainder: bool) -> Length:
    """Return the number of batches of so many elements."""

    def number() -> float | None:
        n = length()
        if n is None or n == inf:
            return n
        return n // size if drop_remainder else ceil(n / size)

    return number


def repeated(length: Length, times: int | None) -> Length:
    """Return the number of elements that are repeated so many times, None for endlessly."""

    def number() -> float | None:
        n = length()
        if not n:
            return n
        return inf if times is None else n * times

    return number


def taken(length: Length, most: int) -> Length:
    """Return the number of the first so many elements."""

    def number() -> float | None:
        n = length()
        return None if n is None else min(n, most)

    return number


def skipped(length: Length, least: int) -> Length:
    """Return the number of elements without the first so many."""

    def number() -> float | None:
        n = length()
        return None if n is None else max(n - least, 0)

    return number


def least(*lengths: Length) -> Length:
    """Return the smallest of several numbers of elements."""

    def number() -> float | None:
        found = [length() for length in lengths]
        return None if None in found else min(n for n in found if n is not None)

    return number


def total(*lengths: Length) -> Length:
    """Return the sum of several numbers of elements."""

    def number() -> float | None:
        found = [length() for length in lengths]
        return None if None in found else sum(n for n in found if n is not None)

    return number

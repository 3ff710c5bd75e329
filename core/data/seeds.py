"""Random numbers of datasets: each pass has its own, which its seed alone determines.

A pass has a key, a tuple of integers: the number of the pass, and inside of `Dataset.repeat` the
number of the repetition. Functions of a map get the index of the element, too, so that results do
not depend on threads.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from core.engine.generators import generator
from core.errors import CoreError

if TYPE_CHECKING:
    from numpy.random import Generator

#: Key of a pass: (number of the pass, number of the repetition, ...); `PEEK` to look at an element.
Key = tuple[int, ...]
PEEK: Key = ()

Result = TypeVar("Result", covariant=True)


class Seeded(ABC, Generic[Result]):
    """A function of elements that draws random numbers, new ones for each pass and element."""

    @abstractmethod
    def call_at(self, key: Key, index: int, *element: np.ndarray) -> Result:
        """Call the function for the element of an index in the pass of a key."""


def checked_seed(seed: int | None) -> int:
    """Return a seed; for None one that the generator of the process draws.

    Raises:
        CoreError: the seed is not an integer from 0 on.

    >>> checked_seed(7)
    7
    """
    if seed is None:
        return int(generator().integers(2**62))
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise CoreError(f"seed={seed!r} must be an integer, 0 or more, or None for a random one")
    return int(seed)


def generator_of(seed: int, *numbers: int) -> "Generator":
    """Make a generator from a seed, and the key of a pass or the index of an element.

    >>> bool(generator_of(1, 0).random() == generator_of(1, 1).random())
    False
    """
    return np.random.Generator(np.random.PCG64([seed, *numbers]))

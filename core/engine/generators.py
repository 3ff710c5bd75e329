"""Sources of random numbers: NumPy generators, seeded or shared by the process.

The same seed gives the same numbers on every platform and backend.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import CoreError
from core.process.context_vars import reset
from core.process.locks import new_lock, renewed

if TYPE_CHECKING:  # NumPy imports its generators when they are first used, which takes 20 ms
    from numpy.random import Generator

#: None for the generator of the process; an integer, or as in TensorFlow.js any number or text.
Seed = int | float | str | None

_shared: "Generator | None" = None
_choosing = new_lock()


#: Called before numbers are drawn in this context: tracing raises there, as its result would be
#: the same numbers at each run.
_before_drawing: ContextVar[Callable[[], None] | None] = ContextVar("before_drawing", default=None)


@contextmanager
def before_drawing(function: Callable[[], None]) -> Iterator[None]:
    """Call a function before random numbers are drawn inside, in this thread or task only."""
    token = _before_drawing.set(function)
    try:
        yield
    finally:
        reset(_before_drawing, token)


def begin_drawing() -> None:
    """Call the function of `before_drawing`; for code that draws numbers without a `generator`."""
    function = _before_drawing.get()
    if function is not None:
        function()


def generator(seed: Seed = None) -> "Generator":
    """A new generator for a seed; without a seed the generator of the process.

    >>> float(generator(7).random()) == float(generator(7).random())
    True
    """
    begin_drawing()
    return _shared_generator() if seed is None else _new_generator(seed)


def restart(seed: Seed) -> None:
    """Restart the shared generator."""
    global _shared
    fresh = _new_generator(seed)
    renewed(fresh.bit_generator.lock)
    with _choosing:
        _shared = fresh


def _shared_generator() -> "Generator":
    with _choosing:
        if _shared is None:
            restart(None)
        assert _shared is not None
        return _shared


def _new_generator(seed: Seed) -> "Generator":
    # PCG64 by name: NumPy may choose another default one day.
    return np.random.Generator(np.random.PCG64(None if seed is None else _integer_seed(seed)))


def _integer_seed(seed: Any) -> int:
    """A seed for NumPy: integers from 0 on as they are, other values by their text."""
    if isinstance(seed, (int, np.integer)) and seed >= 0:
        return index(seed)
    if not isinstance(seed, (int, float, str, np.number)):
        raise CoreError(f"seed={seed!r} must be a number or text")
    return int.from_bytes(f"seed {seed}".encode(), "big")  # so that "" is not 0

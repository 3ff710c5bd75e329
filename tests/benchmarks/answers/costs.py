"""What an answer costs: milliseconds of a photo, megabytes of weights."""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from weights_cache.registry import find_record
from zoo.catalog.entries import choices
from zoo.pipeline.model import Model


class Clock:
    """Milliseconds of a function, call by call.

    Photos of nobody are given to ``function`` itself: where several networks work together, most
    of them have nothing to do there.
    """

    def __init__(self, function: Callable[[np.ndarray], Any]) -> None:
        self.function = function
        self._seconds: list[float] = []

    def __call__(self, pixels: np.ndarray) -> Any:
        start = time.perf_counter()
        result = self.function(pixels)
        self._seconds.append(time.perf_counter() - start)
        return result

    @property
    def milliseconds(self) -> int:
        """Their median, without the first two calls, which make plans."""
        return round(1000 * median(self._seconds[2:] or self._seconds))


def costs(model: Model, clock: Clock) -> dict[str, object]:
    """The last columns of a model, after it has answered."""
    return {"ms": clock.milliseconds, "MB": megabytes(model)}


def megabytes(model: Model) -> float:
    """Size of the weights of a model and of those that its answers needed until now."""
    used = list(_with_parts(model))
    records = {(m.entry.weights, m.entry.files): find_record(m.entry.weights) for m in used}
    sizes = [record.limited_to(files).bytes for (_, files), record in records.items()]
    return round(sum(sizes) / 1e6, 1)


def _with_parts(model: Model) -> Iterator[Model]:
    yield model
    for part in model._parts.values():
        yield from _with_parts(part)


def titled(name: str, verb: str) -> str:
    """The name of a model, and whether a function uses it by default or for "best"."""
    its = choices()[verb]
    roles = [role for role in ("default", "best") if getattr(its, role) == name]
    return f"`{name}`" + (f" ({', '.join(roles)})" if roles else "")

"""The checks of a result before it is written."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.results.moments import by_frame
from zoo.results.vocabulary import Result, kind_of


def check_result(result: Result, caller: str) -> None:
    """Raise an error for a value that no function of the zoo returns.

    Args:
        result: an item, a list of items, a moment, a list of moments, or a dict of these by image.
        caller: the function that writes the result, for the error.

    Raises:
        ZooError: an item is no result item, or a number is not finite.

    >>> check_result({"label": "tabby", "score": float("nan"), "index": 0}, "to_csv")
    Traceback (most recent call last):
    zoo.ZooError: to_csv takes finite numbers only, and 'score' is nan
    """
    for where, items in by_frame(result):
        for item in items:
            if kind_of(item) is None:
                raise not_a_result(item, caller)
        for key, value in _numbers("", [where, *items]):
            if not math.isfinite(value):
                raise ZooError(f"{caller} takes finite numbers only, and {key!r} is {value}")


def not_a_result(item: Any, caller: str) -> ZooError:
    """The error for a value that is no result item."""
    return ZooError(
        f"{caller} needs a pose, or another result of the zoo, or a list of them; "
        f"this is not a result: {item!r:.80}"
    )


def _numbers(key: str, value: Any) -> Iterator[tuple[str, float]]:
    """Every number with its key, but for the numbers in arrays, which are checked elsewhere."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _numbers(str(name), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(key, item)
    elif isinstance(value, (float, np.floating)):
        yield key, float(value)

"""What is refused before a result is written."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.results import Result, by_photo, kind_of


def check_result(result: Result, caller: str) -> None:
    """Raise for what no function of the zoo gives.

    Args:
        result: a thing, a list of things, or a dict of either by photo.
        caller: who writes it, for the error.

    Raises:
        ZooError: something is no thing of the zoo, or a number is not finite.

    >>> check_result({"label": "tabby", "score": float("nan"), "index": 0}, "to_csv")
    Traceback (most recent call last):
    zoo.ZooError: to_csv takes finite numbers only, and 'score' is nan
    """
    for _, thing in by_photo(result):
        if kind_of(thing) is None:
            raise not_a_result(thing, caller)
        for key, value in _numbers("", thing):
            if not math.isfinite(value):
                raise ZooError(f"{caller} takes finite numbers only, and {key!r} is {value}")


def not_a_result(thing: Any, caller: str) -> ZooError:
    """The error that says so."""
    return ZooError(
        f"{caller} needs a pose, or another result of the zoo, or a list of them; "
        f"this is not a result: {thing!r:.80}"
    )


def _numbers(key: str, value: Any) -> Iterator[tuple[str, float]]:
    """Every number with the key that it is under; those of arrays are looked at elsewhere."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _numbers(str(name), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(key, item)
    elif isinstance(value, (float, np.floating)):
        yield key, float(value)

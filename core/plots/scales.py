"""Kinds and ranges of axes."""

from math import isfinite
from typing import Literal, get_args

from core.errors import CoreError

ScaleKind = Literal["linear", "log"]
Range = tuple[float, float]

#: Largest finite number of a scale; larger ones count as infinite, so differences do not overflow.
LARGEST = 1e300


def check_scale(name: str, kind: str) -> None:
    """Raise an error for an unknown kind of scale."""
    if kind not in get_args(ScaleKind):
        valid = ", ".join(map(repr, get_args(ScaleKind)))
        raise CoreError(f"{name} is {kind!r}; the names are {valid}")


def check_range(name: str, limits: Range | None, kind: str) -> None:
    """Raise an error for a range that is empty, or that a log scale lacks."""
    if limits is None:
        return
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not (isfinite(low) and isfinite(high) and -LARGEST < low < high < LARGEST):
        raise CoreError(f"{name} is {limits!r:.80}: give two numbers, the smaller one first")
    if kind == "log" and low <= 0:
        raise CoreError(f"{name} is {limits!r}: a log scale has positive numbers alone")

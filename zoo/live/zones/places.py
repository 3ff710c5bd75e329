"""The checks of the points and limits that lines and areas are made of."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Real

from weights_cache.common.errors import ZooError

XY = tuple[float, float]


def checked_points(points: Sequence[Sequence[float]], least: int) -> list[XY]:
    """Return points as pairs of numbers, at least some of them.

    >>> checked_points([(0, 1), [2.5, 3]], least=2)
    [(0.0, 1.0), (2.5, 3.0)]
    """
    try:
        pairs = [(float(x), float(y)) for x, y in points]
    except (TypeError, ValueError) as error:
        raise ZooError(f"{points!r:.120} must be points (x, y), in pixels") from error
    if not all(isfinite(x) and isfinite(y) for x, y in pairs):
        raise ZooError(f"{points!r:.120} must be points of finite numbers")
    if len(pairs) < least:
        raise ZooError(f"{points!r:.120} has {len(pairs)} points: give at least {least}")
    return pairs


def checked_slack(slack: float) -> float:
    """Return how far beyond an edge an anchor must get, in sizes of the object."""
    if isinstance(slack, bool) or not isinstance(slack, Real) or not 0 <= slack <= 1:
        raise ZooError(f"slack={slack!r:.80} must be a number in 0..1")
    return float(slack)

"""Arguments of plotting functions: numbers as arrays, series by names, names of classes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.plots.scales import LARGEST

#: Numbers: a tensor, an array, or lists of numbers.
Numbers = Tensor | np.ndarray | Sequence[float] | Sequence[Sequence[float]]

#: One series, or several by their names; of each, numbers [n], or pairs of x and y [n, 2].
Series = Numbers | Mapping[str, Numbers]


def array_of(values: Numbers, name: str, axes: int | None = None) -> np.ndarray:
    """Return numbers as a float64 array, with NaN for those that are too large.

    Args:
        values: a tensor, an array, or nested lists.
        name: of the argument, for errors.
        axes: how many axes it must have; None allows any number.

    Raises:
        CoreError: the values are not numbers, are ragged, or have other axes.
    """
    raw = values.numpy() if isinstance(values, Tensor) else values
    try:
        array = np.asarray(raw)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise CoreError(
            f"{name} must be numbers: a tensor, an array or lists of equal lengths, "
            f"got {values!r:.80}"
        ) from error
    if axes is not None and array.ndim != axes:
        raise CoreError(f"{name} must have {axes} axes, got shape {array.shape}")
    return array


def are_finite(array: np.ndarray) -> np.ndarray:
    """Return which values can be drawn: neither NaN nor infinite."""
    return np.isfinite(array) & (np.abs(np.nan_to_num(array)) < LARGEST)


class Points(NamedTuple):
    """A series: its name, empty if it has none, and its points."""

    name: str
    x: np.ndarray
    y: np.ndarray


def series_of(series: Series, first: float = 0.0) -> list[Points]:
    """Return series as points; where there are no x, they count from ``first``.

    Raises:
        CoreError: a series is neither [n] nor [n, 2], or is not of numbers.
    """
    several = series if isinstance(series, Mapping) else {"": series}
    return [_points(str(name), values, first) for name, values in several.items()]


def _points(name: str, values: Numbers, first: float) -> Points:
    shown = f"series {name!r}" if name else "the series"
    array = array_of(values, shown)
    if array.ndim == 2 and array.shape[1] == 2:
        return Points(name, array[:, 0], array[:, 1])
    if array.ndim != 1:
        raise CoreError(
            f"{shown} must be numbers [n], or pairs of x and y [n, 2]; got shape {array.shape}: "
            "give several series as a dict by their names"
        )
    return Points(name, first + np.arange(len(array), dtype=np.float64), array)


def names_for(names: Sequence[str] | None, count: int, name: str) -> list[str]:
    """Return names of rows, columns or classes; by default their indices.

    Raises:
        CoreError: there are fewer or more names than that.
    """
    if names is None:
        return [str(i) for i in range(count)]
    found = [str(each) for each in names]
    if len(found) != count:
        raise CoreError(f"{name} has {len(found)} names, where {count} are needed")
    return found

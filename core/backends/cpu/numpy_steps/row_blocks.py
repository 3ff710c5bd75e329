"""Arrays of one shape, cut into blocks that stay in the cache and have long rows."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from types import EllipsisType

import numpy as np

from core.engine.specs import Shape

#: A part of an array: of its outer axes, or with `...` all of it, so that it stays a view even
#: where there are no axes.
Index = tuple[slice | EllipsisType, ...]

ALL: Index = (...,)

#: Values per block: several arrays of so many stay in the cache from one pass to the next.
BLOCK = 1 << 15

#: Length of rows below which NumPy is slow.
_LONG = 1024


def with_long_rows(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return views of arrays of one shape, whose last axes are joined until rows are long.

    No array is empty. An axis along which an array repeats (of stride 0) joins other such axes.
    Axes of length 1 are dropped: their strides would make NumPy treat two views of the same values
    as different.
    """
    shape = arrays[0].shape
    index = tuple(0 if n == 1 else slice(None) for n in shape)
    found = [a[index] if max(shape, default=1) > 1 else a.reshape(1) for a in arrays]
    while found[0].ndim > 1 and found[0].shape[-1] < _LONG and all(map(_can_join, found)):
        found = [a.reshape(*a.shape[:-2], -1) for a in found]  # views, as they can be joined
    return found


def _can_join(a: np.ndarray) -> bool:
    return a.strides[-2] == a.strides[-1] * a.shape[-1]


def spread_to(a: np.ndarray, shape: Shape) -> np.ndarray:
    """Return a view broadcast to a shape; an array that has the shape is returned at once."""
    return a if a.shape == shape else np.broadcast_to(a, shape)


def cut_into_blocks(arrays: Sequence[np.ndarray], most: int = BLOCK) -> Iterator[list[np.ndarray]]:
    """Cut arrays of one shape into blocks of at most ``most`` values, at the same positions."""
    first = arrays[0]
    if first.size <= most:
        yield list(arrays)
        return
    inner = first.size // len(first)
    if inner > most:
        for i in range(len(first)):
            yield from cut_into_blocks([a[i] for a in arrays], most)
        return
    step = most // inner
    for start in range(0, len(first), step):
        yield [a[start : start + step] for a in arrays]


@lru_cache(32)
def row_of(value: float, length: int, dtype: np.dtype) -> np.ndarray:
    """Return a row of one number, for which NumPy's maximum takes a fourth of the time."""
    result = np.full(length, value, dtype)
    result.flags.writeable = False
    return result


def expanded_shape(own: Shape, result: Shape, numbers: bool = False) -> Shape:
    """Return the shape in which an operand has long rows, as far as repetition in memory allows.

    Args:
        own: its shape, which broadcasts to ``result``.
        result: of the element-wise op.
        numbers: whether one number for a whole row is to be repeated, too.

    >>> expanded_shape((32,), (1, 112, 112, 32)), expanded_shape((1,), (1, 112, 112, 32))
    ((1, 1, 112, 32), (1,))
    """
    axes = 1
    while axes < len(result) and prod(result[-axes:]) < _LONG:
        axes += 1
    start = max(len(result) - axes, 0)
    lead = (1,) * (len(result) - len(own)) + own
    shape = (*lead[:start], *result[start:])
    is_number = prod(lead[start:]) == 1
    return own if prod(shape) > BLOCK or (is_number and not numbers) else shape


def has_short_rows(shape: Shape, axis: int, most: int = 16) -> bool:
    """Return whether there are many short rows, where NumPy loops along each member of them."""
    return axis == len(shape) - 1 and 1 < shape[axis] <= most and prod(shape[:axis]) >= 256

"""Pooling over images with their channels second.

Usual windows are those of our ops. Others, with gaps or beyond the image, are so many shifted
images as there are positions in a window.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows, numbers
from core.graph.node_types.onnx.spatial import (
    Sides,
    along,
    also_of_rows,
    first,
    last,
    padding,
    reach,
)


class Windows(NamedTuple):
    """The windows of a pooling.

    Attributes:
        size: of a window along each axis.
        strides: from window to window.
        dilations: from value to value in a window.
        own: padding that the node asks for.
        sides: padding up to the end of the last window.
        counts: of windows along each axis.
    """

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    own: Sides
    sides: Sides
    counts: tuple[int, ...]


def _windows(
    x: Tensor,
    size: Sequence[int],
    auto_pad: str,
    pads: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: int,
) -> Windows:
    """Return windows; with ``ceil_mode`` the last may end beyond the padding, not begin in it."""
    steps, gaps = along(strides, x.ndim - 2), along(dilations, x.ndim - 2)
    sizes, lengths = reach(size, gaps), x.shape[2:]
    own = padding(auto_pad, pads, lengths, sizes, steps)
    sides, counts = [], []
    for (before, after), n, r, step in zip(own, lengths, sizes, steps, strict=True):
        room = n + before + after - r
        count = (-(-room // step) if ceil_mode else room // step) + 1
        if ceil_mode:
            count -= (count - 1) * step >= n + before
        sides.append((before, max((count - 1) * step + r - n - before, 0)))
        counts.append(count)
    return Windows(tuple(size), steps, gaps, own, tuple(sides), tuple(counts))


def _taps(x: Tensor, w: Windows, border: float) -> list[Tensor]:
    """Return for each position in a window the values there of all windows."""
    x = ops.pad(x, paddings=((0, 0), (0, 0), *w.sides), constant_value=border)
    return [x[parts] for parts in _tap_slices(w)]


def _tap_slices(w: Windows) -> list[tuple[Any, ...]]:
    """Return for each position in a window the part of padded images that is there."""
    axes = zip(w.size, w.strides, w.dilations, w.counts, strict=True)
    along_each = (
        [slice(tap * gap, tap * gap + (count - 1) * step + 1, step) for tap in range(size)]
        for size, step, gap, count in axes
    )
    return [(..., *parts) for parts in product(*along_each)]


def _pooled(x: Tensor, w: Windows, kind: str) -> Tensor:
    """Return what our op gives for windows without gaps; padding does not count."""
    pool = getattr(ops, f"{kind}_pool" if x.ndim == 4 else f"{kind}_pool3d")
    return first(pool(last(x), filter_size=w.size, strides=w.strides, pad=w.sides))


@also_of_rows
def _max_pool(
    x: Tensor,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
    storage_order: int = 0,
    strides: Sequence[int] = (),
    outputs: int = 1,
) -> Tensor | list[Tensor]:
    """The largest values, and their positions in the flat input if the file asks for them."""
    w = _windows(x, kernel_shape, auto_pad, pads, strides, dilations, ceil_mode)
    if outputs > 1:
        return _with_positions(x, w, bool(storage_order))
    if max(w.dilations) == 1:
        return _pooled(x, w, "max")
    return reduce(ops.maximum, _taps(x, w, _lowest(x)))


def _lowest(x: Tensor) -> float:
    return -np.inf if x.dtype == "float32" else -(2.0**31)


def _with_positions(x: Tensor, w: Windows, by_column: bool) -> list[Tensor]:
    """Return the largest values and their positions; of equal ones the first."""
    taps = _taps(x, w, _lowest(x))
    places = [
        tensor(np.broadcast_to(place, taps[0].shape)) for place in _positions(x.shape, w, by_column)
    ]
    best, at = taps[0], places[0]
    for value, place in zip(taps[1:], places[1:], strict=True):
        wins = value > best
        best, at = ops.select(wins, value, best), ops.select(wins, place, at)
    return [best, at]


def _positions(shape: Sequence[int], w: Windows, by_column: bool) -> list[np.ndarray]:
    """Return the positions in a flat tensor of the values that `_taps` gives."""
    lengths = shape[2:]
    flat = np.arange(prod(lengths)).reshape(lengths, order="F" if by_column else "C")
    rows = np.arange(prod(shape[:2])).reshape(*shape[:2], *(1,) * len(lengths))
    whole = np.pad(flat, w.sides) + rows * prod(lengths)
    return [whole[parts].astype(np.int32) for parts in _tap_slices(w)]


@also_of_rows
def _average_pool(
    x: Tensor,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """Averages without the padding, or with the node's own, never with what is beyond that."""
    w = _windows(x, kernel_shape, auto_pad, pads, strides, dilations, ceil_mode)
    counts_padding = bool(count_include_pad) and any(map(any, w.own))
    if max(w.dilations) == 1 and not (counts_padding and ceil_mode):
        if counts_padding:
            x = ops.pad(x, paddings=((0, 0), (0, 0), *w.own))
            w = w._replace(sides=((0, 0),) * len(w.sides))
        return _pooled(x, w, "avg")
    sums = reduce(ops.add, _taps(x, w, 0.0))
    return sums / tensor(_counts(x.shape[2:], w, counts_padding))


def _counts(lengths: Sequence[int], w: Windows, with_padding: bool) -> np.ndarray:
    """Return how many values each window counts."""
    found = np.ones(lengths, np.float32)
    if with_padding:
        found = np.pad(found, w.own, constant_values=1)
        ends = zip(w.sides, w.own, strict=True)
        more = [(0, max(after - own, 0)) for (_, after), (_, own) in ends]
    else:
        more = [*w.sides]
    found = np.pad(found, more)
    return np.sum([found[parts] for parts in _tap_slices(w)], axis=0)


@also_of_rows
def _lp_pool(
    x: Tensor,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] = (),
    p: int = 2,
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    w = _windows(x, kernel_shape, auto_pad, pads, strides, dilations, ceil_mode)
    return _root(reduce(ops.add, _taps(_power(x, p), w, 0.0)), p)


def _power(x: Tensor, p: int) -> Tensor:
    return ops.square(x) if p == 2 else ops.pow(ops.abs(x), float(p))


def _root(x: Tensor, p: int) -> Tensor:
    return ops.sqrt(x) if p == 2 else ops.pow(x, 1 / p)


def _space(x: Tensor) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


def _global_lp_pool(x: Tensor, p: int = 2) -> Tensor:
    return _root(ops.sum(_power(x, p), axis=_space(x), keep_dims=True), p)


def _max_unpool(
    x: Tensor,
    at: Tensor,
    shape: Tensor | None = None,
    kernel_shape: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """Zeros, but for the values at the positions that a MaxPool with these attributes gave."""
    steps = along(strides, x.ndim - 2)
    sides = padding("NOTSET", pads, x.shape[2:], kernel_shape, steps)
    ends = zip(x.shape[2:], kernel_shape, steps, sides, strict=True)
    whole = (*x.shape[:2], *((n - 1) * s + k - sum(side) for n, k, s, side in ends))
    flat = ops.reshape(x, shape=(-1,))
    y = ops.scatter_nd(ops.reshape(at, shape=(-1, 1)), flat, shape=(prod(whole),))
    y = ops.reshape(y, shape=whole)
    asked = numbers(shape) or whole
    more = [(0, max(n - m, 0)) for n, m in zip(asked, whole, strict=True)]
    return ops.pad(y, paddings=more)[tuple(slice(n) for n in asked)]


ROWS: Rows = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": lambda x: ops.mean(x, axis=_space(x), keep_dims=True),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": lambda x: ops.max(x, axis=_space(x), keep_dims=True),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
    "MaxUnpool": _max_unpool,
}

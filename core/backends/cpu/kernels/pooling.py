"""Pooling in NumPy: one axis after the other, over views of the input that are shifted."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from core.backends.cpu.kernels.conv import along, padded
from core.engine.registry import kernel
from core.engine.windows import Window, pixel_counts, pixels_read, window

Tap = tuple[tuple[slice, ...], tuple[slice, ...]]


def taps(w: Window) -> list[Tap]:
    """Yield for each position of a window, row by row, the index of windows and of their pixels.

    Padding is thus never read.
    """
    positions = product(*(pixels_read(w, axis) for axis in range(len(w.size))))
    return [
        (along(1, *(windows for windows, _ in axes)), along(1, *(pixels for _, pixels in axes)))
        for axes in positions
    ]


def _fold(x: np.ndarray, w: Window, start: Any, combine: np.ufunc, dtype: Any) -> np.ndarray:
    """Combine the values of each window, axis by axis."""
    for axis in range(len(w.size)):
        shape = (*x.shape[: axis + 1], w.out_size[axis], *x.shape[axis + 2 :])
        result = np.full(shape, start, dtype)
        for windows, pixels in pixels_read(w, axis):
            part = result[along(axis + 1, windows)]
            combine(part, x[along(axis + 1, pixels)], out=part)
        x = result
    return x


def average(x: np.ndarray, w: Window, least: int = 0) -> np.ndarray:
    """Return the average of each window; a window without pixels counts ``least`` of them."""
    total = _fold(x, w, 0, np.add, np.float64)
    total /= np.maximum(pixel_counts(w), least)[..., np.newaxis]
    return total.astype(np.float32)


_LOWEST = {"f": -np.inf, "i": np.iinfo(np.int32).min, "b": False}


def largest(x: np.ndarray, w: Window) -> np.ndarray:
    """Return the largest value of each window; fmax ignores NaN."""
    result = _fold(x, w, _LOWEST[x.dtype.kind], np.fmax, x.dtype)
    if x.dtype.kind == "i":
        result[:, pixel_counts(w) == 0] = 0
    return result


def winners(
    x: np.ndarray, w: Window, better: np.ufunc, lowest: float, added: np.ndarray | None = None
) -> np.ndarray:
    """Return for each window the position of its best value (the first of equal ones), or -1.

    Args:
        x: [n, *in_size, channels].
        w: the windows.
        better: comparison of a value with the best so far.
        lowest: what the first value must be better than.
        added: [position, channels], added to the values.
    """
    shape = (x.shape[0], *w.out_size, x.shape[-1])
    best, positions = np.full(shape, lowest, np.float64), np.full(shape, -1, np.int32)
    for position, (windows, pixels) in enumerate(taps(w)):
        values = x[pixels] if added is None else x[pixels] + added[position]
        wins = better(values, best[windows])
        np.copyto(best[windows], values, where=wins)
        np.copyto(positions[windows], position, where=wins)
    return positions


def to_winners(dy: np.ndarray, positions: np.ndarray, w: Window) -> np.ndarray:
    """Add each window's gradient to its best value: [n, *in_size, channels]."""
    dx = np.zeros((dy.shape[0], *w.in_size, dy.shape[-1]), dy.dtype)
    for position, (windows, pixels) in enumerate(taps(w)):
        part = dx[pixels]
        np.add(part, dy[windows], out=part, where=positions[windows] == position)
    return dx


@kernel("avg_pool", "cpu")
def avg_pool(
    x: np.ndarray, filter_size: Any, data_format: str = "NHWC", least: int = 0, **how: Any
) -> np.ndarray:
    """Return averages: sums in float64, divided by the number of pixels."""
    return average(x, window(x.shape, filter_size, data_format=data_format, **how), least)


@kernel("avg_pool_grad", "cpu")
def avg_pool_grad(
    dy: np.ndarray,
    input: np.ndarray,
    filter_size: Any,
    data_format: str = "NHWC",
    least: int = 0,
    **how: Any,
) -> np.ndarray:
    """Give each pixel of a window an equal share of the window's gradient."""
    w = window(input.shape, filter_size, data_format=data_format, **how)
    g = dy / np.maximum(pixel_counts(w), least)[..., np.newaxis]
    for axis, length in enumerate(w.in_size):
        dx = np.zeros((*g.shape[: axis + 1], length, *g.shape[axis + 2 :]))
        for windows, pixels in pixels_read(w, axis):
            dx[along(axis + 1, pixels)] += g[along(axis + 1, windows)]
        g = dx
    return g.astype(np.float32)


@kernel("max_pool", "cpu")
def max_pool(x: np.ndarray, filter_size: Any, **how: Any) -> np.ndarray:
    """Return the largest values; disjoint windows of one pixel keep even NaN."""
    w = window(x.shape, filter_size, data_format="NHWC", **how)
    return x.copy() if w.pointwise else largest(x, w)


@kernel("max_pool_grad", "cpu")
def max_pool_grad(
    dy: np.ndarray,
    input: np.ndarray,
    output: np.ndarray,
    filter_size: Any,
    data_format: str = "NHWC",
    better: np.ufunc = np.greater,
    **how: Any,
) -> np.ndarray:
    """Give each window's gradient to the first of its largest values."""
    w = window(input.shape, filter_size, data_format=data_format, **how)
    return to_winners(dy, winners(input, w, better, -np.inf), w)


@kernel("max_pool_with_argmax", "cpu")
def max_pool_with_argmax(
    x: np.ndarray, filter_size: Any, include_batch_in_index: bool, **how: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest values and the index of the first of them."""
    w = window(x.shape, filter_size, data_format="NHWC", **how)
    positions = winners(x, w, np.greater, -np.inf)
    n, height, width, channels = np.ogrid[tuple(map(slice, positions.shape))]
    row = height * w.strides[0] - w.padding[0][0] + positions // w.size[1]
    column = width * w.strides[1] - w.padding[1][0] + positions % w.size[1]
    index = (row * w.in_size[1] + column) * x.shape[3] + channels
    if include_batch_in_index:
        index += n * (x.size // max(x.shape[0], 1))
    return largest(x, w), np.where(positions < 0, -1, index).astype(np.int32)


_POOLS: dict[str, Callable] = {"avg": average, "max": largest}


@kernel("pool", "cpu")
def pool(input: np.ndarray, window_shape: Any, pooling_type: str, **how: Any) -> np.ndarray:
    """Return averages or maxima; with dilations the padding is zeros that count."""
    w = window(input.shape, window_shape, data_format="NHWC", **how)
    if w.pointwise and pooling_type == "max":
        return input.copy()
    if max(w.dilations) > 1:
        input = padded(input, w)
        w = w._replace(in_size=input.shape[1:3], padding=((0, 0), (0, 0)))
    return _POOLS[pooling_type](input, w)

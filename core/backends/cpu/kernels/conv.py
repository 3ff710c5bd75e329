"""Convolutions in NumPy, over images and volumes: every window times the filter, as matrices.

Work goes in blocks of rows, so that what a block reads and writes stays in the CPU's cache.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.windows import Window, group_count, window

BLOCK_BYTES = 1 << 18  # a share of a common L2 cache; found by trying 64 KiB to 4 MiB


def channels_last(x: np.ndarray, data_format: str) -> np.ndarray:
    """Return a view of images with their channels as the last axis."""
    return np.moveaxis(x, 1, -1) if data_format[1] == "C" else x


def in_format(x: np.ndarray, data_format: str) -> np.ndarray:
    """Return images with channels last in their data format."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 1)) if data_format[1] == "C" else x


def padded(x: np.ndarray, w: Window) -> np.ndarray:
    """Return the input with its border of zeros; without padding, the input itself."""
    if not any(map(any, w.padding)):
        return x
    shape = (x.shape[0], *(n + sum(s) for n, s in zip(w.in_size, w.padding, strict=True)))
    claim(prod(shape) * x.shape[-1] * x.itemsize, f"an input with its borders, {shape}")
    result = np.zeros((*shape, x.shape[-1]), x.dtype)
    result[_inside(w)] = x
    return result


def unpadded(x: np.ndarray, w: Window) -> np.ndarray:
    """Remove the border that `padded` added."""
    return np.array(x[_inside(w)], order="C")


def _inside(w: Window) -> tuple[slice, ...]:
    sides = zip(w.in_size, w.padding, strict=True)
    return (slice(None), *(slice(before, before + n) for n, (before, _) in sides))


def along(axis: int, *parts: slice) -> tuple[slice, ...]:
    """Return the index of a window of positions and of the later positions of an axis."""
    return (slice(None),) * axis + parts


def tap(x: np.ndarray, w: Window, position: tuple[int, ...]) -> np.ndarray:
    """Return the view of padded input that one filter position reads: [n, *out_size, channels]."""
    axes = zip(position, w.dilations, w.out_size, w.strides, strict=True)
    reads = (slice(p * d, p * d + (count - 1) * s + 1, s) for p, d, count, s in axes)
    return x[along(1, *reads)]


def filter_positions(w: Window) -> Iterator[tuple[int, ...]]:
    """Yield every position of the filter, row by row."""
    return product(*map(range, w.size))


def row_blocks(rows: int, bytes_per_row: int) -> Iterator[slice]:
    """Cut output rows into blocks of about BLOCK_BYTES."""
    step = max(1, BLOCK_BYTES // max(bytes_per_row, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def windows_of(x: np.ndarray, w: Window) -> np.ndarray:
    """Return a view of padded input: [n, *out_size, *filter size, channels]."""
    batch, *axes, channel = x.strides
    steps = [a * s for a, s in zip(axes, w.strides, strict=True)]
    reads = [a * d for a, d in zip(axes, w.dilations, strict=True)]
    return np.lib.stride_tricks.as_strided(
        x,
        (x.shape[0], *w.out_size, *w.size, x.shape[-1]),
        (batch, *steps, *reads, channel),
        writeable=False,
    )


def in_groups(
    compute: Callable[[np.ndarray, np.ndarray, Window], np.ndarray],
    groups: int,
    a: np.ndarray,
    b: np.ndarray,
    w: Window,
) -> np.ndarray:
    """Compute each group of channels, which are the last axis of all arrays, on its own."""
    if groups == 1:
        return compute(a, b, w)
    pairs = zip(*(np.split(each, groups, axis=-1) for each in (a, b)), strict=True)
    return np.concatenate([compute(left, right, w) for left, right in pairs], axis=-1)


def convolve(x: np.ndarray, filter: np.ndarray, w: Window) -> np.ndarray:
    """Multiply every window, a row of a matrix (im2col), by the filter as a matrix."""
    n, out = x.shape[0], filter.shape[-1]
    if not filter.size:
        return np.zeros((n, *w.out_size, out), x.dtype)
    weights = filter.reshape(-1, out)
    if w.pointwise:
        return np.matmul(x.reshape(-1, x.shape[-1]), weights).reshape(n, *w.out_size, out)
    windows = windows_of(padded(x, w), w)
    result = np.empty((n, *w.out_size, out), x.dtype)
    rows, row_bytes = w.out_size[0], prod(w.out_size[1:]) * weights.shape[0] * x.itemsize
    for i in range(n):
        for block in row_blocks(rows, row_bytes):
            columns = windows[i, block].reshape(-1, weights.shape[0])
            np.matmul(columns, weights, out=result[i, block].reshape(-1, out))
    return result


def convolve_back(dy: np.ndarray, filter: np.ndarray, w: Window) -> np.ndarray:
    """Add to each pixel the share of every filter position that read it."""
    dx = padded(np.zeros((dy.shape[0], *w.in_size, filter.shape[-2]), dy.dtype), w)
    for position in filter_positions(w):
        tap(dx, w, position)[...] += dy @ filter[position].T
    return unpadded(dx, w)


def filter_of(x: np.ndarray, dy: np.ndarray, w: Window) -> np.ndarray:
    """Return the filter's gradient: for every filter position, the pixels that it read times dy."""
    result = np.zeros((*w.size, x.shape[-1], dy.shape[-1]), x.dtype)
    if not result.size:
        return result
    source, flat_dy = padded(x, w), dy.reshape(-1, dy.shape[-1])
    for position in filter_positions(w):
        pixels = tap(source, w, position).reshape(-1, x.shape[-1])
        np.matmul(pixels.T, flat_dy, out=result[position])
    return result


@kernel("conv2d", "cpu")
def conv2d(x: np.ndarray, filter: np.ndarray, data_format: str, **how: Any) -> np.ndarray:
    """Return windows times the filter."""
    w = window(x.shape, filter.shape[:-2], data_format=data_format, **how)
    images = channels_last(x, data_format)
    groups = group_count(images.shape[-1], filter.shape)
    return in_format(in_groups(convolve, groups, images, filter, w), data_format)


@kernel("conv2d_backprop_input", "cpu")
def conv2d_backprop_input(
    dy: np.ndarray, filter: np.ndarray, input_shape: Any, data_format: str, **how: Any
) -> np.ndarray:
    """Return the gradient for the input: the transposed convolution of dy."""
    w = window(tuple(input_shape), filter.shape[:-2], data_format=data_format, **how)
    groups = group_count(input_shape[1 if data_format[1] == "C" else -1], filter.shape)
    gradients = channels_last(dy, data_format)
    return in_format(in_groups(convolve_back, groups, gradients, filter, w), data_format)


@kernel("conv2d_backprop_filter", "cpu")
def conv2d_backprop_filter(
    x: np.ndarray, dy: np.ndarray, filter_shape: Any, data_format: str, **how: Any
) -> np.ndarray:
    """Return the gradient for the filter: windows times dy."""
    w = window(x.shape, tuple(filter_shape)[:-2], data_format=data_format, **how)
    images, gradients = channels_last(x, data_format), channels_last(dy, data_format)
    groups = group_count(images.shape[-1], tuple(filter_shape))
    return in_groups(filter_of, groups, images, gradients, w)

"""Convolutions in NumPy: matrix products for the dense ones, shifted multiply-add for depthwise.

Work goes in blocks of rows, so that what a block reads and writes stays in the CPU's cache.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.geometry import Padding, Pair, Window, window
from core.kernels import kernel

BLOCK_BYTES = 1 << 18  # a share of a common L2 cache; found by trying 64 KiB to 4 MiB


def padded(x: np.ndarray, w: Window) -> np.ndarray:
    """The input with its border of zeros, or itself where there is none."""
    (top, bottom), (left, right) = w.padding
    if not any((top, bottom, left, right)):
        return x
    n, height, width, channels = x.shape
    result = np.zeros((n, top + height + bottom, left + width + right, channels), x.dtype)
    result[:, top : top + height, left : left + width] = x
    return result


def unpadded(x: np.ndarray, w: Window) -> np.ndarray:
    """What `padded` was given."""
    (top, _), (left, _) = w.padding
    return np.array(x[:, top : top + w.in_size[0], left : left + w.in_size[1]], order="C")


def tap(x: np.ndarray, w: Window, row: int, column: int) -> np.ndarray:
    """The view of padded input that one place of the filter reads: [n, *out_size, channels]."""
    first = row * w.dilations[0], column * w.dilations[1]
    last = [f + (o - 1) * s + 1 for f, o, s in zip(first, w.out_size, w.strides, strict=True)]
    return x[:, first[0] : last[0] : w.strides[0], first[1] : last[1] : w.strides[1]]


def places(w: Window) -> Iterator[tuple[int, int]]:
    """Every place of the filter."""
    return ((row, column) for row in range(w.size[0]) for column in range(w.size[1]))


def row_blocks(rows: int, bytes_per_row: int) -> Iterator[slice]:
    """Cut output rows into blocks of about BLOCK_BYTES."""
    step = max(1, BLOCK_BYTES // max(bytes_per_row, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def windows_of(x: np.ndarray, w: Window) -> np.ndarray:
    """A view of padded input: [n, out height, out width, filter height, filter width, channels]."""
    n, rows, columns, channel = x.strides
    (down, right), (dy, dx) = w.strides, w.dilations
    return np.lib.stride_tricks.as_strided(
        x,
        (x.shape[0], *w.out_size, *w.size, x.shape[3]),
        (n, rows * down, columns * right, rows * dy, columns * dx, channel),
        writeable=False,
    )


@kernel("conv2d", "cpu")
def conv2d(
    x: np.ndarray, filter: np.ndarray, strides: Pair, pad: Padding, dilations: Pair
) -> np.ndarray:
    """Every window as a row of a matrix (im2col), times the filter as a matrix."""
    w = window(x.shape, filter.shape[:2], strides, pad, dilations)
    n, (height, width), out = x.shape[0], w.out_size, filter.shape[3]
    weights = filter.reshape(-1, out)
    if w.pointwise:
        return np.matmul(x.reshape(-1, x.shape[3]), weights).reshape(n, height, width, out)
    windows = windows_of(padded(x, w), w)
    result = np.empty((n, height, width, out), x.dtype)
    for i in range(n):
        for rows in row_blocks(height, width * weights.shape[0] * x.itemsize):
            columns = windows[i, rows].reshape(-1, weights.shape[0])
            np.matmul(columns, weights, out=result[i, rows].reshape(-1, out))
    return result


@kernel("conv2d_backprop_input", "cpu")
def conv2d_backprop_input(
    dy: np.ndarray,
    filter: np.ndarray,
    input_shape: Any,
    strides: Pair,
    pad: Padding,
    dilations: Pair,
) -> np.ndarray:
    """Every place of the filter adds its share to the pixels that it read."""
    w = window(tuple(input_shape), filter.shape[:2], strides, pad, dilations)
    dx = padded(np.zeros(tuple(input_shape), dy.dtype), w)
    for row, column in places(w):
        tap(dx, w, row, column)[...] += dy @ filter[row, column].T
    return unpadded(dx, w)


@kernel("conv2d_backprop_filter", "cpu")
def conv2d_backprop_filter(
    x: np.ndarray,
    dy: np.ndarray,
    filter_shape: Any,
    strides: Pair,
    pad: Padding,
    dilations: Pair,
) -> np.ndarray:
    """For every place of the filter: the pixels that it read, times dy."""
    w = window(x.shape, tuple(filter_shape[:2]), strides, pad, dilations)
    source, flat_dy = padded(x, w), dy.reshape(-1, dy.shape[3])
    result = np.empty(tuple(filter_shape), x.dtype)
    for row, column in places(w):
        pixels = tap(source, w, row, column).reshape(-1, x.shape[3])
        np.matmul(pixels.T, flat_dy, out=result[row, column])
    return result


@kernel("depthwise_conv2d", "cpu")
def depthwise_conv2d(
    x: np.ndarray, filter: np.ndarray, strides: Pair, pad: Padding, dilations: Pair
) -> np.ndarray:
    """The sum over the filter's places of the input, shifted, times that place's weights."""
    w = window(x.shape, filter.shape[:2], strides, pad, dilations)
    source = _repeat_channels(padded(x, w), filter.shape[3])
    channels = source.shape[3]
    (height, width), weights = w.out_size, filter.reshape(-1, channels)
    result = np.empty((x.shape[0], height, width, channels), x.dtype)
    taps = [tap(source, w, row, column) for row, column in places(w)]
    if w.strides[1] == 1:
        # One long run per row instead of a short one per pixel: twice as fast.
        taps, result = _runs(source, w), result.reshape(x.shape[0], height, width * channels)
        weights = np.tile(weights, width)
    for image in range(x.shape[0]):
        for rows in row_blocks(height, width * channels * x.itemsize):
            _sum_of_products([t[image, rows] for t in taps], weights, result[image, rows])
    return result.reshape(x.shape[0], height, width, channels)


def _repeat_channels(x: np.ndarray, multiplier: int) -> np.ndarray:
    return x if multiplier == 1 else np.repeat(x, multiplier, axis=3)


def _runs(source: np.ndarray, w: Window) -> list[np.ndarray]:
    """For each place of the filter the pixels it reads: [n, out height, out width * channels]."""
    n, height, width, channels = source.shape
    rows, run = source.reshape(n, height, width * channels), w.out_size[1] * channels
    views = []
    for row, column in places(w):
        top, left = row * w.dilations[0], column * w.dilations[1] * channels
        last = top + (w.out_size[0] - 1) * w.strides[0] + 1
        views.append(rows[:, top : last : w.strides[0], left : left + run])
    return views


def _sum_of_products(taps: list[np.ndarray], weights: np.ndarray, result: np.ndarray) -> None:
    np.multiply(taps[0], weights[0], out=result)
    product = np.empty_like(result)
    for pixels, weight in zip(taps[1:], weights[1:], strict=True):
        np.multiply(pixels, weight, out=product)
        result += product


@kernel("depthwise_conv2d_backprop_input", "cpu")
def depthwise_conv2d_backprop_input(
    dy: np.ndarray,
    filter: np.ndarray,
    input_shape: Any,
    strides: Pair,
    pad: Padding,
    dilations: Pair,
) -> np.ndarray:
    """Every place of the filter adds its share to the pixels that it read."""
    w = window(tuple(input_shape), filter.shape[:2], strides, pad, dilations)
    dx = padded(np.zeros(tuple(input_shape), dy.dtype), w)
    per_channel = dy.reshape(*dy.shape[:3], *filter.shape[2:])
    for row, column in places(w):
        tap(dx, w, row, column)[...] += np.sum(per_channel * filter[row, column], axis=-1)
    return unpadded(dx, w)


@kernel("depthwise_conv2d_backprop_filter", "cpu")
def depthwise_conv2d_backprop_filter(
    x: np.ndarray,
    dy: np.ndarray,
    filter_shape: Any,
    strides: Pair,
    pad: Padding,
    dilations: Pair,
) -> np.ndarray:
    """For every place of the filter: the pixels that it read, times dy, channel by channel."""
    w = window(x.shape, tuple(filter_shape[:2]), strides, pad, dilations)
    source = padded(x, w)
    per_channel = dy.reshape(*dy.shape[:3], *filter_shape[2:])
    result = np.empty(tuple(filter_shape), x.dtype)
    for row, column in places(w):
        pixels = tap(source, w, row, column)
        result[row, column] = np.einsum("nhwc,nhwcm->cm", pixels, per_channel)
    return result


def _elu(x: np.ndarray) -> None:
    np.copyto(x, np.expm1(np.minimum(x, 0)), where=x < 0)


def _sigmoid(x: np.ndarray) -> None:
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1
    np.reciprocal(x, out=x)


IN_PLACE = {
    "linear": lambda x: None,
    "relu": lambda x: np.maximum(x, 0, out=x),
    "relu6": lambda x: np.clip(x, 0, 6, out=x),
    "elu": _elu,
    "sigmoid": _sigmoid,
}


@kernel("fused_conv2d", "cpu")
def fused_conv2d(
    x: np.ndarray, filter: np.ndarray, bias: np.ndarray | None, activation: str, **how: Any
) -> np.ndarray:
    """The convolution, then the rest in place."""
    return _finish(conv2d(x, filter, **how), bias, activation)


@kernel("fused_depthwise_conv2d", "cpu")
def fused_depthwise_conv2d(
    x: np.ndarray, filter: np.ndarray, bias: np.ndarray | None, activation: str, **how: Any
) -> np.ndarray:
    """The convolution, then the rest in place."""
    return _finish(depthwise_conv2d(x, filter, **how), bias, activation)


def _finish(result: np.ndarray, bias: np.ndarray | None, activation: str) -> np.ndarray:
    if bias is not None:
        result += bias
    IN_PLACE[activation](result)
    return result

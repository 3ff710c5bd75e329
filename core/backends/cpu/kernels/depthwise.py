"""Depthwise convolutions in NumPy: shifted multiply-add, as they contain no matrix product."""

from typing import Any

import numpy as np

from core.backends.cpu.kernels.conv import (
    channels_last,
    filter_positions,
    in_format,
    padded,
    row_blocks,
    tap,
    unpadded,
)
from core.engine.registry import kernel
from core.engine.windows import Window, window


@kernel("depthwise_conv2d", "cpu")
def depthwise_conv2d(x: np.ndarray, filter: np.ndarray, data_format: str, **how: Any) -> np.ndarray:
    """Sum over the filter's positions the shifted input times the weights of the position."""
    w = window(x.shape, filter.shape[:2], data_format=data_format, **how)
    source = _repeat_channels(padded(channels_last(x, data_format), w), filter.shape[3])
    channels = source.shape[3]
    (height, width), weights = w.out_size, filter.reshape(-1, channels)
    result = np.empty((x.shape[0], height, width, channels), x.dtype)
    taps = [tap(source, w, position) for position in filter_positions(w)]
    if w.strides[1] == 1:
        # One long run per row instead of a short one per pixel: twice as fast.
        taps, result = _runs(source, w), result.reshape(x.shape[0], height, width * channels)
        weights = np.tile(weights, width)
    for image in range(x.shape[0]):
        for rows in row_blocks(height, width * channels * x.itemsize):
            _sum_of_products([t[image, rows] for t in taps], weights, result[image, rows])
    return in_format(result.reshape(x.shape[0], height, width, channels), data_format)


def _repeat_channels(x: np.ndarray, multiplier: int) -> np.ndarray:
    return x if multiplier == 1 else np.repeat(x, multiplier, axis=3)


def _runs(source: np.ndarray, w: Window) -> list[np.ndarray]:
    """Yield for each filter position the pixels it reads: [n, out height, out width * channels]."""
    n, height, width, channels = source.shape
    rows, run = source.reshape(n, height, width * channels), w.out_size[1] * channels
    views = []
    for row, column in filter_positions(w):
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
    dy: np.ndarray, filter: np.ndarray, input_shape: Any, data_format: str, **how: Any
) -> np.ndarray:
    """Add to each pixel the share of every filter position that read it."""
    w = window(tuple(input_shape), filter.shape[:2], data_format=data_format, **how)
    dx = padded(np.zeros((dy.shape[0], *w.in_size, filter.shape[2]), dy.dtype), w)
    per_channel = _by_multiplier(channels_last(dy, data_format), filter.shape)
    for position in filter_positions(w):
        tap(dx, w, position)[...] += np.sum(per_channel * filter[position], axis=-1)
    return in_format(unpadded(dx, w), data_format)


@kernel("depthwise_conv2d_backprop_filter", "cpu")
def depthwise_conv2d_backprop_filter(
    x: np.ndarray, dy: np.ndarray, filter_shape: Any, data_format: str, **how: Any
) -> np.ndarray:
    """Return, channel by channel and filter position, the pixels that were read times dy."""
    w = window(x.shape, tuple(filter_shape[:2]), data_format=data_format, **how)
    source = padded(channels_last(x, data_format), w)
    per_channel = _by_multiplier(channels_last(dy, data_format), filter_shape)
    result = np.empty(tuple(filter_shape), x.dtype)
    for position in filter_positions(w):
        result[position] = np.einsum("nhwc,nhwcm->cm", tap(source, w, position), per_channel)
    return result


def _by_multiplier(dy: np.ndarray, filter_shape: Any) -> np.ndarray:
    """Return the channels of a result as [..., channels, multiplier]."""
    return dy.reshape(*dy.shape[:3], *filter_shape[2:])

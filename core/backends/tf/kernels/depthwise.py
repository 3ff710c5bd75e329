"""Depthwise convolutions by TensorFlow's, which take equal strides and neighbouring pixels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf.kernels.conv import channels_last, convolve, in_format
from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import array, dtypes, integer, integers, raw
from core.backends.tf.window_arguments import (
    among_all,
    conv_arguments,
    cut,
    equal_steps,
    is_dilated,
    joined,
    over_parts,
    parts_of,
    some_windows,
    with_unit_steps,
)
from core.engine.registry import kernel
from core.engine.windows import Window, window

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def convolve_channels(x: "TfTensor", filter: "TfTensor", w: Window) -> "TfTensor":
    """Return the windows of each channel times its filters."""
    if x.dtype is dtypes.int32:
        return convolve(x, _across_channels(filter), w)
    if is_dilated(w) and max(w.strides) > 1:
        all_windows, strides = equal_steps(w)
        return some_windows(convolve_channels(x, filter, all_windows), w, strides)
    if is_dilated(w):
        return over_parts(lambda part, v: convolve_channels(part, filter, v), x, w)
    if w.strides[0] != w.strides[1]:
        all_windows, strides = equal_steps(w)
        return some_windows(convolve_channels(x, filter, all_windows), w, strides)
    return raw.DepthwiseConv2dNative(input=x, filter=filter, **conv_arguments(w))


def _across_channels(filter: "TfTensor") -> "TfTensor":
    """Return a filter for `conv2d` that reads one channel for each result, as integers need it."""
    height, width, channels, multiplier = tuple(filter.shape)
    own = np.eye(channels, dtype=np.int32)[:, :, np.newaxis]
    spread = raw.Mul(x=raw.ExpandDims(input=filter, axis=integer(3)), y=array(own))
    shape = integers(height, width, channels, channels * multiplier)
    return raw.Reshape(tensor=spread, shape=shape)


def _back(dy: "TfTensor", filter: "TfTensor", batch: int, w: Window) -> "TfTensor":
    """Return the gradient for the input."""
    if 0 in filter.shape:  # TensorFlow's result is whatever was in memory
        return zeros((batch, *w.in_size, filter.shape[2]), dy.dtype)
    dy, w = with_unit_steps(dy, w)
    if is_dilated(w):
        parts = parts_of(w)
        dy, count = cut(dy, parts.block, parts.rest), batch * parts.block[0] * parts.block[1]
        return joined(_back(dy, filter, count, parts.window), parts.block, parts.sides)
    if w.strides[0] != w.strides[1]:
        all_windows, strides = equal_steps(w)
        dy = among_all(dy, all_windows.out_size, w, strides)
        return _back(dy, filter, batch, all_windows)
    return raw.DepthwiseConv2dNativeBackpropInput(
        input_sizes=integers(batch, *w.in_size, filter.shape[2]),
        filter=filter,
        out_backprop=dy,
        **conv_arguments(w),
    )


def _filter_of(x: "TfTensor", dy: "TfTensor", shape: tuple[int, ...], w: Window) -> "TfTensor":
    """Return the gradient for the filter."""
    if 0 in x.shape or 0 in shape:
        return zeros(shape, x.dtype)  # without images, too
    dy, w = with_unit_steps(dy, w)
    if is_dilated(w):
        parts = parts_of(w)
        x, dy = cut(x, parts.block, parts.sides), cut(dy, parts.block, parts.rest)
        return _filter_of(x, dy, shape, parts.window)
    if w.strides[0] != w.strides[1]:
        all_windows, strides = equal_steps(w)
        dy = among_all(dy, all_windows.out_size, w, strides)
        return _filter_of(x, dy, shape, all_windows)
    return raw.DepthwiseConv2dNativeBackpropFilter(
        input=x, filter_sizes=integers(*shape), out_backprop=dy, **conv_arguments(w)
    )


@kernel("depthwise_conv2d", "tf")
def depthwise_conv2d(x: "TfTensor", filter: "TfTensor", data_format: str, **how: Any) -> "TfTensor":
    """Return the windows of each channel times its filters."""
    w = window(tuple(x.shape), tuple(filter.shape)[:2], data_format=data_format, **how)
    return in_format(convolve_channels(channels_last(x, data_format), filter, w), data_format)


@kernel("depthwise_conv2d_backprop_input", "tf")
def depthwise_conv2d_backprop_input(
    dy: "TfTensor", filter: "TfTensor", input_shape: Any, data_format: str, **how: Any
) -> "TfTensor":
    """Return the gradient for the input."""
    shape = tuple(input_shape)
    w = window(shape, tuple(filter.shape)[:2], data_format=data_format, **how)
    dx = _back(channels_last(dy, data_format), filter, shape[0], w)
    return in_format(dx, data_format)


@kernel("depthwise_conv2d_backprop_filter", "tf")
def depthwise_conv2d_backprop_filter(
    x: "TfTensor", dy: "TfTensor", filter_shape: Any, data_format: str, **how: Any
) -> "TfTensor":
    """Return the gradient for the filter."""
    shape = tuple(filter_shape)
    w = window(tuple(x.shape), shape[:2], data_format=data_format, **how)
    x, dy = channels_last(x, data_format), channels_last(dy, data_format)
    return _filter_of(x, dy, shape, w)

"""Convolutions over images by TensorFlow's, and their gradients."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import integer, integers, raw
from core.backends.tf.window_arguments import (
    conv_arguments,
    is_dilated,
    reaches,
    with_unit_steps,
)
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.engine.windows import Sides, Window, group_count, window

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

    #: A convolution of an input with a filter.
    Convolve: TypeAlias = Callable[[TfTensor, TfTensor, Window], TfTensor]


def channels_last(x: "TfTensor", data_format: str) -> "TfTensor":
    """Return images with their channels as the last axis."""
    return raw.Transpose(x=x, perm=integers(0, 2, 3, 1)) if data_format == "NCHW" else x


def in_format(x: "TfTensor", data_format: str) -> "TfTensor":
    """Return images with channels last in their data format."""
    return raw.Transpose(x=x, perm=integers(0, 3, 1, 2)) if data_format == "NCHW" else x


def convolve(x: "TfTensor", filter: "TfTensor", w: Window) -> "TfTensor":
    """Return windows times the filter; TensorFlow refuses filters without channels."""
    if 0 in filter.shape:
        return zeros((x.shape[0], *w.out_size, filter.shape[-1]), x.dtype)
    return raw.Conv2D(input=x, filter=filter, **conv_arguments(w))


def convolve_back(dy: "TfTensor", filter: "TfTensor", shape: Shape, w: Window) -> "TfTensor":
    """Return the gradient for the input, of a shape with the channels last."""
    if 0 in filter.shape:
        return zeros(shape, dy.dtype)
    groups = group_count(shape[-1], tuple(filter.shape))
    if groups > 1:
        part = (*shape[:-1], shape[-1] // groups)
        return _in_groups(partial(convolve_back, shape=part, w=w), groups, dy, filter)
    if is_dilated(w):
        return dilated_input_gradient(convolve, dy, filter, w)
    return raw.Conv2DBackpropInput(
        input_sizes=integers(*shape), filter=filter, out_backprop=dy, **conv_arguments(w)
    )


def filter_of(x: "TfTensor", dy: "TfTensor", shape: Shape, w: Window) -> "TfTensor":
    """Return the gradient for the filter."""
    if 0 in shape:
        return zeros(shape, x.dtype)
    groups = group_count(x.shape[-1], shape)
    if groups > 1:
        part = (*shape[:-1], shape[-1] // groups)
        return _in_groups(partial(filter_of, shape=part, w=w), groups, x, dy)
    if is_dilated(w):
        return dilated_filter_gradient(convolve, x, dy, w)
    return raw.Conv2DBackpropFilter(
        input=x, filter_sizes=integers(*shape), out_backprop=dy, **conv_arguments(w)
    )


def _in_groups(
    compute: "Callable[[TfTensor, TfTensor], TfTensor]", groups: int, a: "TfTensor", b: "TfTensor"
) -> "TfTensor":
    """Compute each group of channels, which are the last axis of all arrays, on its own.

    TensorFlow has no gradients of groups on the CPU.
    """
    parts = (raw.Split(axis=integer(-1), value=each, num_split=groups) for each in (a, b))
    made = [compute(*pair) for pair in zip(*parts, strict=True)]
    return raw.ConcatV2(values=made, axis=integer(-1))


# --- gradients of dilated windows, which TensorFlow lacks on the CPU ------------------------------


def dilated_input_gradient(
    convolve: "Convolve", dy: "TfTensor", filter: "TfTensor", w: Window
) -> "TfTensor":
    """Return the gradient for the input: a convolution of dy with the reversed filter."""
    dy, w = with_unit_steps(dy, w)
    axes = len(w.size)
    reversed_filter = raw.ReverseV2(tensor=filter, axis=integers(*range(axes)))
    order = integers(*range(axes), axes + 1, axes)
    sides = tuple(
        (reach - 1 - before, reach - 1 - after)
        for reach, (before, after) in zip(reaches(w), w.padding, strict=True)
    )
    dy, sides = _cropped(dy, sides)
    back = w._replace(in_size=tuple(dy.shape)[1:-1], out_size=w.in_size, padding=sides)
    return convolve(dy, raw.Transpose(x=reversed_filter, perm=order), back)


def _cropped(dy: "TfTensor", sides: Sides) -> "tuple[TfTensor, Sides]":
    """Crop where padding is negative; return the padding that is left."""
    if min(map(min, sides)) >= 0:
        return dy, sides
    batch, *size, channels = tuple(dy.shape)
    begin = [max(-before, 0) for before, _ in sides]
    end = [n - max(-after, 0) for n, (_, after) in zip(size, sides, strict=True)]
    length = [max(last - first, 0) for first, last in zip(begin, end, strict=True)]
    dy = raw.Slice(input=dy, begin=integers(0, *begin, 0), size=integers(batch, *length, channels))
    return dy, tuple((max(before, 0), max(after, 0)) for before, after in sides)


def dilated_filter_gradient(
    convolve: "Convolve", x: "TfTensor", dy: "TfTensor", w: Window
) -> "TfTensor":
    """Return the gradient for the filter: a convolution of the input with dy as the filter.

    Channels and images change their roles, and the distances of pixels become strides.
    """
    dy, w = with_unit_steps(dy, w)
    axes = len(w.size)
    inside = range(1, axes + 1)
    images = raw.Transpose(x=x, perm=integers(axes + 1, *inside, 0))
    filter = raw.Transpose(x=dy, perm=integers(*inside, 0, axes + 1))
    strides = tuple(d if k > 1 else 1 for k, d in zip(w.size, w.dilations, strict=True))
    swapped = w._replace(out_size=w.size, size=w.out_size, strides=strides, dilations=(1,) * axes)
    made = convolve(images, filter, swapped)
    return raw.Transpose(x=made, perm=integers(*inside, 0, axes + 1))


# --- kernels --------------------------------------------------------------------------------------


@kernel("conv2d", "tf")
def conv2d(x: "TfTensor", filter: "TfTensor", data_format: str, **how: Any) -> "TfTensor":
    """Return windows times the filter."""
    w = window(tuple(x.shape), tuple(filter.shape)[:-2], data_format=data_format, **how)
    return in_format(convolve(channels_last(x, data_format), filter, w), data_format)


@kernel("conv2d_backprop_input", "tf")
def conv2d_backprop_input(
    dy: "TfTensor", filter: "TfTensor", input_shape: Any, data_format: str, **how: Any
) -> "TfTensor":
    """Return the gradient for the input."""
    shape = tuple(input_shape)
    w = window(shape, tuple(filter.shape)[:-2], data_format=data_format, **how)
    batch, channels = shape[0], shape[1 if data_format == "NCHW" else -1]
    gradients = channels_last(dy, data_format)
    dx = convolve_back(gradients, filter, (batch, *w.in_size, channels), w)
    return in_format(dx, data_format)


@kernel("conv2d_backprop_filter", "tf")
def conv2d_backprop_filter(
    x: "TfTensor", dy: "TfTensor", filter_shape: Any, data_format: str, **how: Any
) -> "TfTensor":
    """Return the gradient for the filter."""
    shape = tuple(filter_shape)
    w = window(tuple(x.shape), shape[:-2], data_format=data_format, **how)
    return filter_of(channels_last(x, data_format), channels_last(dy, data_format), shape, w)

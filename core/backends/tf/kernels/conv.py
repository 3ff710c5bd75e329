"""Convolutions over images by TensorFlow's, and their gradients."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import integers, raw
from core.backends.tf.window_arguments import conv_arguments, is_dilated, reaches
from core.engine.registry import kernel
from core.engine.windows import Sides, Window, window

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


def convolve_back(dy: "TfTensor", filter: "TfTensor", batch: int, w: Window) -> "TfTensor":
    """Return the gradient for the input."""
    shape = (batch, *w.in_size, filter.shape[-2])
    if 0 in filter.shape:
        return zeros(shape, dy.dtype)
    if is_dilated(w):
        return dilated_input_gradient(convolve, dy, filter, w)
    return raw.Conv2DBackpropInput(
        input_sizes=integers(*shape), filter=filter, out_backprop=dy, **conv_arguments(w)
    )


def filter_of(x: "TfTensor", dy: "TfTensor", w: Window) -> "TfTensor":
    """Return the gradient for the filter."""
    shape = (*w.size, x.shape[-1], dy.shape[-1])
    if 0 in shape:
        return zeros(shape, x.dtype)
    if is_dilated(w):
        return dilated_filter_gradient(convolve, x, dy, w)
    return raw.Conv2DBackpropFilter(
        input=x, filter_sizes=integers(*shape), out_backprop=dy, **conv_arguments(w)
    )


# --- gradients of dilated windows, which TensorFlow lacks on the CPU ------------------------------


def dilated_input_gradient(
    convolve: "Convolve", dy: "TfTensor", filter: "TfTensor", w: Window
) -> "TfTensor":
    """Return the gradient for the input: a convolution of dy with the reversed filter.

    The strides of such windows are 1.
    """
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
    dx = convolve_back(channels_last(dy, data_format), filter, shape[0], w)
    return in_format(dx, data_format)


@kernel("conv2d_backprop_filter", "tf")
def conv2d_backprop_filter(
    x: "TfTensor", dy: "TfTensor", filter_shape: Any, data_format: str, **how: Any
) -> "TfTensor":
    """Return the gradient for the filter."""
    w = window(tuple(x.shape), tuple(filter_shape)[:-2], data_format=data_format, **how)
    return filter_of(channels_last(x, data_format), channels_last(dy, data_format), w)

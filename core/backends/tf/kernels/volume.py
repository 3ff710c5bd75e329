"""Convolutions and pooling over volumes."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import inf, nan
from typing import TYPE_CHECKING, Any

from core.backends.tf.kernels import conv
from core.backends.tf.kernels.conv import dilated_filter_gradient, dilated_input_gradient
from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.kernels.pooling import avg_pool, avg_pool_grad, largest
from core.backends.tf.raw_ops import dtypes, integer, integers, number, raw
from core.backends.tf.window_arguments import (
    bordered,
    equal_steps,
    is_dilated,
    over_parts,
    padding_of,
    some_windows,
    within_border,
    without_border,
)
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.engine.windows import Window, window

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _arguments(w: Window) -> dict[str, Any]:
    return {"strides": [1, *w.strides, 1], "padding": padding_of(w)}


def _padded(x: "TfTensor", w: Window) -> "tuple[TfTensor, Window]":
    """Return an input and windows whose padding TensorFlow takes."""
    if padding_of(w) != "EXPLICIT":
        return x, w
    return bordered(x, w.padding), within_border(w)


def convolve(x: "TfTensor", filter: "TfTensor", w: Window) -> "TfTensor":
    """Return windows times the filter."""
    if 0 in filter.shape:
        return zeros((x.shape[0], *w.out_size, filter.shape[-1]), x.dtype)
    if x.dtype is dtypes.int32:
        return _convolve_integers(x, filter, w)
    if is_dilated(w) and max(w.strides) > 1:
        all_windows, strides = equal_steps(w)
        return some_windows(convolve(x, filter, all_windows), w, strides)
    if is_dilated(w):
        return over_parts(lambda part, v: convolve(part, filter, v), x, w)
    x, w = _padded(x, w)
    return raw.Conv3D(input=x, filter=filter, **_arguments(w))


def _convolve_integers(x: "TfTensor", filter: "TfTensor", w: Window) -> "TfTensor":
    """Return windows of integers times the filter, as sums of convolutions of images."""
    x, w = bordered(x, w.padding), within_border(w)
    batch, channels, depth = x.shape[0], x.shape[-1], w.out_size[0]
    flat = _of_layers(w)
    total = []
    for position, slices in enumerate(raw.Unpack(value=filter, num=w.size[0], axis=0)):
        start = position * w.dilations[0]
        step = w.strides[0]
        layers = integers(*range(start, start + (depth - 1) * step + 1, step))
        images = raw.GatherV2(params=x, indices=layers, axis=integer(1))
        images = raw.Reshape(tensor=images, shape=integers(batch * depth, *flat.in_size, channels))
        total.append(conv.convolve(images, slices, flat))
    result = raw.AddN(inputs=total)
    return raw.Reshape(tensor=result, shape=integers(batch, *w.out_size, filter.shape[-1]))


def _of_layers(w: Window) -> Window:
    """Return the windows without their first axis."""
    return Window(
        in_size=w.in_size[1:],
        out_size=w.out_size[1:],
        size=w.size[1:],
        strides=w.strides[1:],
        dilations=w.dilations[1:],
        padding=w.padding[1:],
        pointwise=w.pointwise,
    )


def _window(shape: Shape, filter_shape: Shape, **how: Any) -> Window:
    return window(shape, filter_shape[:-2], **how)


@kernel("conv3d", "tf")
def conv3d(x: "TfTensor", filter: "TfTensor", **how: Any) -> "TfTensor":
    """Return windows times the filter."""
    return convolve(x, filter, _window(tuple(x.shape), tuple(filter.shape), **how))


@kernel("conv3d_backprop_input", "tf")
def conv3d_backprop_input(
    dy: "TfTensor", filter: "TfTensor", input_shape: Any, **how: Any
) -> "TfTensor":
    """Return the gradient for the input."""
    shape = tuple(input_shape)
    w = _window(shape, tuple(filter.shape), **how)
    if 0 in filter.shape:  # without channels of the result TensorFlow crashes
        return zeros(shape, dy.dtype)
    if is_dilated(w):
        return dilated_input_gradient(convolve, dy, filter, w)
    inner = within_border(w) if padding_of(w) == "EXPLICIT" else w
    dx = raw.Conv3DBackpropInputV2(
        input_sizes=integers(shape[0], *inner.in_size, shape[-1]),
        filter=filter,
        out_backprop=dy,
        **_arguments(inner),
    )
    return without_border(dx, w)


@kernel("conv3d_backprop_filter", "tf")
def conv3d_backprop_filter(
    x: "TfTensor", dy: "TfTensor", filter_shape: Any, **how: Any
) -> "TfTensor":
    """Return the gradient for the filter."""
    shape = tuple(filter_shape)
    w = _window(tuple(x.shape), shape, **how)
    if 0 in x.shape or 0 in shape:
        return zeros(shape, x.dtype)
    if is_dilated(w):
        return dilated_filter_gradient(convolve, x, dy, w)
    x, w = _padded(x, w)
    return raw.Conv3DBackpropFilterV2(
        input=x, filter_sizes=integers(*shape), out_backprop=dy, **_arguments(w)
    )


# --- pooling --------------------------------------------------------------------------------------

# A window without pixels gives 0.
kernel("avg_pool3d", "tf")(partial(avg_pool, least=1))
kernel("avg_pool3d_grad", "tf")(partial(avg_pool_grad, data_format="NDHWC", least=1))


@kernel("max_pool3d", "tf")
def max_pool3d(x: "TfTensor", filter_size: Any, **how: Any) -> "TfTensor":
    """Return the largest values."""
    return largest(x, window(tuple(x.shape), filter_size, **how))


def _taps(w: Window) -> "Iterator[dict[str, TfTensor]]":
    """Yield for each position of a window the slice of the bordered input that it reads."""
    inner = within_border(w)
    axes = [*zip(w.dilations, w.out_size, w.strides, strict=True)]
    for position in product(*map(range, w.size)):
        begin = [p * d for p, (d, _, _) in zip(position, axes, strict=True)]
        end = [first + (n - 1) * s + 1 for first, (_, n, s) in zip(begin, axes, strict=True)]
        yield {
            "begin": integers(0, *begin, 0),
            "end": integers(0, *end, 0),
            "strides": integers(1, *inner.strides, 1),
        }


@kernel("max_pool3d_grad", "tf")
def max_pool3d_grad(
    dy: "TfTensor", input: "TfTensor", output: "TfTensor", filter_size: Any, **how: Any
) -> "TfTensor":
    """Give each window's gradient to the last of its largest values, in TensorFlow to all."""
    shape = tuple(input.shape)
    w = window(shape, filter_size, data_format="NDHWC", **how)
    whole_axes = 1 | 1 << len(shape) - 1  # the batch and the channels
    x = bordered(input, w.padding, nan)  # never the largest
    best, winner = number(-inf), integer(-1)
    slices = [{**s, "begin_mask": whole_axes, "end_mask": whole_axes} for s in _taps(w)]
    for position, tap in enumerate(slices):
        values = raw.StridedSlice(input=x, **tap)
        wins = raw.GreaterEqual(x=values, y=best)
        best = raw.SelectV2(condition=wins, t=values, e=best)
        winner = raw.SelectV2(condition=wins, t=integer(position), e=winner)
    flows = []
    for position, tap in enumerate(slices):
        own = raw.Equal(x=winner, y=integer(position))
        flow = raw.SelectV2(condition=own, t=dy, e=number(0.0))
        flows.append(raw.StridedSliceGrad(shape=integers(*x.shape), dy=flow, **tap))
    return without_border(raw.AddN(inputs=flows), w)

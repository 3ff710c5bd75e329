"""Pooling by TensorFlow's; what it lacks or computes otherwise is added around."""

from functools import lru_cache
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf.kernels.indexing import zeros
from core.backends.tf.raw_ops import array, dtypes, integer, integers, number, raw
from core.backends.tf.window_arguments import (
    bordered,
    conv_arguments,
    cut,
    is_dilated,
    joined,
    over_parts,
    padding_of,
    parts_of,
    with_unit_steps,
    within_border,
    without_border,
)
from core.engine.registry import kernel
from core.engine.windows import Window, pixel_counts, window

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

#: TensorFlow's result for a window of NaN, and the least integer.
_LOWEST = float(np.finfo(np.float32).min)
_LEAST = -(2**31)


def _pool(name: str, x: "TfTensor", w: Window, **how: Any) -> "TfTensor":
    """Call TensorFlow's op for images or volumes."""
    is_flat = len(w.size) == 2
    function = getattr(raw, name if is_flat else f"{name}3D")
    source = {"value" if name == "AvgPool" and is_flat else "input": x}
    return function(**source, **_arguments(w), **how)


@lru_cache(maxsize=1024)
def _arguments(w: Window) -> dict[str, Any]:
    return {"ksize": [1, *w.size, 1], "strides": [1, *w.strides, 1], "padding": padding_of(w)}


# --- averages -------------------------------------------------------------------------------------


def _for_pixels(means: "TfTensor", w: Window, least: int) -> "TfTensor":
    """Return averages over pixels, of those that count padding as zeros."""
    with np.errstate(divide="ignore"):
        factors = prod(w.size) / np.maximum(pixel_counts(w), least)
    return raw.Mul(x=means, y=array(factors[..., np.newaxis].astype(means.dtype.as_numpy_dtype)))


def average(x: "TfTensor", w: Window, least: int = 0) -> "TfTensor":
    """Return the average of each window; a window without pixels counts ``least`` of them."""
    if padding_of(w) != "EXPLICIT":
        return _pool("AvgPool", x, w)
    means = _pool("AvgPool", bordered(x, w.padding), within_border(w))
    return _for_pixels(means, w, least)


def _average_back(dy: "TfTensor", shape: tuple[int, ...], w: Window) -> "TfTensor":
    """Give each pixel of a window an equal share of its gradient; for windows without padding."""
    flat = len(w.size) == 2
    function = raw.AvgPoolGrad if flat else raw.AvgPool3DGrad
    return function(orig_input_shape=integers(*shape), grad=dy, **_arguments(w))


def average_back(dy: "TfTensor", shape: tuple[int, ...], w: Window, least: int = 0) -> "TfTensor":
    """Return the gradient of averages for their input of a shape."""
    if not is_dilated(w) and padding_of(w) != "EXPLICIT":
        return _average_back(dy, shape, w)
    dy, w = with_unit_steps(dy, w)
    dy = _for_pixels(dy, w, least)
    batch, channels = shape[0], shape[-1]
    if is_dilated(w):
        parts = parts_of(w)
        whole = (batch * prod(parts.block), *parts.window.in_size, channels)
        dx = _average_back(cut(dy, parts.block, parts.rest), whole, parts.window)
        return joined(dx, parts.block, parts.sides)
    inner = within_border(w)
    return without_border(_average_back(dy, (batch, *inner.in_size, channels), inner), w)


@kernel("avg_pool", "tf")
def avg_pool(
    x: "TfTensor", filter_size: Any, data_format: str = "NHWC", least: int = 0, **how: Any
) -> "TfTensor":
    """Return averages."""
    return average(x, window(tuple(x.shape), filter_size, data_format=data_format, **how), least)


@kernel("avg_pool_grad", "tf")
def avg_pool_grad(
    dy: "TfTensor",
    input: "TfTensor",
    filter_size: Any,
    data_format: str = "NHWC",
    least: int = 0,
    **how: Any,
) -> "TfTensor":
    """Give each pixel of a window an equal share of the window's gradient."""
    shape = tuple(input.shape)
    return average_back(
        dy, shape, window(shape, filter_size, data_format=data_format, **how), least
    )


# --- largest values -------------------------------------------------------------------------------


def numbers_of(x: "TfTensor") -> "TfTensor":
    """Return -inf for NaN, so that it is never the largest; of integers all."""
    if x.dtype.is_integer:
        return x
    return raw.SelectV2(condition=raw.IsNan(x=x), t=number(-inf), e=x)


def largest(x: "TfTensor", w: Window) -> "TfTensor":
    """Return the largest value of each window; NaN is ignored."""
    if x.dtype is dtypes.bool:
        y = largest(raw.Cast(x=x, DstT=dtypes.int32), w)
        return raw.Cast(x=y, DstT=dtypes.bool)
    if len(w.size) == 3:
        x = numbers_of(x)  # in two dimensions TensorFlow ignores NaN
    if _takes_padding(w):
        y = raw.MaxPool(input=x, ksize=[1, *w.size, 1], **conv_arguments(w))
    else:
        y = _pool("MaxPool", *bordered_by_lowest(x, w))
    if x.dtype.is_integer:
        return _zero_without_pixels(y, w)
    return raw.SelectV2(condition=raw.Equal(x=y, y=number(_LOWEST)), t=number(-inf), e=y)


def _takes_padding(w: Window) -> bool:
    """Return whether TensorFlow pads by itself: images, by less than a window."""
    is_narrow = all(max(side) < size for side, size in zip(w.padding, w.size, strict=True))
    return len(w.size) == 2 and is_narrow


def bordered_by_lowest(x: "TfTensor", w: Window) -> "tuple[TfTensor, Window]":
    """Return an input and its windows with such padding alone as all of TensorFlow's ops take."""
    if padding_of(w) != "EXPLICIT":
        return x, w
    return bordered(x, w.padding, _LEAST if x.dtype.is_integer else -inf), within_border(w)


def _zero_without_pixels(y: "TfTensor", w: Window) -> "TfTensor":
    counts = pixel_counts(w)
    if counts.all():
        return y
    return raw.Mul(x=y, y=array((counts > 0)[..., np.newaxis].astype(np.int32)))


@kernel("max_pool", "tf")
def max_pool(x: "TfTensor", filter_size: Any, **how: Any) -> "TfTensor":
    """Return the largest values; disjoint windows of one pixel keep even NaN."""
    w = window(tuple(x.shape), filter_size, data_format="NHWC", **how)
    return raw.Identity(input=x) if w.pointwise else largest(x, w)


@kernel("max_pool_grad", "tf")
def max_pool_grad(
    dy: "TfTensor", input: "TfTensor", output: "TfTensor", filter_size: Any, **how: Any
) -> "TfTensor":
    """Give each window's gradient to the first of its largest values."""
    w = window(tuple(input.shape), filter_size, data_format="NHWC", **how)
    x = numbers_of(input)
    dy, w = with_unit_steps(dy, w)
    if not is_dilated(w):
        whole, inner = bordered_by_lowest(x, w)
        return without_border(_largest_back(dy, whole, inner), w)
    parts = parts_of(w)
    x, dy = cut(x, parts.block, parts.sides, -inf), cut(dy, parts.block, parts.rest)
    return joined(_largest_back(dy, x, parts.window), parts.block, parts.sides)


def _largest_back(dy: "TfTensor", x: "TfTensor", w: Window) -> "TfTensor":
    """Return the gradient for an input without NaN; windows without a number give none."""
    y = _pool("MaxPool", x, w)
    found = raw.Greater(x=y, y=number(_LOWEST))
    flow = raw.SelectV2(condition=found, t=dy, e=number(0.0))
    return raw.MaxPoolGrad(orig_input=x, orig_output=y, grad=flow, **_arguments(w))


@kernel("max_pool_with_argmax", "tf")
def max_pool_with_argmax(
    x: "TfTensor", filter_size: Any, include_batch_in_index: bool, **how: Any
) -> "tuple[TfTensor, TfTensor]":
    """Return the largest values and the index of the first of them."""
    w = window(tuple(x.shape), filter_size, data_format="NHWC", **how)
    shape = (x.shape[0], *w.out_size, x.shape[-1])
    if 0 in shape:  # TensorFlow refuses it
        return zeros(shape, x.dtype), zeros(shape, dtypes.int32)
    if x.dtype is dtypes.bool:
        y, index = _with_positions(raw.Cast(x=x, DstT=dtypes.int32), w, include_batch_in_index)
        return raw.Cast(x=y, DstT=dtypes.bool), index
    return _with_positions(numbers_of(x), w, include_batch_in_index)


def _with_positions(
    x: "TfTensor", w: Window, include_batch_in_index: bool
) -> "tuple[TfTensor, TfTensor]":
    whole, inner = bordered_by_lowest(x, w)
    y, index = raw.MaxPoolWithArgmax(
        input=whole,
        Targmax=dtypes.int32,
        include_batch_in_index=include_batch_in_index and inner is w,
        **_arguments(inner),
    )
    if inner is not w:
        index = _without_border(index, tuple(x.shape), w, inner, include_batch_in_index)
    if x.dtype.is_integer:
        none = array((pixel_counts(w) == 0)[..., np.newaxis])
        y = _zero_without_pixels(y, w)
    else:
        none = raw.Equal(x=y, y=number(-inf))
    return y, raw.SelectV2(condition=none, t=integer(-1), e=index)


def _without_border(
    index: "TfTensor", shape: tuple[int, ...], w: Window, inner: Window, with_batch: bool
) -> "TfTensor":
    """Return indices of the flat input, of those of each image with its border."""
    batch, height, width, channels = shape
    channel = raw.FloorMod(x=index, y=integer(channels))
    pixel = raw.FloorDiv(x=index, y=integer(channels))
    row = raw.FloorDiv(x=pixel, y=integer(inner.in_size[1]))
    column = raw.FloorMod(x=pixel, y=integer(inner.in_size[1]))
    (top, _), (left, _) = w.padding
    start = raw.Mul(x=raw.Sub(x=row, y=integer(top)), y=integer(width))
    pixel = raw.AddV2(x=start, y=raw.Sub(x=column, y=integer(left)))
    index = raw.AddV2(x=raw.Mul(x=pixel, y=integer(channels)), y=channel)
    if not with_batch:
        return index
    first = np.arange(batch, dtype=np.int32) * (height * width * channels)
    return raw.AddV2(x=index, y=array(first.reshape(-1, 1, 1, 1)))


# --- both -----------------------------------------------------------------------------------------


@kernel("pool", "tf")
def pool(input: "TfTensor", window_shape: Any, pooling_type: str, **how: Any) -> "TfTensor":
    """Return averages or maxima; with dilations the padding is zeros that count."""
    w = window(tuple(input.shape), window_shape, data_format="NHWC", **how)
    if pooling_type == "avg":
        x = input if input.dtype is dtypes.float32 else raw.Cast(x=input, DstT=dtypes.float64)
        y = over_parts(average, x, w) if max(w.dilations) > 1 else average(x, w)
        return y if y.dtype is dtypes.float32 else raw.Cast(x=y, DstT=dtypes.float32)
    if w.pointwise:
        return raw.Identity(input=input)
    if input.dtype is dtypes.bool:
        x = raw.Cast(x=input, DstT=dtypes.int32)
        return raw.Cast(x=_largest_of(x, w), DstT=dtypes.bool)
    return _largest_of(input, w)


def _largest_of(x: "TfTensor", w: Window) -> "TfTensor":
    return over_parts(largest, x, w) if max(w.dilations) > 1 else largest(x, w)

"""Morphological dilation: the largest sum of an image and a filter in each window."""

from collections.abc import Iterable
from math import nan
from typing import Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import image_op, zero_gradient
from core.engine.nan_check import unchecked
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_dy
from core.engine.windows import Padding, Pair, Window, check_format, window
from core.errors import CoreError
from core.ops.pooling import pool_spec, taps

#: TensorFlow.js's result for a window that holds no number.
LOWEST = -(2.0**53)


def _dilation_window(x: Any, filter: Any, strides: Pair, pad: Padding, dilations: Pair) -> Window:
    """The windows of a dilation, after checking its arguments."""
    if len(filter.shape) != 3 or len(x.shape) != 4 or filter.shape[2] != x.shape[3]:
        raise CoreError(
            f"dilation2d needs x [batch, height, width, channels] and a filter "
            f"[height, width, channels], got {x.shape} and {filter.shape}"
        )
    return window(x.shape, filter.shape[:2], strides, pad, "NHWC", dilations)


@image_op(kernel_name="Dilation2D", promote=True, input_dtype="real", method=True)
def dilation2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Padding,
    dilations: Pair = 1,
    data_format: str = "NHWC",
) -> Spec:
    """The largest sum of pixel and filter in each window: grey-scale dilation.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels], added to each window.
        strides: see `conv2d`; may be combined with dilations.
        pad: see `conv2d`; padding is never the largest.
        dilations: see `conv2d`.
        data_format: only ``"NHWC"``.

    Returns:
        [batch, new height, new width, channels]

    >>> core.dilation2d([[[1.0], [3.0], [2.0]]], [[[0.0], [0.5]]], 1, "valid").numpy().ravel()
    array([3.5, 3. ], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    check_format(data_format, 2, channels_last=True)
    return pool_spec(x, _dilation_window(x, filter, strides, pad, dilations), x.dtype)


@dilation2d.gradient("x")
def _(g, x, filter, data_format, **how):
    return ops.dilation2d_backprop_input(x, g, filter, **how)


@dilation2d.gradient("filter")
def _(g, x, filter, data_format, **how):
    return ops.dilation2d_backprop_filter(x, g, filter, **how)


@op(kernel_name="Dilation2DBackpropInput", input_dtype="float32")
def dilation2d_backprop_input(
    x: TensorLike,
    dy: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Padding,
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `dilation2d` for x: that of a window belongs to its first largest sum.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels], the gradient of the result.
        filter: [filter height, filter width, channels].
        strides: see `dilation2d`.
        pad: see `dilation2d`.
        dilations: see `dilation2d`.

    Returns:
        float32, of the shape of x.

    >>> core.dilation2d_backprop_input([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1, "valid"
    ...                                ).numpy().ravel()
    array([0., 5.], dtype=float32)
    """
    x, dy, filter = spec_of(x), spec_of(dy), spec_of(filter)
    check_dy(pool_spec(x, _dilation_window(x, filter, strides, pad, dilations)), dy)
    return x


@dilation2d_backprop_input.gradient("dy")
def _(g, x, filter, **how):
    w = _dilation_window(x, filter, **how)
    return _of_winners(x, filter, w, taps(g, w))


@op(kernel_name="Dilation2DBackpropFilter", input_dtype="float32")
def dilation2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Padding,
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `dilation2d` for its filter.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels], the gradient of the result.
        filter: [filter height, filter width, channels].
        strides: see `dilation2d`.
        pad: see `dilation2d`.
        dilations: see `dilation2d`.

    Returns:
        float32, of the shape of the filter.

    >>> core.dilation2d_backprop_filter([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1,
    ...                                 "valid").numpy().ravel()
    array([0., 5.], dtype=float32)
    """
    x, dy, filter = spec_of(x), spec_of(dy), spec_of(filter)
    dilation2d_backprop_input.rule(x, dy, filter, strides, pad, dilations)
    return filter


@dilation2d_backprop_filter.gradient("dy")
def _(g, x, filter, **how):
    return _of_winners(x, filter, _dilation_window(x, filter, **how), _rows(g))


for _op in (dilation2d_backprop_input, dilation2d_backprop_filter):
    zero_gradient(_op, "x", "filter")


def _rows(filter: Any) -> list[Any]:
    """The values of a filter for each position, row by row."""
    height, width, channels = filter.shape
    return ops.unstack(ops.reshape(filter, shape=(height * width, channels)))


@unchecked()  # borders are NaN
def _of_winners(x: Any, filter: Any, w: Window, flows: Iterable[Any]) -> Any:
    """The gradient at the position that wins each window; 0 where none does.

    Sums that are equal in float32 are compared by their rounding errors, as if they
    were not rounded.
    """
    best: Any = LOWEST
    best_rest: Any = 0.0
    found: Any = 0.0
    for pixel, added, flow in zip(taps(x, w, nan), _rows(filter), flows, strict=True):
        total = pixel + added
        back = total - pixel
        rest = (pixel - (total - back)) + (added - back)
        closer = ops.logical_and(ops.equal(total, best), rest > best_rest)
        wins = ops.logical_or(total > best, closer)
        best, best_rest = ops.select(wins, total, best), ops.select(wins, rest, best_rest)
        found = ops.select(wins, flow, found)
    return found

"""Morphological dilation: the largest sum of an image and a filter in each window."""

from core.declare import op
from core.errors import CoreError
from core.geometry import Padding, Pair, Window, window
from core.kernels import ops
from core.ops.batches import image_op
from core.ops.conv import check_dy
from core.ops.pooling import pool_spec
from core.specs import Spec


def _dilation_window(x: Spec, filter: Spec, strides: Pair, pad: Padding, dilations: Pair) -> Window:
    """The windows of a dilation, after checking its arguments."""
    if len(filter.shape) != 3 or len(x.shape) != 4 or filter.shape[2] != x.shape[3]:
        raise CoreError(
            f"dilation2d needs x [batch, height, width, channels] and a filter "
            f"[height, width, channels], got {x.shape} and {filter.shape}"
        )
    return window(x.shape, filter.shape[:2], strides, pad, "NHWC", dilations)


@image_op(kernel_name="Dilation2D", promote=True, input_dtype="real")
def dilation2d(
    x: Spec,
    filter: Spec,
    *,
    strides: Pair,
    pad: Padding,
    dilations: Pair = 1,
    data_format: str = "NHWC",
) -> Spec:
    """The largest sum of pixel and filter in each window: grey-scale dilation.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels], added to each window.
        strides: see `conv2d`; here they may go with dilations.
        pad: see `conv2d`; padding is never the largest.
        dilations: see `conv2d`.
        data_format: only ``"NHWC"``.

    Returns:
        [batch, new height, new width, channels]

    >>> core.dilation2d([[[1.0], [3.0], [2.0]]], [[[0.0], [0.5]]], 1, "valid").numpy().ravel()
    array([3.5, 3. ], dtype=float32)
    """
    if data_format != "NHWC":
        raise CoreError(f"data_format={data_format!r} must be 'NHWC'")
    return pool_spec(x, _dilation_window(x, filter, strides, pad, dilations), x.dtype)


@dilation2d.gradient("x")
def _(g, x, filter, strides, pad, dilations):
    return ops.dilation2d_backprop_input(x, g, filter, strides, pad, dilations)


@dilation2d.gradient("filter")
def _(g, x, filter, strides, pad, dilations):
    return ops.dilation2d_backprop_filter(x, g, filter, strides, pad, dilations)


@op(kernel_name="Dilation2DBackpropInput", input_dtype="float32")
def dilation2d_backprop_input(
    x: Spec, dy: Spec, filter: Spec, *, strides: Pair, pad: Padding, dilations: Pair = 1
) -> Spec:
    """The gradient of `dilation2d` for x: each window's goes to its first largest sum.

    >>> core.dilation2d_backprop_input([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1, "valid"
    ...                                ).numpy().ravel()
    array([0., 5.], dtype=float32)
    """
    check_dy(pool_spec(x, _dilation_window(x, filter, strides, pad, dilations)), dy)
    return x


@op(kernel_name="Dilation2DBackpropFilter", input_dtype="float32")
def dilation2d_backprop_filter(
    x: Spec, dy: Spec, filter: Spec, *, strides: Pair, pad: Padding, dilations: Pair = 1
) -> Spec:
    """The gradient of `dilation2d` for its filter.

    >>> core.dilation2d_backprop_filter([[[[1.0], [3.0]]]], [[[[5.0]]]], [[[0.0], [0.5]]], 1,
    ...                                 "valid").numpy().ravel()
    array([0., 5.], dtype=float32)
    """
    check_dy(pool_spec(x, _dilation_window(x, filter, strides, pad, dilations)), dy)
    return filter

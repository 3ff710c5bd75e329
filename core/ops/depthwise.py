"""Depthwise and separable convolutions."""

from typing import Any

from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.late_ops import ops
from core.engine.operation import Traits
from core.engine.registry import composite
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.engine.windows import Padding, Pair, check_format
from core.errors import CoreError
from core.ops.conv import backprops, conv2d, conv_spec, conv_window
from core.ops.declaring import image_op


@image_op(
    kernel_name="DepthwiseConv2dNative",
    promote=True,
    input_dtype="real",
    traits=Traits(heavy=True),
    method=True,
    attributes_of=conv2d,
)
def depthwise_conv2d(x: Spec, filter: Spec, **how: Any) -> Spec:
    """Convolve each channel with separate filters.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels, multiplier].
        **how: see `conv2d`.

    Returns:
        [batch, new height, new width, channels * multiplier]

    >>> core.depthwise_conv2d(core.ones((1, 2, 2, 3)), core.ones((2, 2, 3, 1))).numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """
    w = conv_window(x, filter, 2, **how)
    return conv_spec(x, w, filter.shape[2] * filter.shape[3], how["data_format"])


depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter = backprops(
    depthwise_conv2d,
    ("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"),
    ((1, 2, 2, 3), (2, 2, 3, 1), (1, 1, 1, 3)),
    channels=("channels", "channels, multiplier", "channels * multiplier"),
    heavy=True,
)


@composite(method=True)
def separable_conv2d(
    x: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilation: Pair = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """A depthwise convolution, then one that mixes the channels of each pixel.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        depthwise_filter: [filter height, filter width, channels, multiplier].
        pointwise_filter: [1, 1, channels * multiplier, out].
        strides: of the depthwise convolution; see `conv2d`, like the rest.
        pad: see `conv2d`.
        dilation: see `conv2d`.
        data_format: only ``"NHWC"``.

    Returns:
        [batch, new height, new width, out]

    >>> import core
    >>> core.separable_conv2d(core.ones((2, 2, 3)), core.ones((2, 2, 3, 1)),
    ...                       core.ones((1, 1, 3, 2))).numpy().ravel()
    array([12., 12.], dtype=float32)
    """
    pointwise = tensor(pointwise_filter)
    check_format(data_format, 2, channels_last=True)
    if len(pointwise.shape) != 4 or pointwise.shape[:2] != (1, 1):
        raise CoreError(f"the pointwise filter must be [1, 1, in, out], got {pointwise.shape}")
    y = ops.depthwise_conv2d(x, depthwise_filter, strides, pad, data_format, dilation)
    return ops.conv2d(y, pointwise)

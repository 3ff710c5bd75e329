"""Depthwise and separable convolutions."""

from collections.abc import Sequence

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import image_op
from core.engine.dispatch import tensor
from core.engine.operation import Traits, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, check_dy
from core.engine.tensors import Tensor
from core.engine.windows import Padding, Pair, check_format
from core.errors import CoreError
from core.ops.conv import conv_spec, conv_window, differentiate


@image_op(
    kernel_name="DepthwiseConv2dNative",
    promote=True,
    input_dtype="real",
    traits=Traits(heavy=True),
    method=True,
)
def depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """Convolve each channel with separate filters.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter: [filter height, filter width, channels, multiplier].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new height, new width, channels * multiplier]

    >>> core.depthwise_conv2d(core.ones((1, 2, 2, 3)), core.ones((2, 2, 3, 1))).numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    w = conv_window(x, filter, 2, strides, pad, data_format, dilations, dim_rounding_mode)
    return conv_spec(x, w, filter.shape[2] * filter.shape[3], data_format)


@op(
    kernel_name="DepthwiseConv2dNativeBackpropInput",
    input_dtype="float32",
    traits=Traits(heavy=True),
)
def depthwise_conv2d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `depthwise_conv2d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new height, new width, channels * multiplier], the gradient of the result.
        filter: [filter height, filter width, channels, multiplier].
        input_shape: of x, [batch, height, width, channels].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.depthwise_conv2d_backprop_input(core.ones((1, 1, 1, 3)), core.ones((2, 2, 3, 1)),
    ...                                      input_shape=(1, 2, 2, 3)).shape
    (1, 2, 2, 3)
    """
    x = Spec(tuple(input_shape))
    check_dy(
        depthwise_conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode),
        spec_of(dy),
    )
    return x


@op(
    kernel_name="DepthwiseConv2dNativeBackpropFilter",
    input_dtype="float32",
    traits=Traits(heavy=True),
)
def depthwise_conv2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `depthwise_conv2d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, height, width, channels].
        dy: [batch, new height, new width, channels * multiplier], the gradient of the result.
        filter_shape: [filter height, filter width, channels, multiplier].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.depthwise_conv2d_backprop_filter(core.ones((1, 2, 2, 3)), core.ones((1, 1, 1, 3)),
    ...                                       filter_shape=(2, 2, 3, 1)).shape
    (2, 2, 3, 1)
    """
    filter = Spec(tuple(filter_shape))
    check_dy(
        depthwise_conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode),
        spec_of(dy),
    )
    return filter


differentiate(depthwise_conv2d, depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter)


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

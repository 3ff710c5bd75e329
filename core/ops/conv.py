"""2D convolutions over [batch, height, width, channels], plain, depthwise and fused."""

from core.declare import op
from core.errors import CoreError
from core.geometry import Padding, Pair, window
from core.kernels import ops
from core.specs import Shape, Spec

#: What a fused convolution can apply to its result.
ACTIVATIONS = ("linear", "relu", "relu6", "elu", "sigmoid")


def conv_spec(x: Spec, filter: Spec, strides: Pair, pad: Padding, dilations: Pair) -> Spec:
    """The result of a convolution, after checking its arguments."""
    if len(filter.shape) != 4 or len(x.shape) != 4 or filter.shape[2] != x.shape[3]:
        raise CoreError(
            f"conv2d needs x [batch, height, width, in] and a filter [height, width, in, out], "
            f"got {x.shape} and {filter.shape}"
        )
    out = window(x.shape, filter.shape[:2], strides, pad, dilations).out_size
    return Spec((x.shape[0], *out, filter.shape[3]), x.dtype)


def depthwise_spec(x: Spec, filter: Spec, strides: Pair, pad: Padding, dilations: Pair) -> Spec:
    """The result of a depthwise convolution, after checking its arguments."""
    if len(filter.shape) != 4 or len(x.shape) != 4 or filter.shape[2] != x.shape[3]:
        raise CoreError(
            f"depthwise_conv2d needs x [batch, height, width, channels] and a filter "
            f"[height, width, channels, multiplier], got {x.shape} and {filter.shape}"
        )
    out = window(x.shape, filter.shape[:2], strides, pad, dilations).out_size
    return Spec((x.shape[0], *out, filter.shape[2] * filter.shape[3]), x.dtype)


@op(kernel_name="Conv2D", promote=True)
def conv2d(
    x: Spec, filter: Spec, *, strides: Pair = 1, pad: Padding = "valid", dilations: Pair = 1
) -> Spec:
    """Convolve images with filters (cross-correlation, as in every deep learning library).

    Args:
        x: [batch, height, width, in].
        filter: [filter height, filter width, in, out].
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"`` (result of ceil(size / stride), the odd pixel of padding after),
            ``"valid"`` (none), pixels on every side, or ((top, bottom), (left, right)).
        dilations: distance between the pixels that a window reads.

    Returns:
        [batch, new height, new width, out]

    >>> core.conv2d(core.ones((1, 3, 3, 1)), core.ones((2, 2, 1, 1))).numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)
    """
    return conv_spec(x, filter, strides, pad, dilations)


@conv2d.gradient("x")
def _conv_to_x(g, filter, x_spec, strides, pad, dilations):
    return ops.conv2d_backprop_input(
        g, filter, input_shape=x_spec.shape, strides=strides, pad=pad, dilations=dilations
    )


@conv2d.gradient("filter")
def _conv_to_filter(g, x, filter_spec, strides, pad, dilations):
    return ops.conv2d_backprop_filter(
        x, g, filter_shape=filter_spec.shape, strides=strides, pad=pad, dilations=dilations
    )


@op(kernel_name="Conv2DBackpropInput", promote=True)
def conv2d_backprop_input(
    dy: Spec,
    filter: Spec,
    *,
    input_shape: Shape,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `conv2d` for x; also a transposed convolution of ``dy``.

    Args:
        dy: [batch, new height, new width, out].
        filter: [filter height, filter width, in, out].
        input_shape: of x, [batch, height, width, in].
        strides: see `conv2d`, like the rest.
        pad: see `conv2d`.
        dilations: see `conv2d`.

    >>> core.conv2d_backprop_input(core.ones((1, 1, 1, 1)), core.ones((2, 2, 1, 1)),
    ...                            input_shape=(1, 2, 2, 1)).shape
    (1, 2, 2, 1)
    """
    _check_dy(conv_spec(Spec(tuple(input_shape), dy.dtype), filter, strides, pad, dilations), dy)
    return Spec(tuple(input_shape), dy.dtype)


def _check_dy(expected: Spec, dy: Spec) -> None:
    if expected.shape != dy.shape:
        raise CoreError(f"dy has shape {dy.shape}, the convolution gives {expected.shape}")


@conv2d_backprop_input.gradient("dy")
def _(g, filter, strides, pad, dilations):
    return ops.conv2d(g, filter, strides=strides, pad=pad, dilations=dilations)


@conv2d_backprop_input.gradient("filter")
def _(g, dy, filter_spec, strides, pad, dilations):
    return _conv_to_filter(dy, g, filter_spec, strides, pad, dilations)


@op(kernel_name="Conv2DBackpropFilter", promote=True)
def conv2d_backprop_filter(
    x: Spec,
    dy: Spec,
    *,
    filter_shape: Shape,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `conv2d` for its filter, of shape ``filter_shape``.

    >>> core.conv2d_backprop_filter(core.ones((1, 3, 3, 1)), core.ones((1, 2, 2, 1)),
    ...                             filter_shape=(2, 2, 1, 1)).shape
    (2, 2, 1, 1)
    """
    filter = Spec(tuple(filter_shape), x.dtype)
    _check_dy(conv_spec(x, filter, strides, pad, dilations), dy)
    return filter


@conv2d_backprop_filter.gradient("x")
def _(g, dy, x_spec, strides, pad, dilations):
    return _conv_to_x(dy, g, x_spec, strides, pad, dilations)


@conv2d_backprop_filter.gradient("dy")
def _(g, x, strides, pad, dilations):
    return ops.conv2d(x, g, strides=strides, pad=pad, dilations=dilations)


@op(kernel_name="DepthwiseConv2dNative", promote=True)
def depthwise_conv2d(
    x: Spec, filter: Spec, *, strides: Pair = 1, pad: Padding = "valid", dilations: Pair = 1
) -> Spec:
    """Convolve each channel with filters of its own.

    Args:
        x: [batch, height, width, channels].
        filter: [filter height, filter width, channels, multiplier].
        strides: see `conv2d`, like the rest.
        pad: see `conv2d`.
        dilations: see `conv2d`.

    Returns:
        [batch, new height, new width, channels * multiplier]

    >>> core.depthwise_conv2d(core.ones((1, 2, 2, 3)), core.ones((2, 2, 3, 1))).numpy().ravel()
    array([4., 4., 4.], dtype=float32)
    """
    return depthwise_spec(x, filter, strides, pad, dilations)


@depthwise_conv2d.gradient("x")
def _depthwise_to_x(g, filter, x_spec, strides, pad, dilations):
    return ops.depthwise_conv2d_backprop_input(
        g, filter, input_shape=x_spec.shape, strides=strides, pad=pad, dilations=dilations
    )


@depthwise_conv2d.gradient("filter")
def _depthwise_to_filter(g, x, filter_spec, strides, pad, dilations):
    return ops.depthwise_conv2d_backprop_filter(
        x, g, filter_shape=filter_spec.shape, strides=strides, pad=pad, dilations=dilations
    )


@op(kernel_name="DepthwiseConv2dNativeBackpropInput", promote=True)
def depthwise_conv2d_backprop_input(
    dy: Spec,
    filter: Spec,
    *,
    input_shape: Shape,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `depthwise_conv2d` for x, of shape ``input_shape``.

    >>> core.depthwise_conv2d_backprop_input(core.ones((1, 1, 1, 3)), core.ones((2, 2, 3, 1)),
    ...                                      input_shape=(1, 2, 2, 3)).shape
    (1, 2, 2, 3)
    """
    x = Spec(tuple(input_shape), dy.dtype)
    _check_dy(depthwise_spec(x, filter, strides, pad, dilations), dy)
    return x


@depthwise_conv2d_backprop_input.gradient("dy")
def _(g, filter, strides, pad, dilations):
    return ops.depthwise_conv2d(g, filter, strides=strides, pad=pad, dilations=dilations)


@depthwise_conv2d_backprop_input.gradient("filter")
def _(g, dy, filter_spec, strides, pad, dilations):
    return _depthwise_to_filter(dy, g, filter_spec, strides, pad, dilations)


@op(kernel_name="DepthwiseConv2dNativeBackpropFilter", promote=True)
def depthwise_conv2d_backprop_filter(
    x: Spec,
    dy: Spec,
    *,
    filter_shape: Shape,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `depthwise_conv2d` for its filter, of shape ``filter_shape``.

    >>> core.depthwise_conv2d_backprop_filter(core.ones((1, 2, 2, 3)), core.ones((1, 1, 1, 3)),
    ...                                       filter_shape=(2, 2, 3, 1)).shape
    (2, 2, 3, 1)
    """
    filter = Spec(tuple(filter_shape), x.dtype)
    _check_dy(depthwise_spec(x, filter, strides, pad, dilations), dy)
    return filter


@depthwise_conv2d_backprop_filter.gradient("x")
def _(g, dy, x_spec, strides, pad, dilations):
    return _depthwise_to_x(dy, g, x_spec, strides, pad, dilations)


@depthwise_conv2d_backprop_filter.gradient("dy")
def _(g, x, strides, pad, dilations):
    return ops.depthwise_conv2d(x, g, strides=strides, pad=pad, dilations=dilations)


def fused_spec(spec: Spec, bias: Spec | None, activation: str) -> Spec:
    """The result of a fused op, after checking what is fused."""
    if activation not in ACTIVATIONS:
        raise CoreError(f"unknown activation {activation!r}: use one of {ACTIVATIONS}")
    if bias is not None and bias.shape != spec.shape[-1:]:
        raise CoreError(f"bias has shape {bias.shape}, the result has {spec.shape[-1]} channels")
    return spec


@op(kernel_name="FusedConv2D", promote=True)
def fused_conv2d(
    x: Spec,
    filter: Spec,
    bias: Spec | None = None,
    *,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
    activation: str = "linear",
) -> Spec:
    """A convolution, then a bias and an activation, in one step.

    Args:
        x: [batch, height, width, in].
        filter: [filter height, filter width, in, out].
        bias: [out], added to every pixel.
        strides: see `conv2d`.
        pad: see `conv2d`.
        dilations: see `conv2d`.
        activation: one of ``ACTIVATIONS``.

    >>> core.fused_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                   activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """
    return fused_spec(conv_spec(x, filter, strides, pad, dilations), bias, activation)


@op(kernel_name="FusedDepthwiseConv2D", promote=True)
def fused_depthwise_conv2d(
    x: Spec,
    filter: Spec,
    bias: Spec | None = None,
    *,
    strides: Pair = 1,
    pad: Padding = "valid",
    dilations: Pair = 1,
    activation: str = "linear",
) -> Spec:
    """A depthwise convolution, a bias and an activation in one step; see `fused_conv2d`.

    >>> core.fused_depthwise_conv2d(core.ones((1, 2, 2, 1)), core.ones((2, 2, 1, 1)), [5.0],
    ...                             activation="relu6").numpy().ravel()
    array([6.], dtype=float32)
    """
    return fused_spec(depthwise_spec(x, filter, strides, pad, dilations), bias, activation)


# The slope of each activation by its result: the value before it need not be kept. (At exactly 6
# relu6 has slope 0 here and 1 in `relu6`: the result does not tell 6 from more.)
_SLOPES = {
    "linear": lambda y: 1.0,
    "relu": lambda y: ops.step(y),
    "relu6": lambda y: ops.step(y) * (y < 6.0),
    "elu": lambda y: ops.minimum(y + 1.0, 1.0),
    "sigmoid": lambda y: y * (1.0 - y),
}


@fused_conv2d.gradient("x")
def _(g, y, filter, x_spec, strides, pad, dilations, activation):
    return _conv_to_x(g * _SLOPES[activation](y), filter, x_spec, strides, pad, dilations)


@fused_conv2d.gradient("filter")
def _(g, y, x, filter_spec, strides, pad, dilations, activation):
    return _conv_to_filter(g * _SLOPES[activation](y), x, filter_spec, strides, pad, dilations)


@fused_depthwise_conv2d.gradient("x")
def _(g, y, filter, x_spec, strides, pad, dilations, activation):
    return _depthwise_to_x(g * _SLOPES[activation](y), filter, x_spec, strides, pad, dilations)


@fused_depthwise_conv2d.gradient("filter")
def _(g, y, x, filter_spec, strides, pad, dilations, activation):
    return _depthwise_to_filter(g * _SLOPES[activation](y), x, filter_spec, strides, pad, dilations)


@fused_conv2d.gradient("bias")
@fused_depthwise_conv2d.gradient("bias")
def _(g, y, activation):
    return ops.sum(g * _SLOPES[activation](y), axis=(0, 1, 2))

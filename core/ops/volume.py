"""Convolutions and pooling over volumes, [batch, depth, height, width, channels]."""

from collections.abc import Sequence
from math import nan

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import volume_op, zero_gradient
from core.engine.dispatch import tensor
from core.engine.operation import spec_of
from core.engine.registry import composite, op
from core.engine.specs import Shape, Spec, check_dy
from core.engine.tensors import Tensor
from core.engine.windows import Padding, Pair, Triple, check_format, window
from core.ops.conv import conv_spec, conv_window, differentiate, transposed
from core.ops.pooling import of_winners, pool_spec, pool_window, taps


@volume_op(kernel_name="Conv3D", promote=True, input_dtype="real")
def conv3d(
    x: TensorLike,
    filter: TensorLike,
    strides: Triple = 1,
    pad: Padding = "valid",
    data_format: str = "NDHWC",
    dilations: Triple = 1,
) -> Spec:
    """Convolve volumes, or short videos, with filters.

    Args:
        x: [batch, depth, height, width, in], or [depth, height, width, in]: one volume.
        filter: [filter depth, filter height, filter width, in, out].
        strides: step between windows, one number or one for each axis.
        pad: ``"same"``, ``"valid"``, or in pixels; see `conv2d`.
        data_format: only ``"NDHWC"``.
        dilations: distance between the values that a window reads.

    Returns:
        [batch, new depth, new height, new width, out]

    >>> core.conv3d(core.ones((2, 2, 2, 1)), core.ones((2, 2, 2, 1, 1))).numpy().ravel()
    array([8.], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    w = conv_window(x, filter, 3, strides, pad, data_format, dilations, None)
    return conv_spec(x, w, filter.shape[4], data_format)


@op(kernel_name="Conv3DBackpropInputV2", input_dtype="float32")
def conv3d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: Triple = 1,
    pad: Padding = "valid",
    data_format: str = "NDHWC",
    dilations: Triple = 1,
) -> Spec:
    """The gradient of `conv3d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new depth, new height, new width, out], the gradient of the result.
        filter: [filter depth, filter height, filter width, in, out].
        input_shape: of x, [batch, depth, height, width, in].
        strides: see `conv3d`.
        pad: see `conv3d`.
        data_format: see `conv3d`.
        dilations: see `conv3d`.

    >>> core.conv3d_backprop_input(core.ones((1, 1, 1, 1, 1)), core.ones((2, 2, 2, 1, 1)),
    ...                            input_shape=(1, 2, 2, 2, 1)).shape
    (1, 2, 2, 2, 1)
    """
    x = Spec(tuple(input_shape))
    check_dy(conv3d.rule(x, filter, strides, pad, data_format, dilations), spec_of(dy))
    return x


@op(kernel_name="Conv3DBackpropFilterV2", input_dtype="float32")
def conv3d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: Triple = 1,
    pad: Padding = "valid",
    data_format: str = "NDHWC",
    dilations: Triple = 1,
) -> Spec:
    """The gradient of `conv3d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, depth, height, width, in].
        dy: [batch, new depth, new height, new width, out], the gradient of the result.
        filter_shape: [filter depth, filter height, filter width, in, out].
        strides: see `conv3d`.
        pad: see `conv3d`.
        data_format: see `conv3d`.
        dilations: see `conv3d`.

    >>> core.conv3d_backprop_filter(core.ones((1, 2, 2, 2, 1)), core.ones((1, 1, 1, 1, 1)),
    ...                             filter_shape=(2, 2, 2, 1, 1)).shape
    (2, 2, 2, 1, 1)
    """
    filter = Spec(tuple(filter_shape))
    check_dy(conv3d.rule(x, filter, strides, pad, data_format, dilations), spec_of(dy))
    return filter


differentiate(conv3d, conv3d_backprop_input, conv3d_backprop_filter)


@composite
def conv3d_transpose(
    x: TensorLike, filter: TensorLike, output_shape: Shape, strides: Triple, pad: Padding
) -> Tensor:
    """The transpose of a convolution of volumes, which makes them larger.

    Args:
        x: [batch, depth, height, width, in], or without batch.
        filter: [filter depth, filter height, filter width, out, in].
        output_shape: of the result, of as many axes as x: one from which `conv3d` with these
            strides and padding gives x's depth, height and width.
        strides: of that convolution.
        pad: of that convolution.

    >>> import core
    >>> core.conv3d_transpose(core.ones((1, 1, 1, 1)), core.ones((2, 1, 1, 1, 1)), (2, 1, 1, 1),
    ...                       strides=1, pad="valid").numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    return transposed(ops.conv3d_backprop_input, tensor(x), filter, output_shape, (strides, pad))


@volume_op(kernel_name="AvgPool3D", input_dtype="float32")
def avg_pool3d(
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Spec:
    """The average of each window of volumes; padding does not count.

    Args:
        x: [batch, depth, height, width, channels], or without batch: one volume.
        filter_size: see `avg_pool`, along depth, height and width.
        strides: see `avg_pool`, along depth, height and width.
        pad: see `avg_pool`, along depth, height and width.
        dim_rounding_mode: see `avg_pool`, along depth, height and width.
        data_format: only ``"NDHWC"``.

    Returns:
        [batch, new depth, new height, new width, channels]; 0 for a window of padding only.

    >>> core.avg_pool3d(core.ones((2, 2, 2, 1)), 2, 1, "valid").numpy().ravel()
    array([1.], dtype=float32)
    """
    x = spec_of(x)
    check_format(data_format, 3)
    w = window(x.shape, filter_size, strides, pad, data_format, 1, dim_rounding_mode)
    return pool_spec(x, w)


@avg_pool3d.gradient("x")
def _(g, x, data_format, **how):
    return ops.avg_pool3d_grad(g, x, **how)


@op(kernel_name="AvgPool3DGrad", input_dtype="float32")
def avg_pool3d_grad(
    dy: TensorLike,
    input: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `avg_pool3d`; of the input only the shape is used.

    Args:
        dy: [batch, new depth, new height, new width, channels], the gradient of the result.
        input: [batch, depth, height, width, channels], the volumes that were pooled.
        filter_size: see `avg_pool3d`.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.

    Returns:
        float32, of the shape of input.

    >>> core.avg_pool3d_grad([[[[[6.0]]]]], core.ones((1, 1, 1, 2, 1)), (1, 1, 2), 1, "valid"
    ...                      ).numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    dy, input = spec_of(dy), spec_of(input)
    w = window(input.shape, filter_size, strides, pad, "NDHWC", 1, dim_rounding_mode)
    check_dy(pool_spec(input, w), dy)
    return input


avg_pool3d_grad.gradient("dy")(lambda g, **how: ops.avg_pool3d(g, **how))
zero_gradient(avg_pool3d_grad, "input")


@volume_op(kernel_name="MaxPool3D", input_dtype="float32")
def max_pool3d(
    x: TensorLike,
    *,
    filter_size: Triple = 1,
    strides: Triple,
    pad: Padding,
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Spec:
    """The largest value of each window of volumes; NaN and padding are ignored.

    Args:
        x: [batch, depth, height, width, channels], or without batch: one volume.
        filter_size: see `avg_pool3d`, like the rest.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.
        data_format: only ``"NDHWC"``.

    >>> core.max_pool3d([[[[1.0], [3.0]]]], (1, 1, 2), 1, "valid").numpy().ravel()
    array([3.], dtype=float32)
    """
    x = spec_of(x)
    check_format(data_format, 3)
    w = window(x.shape, filter_size, strides, pad, data_format, 1, dim_rounding_mode)
    return pool_spec(x, w)


@max_pool3d.gradient("x")
def _(g, x, y, data_format, **how):
    return ops.max_pool3d_grad(g, x, y, **how)


@op(kernel_name="MaxPool3DGrad", input_dtype="float32")
def max_pool3d_grad(
    dy: TensorLike,
    input: TensorLike,
    output: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `max_pool3d`: that of a window belongs to the last of its largest values.

    Args:
        dy: [batch, new depth, new height, new width, channels], the gradient of the result.
        input: [batch, depth, height, width, channels], the volumes that were pooled.
        output: the result, of the shape of dy.
        filter_size: see `avg_pool3d`.
        strides: see `avg_pool3d`.
        pad: see `avg_pool3d`.
        dim_rounding_mode: see `avg_pool3d`.

    Returns:
        float32, of the shape of input.

    >>> core.max_pool3d_grad([[[[[6.0]]]]], [[[[[1.0], [1.0]]]]], [[[[[1.0]]]]], (1, 1, 2), 1,
    ...                      "valid").numpy().ravel()
    array([0., 6.], dtype=float32)
    """
    dy, input, output = spec_of(dy), spec_of(input), spec_of(output)
    w = window(input.shape, filter_size, strides, pad, "NDHWC", 1, dim_rounding_mode)
    check_dy(pool_spec(input, w), dy)
    check_dy(dy, output, "output")
    return input


@max_pool3d_grad.gradient("dy")
def _(g, input, **how):
    w = pool_window(input, data_format="NDHWC", **how)
    return of_winners(taps(input, w, nan), taps(g, w), ops.greater_equal)


zero_gradient(max_pool3d_grad, "input", "output")

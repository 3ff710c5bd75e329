"""Convolutions over images, [batch, height, width, channels] or with channels second."""

from typing import Any

from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.late_ops import ops
from core.engine.operation import Op, Rule, Traits
from core.engine.registry import composite, register
from core.engine.specs import Shape, Spec, check_dy
from core.engine.tensors import Tensor
from core.engine.windows import (
    Padding,
    Pair,
    Window,
    check_format,
    join_shape,
    refuse_strided_dilation,
    split_shape,
    window,
)
from core.errors import CoreError
from core.ops.declaring import image_op


def conv_window(
    x: Spec,
    filter: Spec,
    axes: int,
    strides: Pair,
    pad: Padding,
    data_format: str,
    dilations: Pair,
    dim_rounding_mode: str | None,
) -> Window:
    """The windows of a convolution of images (two axes) or volumes (three), after its checks."""
    check_format(data_format, axes)
    if len(filter.shape) != axes + 2:
        raise CoreError(
            f"a convolution over {data_format!r} needs a filter [size along each axis, in, out], "
            f"got {filter.shape}"
        )
    channels = split_shape(x.shape, axes, data_format)[2]
    if channels != filter.shape[-2]:
        raise CoreError(
            f"x of shape {x.shape} has {channels} channels ({data_format}), the filter "
            f"{filter.shape} is for {filter.shape[-2]}"
        )
    w = window(x.shape, filter.shape[:-2], strides, pad, data_format, dilations, dim_rounding_mode)
    refuse_strided_dilation(w)
    return w


def conv_spec(x: Spec, w: Window, channels: int, data_format: str) -> Spec:
    """The result of a convolution."""
    return Spec(join_shape(x.shape[0], w.out_size, channels, data_format), x.dtype)


@image_op(
    kernel_name="Conv2D", promote=True, input_dtype="real", traits=Traits(heavy=True), method=True
)
def conv2d(
    x: Spec,
    filter: Spec,
    *,
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """Convolve images with filters (cross-correlation, as in every deep learning library).

    Args:
        x: [batch, height, width, in], or [height, width, in]: one image.
        filter: [filter height, filter width, in, out].
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"`` (result of ceil(size / stride), the odd pixel of padding after),
            ``"valid"`` (none), pixels on every side, or ((top, bottom), (left, right)).
        data_format: ``"NHWC"``, or ``"NCHW"``: x and the result have the channels second.
        dilations: distance between the pixels that a window reads; 1 if the strides are not.
        dim_rounding_mode: ``"floor"`` (as by default), ``"round"`` or ``"ceil"``: how the size of
            the result is rounded, with ``pad`` in pixels.

    Returns:
        [batch, new height, new width, out]

    >>> core.conv2d(core.ones((1, 3, 3, 1)), core.ones((2, 2, 1, 1))).numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)
    """
    w = conv_window(x, filter, 2, strides, pad, data_format, dilations, dim_rounding_mode)
    return conv_spec(x, w, filter.shape[3], data_format)


def backprops(
    forward: Op,
    kernel_names: tuple[str, str],
    shapes: tuple[Shape, Shape, Shape],
    sizes: str = "height, width",
    channels: tuple[str, str, str] = ("in", "in, out", "out"),
    heavy: bool = False,
) -> tuple[Op, Op]:
    """Declare the gradients of a convolution for x and for its filter, and their gradients.

    Args:
        forward: the convolution, of which both have the attributes.
        kernel_names: TensorFlow.js's names of both.
        shapes: of x, the filter and the result in the examples.
        sizes: names of the axes of a window.
        channels: names of the other axes of x, the filter and the result.
        heavy: whether they are, see `core.engine.operation.Traits`.
    """

    def for_x(dy: Spec, filter: Spec, *, input_shape: Shape, **how: Any) -> Spec:
        x = Spec(tuple(input_shape))
        check_dy(forward.rule(x, filter, **how), dy)
        return x

    def for_filter(x: Spec, dy: Spec, *, filter_shape: Shape, **how: Any) -> Spec:
        filter = Spec(tuple(filter_shape))
        check_dy(forward.rule(x, filter, **how), dy)
        return filter

    def declared(rule: Rule, of: str, kernel_name: str, text: str) -> Op:
        rule.__module__ = forward.rule.__module__  # whose name the files of kernels have
        options: Any = {"kernel_name": kernel_name, "input_dtype": "float32"}
        options |= {"attributes_of": forward, "traits": Traits(heavy=heavy)}
        return register(Op(rule, name=f"{forward.name}_backprop_{of}", doc=text, **options))

    texts = _texts(forward, shapes, sizes, channels)
    to_x = declared(for_x, "input", kernel_names[0], texts[0])
    to_filter = declared(for_filter, "filter", kernel_names[1], texts[1])
    forward.gradient("x")(lambda g, filter, x_spec, **how: to_x(g, filter, x_spec.shape, **how))
    forward.gradient("filter")(
        lambda g, x, filter_spec, **how: to_filter(x, g, filter_spec.shape, **how)
    )
    to_x.gradient("dy")(lambda g, filter, input_shape, **how: forward(g, filter, **how))
    to_x.gradient("filter")(
        lambda g, dy, filter_spec, input_shape, **how: to_filter(g, dy, filter_spec.shape, **how)
    )
    to_filter.gradient("x")(
        lambda g, dy, x_spec, filter_shape, **how: to_x(dy, g, x_spec.shape, **how)
    )
    to_filter.gradient("dy")(lambda g, x, filter_shape, **how: forward(x, g, **how))
    return to_x, to_filter


def _texts(
    forward: Op, shapes: tuple[Shape, Shape, Shape], sizes: str, channels: tuple[str, str, str]
) -> tuple[str, str]:
    """The documentation of the gradients of a convolution for x and for its filter."""
    name, (x, filter, dy) = forward.name, shapes
    axes_of_x = f"[batch, {sizes}, {channels[0]}]"
    axes_of_filter = f"[filter {sizes.replace(', ', ', filter ')}, {channels[1]}]"
    axes_of_dy = f"[batch, new {sizes.replace(', ', ', new ')}, {channels[2]}]"
    usual = "conv3d" if len(x) == 5 else "conv2d"
    indent = " " * len(f">>> core.{name}_backprop_input(")
    to_x = f"""The gradient of `{name}` for x: the transposed convolution of ``dy``.

Args:
    dy: {axes_of_dy}, the gradient of the result.
    filter: {axes_of_filter}.
    input_shape: of x, {axes_of_x}.
    **how: see `{usual}`.

>>> core.{name}_backprop_input(core.ones({dy}), core.ones({filter}),
...{indent[3:]}input_shape={x}).shape
{x}
"""
    to_filter = f"""The gradient of `{name}` for its filter, of shape ``filter_shape``.

Args:
    x: {axes_of_x}.
    dy: {axes_of_dy}, the gradient of the result.
    filter_shape: {axes_of_filter}.
    **how: see `{usual}`.

>>> core.{name}_backprop_filter(core.ones({x}), core.ones({dy}),
...{indent[3:]} filter_shape={filter}).shape
{filter}
"""
    return to_x, to_filter


conv2d_backprop_input, conv2d_backprop_filter = backprops(
    conv2d,
    ("Conv2DBackpropInput", "Conv2DBackpropFilter"),
    ((1, 2, 2, 1), (2, 2, 1, 1), (1, 1, 1, 1)),
    heavy=True,
)


@composite(method=True)
def conv1d(
    x: TensorLike,
    filter: TensorLike,
    stride: int = 1,
    pad: str | int | tuple[int, int] = "valid",
    data_format: str = "NWC",
    dilation: int = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Convolve sequences, such as sound, with filters.

    Args:
        x: [batch, width, in], or [width, in]: one row.
        filter: [filter width, in, out].
        stride: step between windows.
        pad: ``"same"``, ``"valid"``, a number for both ends or (before, after); see `conv2d`.
        data_format: only ``"NWC"``.
        dilation: distance between the values that a window reads; 1 if the stride is not.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new width, out]

    >>> import core
    >>> core.conv1d([[1.0], [2.0], [4.0]], [[[-1.0]], [[1.0]]]).numpy().ravel()
    array([1., 2.], dtype=float32)
    """
    x, filter = tensor(x), tensor(filter)
    check_format(data_format, 1)
    if len(x.shape) not in (2, 3) or len(filter.shape) != 3:
        raise CoreError(
            f"conv1d needs x [batch, width, in] and a filter [width, in, out], got {x.shape} and "
            f"{filter.shape}"
        )
    y = ops.conv2d(
        ops.expand_dims(x, axis=-3),
        ops.expand_dims(filter, axis=0),
        (1, stride),
        _pad_of_rows(pad),
        "NHWC",
        (1, dilation),
        dim_rounding_mode,
    )
    return ops.reshape(y, shape=(*y.shape[:-3], *y.shape[-2:]))


def _pad_of_rows(pad: Any) -> Any:
    """Padding of images one pixel high."""
    if isinstance(pad, int):
        return (0, 0), (pad, pad)
    if isinstance(pad, (tuple, list)) and len(pad) == 2:
        return (0, 0), pad
    return pad


@composite(method=True)
def conv2d_transpose(
    x: TensorLike,
    filter: TensorLike,
    output_shape: Shape,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The transpose of a convolution, which makes images larger ("deconvolution").

    Args:
        x: [batch, height, width, in], or [height, width, in].
        filter: [filter height, filter width, out, in].
        output_shape: of the result, of as many axes as x: one from which `conv2d` with these
            strides and padding gives x's height and width.
        strides: of that convolution.
        pad: of that convolution.
        dim_rounding_mode: of that convolution.

    >>> import core
    >>> core.conv2d_transpose([[[1.0], [2.0]]], core.ones((2, 2, 1, 1)), (2, 4, 1), strides=2,
    ...                       pad="valid").numpy()[..., 0]
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.]], dtype=float32)
    """
    how = (strides, pad, "NHWC", 1, dim_rounding_mode)
    return transposed(ops.conv2d_backprop_input, tensor(x), filter, output_shape, how)


def transposed(backprop: Any, x: Tensor, filter: Any, output_shape: Shape, how: tuple) -> Tensor:
    """A transposed convolution of a batch or a single item, by an op on batches."""
    output_shape = tuple(output_shape)
    if len(output_shape) != len(x.shape):
        raise CoreError(f"output_shape={output_shape} must have as many axes as x, {x.shape}")
    if len(x.shape) == len(tensor(filter).shape):
        return backprop(x, filter, output_shape, *how)
    y = backprop(ops.expand_dims(x, axis=0), filter, (1, *output_shape), *how)
    return ops.reshape(y, shape=output_shape)

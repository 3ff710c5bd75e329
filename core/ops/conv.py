"""Convolutions over images, [batch, height, width, channels] or with channels second."""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import image_op
from core.engine.dispatch import tensor
from core.engine.operation import Op, Traits, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Shape, Spec, check_dy
from core.engine.tensors import Tensor
from core.engine.windows import (
    Padding,
    Pair,
    Window,
    check_format,
    group_count,
    join_shape,
    split_shape,
    window,
)
from core.errors import CoreError


def conv_window(
    x: Spec,
    filter: Spec,
    axes: int,
    strides: Pair,
    pad: Padding,
    data_format: str,
    dilations: Pair,
    dim_rounding_mode: str | None,
    in_groups: bool = False,
) -> Window:
    """The windows of a convolution of images (two axes) or volumes (three), after its checks.

    With ``in_groups`` a filter may be for a part of the channels.
    """
    check_format(data_format, axes)
    if len(filter.shape) != axes + 2:
        raise CoreError(
            f"a convolution over {data_format!r} needs a filter [size along each axis, in, out], "
            f"got {filter.shape}"
        )
    channels = split_shape(x.shape, axes, data_format)[2]
    if channels != filter.shape[-2]:
        _check_groups(x, filter, channels, data_format, in_groups)
    return window(
        x.shape, filter.shape[:-2], strides, pad, data_format, dilations, dim_rounding_mode
    )


def _check_groups(x: Spec, filter: Spec, channels: int, data_format: str, in_groups: bool) -> None:
    """Raise unless channels, of another number than the filter's, are in groups of that many."""
    depth, results = filter.shape[-2:]
    if not in_groups or not depth or not channels or channels % depth:
        also = ", or for a part that divides them" if in_groups else ""
        raise CoreError(
            f"x of shape {x.shape} has {channels} channels ({data_format}), the filter "
            f"{filter.shape} is for {depth}: it must be for as many{also}"
        )
    groups = group_count(channels, filter.shape)
    if results % groups:
        raise CoreError(
            f"x of shape {x.shape} has {channels} channels ({data_format}), {groups} groups of the "
            f"{depth} that the filter {filter.shape} is for; its {results} results are no multiple "
            f"of {groups}"
        )


def conv_spec(x: Spec, w: Window, channels: int, data_format: str) -> Spec:
    """The result of a convolution."""
    return Spec(join_shape(x.shape[0], w.out_size, channels, data_format), x.dtype)


@image_op(
    kernel_name="Conv2D", promote=True, input_dtype="real", traits=Traits(heavy=True), method=True
)
def conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """Convolve images with filters (cross-correlation, as in every deep learning library).

    Args:
        x: [batch, height, width, in], or [height, width, in]: one image.
        filter: [filter height, filter width, in, out], or [filter height, filter width,
            in / groups, out]: the channels of each group are for as many of the results.
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"`` (result of ceil(size / stride), the odd pixel of padding after),
            ``"valid"`` (none), pixels on every side, or ((top, bottom), (left, right)).
        data_format: ``"NHWC"``, or ``"NCHW"``: x and the result have the channels second.
        dilations: distance between the pixels that a window reads.
        dim_rounding_mode: ``"floor"`` (as by default), ``"round"`` or ``"ceil"``: how the size of
            the result is rounded, with ``pad`` in pixels.

    Returns:
        [batch, new height, new width, out]

    >>> core.conv2d(core.ones((1, 3, 3, 1)), core.ones((2, 2, 1, 1))).numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)
    """
    x, filter = spec_of(x), spec_of(filter)
    w = conv_window(x, filter, 2, strides, pad, data_format, dilations, dim_rounding_mode, True)
    return conv_spec(x, w, filter.shape[3], data_format)


def differentiate(forward: Op, to_x: Op, to_filter: Op) -> None:
    """Attach the gradients of a convolution for x and for its filter, and their gradients."""
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


@op(kernel_name="Conv2DBackpropInput", input_dtype="float32", traits=Traits(heavy=True))
def conv2d_backprop_input(
    dy: TensorLike,
    filter: TensorLike,
    input_shape: Sequence[int],
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `conv2d` for x: the transposed convolution of ``dy``.

    Args:
        dy: [batch, new height, new width, out], the gradient of the result.
        filter: of `conv2d`.
        input_shape: of x, [batch, height, width, in].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.conv2d_backprop_input(core.ones((1, 1, 1, 1)), core.ones((2, 2, 1, 1)),
    ...                            input_shape=(1, 2, 2, 1)).shape
    (1, 2, 2, 1)
    """
    x = Spec(tuple(input_shape))
    check_dy(
        conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode), spec_of(dy)
    )
    return x


@op(kernel_name="Conv2DBackpropFilter", input_dtype="float32", traits=Traits(heavy=True))
def conv2d_backprop_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: Pair = 1,
    pad: Padding = "valid",
    data_format: str = "NHWC",
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The gradient of `conv2d` for its filter, of shape ``filter_shape``.

    Args:
        x: [batch, height, width, in].
        dy: [batch, new height, new width, out], the gradient of the result.
        filter_shape: [filter height, filter width, in, out].
        strides: see `conv2d`.
        pad: see `conv2d`.
        data_format: see `conv2d`.
        dilations: see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    >>> core.conv2d_backprop_filter(core.ones((1, 2, 2, 1)), core.ones((1, 1, 1, 1)),
    ...                             filter_shape=(2, 2, 1, 1)).shape
    (2, 2, 1, 1)
    """
    filter = Spec(tuple(filter_shape))
    check_dy(
        conv2d.rule(x, filter, strides, pad, data_format, dilations, dim_rounding_mode), spec_of(dy)
    )
    return filter


differentiate(conv2d, conv2d_backprop_input, conv2d_backprop_filter)


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
        filter: [filter width, in, out], or [filter width, in / groups, out]; see `conv2d`.
        stride: step between windows.
        pad: ``"same"``, ``"valid"``, a number for both ends or (before, after); see `conv2d`.
        data_format: only ``"NWC"``.
        dilation: distance between the values that a window reads.
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

"""Convolutions (plain, depthwise, separable, transposed), and pooling over windows or global."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in.activation import ActivationLike, activated, fused_activation
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    as_images,
    bias_of,
    concat,
    expand,
    in_data_format,
    padded,
    shape_vector,
    split,
)
from core.layers.layer_call import LayerCall, Lengths, Operand, RunLengths
from core.layers.layer_kind import weighted
from core.regularizers import RegularizerLike

_DEPTHWISE = ("depthwise_conv2d", "fused_depthwise_conv2d")


class Window:
    """Options common to all convolution layers, for tensors with channels last.

    Tensors of one dimension are images with one row of pixels.
    """

    def __init__(self, call: LayerCall, rank: int):
        options = call.options
        self.rank = rank
        self.size = options.integers("kernel_size", rank)
        self.strides = options.integers("strides", rank, 1)
        self.dilations = options.integers("dilation_rate", rank, 1)
        self.padding = options.choice("padding", ("valid", "same", "causal"), "valid")
        if self.padding == "causal" and rank != 1:
            raise call.error("causal padding is for one dimension only")

    @property
    def row(self) -> tuple[int, ...]:
        """The lengths to insert before others to make images of one dimension."""
        return (1,) if self.rank == 1 else ()

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the ops."""
        return {
            "strides": (*self.row, *self.strides),
            "pad": "same" if self.padding == "same" else "valid",
            "data_format": "NDHWC" if self.rank == 3 else "NHWC",
            "dilations": (*self.row, *self.dilations),
        }

    def padded(self, call: LayerCall, x: Operand) -> Any:
        """Return the input with zeros before its start for causal padding."""
        if self.padding != "causal":
            return x
        before = self.dilations[0] * (self.size[0] - 1)
        return padded(call, x, [(0, 0), (before, 0), (0, 0)])


def _as_rows(call: LayerCall, x: Operand, rank: int) -> Any:
    return expand(call, x, 1) if rank == 1 else x


def _as_output(call: LayerCall, y: Operand, rank: int) -> Any:
    """Return a result in the layer's data format and rank."""
    return in_data_format(call, call.ops.squeeze(y, axis=(1,)) if rank == 1 else y)


def convolved(
    call: LayerCall, x: Operand, kernel: Operand, bias: Operand | None, window: Window
) -> Any:
    """Return a convolution with bias and activation, by one op if possible."""
    if window.rank == 3:
        y = call.ops.conv3d(x, kernel, **window.attributes)
        return activated(call, _biased(call, y, bias))
    return _fused(call, ("conv2d", "fused_conv2d"), [x, kernel], bias, window.attributes)


def _biased(call: LayerCall, y: Operand, bias: Operand | None) -> Any:
    return y if bias is None else call.ops.add(y, bias)


def _fused(
    call: LayerCall,
    ops: tuple[str, str],
    inputs: Sequence[Operand],
    bias: Operand | None,
    attributes: dict[str, Any],
) -> Any:
    """Call the plain or the fused op, and apply the activation if it cannot be fused."""
    plain, fused = (getattr(call.ops, op) for op in ops)
    if bias is None:
        return activated(call, plain(*inputs, **attributes))
    activation = fused_activation(call)
    y = fused(*inputs, bias, **attributes, activation=activation or "linear")
    return y if activation is not None else activated(call, y)


class _Convolution(OneResult, is_base=True):
    """A convolution over one to three axes."""

    rank: ClassVar[int]

    filters: int
    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
    groups: int = 1
    activation: ActivationLike = None
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    keeps_mask = False
    weight_names = weighted("kernel", use_bias="bias")

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x, window = as_images(call, x, cls.rank), Window(call, cls.rank)
        groups, filters = call.options.integer("groups", 1), call.options.integer("filters")
        channels = call.length(x, -1)
        if channels % groups or filters % groups or not channels:
            raise call.error(
                f"{groups} groups do not divide {channels} channels, {filters} filters"
            )
        x = _as_rows(call, window.padded(call, x), cls.rank)
        shape = (*window.size, channels // groups, filters)
        bias = bias_of(call, filters)
        if groups == channels > 1 and cls.rank < 3:
            return _as_output(call, _per_channel(call, x, window, shape, bias), cls.rank)
        if groups > 1 and cls.rank == 3:
            sizes = [filters // groups] * groups
            call.check_count(groups)
            kernels = call.weight_parts(
                "kernel", shape, sizes, -1, lambda size: (*window.row, *shape[:-1], size)
            )
            return _as_output(call, _grouped(call, x, kernels, bias, window), cls.rank)
        kernel_value = call.weight("kernel", shape, (*window.row, *shape))
        return _as_output(call, convolved(call, x, kernel_value, bias, window), cls.rank)


class Conv1D(_Convolution):
    """Move filters over sequences: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`. Filters have the
    shape of the window, then `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv1D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 3))).shape
    (1, 3, 2)
    """

    rank = 1
    other_names = ("Convolution1D",)


class Conv2D(_Convolution):
    """Move filters over images: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`.
    Filters have the shape of the window, then `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv2D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 5, 3))).shape
    (1, 3, 3, 2)
    """

    rank = 2
    other_names = ("Convolution2D",)


class Conv3D(_Convolution):
    """Move filters over volumes: each result is the sum of a window times a filter, plus a bias.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, filters]`. Filters have the shape of the window, then
    `[channels / groups, filters]`.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        groups: number of groups of channels, each with filters of its own.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv3D(2, 3, kernel_initializer="ones")
    >>> layer(core.ones((1, 5, 5, 5, 3))).shape
    (1, 3, 3, 3, 2)
    """

    rank = 3
    other_names = ("Convolution3D",)


def _per_channel(
    call: LayerCall, x: Operand, window: Window, shape: tuple[int, ...], bias: Operand | None
) -> Any:
    """Add a depthwise convolution for as many groups as channels."""
    channels = call.length(x, -1)
    view = (*window.row, *window.size, channels, shape[-1] // channels)
    kernel = call.weight("kernel", shape, view)
    return _fused(call, _DEPTHWISE, [x, kernel], bias, window.attributes)


def _grouped(
    call: LayerCall, x: Operand, kernels: Sequence[Operand], bias: Operand | None, window: Window
) -> Any:
    """Add a convolution of volumes per group of filters, on its group of channels only."""
    parts = [
        call.ops.conv3d(part, kernel, **window.attributes)
        for part, kernel in zip(split(call, x, len(kernels), -1), kernels, strict=True)
    ]
    return activated(call, _biased(call, concat(call, parts, -1), bias))


class _DepthwiseConvolution(OneResult, is_base=True):
    """A convolution of each channel by itself."""

    rank: ClassVar[int]

    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    depth_multiplier: int = 1
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
    activation: ActivationLike = None
    use_bias: bool = True
    depthwise_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    depthwise_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    depthwise_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    keeps_mask = False
    weight_names = weighted("depthwise_kernel", use_bias="bias")

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x, kernel, window, channels = _depthwise_parts(call, x, cls.rank)
        bias = bias_of(call, channels)
        y = _fused(call, _DEPTHWISE, [x, kernel], bias, window.attributes)
        return _as_output(call, y, cls.rank)


class DepthwiseConv1D(_DepthwiseConvolution):
    """Move filters over sequences, each over one channel alone.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels x depth_multiplier]`.
    Filters have the shape of the window, then `[channels, depth_multiplier]`.

    Source: Howard et al., "MobileNets" (2017), https://arxiv.org/abs/1704.04861.

    Args:
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        depth_multiplier: number of filters for each channel.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.DepthwiseConv1D(3, depth_multiplier=2)
    >>> layer(core.ones((1, 5, 3))).shape
    (1, 3, 6)
    """

    rank = 1


class DepthwiseConv2D(_DepthwiseConvolution):
    """Move filters over images, each over one channel alone.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels x depth_multiplier]`. Filters have the shape of the
    window, then `[channels, depth_multiplier]`.

    Source: Howard et al., "MobileNets" (2017), https://arxiv.org/abs/1704.04861.

    Args:
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        depth_multiplier: number of filters for each channel.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.DepthwiseConv2D(3, depth_multiplier=2)
    >>> layer(core.ones((1, 5, 5, 3))).shape
    (1, 3, 3, 6)
    """

    rank = 2


def _depthwise_parts(
    call: LayerCall, x: Operand, rank: int
) -> tuple[Operand, Operand, Window, int]:
    """Return the padded rows, the kernel, its window, and the number of output channels."""
    x, window = as_images(call, x, rank), Window(call, rank)
    x = _as_rows(call, window.padded(call, x), rank)
    channels, multiplier = call.length(x, -1), call.options.integer("depth_multiplier", 1)
    shape = (*window.size, channels, multiplier)
    kernel = call.weight("depthwise_kernel", shape, (*window.row, *shape))
    return x, kernel, window, channels * multiplier


class _SeparableConvolution(OneResult, is_base=True):
    """A convolution of each channel by itself, then one of all channels at each place."""

    rank: ClassVar[int]

    filters: int
    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
    depth_multiplier: int = 1
    activation: ActivationLike = None
    use_bias: bool = True
    depthwise_initializer: InitializerLike = "glorot_uniform"
    pointwise_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    depthwise_regularizer: RegularizerLike = None
    pointwise_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    depthwise_constraint: ConstraintLike = None
    pointwise_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    keeps_mask = False
    weight_names = weighted("depthwise_kernel", "pointwise_kernel", use_bias="bias")

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x, kernel, window, channels = _depthwise_parts(call, x, cls.rank)
        x = call.ops.depthwise_conv2d(x, kernel, **window.attributes)
        filters = call.options.integer("filters")
        ones = (1,) * cls.rank
        pointwise = call.weight(
            "pointwise_kernel", (*ones, channels, filters), (1, 1, channels, filters)
        )
        attributes = {**window.attributes, "strides": (1, 1), "dilations": (1, 1)}
        bias = bias_of(call, filters)
        y = _fused(call, ("conv2d", "fused_conv2d"), [x, pointwise], bias, attributes)
        return _as_output(call, y, cls.rank)


class SeparableConv1D(_SeparableConvolution):
    """Filter each channel of sequences alone, then mix the channels at each place.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`: a depthwise
    convolution, then one with a window of length 1, and a bias.

    Source: Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017),
    https://arxiv.org/abs/1610.02357.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        depth_multiplier: number of filters for each channel.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        pointwise_initializer: first values of the pointwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        pointwise_constraint: applied to the pointwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SeparableConv1D(4, 3)
    >>> layer(core.ones((1, 5, 3))).shape, layer.count_params()
    ((1, 3, 4), 25)
    """

    rank = 1
    other_names = ("SeparableConvolution1D",)


class SeparableConv2D(_SeparableConvolution):
    """Filter each channel of images alone, then mix the channels at each place.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`:
    a depthwise convolution, then one with a window of length 1, and a bias.

    Source: Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017),
    https://arxiv.org/abs/1610.02357.

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        depth_multiplier: number of filters for each channel.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        depthwise_initializer: first values of the depthwise kernel: name or object of
            `core.initializers`.
        pointwise_initializer: first values of the pointwise kernel: name or object of
            `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        depthwise_regularizer: penalty on the depthwise kernel, see `core.regularizers`.
        pointwise_regularizer: penalty on the pointwise kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        depthwise_constraint: applied to the depthwise kernel after each step, see
            `core.constraints`.
        pointwise_constraint: applied to the pointwise kernel after each step, see
            `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.SeparableConv2D(4, 3)
    >>> layer(core.ones((1, 5, 5, 3))).shape, layer.count_params()
    ((1, 3, 3, 4), 43)
    """

    rank = 2
    other_names = ("SeparableConvolution2D",)


class _TransposedConvolution(OneResult, is_base=True):
    """A transposed convolution over one to three axes."""

    rank: ClassVar[int]

    filters: int
    kernel_size: int | Sequence[int]
    strides: int | Sequence[int] = 1
    padding: Literal["valid", "same", "causal"] = "valid"
    output_padding: int | Sequence[int] | None = None
    data_format: Literal["channels_last", "channels_first"] | None = None
    dilation_rate: int | Sequence[int] = 1
    activation: ActivationLike = None
    use_bias: bool = True
    kernel_initializer: InitializerLike = "glorot_uniform"
    bias_initializer: InitializerLike = "zeros"
    kernel_regularizer: RegularizerLike = None
    bias_regularizer: RegularizerLike = None
    activity_regularizer: RegularizerLike = None
    kernel_constraint: ConstraintLike = None
    bias_constraint: ConstraintLike = None

    keeps_mask = False
    weight_names = weighted("kernel", use_bias="bias")

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x, window = as_images(call, x, cls.rank), Window(call, cls.rank)
        if set(window.dilations) != {1}:
            raise call.error(
                f"a transposed convolution dilated by {window.dilations} is not supported"
            )
        filters = call.options.integer("filters")
        shape = (*window.size, filters, call.length(x, -1))
        kernel = call.weight("kernel", shape, (*window.row, *shape))
        x = _as_rows(call, x, cls.rank)
        result = _transposed_shape(call, x, window, filters)
        sizes = _sizes(call, x, window, result)
        if cls.rank == 3:
            y = call.ops.conv3d_backprop_input(x, kernel, input_shape=sizes, **window.attributes)
        else:
            y = call.ops.conv2d_backprop_input(x, kernel, input_shape=sizes, **window.attributes)
        return _as_output(call, activated(call, _biased(call, y, bias_of(call, filters))), cls.rank)


class Conv1DTranspose(_TransposedConvolution):
    """Enlarge sequences by filters, as the gradient of a convolution does.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, filters]`: with padding
    "same", lengths times the strides. Filters have the shape of the window, then
    `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv1DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 3))).shape
    (1, 8, 2)
    """

    rank = 1
    other_names = ("Convolution1DTranspose",)


class Conv2DTranspose(_TransposedConvolution):
    """Enlarge images by filters, as the gradient of a convolution does.

    Called on `[batch, rows, columns, channels]`, returns `[batch, new rows, new columns, filters]`:
    with padding "same", lengths times the strides. Filters have the shape of the window, then
    `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv2DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 8, 8, 2)
    """

    rank = 2
    other_names = ("Convolution2DTranspose",)


class Conv3DTranspose(_TransposedConvolution):
    """Enlarge volumes by filters, as the gradient of a convolution does.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, filters]`: with padding "same", lengths times the
    strides. Filters have the shape of the window, then `[filters, channels]`.

    Source: Zeiler et al., "Deconvolutional Networks" (2010).

    Args:
        filters: number of filters: channels of the result; needed.
        kernel_size: lengths of the window; a number counts for every axis; needed.
        strides: steps of the window.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        output_padding: values added at the ends of the result.
        data_format: the axis of the channels; by default "channels_last".
        dilation_rate: distances of the window's values.
        activation: name of an activation, such as "relu", a function of a tensor, or None for none.
        use_bias: add a bias.
        kernel_initializer: first values of the kernel: name or object of `core.initializers`.
        bias_initializer: first values of the bias: name or object of `core.initializers`.
        kernel_regularizer: penalty on the kernel, see `core.regularizers`.
        bias_regularizer: penalty on the bias, see `core.regularizers`.
        activity_regularizer: penalty on the result, see `core.regularizers`.
        kernel_constraint: applied to the kernel after each step, see `core.constraints`.
        bias_constraint: applied to the bias after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Conv3DTranspose(2, 3, strides=2, padding="same")
    >>> layer(core.ones((1, 4, 4, 4, 3))).shape
    (1, 8, 8, 8, 2)
    """

    rank = 3
    other_names = ("Convolution3DTranspose",)


def _transposed_shape(call: LayerCall, x: Operand, window: Window, filters: int) -> Lengths:
    shape = call.shape(x)
    pixels = shape[1 + len(window.row) : -1]
    lengths = [
        None if n is None else _transposed_length(call, window, i, n) for i, n in enumerate(pixels)
    ]
    return (shape[0], *window.row, *lengths, filters)


def _transposed_length(call: LayerCall, window: Window, axis: int, n: int) -> int:
    """Return the length of a transposed convolution's result for an input of length n."""
    size, stride = window.size[axis], window.strides[axis]
    same = window.padding == "same"
    if call.options.get("output_padding") is None:
        return n * stride + (0 if same else max(size - stride, 0))
    added = call.options.integers("output_padding", window.rank, least=0)[axis]
    if added >= stride:
        raise call.error(f"output_padding {added} must be less than the stride {stride}")
    return (n - 1) * stride + size - (2 * (size // 2) if same else 0) + added


def _sizes(call: LayerCall, x: Operand, window: Window, result: Lengths) -> Any:
    """Return the shape of a result; unknown lengths are computed in the graph."""
    if None not in result[1:]:
        return shape_vector(call, result, x)
    first = 1 + len(window.row)
    batch = shape_vector(call, (None,), x)
    assert isinstance(batch, RunLengths)
    parts = [batch.vector]
    for axis, n in enumerate(result[1:], 1):
        if n is not None:
            parts.append(call.constant(np.array([n], np.int32), "ints"))
            continue
        at_one = _transposed_length(call, window, axis - first, 1)
        parts.append(_computed_length(call, x, axis, at_one, window.strides[axis - first]))
    return RunLengths(concat(call, parts, 0), result)


def _computed_length(call: LayerCall, x: Operand, axis: int, at_one: int, stride: int) -> Any:
    """Return (n - 1) * stride + the length for n = 1, as a vector."""
    lengths = call.lengths(x)
    n = call.ops.strided_slice(lengths, begin=(axis,), end=(axis + 1,), strides=(1,))
    return call.ops.add(call.ops.mul(n, stride), at_one - stride)

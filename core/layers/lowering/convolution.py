"""Convolutions (plain, depthwise, separable, transposed), and pooling over windows or global."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.layers.layer_call import LayerCall, Lengths, Operand, RunLengths
from core.layers.lowering.activation import activated, fused_activation
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_ops import (
    as_images,
    bias_of,
    concat,
    expand,
    in_data_format,
    padded,
    shape_vector,
    split,
)
from core.layers.lowering.rows import LayerType, weighted

_KERNEL_AND_BIAS = about_weights(kernel="glorot_uniform", bias="zeros")
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


def _conv_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x, window = as_images(call, x, rank), Window(call, rank)
        groups, filters = call.options.integer("groups", 1), call.options.integer("filters")
        channels = call.length(x, -1)
        if channels % groups or filters % groups or not channels:
            raise call.error(
                f"{groups} groups do not divide {channels} channels, {filters} filters"
            )
        x = _as_rows(call, window.padded(call, x), rank)
        shape = (*window.size, channels // groups, filters)
        bias = bias_of(call, filters)
        if groups == channels > 1 and rank < 3:
            return _as_output(call, _per_channel(call, x, window, shape, bias), rank)
        if groups > 1:
            sizes = [filters // groups] * groups
            call.check_count(groups)
            kernels = call.weight_parts(
                "kernel", shape, sizes, -1, lambda size: (*window.row, *shape[:-1], size)
            )
            return _as_output(call, _grouped(call, x, kernels, bias, window), rank)
        kernel_value = call.weight("kernel", shape, (*window.row, *shape))
        return _as_output(call, convolved(call, x, kernel_value, bias, window), rank)

    return LayerType(
        lower,
        weighted("kernel", use_bias="bias"),
        keeps_mask=False,
        arguments=arguments(
            "filters",
            "kernel_size",
            strides=1,
            padding="valid",
            data_format=None,
            dilation_rate=1,
            groups=1,
            activation=None,
            use_bias=True,
            **_KERNEL_AND_BIAS,
        ),
        other_names=(f"Convolution{rank}D",),
    )


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
    """Add a convolution per group of filters, on its group of channels only."""
    convolve = call.ops.conv3d if window.rank == 3 else call.ops.conv2d
    parts = [
        convolve(part, kernel, **window.attributes)
        for part, kernel in zip(split(call, x, len(kernels), -1), kernels, strict=True)
    ]
    return activated(call, _biased(call, concat(call, parts, -1), bias))


def _depthwise_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x, kernel, window, channels = _depthwise_parts(call, x, rank)
        bias = bias_of(call, channels)
        y = _fused(call, _DEPTHWISE, [x, kernel], bias, window.attributes)
        return _as_output(call, y, rank)

    return LayerType(
        lower,
        weighted("depthwise_kernel", use_bias="bias"),
        keeps_mask=False,
        arguments=arguments(
            "kernel_size",
            strides=1,
            padding="valid",
            depth_multiplier=1,
            data_format=None,
            dilation_rate=1,
            activation=None,
            use_bias=True,
            **about_weights(depthwise="glorot_uniform", bias="zeros"),
        ),
    )


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


def _separable_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x, kernel, window, channels = _depthwise_parts(call, x, rank)
        x = call.ops.depthwise_conv2d(x, kernel, **window.attributes)
        filters = call.options.integer("filters")
        ones = (1,) * rank
        pointwise = call.weight(
            "pointwise_kernel", (*ones, channels, filters), (1, 1, channels, filters)
        )
        attributes = {**window.attributes, "strides": (1, 1), "dilations": (1, 1)}
        bias = bias_of(call, filters)
        y = _fused(call, ("conv2d", "fused_conv2d"), [x, pointwise], bias, attributes)
        return _as_output(call, y, rank)

    return LayerType(
        lower,
        weighted("depthwise_kernel", "pointwise_kernel", use_bias="bias"),
        keeps_mask=False,
        arguments=arguments(
            "filters",
            "kernel_size",
            strides=1,
            padding="valid",
            data_format=None,
            dilation_rate=1,
            depth_multiplier=1,
            activation=None,
            use_bias=True,
            **about_weights(depthwise="glorot_uniform", pointwise="glorot_uniform", bias="zeros"),
        ),
        other_names=(f"SeparableConvolution{rank}D",),
    )


def _transposed_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x, window = as_images(call, x, rank), Window(call, rank)
        if set(window.dilations) != {1}:
            raise call.error(
                f"a transposed convolution dilated by {window.dilations} is not supported"
            )
        filters = call.options.integer("filters")
        shape = (*window.size, filters, call.length(x, -1))
        kernel = call.weight("kernel", shape, (*window.row, *shape))
        x = _as_rows(call, x, rank)
        result = _transposed_shape(call, x, window, filters)
        sizes = _sizes(call, x, window, result)
        if rank == 3:
            y = call.ops.conv3d_backprop_input(x, kernel, input_shape=sizes, **window.attributes)
        else:
            y = call.ops.conv2d_backprop_input(x, kernel, input_shape=sizes, **window.attributes)
        return _as_output(call, activated(call, _biased(call, y, bias_of(call, filters))), rank)

    return LayerType(
        lower,
        weighted("kernel", use_bias="bias"),
        keeps_mask=False,
        arguments=arguments(
            "filters",
            "kernel_size",
            strides=1,
            padding="valid",
            output_padding=None,
            data_format=None,
            dilation_rate=1,
            activation=None,
            use_bias=True,
            **_KERNEL_AND_BIAS,
        ),
        other_names=(f"Convolution{rank}DTranspose",),
    )


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


LAYER_TYPES = {
    **{f"Conv{rank}D": _conv_of_rank(rank) for rank in (1, 2, 3)},
    **{f"Conv{rank}DTranspose": _transposed_of_rank(rank) for rank in (1, 2, 3)},
    **{f"DepthwiseConv{rank}D": _depthwise_of_rank(rank) for rank in (1, 2)},
    **{f"SeparableConv{rank}D": _separable_of_rank(rank) for rank in (1, 2)},
}

"""Convolutions (plain, depthwise, separable, transposed), and pooling over windows or global."""

from collections.abc import Sequence
from typing import Any

from core.layers.layer_call import LayerCall, Lengths, Value
from core.layers.lowering.activation import activated, fused_activation
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_nodes import (
    as_images,
    bias_of,
    binary,
    concat,
    expand,
    in_data_format,
    padded,
    shape_vector,
    split,
    squeeze,
)
from core.layers.lowering.rows import LayerType, weighted

_KERNEL_AND_BIAS = about_weights(kernel="glorot_uniform", bias="zeros")
_DEPTHWISE = ("DepthwiseConv2dNative", "FusedDepthwiseConv2dNative")


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
        """The attributes of the nodes."""
        return {
            "strides": [1, *self.row, *self.strides, 1],
            "dilations": [1, *self.row, *self.dilations, 1],
            "padding": "SAME" if self.padding == "same" else "VALID",
            "data_format": "NDHWC" if self.rank == 3 else "NHWC",
        }

    def padded(self, call: LayerCall, x: Value) -> Value:
        """Return the input with zeros before its start for causal padding."""
        if self.padding != "causal":
            return x
        before = self.dilations[0] * (self.size[0] - 1)
        return padded(call, x, [(0, 0), (before, 0), (0, 0)])

    def shape(self, call: LayerCall, x: Value, channels: int) -> Lengths:
        """Return the shape of a result for an input that has its row of pixels."""
        shape = call.shape(x, 2 + len(self.row) + self.rank)
        pixels = shape[1 + len(self.row) : -1]
        lengths = [
            self._length(call, *each)
            for each in zip(pixels, self.size, self.strides, self.dilations, strict=True)
        ]
        return (shape[0], *self.row, *lengths, channels)

    def _length(
        self, call: LayerCall, n: int | None, size: int, stride: int, dilation: int
    ) -> int | None:
        if n is None:
            return None
        rest = n if self.padding == "same" else n - (size - 1) * dilation
        if rest < 1:
            raise call.error(f"its window of {size} (dilation {dilation}) is larger than {n}")
        return -(-rest // stride)


def _as_rows(call: LayerCall, x: Value, rank: int) -> Value:
    return expand(call, x, 1) if rank == 1 else x


def _as_output(call: LayerCall, y: Value, rank: int) -> Value:
    """Return a result in the layer's data format and rank."""
    return in_data_format(call, squeeze(call, y, 1) if rank == 1 else y)


def convolved(
    call: LayerCall, x: Value, kernel: Value, bias: Value | None, window: Window
) -> Value:
    """Add a convolution with bias and activation, fused into one node if possible."""
    channels = call.shape(kernel)[-1]
    assert channels is not None
    shape = window.shape(call, x, channels)
    if window.rank == 3:
        y = call.node("Conv3D", [x, kernel], window.attributes, shape)
        return activated(call, _biased(call, y, bias))
    return _fused(call, ("Conv2D", "_FusedConv2D"), [x, kernel], bias, window.attributes, shape)


def _biased(call: LayerCall, y: Value, bias: Value | None) -> Value:
    return y if bias is None else binary(call, "AddV2", y, bias)


def _fused(
    call: LayerCall,
    types: tuple[str, str],
    inputs: Sequence[Value],
    bias: Value | None,
    attributes: dict[str, Any],
    shape: Lengths,
) -> Value:
    """Add a node of the plain or the fused type, and the activation if it cannot be fused."""
    if bias is None:
        return activated(call, call.node(types[0], inputs, attributes, shape))
    fused = fused_activation(call)
    ops = ["BiasAdd", fused] if fused else ["BiasAdd"]
    attributes = {**attributes, "fused_ops": ops, "num_args": 1}
    y = call.node(types[1], [*inputs, bias], attributes, shape)
    return y if fused is not None else activated(call, y)


def _conv_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
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
    call: LayerCall, x: Value, window: Window, shape: tuple[int, ...], bias: Value | None
) -> Value:
    """Add a depthwise convolution for as many groups as channels."""
    channels = call.length(x, -1)
    view = (*window.row, *window.size, channels, shape[-1] // channels)
    kernel = call.weight("kernel", shape, view)
    result = window.shape(call, x, shape[-1])
    return _fused(call, _DEPTHWISE, [x, kernel], bias, window.attributes, result)


def _grouped(
    call: LayerCall, x: Value, kernels: Sequence[Value], bias: Value | None, window: Window
) -> Value:
    """Add a convolution per group of filters, on its group of channels only."""
    type = "Conv3D" if window.rank == 3 else "Conv2D"
    shape = window.shape(call, x, call.length(kernels[0], -1))
    parts = [
        call.node(type, [part, kernel], window.attributes, shape)
        for part, kernel in zip(split(call, x, len(kernels), -1), kernels, strict=True)
    ]
    return activated(call, _biased(call, concat(call, parts, -1), bias))


def _depthwise_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        x, kernel, window, channels = _depthwise_parts(call, x, rank)
        shape = window.shape(call, x, channels)
        bias = bias_of(call, channels)
        return _as_output(
            call, _fused(call, _DEPTHWISE, [x, kernel], bias, window.attributes, shape), rank
        )

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


def _depthwise_parts(call: LayerCall, x: Value, rank: int) -> tuple[Value, Value, Window, int]:
    """Return the padded rows, the kernel, its window, and the number of output channels."""
    x, window = as_images(call, x, rank), Window(call, rank)
    x = _as_rows(call, window.padded(call, x), rank)
    channels, multiplier = call.length(x, -1), call.options.integer("depth_multiplier", 1)
    shape = (*window.size, channels, multiplier)
    kernel = call.weight("depthwise_kernel", shape, (*window.row, *shape))
    return x, kernel, window, channels * multiplier


def _separable_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        x, kernel, window, channels = _depthwise_parts(call, x, rank)
        shape = window.shape(call, x, channels)
        x = call.node("DepthwiseConv2dNative", [x, kernel], window.attributes, shape)
        filters = call.options.integer("filters")
        ones = (1,) * rank
        pointwise = call.weight(
            "pointwise_kernel", (*ones, channels, filters), (1, 1, channels, filters)
        )
        attributes = {**window.attributes, "strides": [1] * 4, "dilations": [1] * 4}
        types = ("Conv2D", "_FusedConv2D")
        bias = bias_of(call, filters)
        y = _fused(call, types, [x, pointwise], bias, attributes, (*shape[:-1], filters))
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
    def lower(call: LayerCall, x: Value) -> Value:
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
        type = "Conv3DBackpropInputV2" if rank == 3 else "Conv2DBackpropInput"
        inputs = [_sizes(call, x, window, result), kernel, x]
        y = call.node(type, inputs, window.attributes, result, "float32")
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


def _transposed_shape(call: LayerCall, x: Value, window: Window, filters: int) -> Lengths:
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


def _sizes(call: LayerCall, x: Value, window: Window, result: Lengths) -> Value:
    """Return the shape of a result as a vector; unknown lengths are computed in the graph."""
    if None not in result[1:]:
        return shape_vector(call, result, x)
    first = 1 + len(window.row)
    parts = [shape_vector(call, (None,), x)]
    for axis, n in enumerate(result[1:], 1):
        if n is not None:
            parts.append(call.ints(n))
            continue
        at_one = _transposed_length(call, window, axis - first, 1)
        parts.append(_computed_length(call, x, axis, at_one, window.strides[axis - first]))
    return concat(call, parts, 0)


def _computed_length(call: LayerCall, x: Value, axis: int, at_one: int, stride: int) -> Value:
    """Return (n - 1) * stride + the length for n = 1, as a vector."""
    found = call.node("Shape", [x], {}, (len(call.shape(x)),), "int32")
    inputs = [found, call.ints(axis), call.ints(axis + 1), call.ints(1)]
    n = call.node("StridedSlice", inputs, {}, (1,), "int32")
    return binary(
        call, "AddV2", binary(call, "Mul", n, call.integer(stride)), call.integer(at_one - stride)
    )


LAYER_TYPES = {
    **{f"Conv{rank}D": _conv_of_rank(rank) for rank in (1, 2, 3)},
    **{f"Conv{rank}DTranspose": _transposed_of_rank(rank) for rank in (1, 2, 3)},
    **{f"DepthwiseConv{rank}D": _depthwise_of_rank(rank) for rank in (1, 2)},
    **{f"SeparableConv{rank}D": _separable_of_rank(rank) for rank in (1, 2)},
}

"""Convolutions and pooling; matrix products, transposition and Fourier transforms."""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.rows import NodeType, Translation, copied
from core.graph.nodes import Attributes

#: Orders of axes, the default first.
_IMAGES = ("NHWC", "NCHW")
_CHANNELS_LAST = _IMAGES[:1]
_VOLUMES = ("NDHWC",)

#: Activations that fused nodes can apply to their result; TensorFlow writes them with capitals.
_ACTIVATIONS = ("linear", "relu", "relu6", "elu", "sigmoid", "leakyrelu", "prelu")


def check_format(attributes: Attributes, known: Sequence[str]) -> str:
    """The order of axes that a node says, or its default, the first; an error for others."""
    data_format = attributes.get("data_format") or known[0]
    if data_format not in known:
        raise CoreError(f"data_format {data_format!r} is not supported, only {' or '.join(known)}")
    return data_format


def _in_space(attributes: Attributes, name: str, data_format: str, default: Any = None) -> Any:
    """The numbers for the axes of space, of an attribute that has one for every axis."""
    per_axis = attributes[name] if default is None else attributes.get(name) or default
    if len(per_axis) != len(data_format):
        raise CoreError(f"{name} {per_axis} must be a number for each axis of {data_format}")
    return [n for n, axis in zip(per_axis, data_format, strict=True) if axis not in "NC"]


def _pad(attributes: Attributes) -> Any:
    """The padding; explicit ones are before and after in turn, of every axis."""
    padding = attributes["padding"].lower()
    if padding == "explicit":
        flat = attributes["explicit_paddings"]
        return list(zip(flat[::2], flat[1::2], strict=True))
    if padding not in ("same", "valid"):
        raise CoreError(f"padding {attributes['padding']!r} must be SAME, VALID or EXPLICIT")
    return padding


def _conv(attributes: Attributes, known: Sequence[str] = _IMAGES) -> dict[str, Any]:
    data_format = check_format(attributes, known)
    ones = (1,) * len(data_format)
    return {
        "strides": _in_space(attributes, "strides", data_format),
        "pad": _pad(attributes),
        "data_format": data_format,
        "dilations": _in_space(attributes, "dilations", data_format, ones),
    }


def _conv_of_rows(attributes: Attributes) -> dict[str, Any]:
    return {
        "stride": attributes["stride"],
        "pad": _pad(attributes),
        "data_format": check_format(attributes, ("NWC",)),
        "dilation": attributes.get("dilation", 1),
    }


def _conv_of_volumes(attributes: Attributes) -> dict[str, Any]:
    return _conv(attributes, _VOLUMES)


def fused_activation(attributes: Attributes) -> dict[str, Any]:
    """The activation of ``fused_ops``: [], ["BiasAdd"] or ["BiasAdd", the activation].

    As in TensorFlow.js another name instead of BiasAdd, but for FusedBatchNorm, means that
    there is no bias.
    """
    fused = [name.lower() for name in attributes.get("fused_ops") or ()]
    first, activation = [*fused, *("biasadd", "linear")[len(fused) :]][:2]
    _check_fused(attributes, len(fused), first, activation)
    return {"activation": activation, "leakyrelu_alpha": attributes.get("leakyrelu_alpha", 0.2)}


def _check_fused(attributes: Attributes, count: int, first: str, activation: str) -> None:
    """Raise for what cannot be fused, or has another number of inputs than it needs."""
    bias, slopes = count > 0 and first == "biasadd", activation == "prelu"
    unknown = first in (*_ACTIVATIONS, "fusedbatchnorm") or activation not in _ACTIVATIONS
    if count > 2 or unknown or slopes > bias:
        raise CoreError(
            f"fused_ops {attributes['fused_ops']} must be BiasAdd, and then one of "
            f"{_ACTIVATIONS} or nothing"
        )
    given = attributes.get("num_args", bias + slopes)
    if given != bias + slopes:
        names = attributes.get("fused_ops")
        raise CoreError(f"num_args is {given}, but fused_ops {names} take {bias + slopes}")


def _fused_conv(attributes: Attributes) -> dict[str, Any]:
    return {**_conv(attributes), **fused_activation(attributes)}


def _pool(known: Sequence[str], **renamed: str) -> Translation:
    """Windows over images or volumes; other attributes are op's=node's, false by default."""

    def translated(attributes: Attributes) -> dict[str, Any]:
        data_format = check_format(attributes, known)
        return {
            "filter_size": _in_space(attributes, "ksize", data_format),
            "strides": _in_space(attributes, "strides", data_format),
            "pad": _pad(attributes),
            **{ours: attributes.get(theirs, False) for ours, theirs in renamed.items()},
        }

    return translated


def _dilation(attributes: Attributes) -> dict[str, Any]:
    return {
        "strides": _in_space(attributes, "strides", "NHWC"),
        "pad": _pad(attributes),
        "dilations": _in_space(attributes, "rates", "NHWC"),
    }


_pool_of_images, _pool_of_volumes = _pool(_CHANNELS_LAST), _pool(_VOLUMES)
_pool_with_indices = _pool(_CHANNELS_LAST, include_batch_in_index="include_batch_in_index")
_DEPTHWISE = NodeType("depthwise_conv2d", (0, 1), attributes=_conv)


_transposes = copied("transpose_a", "transpose_b")


def _fused(attributes: Attributes) -> dict[str, Any]:
    return {**_transposes(attributes), **fused_activation(attributes)}


def _einsum(tensors: Sequence[Tensor], equation: str) -> Any:
    return ops.einsum(equation, *tensors)


_BATCHED = NodeType("matmul", (0, 1), attributes=copied(transpose_a="adj_x", transpose_b="adj_y"))


def _rfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """The length comes as a vector; without a number in it, it is that of x."""
    return ops.rfft(x, next(iter(fft_length), None))


def _irfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """Always of even length, as in TensorFlow.js, which does not look at the one asked for."""
    even = 2 * (x.shape[-1] - 1)
    if fft_length not in ((), (even,)):
        raise CoreError(f"IRFFT of {x.shape[-1]} values gives {even}, not {fft_length}")
    return ops.irfft(x)


NODE_TYPES = {
    "_FusedConv2D": NodeType("fused_conv2d", attributes=_fused_conv),
    "FusedDepthwiseConv2dNative": NodeType("fused_depthwise_conv2d", attributes=_fused_conv),
    "Conv2D": NodeType("conv2d", (0, 1), attributes=_conv),
    "DepthwiseConv2dNative": _DEPTHWISE,
    "DepthwiseConv2d": _DEPTHWISE,
    "Conv2DBackpropInput": NodeType(
        "conv2d_backprop_input", (2, 1), {"input_shape": 0}, attributes=_conv
    ),
    "MaxPool": NodeType("max_pool", (0,), attributes=_pool_of_images),
    "AvgPool": NodeType("avg_pool", (0,), attributes=_pool_of_images),
    "MaxPoolWithArgmax": NodeType(
        "max_pool_with_argmax", (0,), attributes=_pool_with_indices, outputs=("output", "argmax")
    ),
    "Dilation2D": NodeType("dilation2d", (0, 1), attributes=_dilation),
    "Conv1D": NodeType("conv1d", (0, 1), attributes=_conv_of_rows),
    "Conv3D": NodeType("conv3d", (0, 1), attributes=_conv_of_volumes),
    "MaxPool3D": NodeType("max_pool3d", (0,), attributes=_pool_of_volumes),
    "AvgPool3D": NodeType("avg_pool3d", (0,), attributes=_pool_of_volumes),
    # TensorFlow.js does not have it.
    "Conv3DBackpropInputV2": NodeType(
        "conv3d_backprop_input", (2, 1), {"input_shape": 0}, attributes=_conv_of_volumes
    ),
    "_FusedMatMul": NodeType("fused_matmul", attributes=_fused),
    "MatMul": NodeType("matmul", (0, 1), attributes=_transposes),
    "BatchMatMul": _BATCHED,
    "BatchMatMulV2": _BATCHED,
    "Einsum": NodeType(_einsum, (slice(None),), attributes=lambda a: {"equation": a["equation"]}),
    "Transpose": NodeType("transpose", (0,), {"perm": 1}),
    "BatchMatMulV3": _BATCHED,  # TensorFlow.js does not have it
    "RFFT": NodeType(_rfft, (0,), {"fft_length": 1}),
    "IRFFT": NodeType(_irfft, (0,), {"fft_length": 1}),
}

"""Convolutions, pooling, resizing and matrix products; weights get TensorFlow's layout."""

from typing import Any

import numpy as np

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.schema import PADDINGS, choice
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import CUSTOM, Rule, plain
from core.errors import CoreError

#: The most groups of channels that become separate nodes, and the approximate bytes of each.
MOST_GROUPS = 1024
GROUP_BYTES = 2048

#: Activations that can be fused into nodes of TensorFlow.
_FUSED = {"RELU": "Relu", "RELU6": "Relu6"}


def _conv_2d(op: TranslatedOp) -> str:
    if len(op.shape(1)) != 4:
        raise CoreError(f"its weights must have 4 axes, not {op.shape(1)}")
    channels, filters = op.shape(0)[-1], op.shape(1)
    groups = (channels or filters[3] or 1) // (filters[3] or 1)
    if groups > 1:
        return _grouped_conv(op, groups)
    if not op.is_constant(1):
        kernel = op.node("Transpose", op.input(1), op.integers([1, 2, 3, 0]))
    else:
        kernel = op.weight(1, "HWIO", lambda w: w.transpose(1, 2, 3, 0))
    types = "Conv2D", "_FusedConv2D"
    return _with_bias(op, types, op.input(0), kernel, _conv_attributes(op))


def _grouped_conv(op: TranslatedOp, groups: int) -> str:
    """Convolve groups of channels with the filters of each group."""
    filters, *_, length = op.shape(1)
    if not filters or filters % groups or op.shape(0)[-1] != groups * (length or 0):
        raise CoreError(f"filters {op.shape(1)} do not fit {groups} groups of {op.shape(0)}")

    def per_channel(w: np.ndarray) -> np.ndarray:
        return w[..., 0].transpose(1, 2, 0).reshape(*w.shape[1:3], groups, -1)

    if length == 1:
        return _depthwise(op, op.weight(1, f"HWCM_{groups}", per_channel))
    if groups > MOST_GROUPS:
        raise CoreError(f"{groups} groups of channels are more than {MOST_GROUPS}")
    op.graph.constants.take(groups * GROUP_BYTES, "constants and groups of channels")
    parts = op.node("Split", op.integers(3), op.input(0), num_split=groups)
    made = []
    for i, weights in enumerate(np.split(op.constant(1), groups)):
        kernel = op.value(weights.transpose(1, 2, 3, 0))
        part = f"{parts}:{i}" if i else parts
        made.append(op.node("Conv2D", part, kernel, **_conv_attributes(op)))
    joined = op.node("ConcatV2", *made, op.integers(3), N=groups)
    if op.has(2):
        joined = op.node("BiasAdd", joined, _bias(op, 2))
    return op.activated(joined)


def _depthwise_conv_2d(op: TranslatedOp) -> str:
    """Give filters [1, height, width, channels * multiplier] an axis for the multiplier."""
    channels = op.shape(0)[-1]
    if channels is None or len(op.shape(1)) != 4:
        raise CoreError(f"its channels must be known and its weights have 4 axes: {op.shape(1)}")

    def laid_out(w: np.ndarray) -> np.ndarray:
        return w.reshape(*w.shape[1:3], channels, w.shape[3] // channels)

    if op.is_constant(1):
        return _depthwise(op, op.weight(1, f"HWCM_{channels}", laid_out))
    shape = op.integers([*op.shape(1)[1:3], channels, -1])
    return _depthwise(op, op.node("Reshape", op.input(1), shape))


def _depthwise(op: TranslatedOp, kernel: str) -> str:
    types = "DepthwiseConv2dNative", "FusedDepthwiseConv2dNative"
    return _with_bias(op, types, op.input(0), kernel, _conv_attributes(op))


def _with_bias(
    op: TranslatedOp, types: tuple[str, str], values: str, kernel: str, attributes: dict[str, Any]
) -> str:
    """Add a node of the plain type, or of the fused type with bias and, if possible, activation."""
    plain, fused = types
    if not op.has(2):
        return op.activated(op.node(plain, values, kernel, **attributes))
    # Rounding to quantized values clamps to the range of the activation instead.
    activation = "" if parameters_of(op.output()) else op.activation()
    fused_ops = ["BiasAdd", *([_FUSED[activation]] if activation in _FUSED else [])]
    inputs = values, kernel, _bias(op, 2)
    made = op.node(fused, *inputs, num_args=1, fused_ops=fused_ops, **attributes)
    return made if len(fused_ops) == 2 or not activation else op.applied(activation, made)


def _bias(op: TranslatedOp, index: int, values: int = 0, weights: int = 1) -> str:
    """Add a bias; the scale of a quantized bias is the product of two scales: values, weights."""
    parameters = op.bias_parameters(index, values, weights)
    if parameters is None or not op.is_constant(index):
        return op.input(index)
    return op.weight(index, f"bias_of_{op.output().name}", lambda b: b, parameters)


def _conv_attributes(op: TranslatedOp) -> dict[str, Any]:
    options = op.options
    dilations = options.get("dilation_h", 1), options.get("dilation_w", 1)
    return {**_windows(options), "dilations": [1, *dilations, 1]}


def _windows(options: dict[str, Any]) -> dict[str, Any]:
    strides = options["stride_h"], options["stride_w"]
    if min(strides) < 1:
        raise CoreError(f"strides {strides} must be at least 1")
    return {
        "strides": [1, *strides, 1],
        "padding": choice(PADDINGS, options["padding"], "the padding"),
        "data_format": "NHWC",
    }


def _pool(kind: str) -> Rule:
    return Rule(lambda op: op.activated(_pooled(op, kind, op.input(0))))


def _pooled(op: TranslatedOp, kind: str, x: str) -> str:
    size = op.options["filter_h"], op.options["filter_w"]
    if min(size) < 1:
        raise CoreError(f"windows {size} must be at least 1")
    return op.node(kind, x, ksize=[1, *size, 1], **_windows(op.options))


def _l2_pool(op: TranslatedOp) -> str:
    """Return the root of the mean of squares."""
    mean = _pooled(op, "AvgPool", op.node("Square", op.input(0)))
    return op.activated(op.node("Sqrt", mean))


def _transpose_conv(op: TranslatedOp) -> str:
    """Translate inputs: shape of the result, weights [out, height, width, in], values, bias."""
    return _transposed(op, op.input(0), (2, 1, 3), _windows(op.options))


def _transposed(
    op: TranslatedOp, shape: str, inputs: tuple[int, int, int], windows: dict[str, Any]
) -> str:
    values, weights, bias = inputs
    kernel = op.weight(weights, "HWOI", lambda w: w.transpose(1, 2, 0, 3))
    made = op.node(
        "Conv2DBackpropInput", shape, kernel, op.input(values), dilations=[1, 1, 1, 1], **windows
    )
    if op.has(bias):
        made = op.node("BiasAdd", made, _bias(op, bias, values, weights))
    return op.activated(made)


def _transpose_conv_bias(op: TranslatedOp) -> str:
    """Translate MediaPipe's op with the inputs values, weights [out, height, width, in], bias.

    The options are a C struct: padding (1: SAME, 2: VALID), stride width, stride height.
    """
    options = op.operator.custom_options
    if len(options) < 12:
        raise CoreError(f"its options have {len(options)} bytes, not 12")
    padding, *strides = np.frombuffer(options, "<i4", 3).tolist()
    if padding not in (1, 2):
        raise CoreError(f"padding {padding} must be 1 or 2")
    named = {"padding": padding - 1, "stride_w": strides[0], "stride_h": strides[1]}
    windows, shape, kernel = _windows(named), op.shape(0), op.shape(1)
    lengths = [
        _transposed_length(length, size, stride, windows["padding"])
        for length, size, stride in zip(shape[1:3], kernel[1:3], strides[::-1], strict=True)
    ]
    batch = shape[0]
    if batch is None:
        raise CoreError("its batch must be known")
    sizes = op.integers([batch, *lengths, kernel[0]])
    return _transposed(op, sizes, (0, 1, 2), windows)


def _transposed_length(length: int | None, size: int | None, stride: int, padding: str) -> int:
    if length is None or size is None:
        raise CoreError("height and width must be known")
    return length * stride if padding == "SAME" else (length - 1) * stride + size


def _fully_connected(op: TranslatedOp) -> str:
    if op.options["weights_format"]:
        raise CoreError(f"weights in the format {op.options['weights_format']} are not supported")
    units, length = op.shape(1)
    if not units or not length:
        raise CoreError(f"its weights must have known lengths, not {op.shape(1)}")
    values, given = op.input(0), op.shape(0)
    if len(given) != 2 or given[1] != length:
        values = op.node("Reshape", values, op.integers([-1, length]))
    made = _product(op, values, units)
    shape = op.output().signature
    if op.options["keep_num_dims"] and shape is not None and len(shape) != 2:
        made = op.node("Reshape", made, _lengths(op, shape, units))
    return made


def _lengths(op: TranslatedOp, shape: tuple[int | None, ...], units: int) -> str:
    """Return the shape of a product; with two open lengths it is computed from the values."""
    if shape.count(None) < 2:
        return op.integers([-1 if n is None else n for n in shape])
    given = op.node("Shape", op.input(0))
    kept = op.node("Slice", given, op.integers([0]), op.integers([len(shape) - 1]))
    return op.node("ConcatV2", kept, op.integers([units]), op.integers(0), N=2)


def _product(op: TranslatedOp, values: str, units: int) -> str:
    """Multiply values by weights [units, length], and add a bias."""
    if not op.is_constant(1):
        made = op.node("MatMul", values, op.input(1), transpose_a=False, transpose_b=True)
        if op.has(2):
            made = op.node("BiasAdd", made, _bias(op, 2))
        return op.activated(made)
    kernel = op.weight(1, "transposed", np.transpose)
    types, attributes = ("MatMul", "_FusedMatMul"), {"transpose_a": False, "transpose_b": False}
    return _with_bias(op, types, values, kernel, attributes)


def _conv_3d(op: TranslatedOp) -> str:
    options = op.options
    strides, dilations = (
        [1, *(options[f"{what}_{axis}"] for axis in "dhw"), 1] for what in ("stride", "dilation")
    )
    made = op.node(
        "Conv3D",
        op.input(0),
        op.input(1),
        strides=strides,
        padding=choice(PADDINGS, options["padding"], "the padding"),
        dilations=dilations,
        data_format="NDHWC",
    )
    return op.activated(op.node("AddV2", made, op.input(2)) if op.has(2) else made)


RULES = {
    "CONV_2D": Rule(_conv_2d),
    "DEPTHWISE_CONV_2D": Rule(_depthwise_conv_2d),
    "TRANSPOSE_CONV": Rule(_transpose_conv),
    f"{CUSTOM}Convolution2DTransposeBias": Rule(_transpose_conv_bias),
    "CONV_3D": Rule(_conv_3d),
    "AVERAGE_POOL_2D": _pool("AvgPool"),
    "MAX_POOL_2D": _pool("MaxPool"),
    "L2_POOL_2D": Rule(_l2_pool),
    "FULLY_CONNECTED": Rule(_fully_connected),
    "BATCH_MATMUL": plain("BatchMatMulV2", 0, 1),
    "RESIZE_BILINEAR": plain("ResizeBilinear", 0, 1),
    "RESIZE_NEAREST_NEIGHBOR": plain("ResizeNearestNeighbor", 0, 1),
}

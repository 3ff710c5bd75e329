"""Convolutions, pooling, matrix products: weights are laid out as TensorFlow has them."""

from typing import Any

import numpy as np

from core.converter.tflite.constants import quanta_of
from core.converter.tflite.document import Quanta
from core.converter.tflite.schema import PADDINGS, choice
from core.converter.tflite.step import Step
from core.converter.tflite.translation import CUSTOM, Rule
from core.errors import CoreError

#: Activations that nodes of TensorFlow apply themselves.
_FUSED = {"RELU": "Relu", "RELU6": "Relu6"}


def _conv_2d(step: Step) -> str:
    if len(step.shape(1)) != 4:
        raise CoreError(f"its weights must have 4 axes, not {step.shape(1)}")
    channels, filters = step.shape(0)[-1], step.shape(1)
    groups = (channels or filters[3] or 1) // (filters[3] or 1)
    if groups > 1:
        return _grouped_conv(step, groups)
    if not step.is_constant(1):
        kernel = step.node("Transpose", step.input(1), step.integers([1, 2, 3, 0]))
    else:
        kernel = step.weight(1, "HWIO", lambda w: w.transpose(1, 2, 3, 0))
    return _with_bias(step, "Conv2D", "_FusedConv2D", kernel, _conv_attributes(step))


def _grouped_conv(step: Step, groups: int) -> str:
    """Groups of channels, each with filters of its own."""
    weights = step.constant(1)
    if len(weights) < groups or len(weights) % groups:
        raise CoreError(f"{len(weights)} filters do not fit {groups} groups of channels")
    parts = step.node("Split", step.integers(3), step.input(0), num_split=groups)
    made = []
    for i, filters in enumerate(np.split(weights, groups)):
        kernel = step.value(filters.transpose(1, 2, 3, 0))
        part = f"{parts}:{i}" if i else parts
        made.append(step.node("Conv2D", part, kernel, **_conv_attributes(step)))
    joined = step.node("ConcatV2", *made, step.integers(3), N=groups)
    if step.has(2):
        joined = step.node("BiasAdd", joined, _bias(step, 2))
    return step.activated(joined)


def _depthwise_conv_2d(step: Step) -> str:
    """Filters [1, height, width, channels * multiplier] get an axis for the multiplier."""
    channels = step.shape(0)[-1]
    if channels is None or len(step.shape(1)) != 4:
        raise CoreError(f"its channels must be known and its weights have 4 axes: {step.shape(1)}")

    def laid_out(w: np.ndarray) -> np.ndarray:
        return w.reshape(*w.shape[1:3], channels, w.shape[3] // channels)

    if step.is_constant(1):
        kernel = step.weight(1, "HWCM", laid_out)
    else:
        shape = *step.shape(1)[1:3], channels, -1
        kernel = step.node("Reshape", step.input(1), step.integers(shape))
    attributes = _conv_attributes(step)
    return _with_bias(
        step, "DepthwiseConv2dNative", "FusedDepthwiseConv2dNative", kernel, attributes
    )


def _with_bias(step: Step, plain: str, fused: str, kernel: str, attributes: dict[str, Any]) -> str:
    """A node with bias and activation in one, where it can be."""
    if not step.has(2):
        return step.activated(step.node(plain, step.input(0), kernel, **attributes))
    # On quanta, rounding clamps to the activation.
    activation = "" if quanta_of(step.output()) else step.activation()
    fused_ops = ["BiasAdd", *([_FUSED[activation]] if activation in _FUSED else [])]
    made = step.node(
        fused, step.input(0), kernel, _bias(step, 2), num_args=1, fused_ops=fused_ops, **attributes
    )
    return made if len(fused_ops) == 2 or not activation else step.applied(activation, made)


def _bias(step: Step, index: int, values: int = 0, weights: int = 1) -> str:
    """A bias; on quanta its scale is the product of those of values and weights."""
    info, given, kernel = step.info(index), quanta_of(step.info(values)), step.info(weights).quanta
    if info.dtype == "float32" or not (given and kernel and step.is_constant(index)):
        return step.input(index)
    scales = given.scales.astype(np.float64) * kernel.scales
    quanta = Quanta(scales.astype(np.float32), np.zeros(1, np.int64), 0)
    return step.weight(index, f"bias_of_{step.output().name}", lambda b: b, quanta)


def _conv_attributes(step: Step) -> dict[str, Any]:
    options = step.options
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
    def translate(step: Step) -> str:
        size = step.options["filter_h"], step.options["filter_w"]
        if min(size) < 1:
            raise CoreError(f"windows {size} must be at least 1")
        attributes = {"ksize": [1, *size, 1], **_windows(step.options)}
        return step.activated(step.node(kind, step.input(0), **attributes))

    return Rule(translate)


def _l2_pool(step: Step) -> str:
    """The root of the mean of squares."""
    size = step.options["filter_h"], step.options["filter_w"]
    squares = step.node("Square", step.input(0))
    mean = step.node("AvgPool", squares, ksize=[1, *size, 1], **_windows(step.options))
    return step.activated(step.node("Sqrt", mean))


def _transpose_conv(step: Step) -> str:
    """The inputs are the shape of the result, weights [out, height, width, in], values, bias."""
    return _transposed(step, step.input(0), (2, 1, 3), _windows(step.options))


def _transposed(
    step: Step, shape: str, inputs: tuple[int, int, int], windows: dict[str, Any]
) -> str:
    values, weights, bias = inputs
    kernel = step.weight(weights, "HWOI", lambda w: w.transpose(1, 2, 0, 3))
    made = step.node(
        "Conv2DBackpropInput", shape, kernel, step.input(values), dilations=[1, 1, 1, 1], **windows
    )
    if step.has(bias):
        made = step.node("BiasAdd", made, _bias(step, bias, values, weights))
    return step.activated(made)


def _transpose_conv_bias(step: Step) -> str:
    """MediaPipe's op: the inputs are values, weights [out, height, width, in], bias.

    Its options are a C struct: padding (1: SAME, 2: VALID), stride width, stride height.
    """
    options = step.operator.custom_options
    if len(options) < 12:
        raise CoreError(f"its options have {len(options)} bytes, not 12")
    padding, *strides = np.frombuffer(options, "<i4", 3).tolist()
    if padding not in (1, 2):
        raise CoreError(f"padding {padding} must be 1 or 2")
    named = {"padding": padding - 1, "stride_w": strides[0], "stride_h": strides[1]}
    windows, shape, kernel = _windows(named), step.shape(0), step.shape(1)
    lengths = [
        _transposed_length(length, size, stride, windows["padding"])
        for length, size, stride in zip(shape[1:3], kernel[1:3], strides[::-1], strict=True)
    ]
    batch = shape[0]
    if batch is None:
        raise CoreError("its batch must be known")
    sizes = step.integers([batch, *lengths, kernel[0]])
    return _transposed(step, sizes, (0, 1, 2), windows)


def _transposed_length(length: int | None, size: int | None, stride: int, padding: str) -> int:
    if length is None or size is None:
        raise CoreError("height and width must be known")
    return length * stride if padding == "SAME" else (length - 1) * stride + size


def _fully_connected(step: Step) -> str:
    if step.options["weights_format"]:
        raise CoreError(f"weights in the format {step.options['weights_format']} are not supported")
    units, length = step.shape(1)
    if not units or not length:
        raise CoreError(f"its weights must have known lengths, not {step.shape(1)}")
    values, given = step.input(0), step.shape(0)
    if len(given) != 2 or given[1] != length:
        values = step.node("Reshape", values, step.integers([-1, length]))
    made = _product(step, values, units)
    shape = step.output().signature
    if step.options["keep_num_dims"] and shape is not None and len(shape) != 2:
        free = [-1 if n is None else n for n in shape]
        made = step.node("Reshape", made, step.integers(free))
    return made


def _product(step: Step, values: str, units: int) -> str:
    """Values times weights [units, length], and a bias."""
    if not step.is_constant(1):
        made = step.node("MatMul", values, step.input(1), transpose_a=False, transpose_b=True)
        if step.has(2):
            made = step.node("BiasAdd", made, _bias(step, 2))
        return step.activated(made)
    kernel = step.weight(1, "transposed", np.transpose)
    plain = {"transpose_a": False, "transpose_b": False}
    if not step.has(2):
        return step.activated(step.node("MatMul", values, kernel, **plain))
    activation = "" if quanta_of(step.output()) else step.activation()
    fused_ops = ["BiasAdd", *([_FUSED[activation]] if activation in _FUSED else [])]
    bias = _bias(step, 2)
    made = step.node("_FusedMatMul", values, kernel, bias, num_args=1, fused_ops=fused_ops, **plain)
    return made if len(fused_ops) == 2 or not activation else step.applied(activation, made)


def _batch_matmul(step: Step) -> str:
    options = {name: step.options[name] for name in ("adj_x", "adj_y")}
    return step.node("BatchMatMulV2", step.input(0), step.input(1), **options)


def _conv_3d(step: Step) -> str:
    options = step.options
    strides, dilations = (
        [1, *(options[f"{what}_{axis}"] for axis in "dhw"), 1] for what in ("stride", "dilation")
    )
    made = step.node(
        "Conv3D",
        step.input(0),
        step.input(1),
        strides=strides,
        padding=choice(PADDINGS, options["padding"], "the padding"),
        dilations=dilations,
        data_format="NDHWC",
    )
    return step.activated(step.node("AddV2", made, step.input(2)) if step.has(2) else made)


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
    "BATCH_MATMUL": Rule(_batch_matmul),
}

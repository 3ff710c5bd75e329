"""MobileNet v1 with seeded random weights from one builder, as our graph, for ONNX and for TFLite.

Architecture: Howard et al., "MobileNets" (2017), TensorFlow's SAME padding, ReLU6. Batch norm is
folded into weights and biases, as every exporter does. ONNX's convolutions take channels first: its
input and feature maps are transposed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from tests.core.converter.tflite.fixtures.writer import Writer

#: Channels and stride of each block of a depthwise and a pointwise convolution.
BLOCKS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5]
BLOCKS += [(1024, 2), (1024, 1)]

RELU6, SAME = 3, 0  # of TFLite's schema


class Case(NamedTuple):
    """One member of the family.

    ``stride`` is how much smaller the last feature maps are: past it convolutions read further
    apart instead. Without classes these maps are the output, as in the trunk of PoseNet.
    """

    alpha: float
    size: int
    stride: int = 32
    classes: int = 1000


CASES = {
    "mobilenet_100_224": Case(1.0, 224),
    "mobilenet_025_224": Case(0.25, 224),
    "posenet_trunk_075_257": Case(0.75, 257, 16, 0),
    "posenet_trunk_050_257": Case(0.5, 257, 16, 0),
}


class Layer(NamedTuple):
    """A convolution with its weights [height, width, in, out] (depthwise: [.., channels, 1])."""

    kind: str  # "Conv2D" or "DepthwiseConv2D"
    weights: np.ndarray
    bias: np.ndarray
    step: int
    dilation: int
    before: int  # height and width of the input
    after: int  # and of the output

    @property
    def pads(self) -> tuple[int, int]:
        """Rows of zeros above and below that SAME padding means, and columns likewise."""
        reach = (self.weights.shape[0] - 1) * self.dilation + 1
        total = max((self.after - 1) * self.step + reach - self.before, 0)
        return total // 2, total - total // 2


class Network(NamedTuple):
    """All layers; the last matrix [channels, classes] and its bias, unless there are no classes."""

    size: int
    layers: list[Layer]
    head: tuple[np.ndarray, np.ndarray] | None

    @property
    def output(self) -> tuple[int, ...]:
        """The shape of the output for one picture, channels last."""
        last = self.layers[-1]
        channels = last.bias.size
        return (self.head[1].size,) if self.head else (last.after, last.after, channels)


def build(case: Case) -> Network:
    """The layers with random weights that keep the values' size from layer to layer."""
    rng = np.random.default_rng(0)

    def drawn(*shape: int, fan: int) -> np.ndarray:
        return (rng.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)

    def bias(size: int) -> np.ndarray:
        return (rng.standard_normal(size) * 0.1 + 0.1).astype(np.float32)

    channels, size = int(32 * case.alpha), -(-case.size // 2)
    first = drawn(3, 3, 3, channels, fan=27)
    layers = [Layer("Conv2D", first, bias(channels), 2, 1, case.size, size)]
    for after, step, dilation in steps(case):
        before, size = size, -(-size // step)
        deep = drawn(3, 3, channels, 1, fan=9)
        layers.append(Layer("DepthwiseConv2D", deep, bias(channels), step, dilation, before, size))
        flat = drawn(1, 1, channels, after, fan=channels)
        layers.append(Layer("Conv2D", flat, bias(after), 1, 1, size, size))
        channels = after
    head = None
    if case.classes:
        head = drawn(channels, case.classes, fan=channels), bias(case.classes)
    return Network(case.size, layers, head)


def steps(case: Case) -> Iterator[tuple[int, int, int]]:
    """Channels, stride and dilation of each block."""
    reached, dilation = 2, 1
    for channels, step in BLOCKS:
        if reached == case.stride:
            yield int(channels * case.alpha), 1, dilation
            dilation *= step
        else:
            yield int(channels * case.alpha), step, 1
            reached *= step


def multiply_adds(network: Network) -> int:
    """How many products one picture takes, all summed up."""
    found = sum(layer.weights.size * layer.after**2 for layer in network.layers)
    return found + (network.head[0].size if network.head else 0)


def as_graph(network: Network, batch: int) -> Graph:
    """Our form."""
    nodes, weights, at = [Node("x", "Placeholder")], {}, "x"

    def constant(name: str, array: Any) -> str:
        nodes.append(Node(name, "Const"))
        weights[name] = np.asarray(array)
        return name

    def add(name: str, type: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(Node(name, type, inputs, attributes))
        return name

    for i, layer in enumerate(network.layers):
        type = {"Conv2D": "Conv2D", "DepthwiseConv2D": "DepthwiseConv2dNative"}[layer.kind]
        how = {
            name: [1, n, n, 1]
            for name, n in (("strides", layer.step), ("dilations", layer.dilation))
        }
        w, b = constant(f"w{i}", layer.weights), constant(f"b{i}", layer.bias)
        at = add(f"conv{i}", type, at, w, padding="SAME", data_format="NHWC", **how)
        at = add(f"relu{i}", "Relu6", add(f"sum{i}", "BiasAdd", at, b))
    if network.head:
        matrix, bias = constant("matrix", network.head[0]), constant("bias", network.head[1])
        at = add("mean", "Mean", at, constant("axes", np.int32([1, 2])), keep_dims=False)
        at = add("logits", "BiasAdd", add("product", "MatMul", at, matrix), bias)
        at = add("classes", "Softmax", at)
    taken = Endpoint("x", PartialSpec((batch, network.size, network.size, 3)))
    given = Endpoint(at, PartialSpec((batch, *network.output)))
    return Graph(nodes, weights, {"x": taken}, {"y": given})


def as_onnx(network: Network, batch: int) -> bytes:
    """An ONNX file, opset 17."""
    from onnx import TensorProto, checker, helper, numpy_helper

    nodes, constants, at = [], [], "x"

    def constant(name: str, array: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(type: str, name: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(type, inputs, [name], **attributes))
        return name

    zero, six = constant("zero", np.float32(0)), constant("six", np.float32(6))
    for i, layer in enumerate(network.layers):
        deep = layer.kind == "DepthwiseConv2D"
        how = {
            "kernel_shape": list(layer.weights.shape[:2]),
            "strides": [layer.step] * 2,
            "dilations": [layer.dilation] * 2,
            "pads": [layer.pads[0], layer.pads[0], layer.pads[1], layer.pads[1]],
            "group": layer.bias.size if deep else 1,
        }
        order = (2, 3, 0, 1) if deep else (3, 2, 0, 1)
        w, b = constant(f"w{i}", layer.weights.transpose(order)), constant(f"b{i}", layer.bias)
        at = add("Clip", f"relu{i}", add("Conv", f"conv{i}", at, w, b, **how), zero, six)
    if network.head:
        matrix, bias = constant("matrix", network.head[0]), constant("bias", network.head[1])
        at = add("Flatten", "flat", add("GlobalAveragePool", "mean", at))
        at = add("Softmax", "classes", add("Gemm", "logits", at, matrix, bias), axis=1)
    shape = network.output if network.head else (network.output[2], *network.output[:2])
    taken = helper.make_tensor_value_info(
        "x", TensorProto.FLOAT, [batch, 3, network.size, network.size]
    )
    given = helper.make_tensor_value_info(at, TensorProto.FLOAT, [batch, *shape])
    graph = helper.make_graph(nodes, "mobilenet", [taken], [given], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    return model.SerializeToString()


def as_tflite(network: Network, batch: int) -> bytes:
    """A TFLite file."""
    writer = Writer()
    at = writer.input("x", (batch, network.size, network.size, 3))

    def constant(array: np.ndarray) -> int:
        return writer.constant(array, "FLOAT32")

    for i, layer in enumerate(network.layers):
        deep = layer.kind == "DepthwiseConv2D"
        name, order = ("DEPTHWISE_CONV_2D", (3, 0, 1, 2)) if deep else ("CONV_2D", (3, 0, 1, 2))
        how = {
            "padding": SAME,
            "strideH": layer.step,
            "strideW": layer.step,
            "dilationHFactor": layer.dilation,
            "dilationWFactor": layer.dilation,
            "fusedActivationFunction": RELU6,
            **({"depthMultiplier": 1} if deep else {}),
        }
        w, b = constant(layer.weights.transpose(order)), constant(layer.bias)
        shape = (batch, layer.after, layer.after, layer.bias.size)
        at = writer.op(name, [at, w, b], [writer.tensor(f"relu{i}", shape)], layer.kind, **how)
    if network.head:
        matrix, bias = network.head
        mean = writer.tensor("mean", (batch, matrix.shape[0]))
        at = writer.op("MEAN", [at, writer.constant([1, 2])], [mean], "Reducer", keepDims=False)
        logits = writer.tensor("logits", (batch, bias.size))
        inputs = [at, constant(matrix.T), constant(bias)]
        at = writer.op("FULLY_CONNECTED", inputs, [logits], "FullyConnected")
        classes = writer.tensor("classes", (batch, bias.size))
        writer.op("SOFTMAX", [at], [classes], "Softmax", beta=1.0)
    return writer.content()

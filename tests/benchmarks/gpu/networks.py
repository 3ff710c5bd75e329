"""The networks that are compared, as our graphs with the input of each.

MobileNet v1 and v2 have seeded random weights, PoseNet and BlazePose those of the zoo. Where a
convolution of a MobileNet steps by two it has one pixel of zeros on every side, as in PyTorch's own
MobileNets: TensorFlow's padding would cost PyTorch a kernel of its own for each of them. (PoseNet's
257 pixels give the same padding by TensorFlow's rule.)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import core
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from tests.benchmarks.networks.mobilenet_export import Case, as_graph, build

#: Of MobileNet v2: expansion, channels, how often, and the first stride (Sandler et al., table 2).
BOTTLENECKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)

ONE_PIXEL = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 1, 1, 0, 0]}
CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")


class Subject(NamedTuple):
    """A network and the pictures that it is given."""

    graph: Graph
    inputs: dict[str, np.ndarray]

    @property
    def name(self) -> str:
        """Of the only input."""
        (name,) = self.inputs
        return name

    @property
    def pictures(self) -> np.ndarray:
        """What is fed, [batch, height, width, 3]."""
        return self.inputs[self.name]


def drawn(batch: int, size: int) -> np.ndarray:
    """Seeded random pictures in -1..1."""
    shape = (batch, size, size, 3)
    return np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32)


def mobilenet_v1(batch: int, alpha: float = 1.0, size: int = 224) -> Subject:
    """The network of `tests.benchmarks.networks.mobilenet`, with symmetric padding."""
    graph = as_graph(build(Case(alpha, size)), batch)
    nodes = [_padded_evenly(node) for node in graph.nodes]
    return Subject(graph._replace(nodes=nodes), {"x": drawn(batch, size)})


def _padded_evenly(node: Node) -> Node:
    if node.type not in CONVOLUTIONS or node.attributes["strides"][1] == 1:
        return node
    return node._replace(attributes={**node.attributes, **ONE_PIXEL})


class _V2:
    """Collects the nodes of a MobileNet v2, whose values keep their size from layer to layer."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self.nodes = [Node("x", "Placeholder")]
        self.weights: dict[str, np.ndarray] = {}

    def add(self, type: str, *inputs: str, **attributes: Any) -> str:
        """A node; its name."""
        name = f"{type.lower()}{len(self.nodes)}"
        self.nodes.append(Node(name, type, inputs, attributes))
        return name

    def drawn(self, *shape: int, scale: float, shift: float = 0.0) -> str:
        """A weight with normal values; its name."""
        array = self._rng.standard_normal(shape) * scale + shift
        return self.constant(array.astype(np.float32))

    def constant(self, array: np.ndarray) -> str:
        """A weight; its name."""
        name = self.add("Const")
        self.weights[name] = array
        return name

    def conv(self, at: str, shape: tuple[int, ...], stride: int = 1, relu6: bool = True) -> str:
        """A convolution with its bias; depthwise where the last length is 1."""
        deep = shape[3] == 1
        fan = shape[0] * shape[1] * (1 if deep else shape[2])
        padding = {"padding": "SAME"} if stride == 1 else ONE_PIXEL
        kernel = self.drawn(*shape, scale=np.sqrt((2 if relu6 else 1) / fan))
        how = {"strides": [1, stride, stride, 1], "dilations": [1] * 4, "data_format": "NHWC"}
        at = self.add(CONVOLUTIONS[deep], at, kernel, **how, **padding)
        channels = shape[2] if deep else shape[3]
        bias = self.drawn(channels, scale=0.1, shift=0.1 if relu6 else 0.0)
        at = self.add("BiasAdd", at, bias)
        return self.add("Relu6", at) if relu6 else at

    def bottleneck(self, at: str, before: int, after: int, times: int, stride: int) -> str:
        """Expand, a depthwise convolution, and back without activation; maybe added to ``at``."""
        wide, start = before * times, at
        if times > 1:
            at = self.conv(at, (1, 1, before, wide))
        at = self.conv(at, (3, 3, wide, 1), stride)
        at = self.conv(at, (1, 1, wide, after), relu6=False)
        return self.add("AddV2", start, at) if stride == 1 and before == after else at

    def head(self, at: str, channels: int, classes: int) -> str:
        """The average of each channel, and how likely each class is."""
        axes = self.constant(np.int32([1, 2]))
        at = self.add("Mean", at, axes, keep_dims=False)
        # Small weights, so that no class takes all: a one-hot output would hide mistakes.
        at = self.add("MatMul", at, self.drawn(channels, classes, scale=channels**-0.5))
        return self.add("Softmax", self.add("BiasAdd", at, self.drawn(classes, scale=0.1)))


def mobilenet_v2(batch: int, size: int = 224, classes: int = 1000) -> Subject:
    """MobileNet v2 1.0 of the paper's table."""
    net, channels = _V2(), 32
    at = net.conv("x", (3, 3, 3, channels), 2)
    for times, after, count, first in BOTTLENECKS:
        for stride in (first, *[1] * (count - 1)):
            at, channels = net.bottleneck(at, channels, after, times, stride), after
    at = net.head(net.conv(at, (1, 1, channels, 1280)), 1280, classes)
    taken = Endpoint("x", PartialSpec((batch, size, size, 3)))
    given = Endpoint(at, PartialSpec((batch, classes)))
    graph = Graph(net.nodes, net.weights, {"x": taken}, {"y": given})
    return Subject(graph, {"x": drawn(batch, size)})


def of_zoo(name: str, size: int) -> Subject:
    """The network of a model of the zoo, for one picture of soft blots.

    Noise from pixel to pixel, which no photo has, makes trained networks give values of hundreds
    whose last digits depend on the order of sums.
    """
    import zoo

    graph = zoo.load(name, backend="cpu").network.graph
    (taken,) = graph.inputs
    blots = core.resize_bilinear(drawn(1, 9), size=(size, size), align_corners=True)
    return Subject(graph, {taken: blots.numpy()})


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "mobilenet_v1 b1": lambda: mobilenet_v1(1),
    "mobilenet_v1 b32": lambda: mobilenet_v1(32),
    "posenet_075_257 b1": lambda: of_zoo("posenet.mobilenet_v1_075", 257),
    "blazepose_lite b1": lambda: of_zoo("blazepose.lite", 256),
    "mobilenet_v2 b1": lambda: mobilenet_v2(1),
}

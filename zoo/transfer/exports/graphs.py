"""Graphs to export: a base that is no model of layers, with a head behind it."""

from collections.abc import Sequence

import numpy as np

from core import Endpoint, Graph, Node, PartialSpec
from core.graph.nodes import DataType
from weights_cache.common.errors import ZooError
from zoo.transfer.exports.bases import (
    Affine,
    Base,
    ExportedNetwork,
    PixelRange,
    of_images,
)
from zoo.transfer.heads import EPSILON, Head

_ACTIVATIONS = {"classification": "Softmax", "multi_label": "Sigmoid", "regression": "Identity"}

#: TensorFlow's names of the dtypes of inputs other than float32.
_DATA_TYPES = {"int32": "DT_INT32", "uint8": "DT_UINT8"}


def graph_of_images(base: Base, head: Head, range: PixelRange) -> ExportedNetwork:
    """Return a graph that takes images in a range.

    Of a network that takes pixels as integers the values are rounded to pixels first, so that its
    input is exactly what it is here.
    """
    graph = base.graph
    if len(graph.inputs) != 1:
        raise ZooError(f"{base.entry.name} has the inputs {', '.join(graph.inputs)}, not an image")
    (endpoint,) = graph.inputs.values()
    made = _GraphParts(graph)
    image = made.name("image")
    made.nodes = [node for node in graph.nodes if node.name != endpoint.node]
    made.nodes.append(Node(image, "Placeholder"))
    _add_conversion(made, image, endpoint, base, range)
    output = _add_head(made, graph.aliases.get(base.node, base.node), base, head)
    batch = (endpoint.spec.shape or (None,))[0]
    shape = (batch, *base.size, 3)
    exported = Graph(
        made.nodes,
        made.weights,
        {"image": Endpoint(image, PartialSpec(shape))},
        {"scores": Endpoint(output, PartialSpec((batch, len(head.bias))))},
        quantizations={k: q for k, q in graph.quantizations.items() if k in graph.weights},
    )
    rounds = any(node.type == "QuantiseRound" for node in graph.nodes)
    return of_images(exported, base, head, range)._replace(rounds=rounds)


def head_graph(head: Head) -> Graph:
    """Return a head alone as a graph, from "features" [n, size] to "scores" [n, outputs]."""
    size, outputs = head.kernel.shape
    made = _GraphParts(Graph([], {}, {}, {}))
    features = made.add(made.name("input"), "Placeholder")
    output = _add_scores(made, features, head)
    return Graph(
        made.nodes,
        made.weights,
        {"features": Endpoint(features, PartialSpec((None, size)))},
        {"scores": Endpoint(output, PartialSpec((None, outputs)))},
    )


class _GraphParts:
    """Nodes and weights that are added to those of a graph, under names of their own."""

    def __init__(self, graph: Graph):
        self.nodes: list[Node] = []
        self.weights = dict(graph.weights)
        self._prefix = "taught"
        while any(node.name.startswith(f"{self._prefix}/") for node in graph.nodes):
            self._prefix += "_"

    def name(self, own: str) -> str:
        """Return the name of a node to add."""
        return f"{self._prefix}/{own}"

    def constant(self, own: str, value: np.ndarray | Sequence[int] | float) -> str:
        """Add a constant that is no weight, float32 or int32, and return its name."""
        array = np.asarray(value)
        return self._keep(
            own, array.astype("int32" if array.dtype.kind == "i" else "float32"), True
        )

    def weight(self, own: str, value: np.ndarray) -> str:
        """Add a weight, and return its name."""
        return self._keep(own, value.astype("float32"), False)

    def _keep(self, own: str, array: np.ndarray, is_fixed: bool) -> str:
        name = self.name(own)
        self.weights[name] = array
        node = Node(name, "Const")
        self.nodes.append(node.fixed() if is_fixed else node)
        return name

    def add(self, name: str, type: str, *inputs: str, **attributes: object) -> str:
        """Add a node, and return its name."""
        self.nodes.append(Node(name, type, inputs, attributes))
        return name


def _add_conversion(
    made: _GraphParts, image: str, endpoint: Endpoint, base: Base, range: PixelRange
) -> None:
    """Add nodes from a range to a node with the name of the network's input."""
    integers = base.entry.preprocess.dtype != "float32"
    affine = base.affine(range)
    quantized = endpoint.quantization
    values = _add_affine(made, "pixels" if integers else "range", image, affine)
    if integers:
        values = made.add(made.name("rounded"), "Round", values)
    if integers and quantized is not None:
        real = Affine.of(quantized.scale, -quantized.zero_point * quantized.scale)
        values = _add_affine(made, "real", values, real)
    dtype = endpoint.spec.dtype
    if dtype == "float32":
        made.add(endpoint.node, "Identity", values)
    else:
        made.add(endpoint.node, "Cast", values, DstT=DataType(_DATA_TYPES[dtype]))


def _add_affine(made: _GraphParts, own: str, values: str, affine: Affine) -> str:
    scale = made.constant(f"{own}/scale", affine.scale)
    offset = made.constant(f"{own}/offset", affine.offset)
    scaled = made.add(made.name(f"{own}/scaled"), "Mul", values, scale)
    return made.add(made.name(own), "AddV2", scaled, offset)


def _add_head(made: _GraphParts, features: str, base: Base, head: Head) -> str:
    """Add the nodes of a head behind features, and return the name of its output."""
    if base.rank == 4:
        pixels = made.constant("pixel_axes", [1, 2])
        values = made.add(made.name("pooled"), "Mean", features, pixels, keep_dims=False)
    else:
        shape = made.constant("shape", [-1, len(head.kernel)])
        values = made.add(made.name("features"), "Reshape", features, shape)
    return _add_scores(made, values, head)


def _add_scores(made: _GraphParts, values: str, head: Head) -> str:
    """Add the nodes of a head behind rows of features, and return the name of its output."""
    if head.normalize:
        values = _add_normalization(made, values, made.constant("last_axis", [-1]))
    kernel = made.weight("scores/kernel", head.kernel)
    product = made.add(made.name("scores/product"), "MatMul", values, kernel)
    scores = made.add(
        made.name("scores"), "BiasAdd", product, made.weight("scores/bias", head.bias)
    )
    return made.add(made.name("probabilities"), _ACTIVATIONS[head.kind], scores)


def _add_normalization(made: _GraphParts, values: str, last: str) -> str:
    """Add nodes that bring rows to mean 0 and variance 1, as `Head` does."""
    mean = made.add(made.name("mean"), "Mean", values, last, keep_dims=True)
    centred = made.add(made.name("centred"), "Sub", values, mean)
    square = made.add(made.name("square"), "Square", centred)
    variance = made.add(made.name("variance"), "Mean", square, last, keep_dims=True)
    shifted = made.add(made.name("shifted"), "AddV2", variance, made.constant("epsilon", EPSILON))
    deviation = made.add(made.name("deviation"), "Sqrt", shifted)
    return made.add(made.name("normalized"), "RealDiv", centred, deviation)

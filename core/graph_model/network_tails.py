"""Tails of networks: the last layers, up to features, which train while all before stays."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from core.errors import CoreError
from core.graph.nodes import DataType, Endpoint, Graph, Node, PartialSpec, node_of
from core.graph_model.graph_model import GraphModel
from core.graph_model.trainable_constants import Constants
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import has_loops

#: Node types of convolutions.
_CONVOLUTIONS = frozenset(
    {
        "Conv2D",
        "_FusedConv2D",
        "DepthwiseConv2dNative",
        "FusedDepthwiseConv2dNative",
        "Conv2DBackpropInput",
    }
)


class Tail(NamedTuple):
    """The end of a network that trains, and what it starts from.

    Attributes:
        graph: the network up to the features, which are its only output. Behind the cut, roundings
            to quantised values are replaced by clipping to the same range: there the network
            computes with floats. Inputs that are quantised take integers (int32).
        cut: name of the node whose result the tail starts from.
        features: name of the output.
        trained: names of the constants that train.
    """

    graph: Graph
    cut: str
    features: str
    trained: tuple[str, ...]


def find_tail(network: GraphModel, features: str, layers: int) -> Tail:
    """Return the shortest tail of a network that has so many convolutions.

    Between the frozen part and the tail there is a single tensor, so that its values are all that
    training needs of an image.

    Args:
        network: the network, which stays as it is.
        features: name of the node or output with the features.
        layers: how many convolutions the tail has at least; 1 or more.

    Raises:
        CoreError: the network has no such tail, or nothing in it can train.
    """
    reference = _reference(network.graph, features)
    graph = _with_features(network.graph, features, reference)
    nodes = [] if has_loops(graph) else _between(graph, node_of(reference))
    cut = _cut(nodes, layers)
    if cut is None:
        count = sum(node.type in _CONVOLUTIONS for node in nodes)
        raise CoreError(
            f"the network has no {layers} last convolutions to train behind a single tensor, of "
            f"{count} before its features: train fewer, or only a head"
        )
    after = [node.name for node in nodes[nodes.index(cut) + 1 :]]
    made = _without_rounding(graph, {*after})
    known = Constants(made, [reference]).trainable
    behind = _constants(made, {*after, node_of(reference)})
    trained = tuple(n for n in known if n in behind and made.weights[n].ndim)
    if not trained:
        raise CoreError(f"none of the weights behind {cut.name!r} can train: train only a head")
    return Tail(made, cut.name, features, trained)


def _reference(graph: Graph, name: str) -> str:
    """Return the reference of an output, an alias or a node."""
    if name in graph.outputs:
        return graph.outputs[name].node
    return graph.aliases.get(name, name)


def _between(graph: Graph, end: str) -> list[Node]:
    """Return the nodes on the ways from the inputs to a node, each after those that it reads."""
    known = {node.name: node for node in graph.nodes}
    inputs = {node_of(endpoint.node) for endpoint in graph.inputs.values()}
    found: dict[str, Node] = {}
    depends: dict[str, bool] = {}
    waiting = [end]
    while waiting:
        node = known[waiting[-1]]
        sources = [node_of(r) for r in node.inputs if node_of(r) in known]
        missing = [name for name in sources if name not in depends]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        is_fed = node.name in inputs
        depends[node.name] = is_fed or any(depends[name] for name in sources)
        if depends[node.name]:
            found[node.name] = node
    return [*found.values()]


def _cut(nodes: list[Node], layers: int) -> Node | None:
    """Return the last node that all ways pass, and that some convolutions come after."""
    place = {node.name: i for i, node in enumerate(nodes)}
    last = [0] * len(nodes)  # place of the last reader of each node
    for i, node in enumerate(nodes):
        for reference in node.inputs:
            if node_of(reference) in place:
                last[place[node_of(reference)]] = i
    others = {node_of(r) for node in nodes for r in node.inputs if ":" in r}
    reach = np.maximum.accumulate([0, *last])  # of all nodes before each one
    convolutions = 0
    for i in range(len(nodes) - 1, 0, -1):
        if convolutions >= layers and reach[i] <= i and nodes[i].name not in others:
            return nodes[i]
        convolutions += nodes[i].type in _CONVOLUTIONS
    return None


def _without_rounding(graph: Graph, names: set[str]) -> Graph:
    """Return a graph in which some nodes clip values where they rounded them as well."""
    weights = dict(graph.weights)
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.name not in names or node.type != "QuantiseRound":
            nodes.append(node)
            continue
        limits = [f"{node.name}/{end}" for end in ("low", "high")]
        for limit, value in zip(limits, _range(node), strict=True):
            weights[limit] = np.array(value, np.float32)
            nodes.append(Node(limit, "Const"))
        nodes.append(Node(node.name, "ClipByValue", (node.inputs[0], *limits)))
    kept = {r: q for r, q in graph.quantizations.items() if node_of(r) not in names}
    return graph._replace(nodes=nodes, weights=weights, quantizations=kept)


def _range(node: Node) -> tuple[float, float]:
    """Return the smallest and the largest real value of a node that rounds."""
    given = node.attributes
    scale, zero = given["scale"], given["zero_point"]
    return (given["low"] - zero) * scale, (given["high"] - zero) * scale


def _with_features(graph: Graph, name: str, reference: str) -> Graph:
    """Return what is needed of a graph for its features, without quantised inputs."""
    output = Endpoint(reference, PartialSpec(None))
    return drop_unused(_with_integers(graph)._replace(outputs={name: output}, metadata=None))


def _with_integers(graph: Graph) -> Graph:
    """Return a graph that takes integers where inputs are quantised, and computes real values.

    So integers mean the same in formats that know nothing of quantised inputs.
    """
    nodes, weights, inputs = [*graph.nodes], dict(graph.weights), dict(graph.inputs)
    for name, endpoint in graph.inputs.items():
        how = endpoint.quantization
        if how is None:
            continue
        start = endpoint.node
        given, cast, zero, steps, scale = (
            f"{start}/{part}" for part in ("integers", "cast", "zero", "steps", "scale")
        )
        weights |= {zero: np.array(how.zero_point, np.float32)}
        weights |= {scale: np.array(how.scale, np.float32)}
        types = {"SrcT": DataType("DT_INT32"), "DstT": DataType("DT_FLOAT")}
        nodes = [node for node in nodes if node.name != start]
        nodes += [Node(given, "Placeholder", (), {"dtype": DataType("DT_INT32")})]
        nodes += [Node(zero, "Const"), Node(scale, "Const"), Node(cast, "Cast", (given,), types)]
        nodes += [Node(steps, "Sub", (cast, zero)), Node(start, "Mul", (steps, scale))]
        inputs[name] = Endpoint(given, PartialSpec(endpoint.spec.shape, "int32"))
    return graph._replace(nodes=nodes, weights=weights, inputs=inputs)


def _constants(graph: Graph, names: Iterable[str]) -> set[str]:
    """Return the names of the constants that some nodes read, also through other constants."""
    known: Mapping[str, Node] = {node.name: node for node in graph.nodes}
    found: set[str] = set()
    depends = {node.name for end in graph.outputs.values() for node in _between(graph, end.node)}
    waiting = [node_of(r) for name in names for r in known[name].inputs]
    while waiting:
        name = waiting.pop()
        if name in found or name in depends or name not in known:
            continue
        found.add(name)
        waiting += [node_of(r) for r in known[name].inputs]
    return found & {*graph.weights}

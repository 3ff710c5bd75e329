"""What TensorFlow.js has no node type for, in terms of those that it has."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.converter.detection_lowering import lower_detection
from core.converter.lowered_nodes import LoweredNodes
from core.errors import MISUSE, CoreError
from core.graph.nodes import DataType, Graph, Node
from core.graph.unique_names import all_names
from core.ops.quantisation import NUDGE

#: Types that are the same as another, or that pass their first input on.
_SAME = {
    "BatchMatMulV3": "BatchMatMulV2",
    "Inv": "Reciprocal",
    "LogicalXor": "NotEqual",
    "Rint": "Round",
}
_PASSING = (
    "CheckNumerics",
    "FakeQuantWithMinMaxArgs",
    "FakeQuantWithMinMaxVarsPerChannel",
    "PreventGradient",
)


def lowered(graph: Graph) -> Graph:
    """The graph with node types of TensorFlow.js alone, as far as they can be had.

    What comes to the same bits is written in terms of several nodes: rounding to quanta is a
    quotient, a floor, a clip and a product.

    Raises:
        CoreError: a node lacks an attribute, or has one that makes no sense.
    """
    made = LoweredNodes(all_names(graph))
    nodes = _body(made, graph.nodes)
    functions = {n: f._replace(nodes=_body(made, f.nodes)) for n, f in graph.functions.items()}
    weights = {**graph.weights, **made.weights} if made.weights else graph.weights
    return graph._replace(nodes=nodes, functions=functions, weights=weights)


def _body(made: LoweredNodes, nodes: Sequence[Node]) -> list[Node]:
    made.start_body()
    for node in nodes:
        if node.type in _SAME:
            made.nodes.append(node._replace(type=_SAME[node.type]))
        elif node.type in _PASSING:
            made.nodes.append(Node(node.name, "Identity", node.inputs[:1]))
        elif node.type in _RULES:
            _lower(made, node)
        else:
            made.nodes.append(_completed(node))
    return made.nodes


def _lower(made: LoweredNodes, node: Node) -> None:
    try:
        _RULES[node.type](made, node)
    except MISUSE as error:
        reason = f"lacks {error}" if isinstance(error, LookupError) else error
        raise CoreError(f"node {node.name!r} ({node.type}): {reason}") from error


def _completed(node: Node) -> Node:
    """With the attributes that TensorFlow.js reads without a default."""
    told = dict(node.attributes)
    strides = told.get("strides")
    if "Conv" in node.type and isinstance(strides, (list, tuple)):
        told.setdefault("dilations", [1] * len(strides))
    if told.get("fused_ops"):
        told.setdefault("num_args", len(node.inputs) - 2)
    return node if len(told) == len(node.attributes) else node._replace(attributes=told)


def _quantise_round(body: LoweredNodes, node: Node) -> None:
    """As the kernel of `core.quantise_round`: the same steps in float32, so the same bits."""
    base, told = node.name, node.attributes
    low, high = told["low"] - told["zero_point"], told["high"] - told["zero_point"]
    floats = {"T": DataType("DT_FLOAT")}

    def add(type: str, *inputs: str) -> str:
        return body.add(base, type, *inputs, **floats)

    def value(number: float) -> str:
        return body.constant(base, number)

    scale = value(told["scale"])
    quanta = add("RealDiv", node.inputs[0], scale)
    if told.get("nudge", True):
        quanta = add("Mul", quanta, value(NUDGE))
    if low >= 0:  # what is below 0 is clipped, so only halves above 0 matter
        whole = add("Floor", add("AddV2", quanta, value(0.5)))
    else:
        above = add("Floor", add("AddV2", add("Abs", quanta), value(0.5)))
        whole = add("Mul", above, add("Sign", quanta))
    clipped = add("ClipByValue", whole, value(low), value(high))
    body.end(node.name, "Mul", clipped, scale, **floats)


def _top_k(body: LoweredNodes, node: Node) -> None:
    count = body.constant(node.name, node.attributes["k"], np.int32)
    rest = {key: value for key, value in node.attributes.items() if key != "k"}
    body.end(node.name, "TopKV2", node.inputs[0], count, **rest)


def _non_max_suppression(body: LoweredNodes, node: Node) -> None:
    threshold = body.constant(node.name, node.attributes.get("iou_threshold", 0.5))
    body.end(node.name, "NonMaxSuppressionV2", *node.inputs[:3], threshold)


def _erfc(body: LoweredNodes, node: Node) -> None:
    erf = body.add(node.name, "Erf", *node.inputs[:1])
    body.end(node.name, "Sub", body.constant(node.name, 1), erf)


def _softsign(body: LoweredNodes, node: Node) -> None:
    size = body.add(node.name, "Abs", *node.inputs[:1])
    below = body.add(node.name, "AddV2", body.constant(node.name, 1), size)
    body.end(node.name, "RealDiv", node.inputs[0], below)


def _select_rows(body: LoweredNodes, node: Node) -> None:
    """The condition gets axes of length 1 until it has as many as what is chosen."""
    base, (condition, x, y) = node.name, node.inputs[:3]
    one, zero = body.constant(base, [1], np.int32), body.constant(base, 0, np.int32)
    missing = body.add(base, "Sub", body.add(base, "Rank", x), body.add(base, "Rank", condition))
    count = body.add(base, "Reshape", missing, one)
    integers = {"T": DataType("DT_INT32")}
    ones = body.add(base, "Fill", count, body.constant(base, 1, np.int32), **integers)
    parts = body.add(base, "Shape", condition), ones
    shape = body.add(base, "ConcatV2", *parts, zero, N=2)
    body.end(node.name, "Select", body.add(base, "Reshape", condition, shape), x, y)


_RULES: Mapping[str, Callable[[LoweredNodes, Node], None]] = {
    "Erfc": _erfc,
    "NonMaxSuppression": _non_max_suppression,
    "QuantiseRound": _quantise_round,
    "SelectRows": _select_rows,
    "Softsign": _softsign,
    "TFLite_Detection_PostProcess": lower_detection,
    "TopK": _top_k,
}

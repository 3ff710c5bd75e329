"""Lowering of node types that TensorFlow.js lacks to types that it has."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.converter.detection_lowering import lower_detection
from core.converter.lowered_nodes import LoweredNodes
from core.errors import MISUSE, CoreError
from core.graph.nodes import DataType, Graph, Node
from core.graph.unique_names import all_names
from core.ops.quantisation import NUDGE

#: Types that equal another type, and types that pass their first input on.
_SYNONYMS = {
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
    """Return the graph with node types of TensorFlow.js, as far as possible.

    A node type is replaced by several nodes with equal bits as the result: rounding to quantised
    values is a quotient, a floor, a clip and a product.

    Raises:
        CoreError: a node lacks an attribute, or has an invalid one.
    """
    made = LoweredNodes(all_names(graph))
    nodes = _body(made, graph.nodes)
    functions = {n: f._replace(nodes=_body(made, f.nodes)) for n, f in graph.functions.items()}
    weights = {**graph.weights, **made.weights} if made.weights else graph.weights
    return graph._replace(nodes=nodes, functions=functions, weights=weights)


def _body(made: LoweredNodes, nodes: Sequence[Node]) -> list[Node]:
    made.start_body()
    for node in nodes:
        if node.type in _SYNONYMS:
            made.nodes.append(node._replace(type=_SYNONYMS[node.type]))
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
    """Return a node with the attributes that TensorFlow.js requires."""
    attributes = dict(node.attributes)
    strides = attributes.get("strides")
    if "Conv" in node.type and isinstance(strides, (list, tuple)):
        attributes.setdefault("dilations", [1] * len(strides))
    if attributes.get("fused_ops"):
        attributes.setdefault("num_args", len(node.inputs) - 2)
    is_unchanged = len(attributes) == len(node.attributes)
    return node if is_unchanged else node._replace(attributes=attributes)


def _quantise_round(body: LoweredNodes, node: Node) -> None:
    """Lower to the float32 steps of the kernel of `core.quantise_round`, so to equal bits."""
    base, options = node.name, node.attributes
    low, high = (options[limit] - options["zero_point"] for limit in ("low", "high"))
    floats = {"T": DataType("DT_FLOAT")}

    def add(type: str, *inputs: str) -> str:
        return body.add(base, type, *inputs, **floats)

    def value(number: float) -> str:
        return body.constant(base, number)

    scale = value(options["scale"])
    steps = add("RealDiv", node.inputs[0], scale)
    if options.get("nudge", True):
        steps = add("Mul", steps, value(NUDGE))
    if low >= 0:  # values below 0 are clipped, so only halves above 0 matter
        rounded = add("Floor", add("AddV2", steps, value(0.5)))
    else:
        above = add("Floor", add("AddV2", add("Abs", steps), value(0.5)))
        rounded = add("Mul", above, add("Sign", steps))
    clipped = add("ClipByValue", rounded, value(low), value(high))
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
    """Lower to Select, with axes of length 1 appended to the condition."""
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

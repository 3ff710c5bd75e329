"""Lowering of node types that TensorFlow.js lacks to types that it has."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from string import ascii_lowercase
from typing import Any

import numpy as np

from core.errors import MISUSE, CoreError
from core.graph.node_types import find_node_type
from core.graph.node_types.tflite import Detection
from core.graph.nodes import DataType, Graph, Node
from core.graph.unique_names import UniqueNames, all_names
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


class LoweredNodes:
    """A builder of nodes and constants with unique names; equal constants are shared.

    Attributes:
        weights: the values of the constants, by name.
        nodes: nodes of the body.
    """

    def __init__(self, names: Iterable[str]):
        self.weights: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self._unique = UniqueNames(names).unique
        self._constants: dict[Any, str] = {}

    def start_body(self) -> None:
        """Begin another body, with separate constants."""
        self.nodes, self._constants = [], {}

    def add(self, base: str, type: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with a unique name, and return the name."""
        return self.end(self._unique(f"{base}/{type}", as_is=True), type, *inputs, **attributes)

    def end(self, name: str, type: str, *inputs: str, **attributes: Any) -> str:
        """Add the last node, which has the name of the replaced node, and return the name."""
        self.nodes.append(Node(name, type, inputs, attributes))
        return name

    def constant(self, base: str, value: Any, dtype: type = np.float32) -> str:
        """Add a constant of one value or a few, and return its name."""
        array: np.ndarray = np.array(value, dtype)
        key = array.dtype, array.shape, array.tobytes()
        if key not in self._constants:
            name = self._unique(f"{base}/value", as_is=True)
            self.nodes.append(Node(name, "Const"))
            self.weights[name] = array
            self._constants[key] = name
        return self._constants[key]


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


def _einsum(body: LoweredNodes, node: Node) -> None:
    """Write the equation in lower case, in which TensorFlow.js reads all texts."""
    equation = str(node.attributes.get("equation", ""))
    letters = dict.fromkeys(filter(str.isalpha, equation))
    spare = (letter for letter in ascii_lowercase if letter not in letters)
    upper = [letter for letter in letters if letter.isupper()]
    lower = list(islice(spare, len(upper)))
    if len(lower) < len(upper):
        raise CoreError(f"its equation {equation!r} has more letters than TensorFlow.js takes")
    renamed = equation.translate(dict(zip(map(ord, upper), lower, strict=True)))
    body.nodes.append(node._replace(attributes={**node.attributes, "equation": renamed}))


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


def _adders(body: LoweredNodes, base: str) -> tuple[Callable[..., str], ...]:
    """Return functions that add a node, a constant of floats, and a constant of integers."""
    constant = partial(body.constant, base)
    return partial(body.add, base), constant, partial(constant, dtype=np.int32)


def _quantise_round(body: LoweredNodes, node: Node) -> None:
    """Lower to the float32 steps of the kernel of `core.quantise_round`, so to equal bits."""
    options, floats = node.attributes, {"T": DataType("DT_FLOAT")}
    low, high = (options[limit] - options["zero_point"] for limit in ("low", "high"))
    add: Callable[..., str] = partial(body.add, node.name, **floats)
    value = partial(body.constant, node.name)
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
    add, number, _ = _adders(body, node.name)
    erf = add("Erf", *node.inputs[:1])
    body.end(node.name, "Sub", number(1), erf)


def _softsign(body: LoweredNodes, node: Node) -> None:
    add, number, _ = _adders(body, node.name)
    size = add("Abs", *node.inputs[:1])
    body.end(node.name, "RealDiv", node.inputs[0], add("AddV2", number(1), size))


def _select_rows(body: LoweredNodes, node: Node) -> None:
    """Lower to Select, with axes of length 1 appended to the condition."""
    condition, x, y = node.inputs[:3]
    add, _, integer = _adders(body, node.name)
    one, zero = integer([1]), integer(0)
    count = add("Reshape", add("Sub", add("Rank", x), add("Rank", condition)), one)
    ones = add("Fill", count, integer(1), T=DataType("DT_INT32"))
    shape = add("ConcatV2", add("Shape", condition), ones, zero, N=2)
    body.end(node.name, "Select", add("Reshape", condition, shape), x, y)


def _find_in_shape(body: LoweredNodes, node: Node) -> None:
    """Lower to a lookup, which flattens its keys, and their shape for its results."""
    add, _, _ = _adders(body, node.name)
    found = add("LookupTableFindV2", *node.inputs, **node.attributes)
    body.end(node.name, "Reshape", found, add("Shape", node.inputs[1]))


def _vocabulary_index(body: LoweredNodes, node: Node) -> None:
    """Lower to a comparison of each value with the whole vocabulary, whose places count from 1."""
    values, keys = node.inputs[:2]
    add, _, integer = _adders(body, node.name)
    column = add("ExpandDims", values, integer(-1))
    types = {"SrcT": DataType("DT_BOOL"), "DstT": DataType("DT_INT32")}
    found = add("Cast", add("Equal", column, keys), **types)
    beyond = add("AddV2", add("Size", keys), integer(1))
    numbers = add("Range", integer(1), beyond, integer(1), Tidx=DataType("DT_INT32"))
    place = add("Max", add("Mul", found, numbers), integer([-1]), keep_dims=False)
    body.end(node.name, "Sub", place, integer(1))


def _detection(body: LoweredNodes, node: Node) -> None:
    """Lower to boxes from anchors, suppression by the best score per box, and classes of the rest.

    Suppression per class (``use_regular_nms``) would be hundreds of nodes: the node is kept, and
    reported as not supported.
    """
    kind = find_node_type(node.type)
    assert kind is not None, node.type
    options = Detection(**kind.attributes(node.attributes))
    if options.use_regular_nms:
        body.nodes.append(node)
        return
    add, number, integer = _adders(body, node.name)
    codes, scores, anchors = node.inputs[:3]
    width = min(options.max_classes_per_detection, options.num_classes)
    count, rows = options.max_detections, options.max_detections * width

    masks = {"begin_mask": 1, "end_mask": 3}
    by_class = add("Squeeze", scores, squeeze_dims=[0])
    last = (integer([0, -options.num_classes]), integer([0, 0]), integer([1, 1]))
    by_class = add("StridedSlice", by_class, *last, **masks)
    boxes = _boxes(
        body, node.name, add("Squeeze", codes, squeeze_dims=[0]), anchors, options.scales
    )
    top = add("TopKV2", by_class, integer(width), sorted=True)
    best = add("Max", by_class, integer([1]), keep_dims=False)
    kept = add(
        "NonMaxSuppressionV4",
        *(boxes, best, integer(count)),
        number(min(np.nextafter(np.float32(options.iou_threshold), np.float32(2)), 1.0)),
        number(np.nextafter(np.float32(options.score_threshold), np.float32(-np.inf))),
        pad_to_max_output_size=True,
    )
    valid = add("Less", add("Range", integer(0), integer(count), integer(1)), f"{kept}:1")
    mask = add("Cast", valid, SrcT=DataType("DT_BOOL"), DstT=DataType("DT_FLOAT"))
    column = add("Reshape", mask, integer([count, 1]))

    def filled(values: str, shape: Any) -> str:
        """Add nodes that gather values of the kept boxes, filled up with zeros."""
        chosen = add("Mul", add("GatherV2", values, kept, integer(0)), column)
        return add("Reshape", chosen, integer(shape))

    classes = add("Cast", f"{top}:1", SrcT=DataType("DT_INT32"), DstT=DataType("DT_FLOAT"))
    repeated = add("Tile", boxes, integer([1, width]))
    found = add("Cast", f"{kept}:1", SrcT=DataType("DT_INT32"), DstT=DataType("DT_FLOAT"))
    results = (
        filled(repeated, [1, rows, 4]),
        filled(classes, [1, rows]),
        filled(top, [1, rows]),
        add("Reshape", found, integer([1])),
    )
    body.end(node.name, "IdentityN", *results)


def _boxes(
    body: LoweredNodes, base: str, codes: str, anchors: str, scales: tuple[float, ...]
) -> str:
    """Add nodes from centres and sizes relative to anchors to corners [n, 4] (y1, x1, y2, x2)."""
    add, number, integer = _adders(body, base)
    first = add("Slice", codes, integer([0, 0]), integer([-1, 4]))
    parts = add("Unpack", first, axis=1, num=4)
    sides = add("Unpack", anchors, axis=1, num=4)
    ends = []
    for axis in (0, 1):
        centre, size = (f"{parts}:{axis}", f"{parts}:{axis + 2}")
        side = f"{sides}:{axis + 2}"
        centre = add("Mul", add("RealDiv", centre, number(scales[axis])), side)
        centre = add("AddV2", centre, f"{sides}:{axis}")
        size = add("Exp", add("RealDiv", size, number(scales[axis + 2])))
        half = add("Mul", add("Mul", size, side), number(0.5))
        ends.append((add("Sub", centre, half), add("AddV2", centre, half)))
    (top, bottom), (left, right) = ends
    return add("Pack", top, left, bottom, right, axis=1, N=4)


_RULES: Mapping[str, Callable[[LoweredNodes, Node], None]] = {
    "Einsum": _einsum,
    "Erfc": _erfc,
    "LookupTableFindInShape": _find_in_shape,
    "NonMaxSuppression": _non_max_suppression,
    "QuantiseRound": _quantise_round,
    "SelectRows": _select_rows,
    "Softsign": _softsign,
    "TFLite_Detection_PostProcess": _detection,
    "TopK": _top_k,
    "VocabularyIndex": _vocabulary_index,
}

"""Sums, products and other functions of two tensors."""

from typing import Any

from core.graph.node_types.convolution import check_format
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes

_PAIR = (0, 1)


def _channels_last(attributes: Attributes) -> dict[str, Any]:
    """TensorFlow.js adds a bias to the last axis, whatever the node says."""
    check_format(attributes, ("NHWC",))
    return {}


_ADD, _DIV, _MOD = (NodeType(name, _PAIR) for name in ("add", "div", "mod"))

NODE_TYPES = {
    "Add": _ADD,
    "AddV2": _ADD,
    "BiasAdd": NodeType("add", _PAIR, attributes=_channels_last),
    "AddN": NodeType("add_n", (slice(None),)),
    "Sub": NodeType("sub", _PAIR),
    "Mul": NodeType("mul", _PAIR),
    "RealDiv": _DIV,
    "Div": _DIV,
    "DivNoNan": NodeType("div_no_nan", _PAIR),
    "FloorDiv": NodeType("floor_div", _PAIR),
    "Mod": _MOD,
    "FloorMod": _MOD,
    "Maximum": NodeType("maximum", _PAIR),
    "Minimum": NodeType("minimum", _PAIR),
    "Pow": NodeType("pow", _PAIR),
    "SquaredDifference": NodeType("squared_difference", _PAIR),
}

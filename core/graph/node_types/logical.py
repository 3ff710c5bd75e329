"""Comparisons, and what is chosen by them."""

from core.graph.node_types.table import NodeType

_PAIRS = {
    "Equal": "equal",
    "NotEqual": "not_equal",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "Less": "less",
    "LessEqual": "less_equal",
    "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or",
    "BitwiseAnd": "bitwise_and",
}

_SELECT = NodeType("select", (0, 1, 2))

NODE_TYPES = {
    **{name: NodeType(op, (0, 1)) for name, op in _PAIRS.items()},
    "LogicalNot": NodeType("logical_not", (0,)),
    "Select": _SELECT,
    "SelectV2": _SELECT,
}

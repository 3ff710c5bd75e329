"""Comparisons, and what is chosen by them."""

from core.errors import CoreError
from core.graph.node_types.rows import NodeType
from core.registry import ops
from core.tensors import Tensor

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


def _select_rows(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """As TensorFlow's Select, of which a condition of one axis picks rows."""
    if condition.ndim == 1 and x.ndim > 1:
        if condition.shape[0] != x.shape[0]:
            raise CoreError(f"{condition.shape[0]} conditions cannot pick from {x.shape[0]} rows")
        condition = ops.reshape(condition, shape=(-1, *[1] * (x.ndim - 1)))
    chosen: Tensor = ops.select(condition, x, y)
    return chosen


_SELECT = NodeType("select", (0, 1, 2))

NODE_TYPES = {
    **{name: NodeType(op, (0, 1)) for name, op in _PAIRS.items()},
    "LogicalNot": NodeType("logical_not", (0,)),
    "Select": _SELECT,
    # TensorFlow.js broadcasts the condition of a Select; what TensorFlow calls so is another type.
    "SelectRows": NodeType(_select_rows, (0, 1, 2)),
    "SelectV2": _SELECT,
}

"""Element-wise nodes that are not just an op by another name: see `core.operation.Spellings`."""

from typing import Any

from core.errors import CoreError
from core.graph.node_types.convolution import check_format
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes
from core.registry import ops
from core.tensors import Tensor

_PAIR = (0, 1)


def _channels_last(attributes: Attributes) -> dict[str, Any]:
    """TensorFlow.js adds a bias to the last axis, whatever the node says."""
    check_format(attributes, ("NHWC",))
    return {}


def _erfc(x: Tensor) -> Tensor:
    return 1.0 - ops.erf(x)


def _softsign(x: Tensor) -> Tensor:
    return x / (1.0 + ops.abs(x))


def _select_rows(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Select as TensorFlow's Select does: a condition of one axis picks rows."""
    if condition.ndim == 1 and x.ndim > 1:
        if condition.shape[0] != x.shape[0]:
            raise CoreError(f"{condition.shape[0]} conditions cannot pick from {x.shape[0]} rows")
        condition = ops.reshape(condition, shape=(-1, *[1] * (x.ndim - 1)))
    chosen: Tensor = ops.select(condition, x, y)
    return chosen


NODE_TYPES = {
    "BiasAdd": NodeType("add", _PAIR, attributes=_channels_last),
    "DivNoNan": NodeType("div_no_nan", _PAIR, folds=True),
    "ClipByValue": NodeType("clip_by_value", (0,), {"clip_value_min": 1, "clip_value_max": 2}),
    # TensorFlow.js does not have these, and Keras's gelu and softsign are made of them.
    "Erfc": NodeType(_erfc, (0,)),
    "Softsign": NodeType(_softsign, (0,)),
    # TensorFlow.js broadcasts the condition of a Select; what TensorFlow calls so is another type.
    "SelectRows": NodeType(_select_rows, (0, 1, 2)),
}

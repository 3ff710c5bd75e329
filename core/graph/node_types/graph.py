"""Nodes that pass values on, or tell their shapes; Placeholder and Const are given, not run."""

from collections.abc import Sequence
from typing import Any

from core.dispatch import tensor
from core.graph.node_types.rows import NodeType
from core.registry import ops
from core.tensors import Tensor


def _shape(x: Tensor) -> Tensor:
    return tensor(x.shape, "int32")


def _shapes(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [_shape(x) for x in tensors]


def _identity(x: Any) -> Any:
    """Lists and hash tables pass, too."""
    return ops.identity(x) if isinstance(x, Tensor) else x


def _identities(values: Sequence[Any]) -> list[Any]:
    return [_identity(x) for x in values]


def _nothing() -> tuple[()]:
    return ()


_SAME = NodeType("identity", (0,))

NODE_TYPES = {
    "Identity": NodeType(_identity, (0,)),
    "IdentityN": NodeType(_identities, (slice(None),), outputs=("output",)),
    "NoOp": NodeType(_nothing, ()),
    "PlaceholderWithDefault": _SAME,
    "Print": _SAME,
    "Rank": NodeType(lambda x: tensor(x.ndim, "int32"), (0,)),
    "Shape": NodeType(_shape, (0,)),
    "ShapeN": NodeType(_shapes, (slice(None),), outputs=("output",)),
    "Size": NodeType(lambda x: tensor(x.size, "int32"), (0,)),
    "Snapshot": _SAME,
    "StopGradient": _SAME,
    # As in TensorFlow.js the values stay as they are.
    "FakeQuantWithMinMaxVars": _SAME,
    # TensorFlow.js does not have these.
    "CheckNumerics": _SAME,
    "PreventGradient": _SAME,
}

"""Searching and sorting."""

from typing import Any

from core.graph.node_types.rows import NodeType, copied, required
from core.graph.nodes import Attributes
from core.registry import ops
from core.tensors import Tensor


def _unique(x: Tensor, axis: tuple[int, ...] | int = ()) -> Any:
    """The axis comes as a vector, of no number for the first."""
    return ops.unique(x, axis=axis if isinstance(axis, int) else next(iter(axis), 0))


def _top_k(attributes: Attributes) -> dict[str, Any]:
    return {**required("k")(attributes), **_sorted(attributes)}


_sorted = copied("sorted")
_TOP, _DIFFERENT = ("values", "indices"), ("y", "idx")

NODE_TYPES = {
    "LowerBound": NodeType("lower_bound", (0, 1)),
    "UpperBound": NodeType("upper_bound", (0, 1)),
    "TopKV2": NodeType("topk", (0,), {"k": 1}, _sorted, _TOP),
    "Unique": NodeType("unique", (0,), outputs=_DIFFERENT),
    "UniqueV2": NodeType(_unique, (0,), {"axis": 1}, outputs=_DIFFERENT),
    # TensorFlow.js does not have it.
    "TopK": NodeType("topk", (0,), attributes=_top_k, outputs=_TOP),
}

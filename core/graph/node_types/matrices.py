"""Matrix products and transposition."""

from collections.abc import Sequence
from typing import Any

from core.graph.node_types.convolution import fused_activation
from core.graph.node_types.rows import NodeType, copied
from core.graph.nodes import Attributes
from core.registry import ops
from core.tensors import Tensor

_transposes = copied("transpose_a", "transpose_b")


def _fused(attributes: Attributes) -> dict[str, Any]:
    return {**_transposes(attributes), **fused_activation(attributes)}


def _einsum(tensors: Sequence[Tensor], equation: str) -> Any:
    return ops.einsum(equation, *tensors)


_BATCHED = NodeType("matmul", (0, 1), attributes=copied(transpose_a="adj_x", transpose_b="adj_y"))

NODE_TYPES = {
    "_FusedMatMul": NodeType("fused_matmul", attributes=_fused),
    "MatMul": NodeType("matmul", (0, 1), attributes=_transposes),
    "BatchMatMul": _BATCHED,
    "BatchMatMulV2": _BATCHED,
    "Einsum": NodeType(_einsum, (slice(None),), attributes=lambda a: {"equation": a["equation"]}),
    "MatrixBandPart": NodeType("band_part", (0, 1, 2)),
    "Transpose": NodeType("transpose", (0,), {"perm": 1}),
    "BatchMatMulV3": _BATCHED,  # TensorFlow.js does not have it
}

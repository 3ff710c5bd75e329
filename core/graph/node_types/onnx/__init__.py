"""ONNX's ops as node types: a row each, in files by family."""

from collections.abc import Mapping
from importlib import import_module

from core.graph.node_types.onnx.rows import Function, Needs, Rows, node_types, type_name
from core.graph.node_types.rows import NodeType

FAMILIES = (
    "arrangement",
    "attention",
    "choice",
    "control",
    "drawing",
    "elementwise",
    "indexing",
    "normalization",
    "pooling",
    "quantized",
    "recurrent",
    "reduction",
    "resize",
    "sampling",
    "signal",
    "spatial",
    "streaming",
    "text",
    "typed",
    "vector_norms",
)

ROWS: Rows = {
    name: row
    for family in FAMILIES
    for name, row in import_module(f"core.graph.node_types.onnx.{family}").ROWS.items()
}

NODE_TYPES: Mapping[str, NodeType] = node_types(ROWS)


def find_row(name: str, opset: int) -> tuple[str, Function | Needs] | None:
    """Return node type and function of an op in a version of the operators, if it is known."""
    row = ROWS.get(name)
    if row is None:
        return None
    if not isinstance(row, Mapping):
        return type_name(name), row
    versions = [since for since in row if since <= opset]
    if not versions:
        return None
    since = max(versions)
    return type_name(name, 0 if since == max(row) else since), row[since]

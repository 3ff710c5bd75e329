"""ONNX's ops as node types: a row each, in files by family, all imported when one is needed."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from core.graph.node_types.onnx.rows import Function, Needs, Rows, node_types, type_name
from core.graph.node_types.rows import NodeType

NODE_TYPES: Mapping[str, NodeType]

#: Advice on types that have no row, by how they begin.
ADVICE = {
    "com.microsoft:": (
        "ONNX Runtime's optimizer makes those of com.microsoft: export the model again without "
        "it, or without its quantization"
    )
}


@cache
def all_rows() -> Rows:
    """Return the rows of all families, by the names of ops."""
    modules = (
        import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    )
    return {name: row for each in modules for name, row in getattr(each, "ROWS", {}).items()}


def __getattr__(name: str) -> object:
    """Return the node types, which models in other formats never ask for."""
    if name != "NODE_TYPES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, node_types(all_rows()))


def find_row(name: str, opset: int) -> tuple[str, Function | Needs] | None:
    """Return node type and function of an op in a version of the operators, if it is known."""
    row = all_rows().get(name)
    if row is None:
        return None
    if not isinstance(row, Mapping):
        return type_name(name), row
    versions = [since for since in row if since <= opset]
    if not versions:
        return None
    since = max(versions)
    return type_name(name, 0 if since == max(row) else since), row[since]

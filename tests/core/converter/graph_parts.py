"""Parts of GraphDef files, written by hand."""

from pathlib import Path

from core.converter.graph_def import read_frozen_graph
from core.converter.protobuf import Message
from core.graph.nodes import Graph
from tests.core.converter.fuzz.protobuf import TYPES, entry, field, shape

FLOAT = TYPES["DT_FLOAT"]


def node(name: str, kind: str, *inputs: str, **attributes: bytes) -> bytes:
    listed = b"".join(field(3, i) for i in inputs)
    given = b"".join(entry(5, key, value) for key, value in attributes.items())
    return field(1, field(1, name) + field(2, kind) + listed + given)


def constant(name: str, proto: bytes, *inputs: str) -> bytes:
    return node(name, "Const", *inputs, value=field(8, proto))


def placeholder(name: str = "x") -> bytes:
    lengths = field(7, shape([2]))
    return node(name, "Placeholder", dtype=field(6, FLOAT), shape=lengths)


def tensor_of(dtype: int, lengths: list[int], rest: bytes) -> bytes:
    return field(1, dtype) + field(2, shape(lengths)) + rest


def read(folder: Path, *parts: bytes) -> Graph:
    """The graph of a file of these parts."""
    path = folder / "graph.pb"
    path.write_bytes(b"".join(parts) + field(4, field(1, 2000)))
    return read_frozen_graph(path)


def function(name: str, arguments: list[str], results: dict[str, str], *nodes: bytes) -> bytes:
    """An entry of a library; its nodes are those of a graph, in another field."""
    signature = field(1, name) + b"".join(field(2, field(1, a)) for a in arguments)
    signature += b"".join(field(3, field(1, r)) for r in results)
    body = b"".join(field(3, Message(n).blob(1).tobytes()) for n in nodes)
    returned = b"".join(entry(4, key, value) for key, value in results.items())
    return field(1, field(1, signature) + body + returned)


def library(*functions: bytes) -> bytes:
    return field(2, b"".join(functions))


def call(name: str, callee: str, *inputs: str) -> bytes:
    return node(name, "PartitionedCall", *inputs, f=field(10, field(1, callee)))

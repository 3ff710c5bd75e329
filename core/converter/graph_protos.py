"""Reader of TensorFlow's GraphDef: nodes, constants and functions, without TensorFlow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.converter.protobuf import FIELD_BYTES, Message
from core.converter.tensor_protos import Budget, data_type, read_tensor, shape_lengths
from core.errors import CoreError
from core.graph.nodes import FunctionName, Node, PartialShape
from weights_cache.reading_budgets import spend

#: Least memory of a node with its attributes and its entries in tables.
NODE_BYTES = 1000


class FunctionBody(NamedTuple):
    """The nodes of a graph, or of a function.

    Attributes:
        nodes: nodes with the references of the file.
        constants: TensorProtos by name of Const node, not yet decoded.
        inputs: names of a function's arguments.
        outputs: references to a function's results.
        result_names: names of a function's results.
        controls: nodes of a function that run even if no result needs them.
    """

    nodes: Sequence[Node]
    constants: Mapping[str, memoryview]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    result_names: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()


class GraphDef(NamedTuple):
    """The content of a GraphDef."""

    body: FunctionBody
    functions: Mapping[str, FunctionBody]
    producer: int  # the version of the writer


def read_graph_def(proto: Message, budget: Budget) -> GraphDef:
    """Return the content of a GraphDef message.

    Raises:
        CoreError, ValueError: the message is damaged.
    """
    functions = Library(proto.message(2), budget)
    return GraphDef(_body(proto, 1, budget), functions, proto.message(4).integer(1))


class Library(Mapping[str, FunctionBody]):
    """The functions of a graph by name, each read at its first use.

    Args:
        proto: a FunctionDefLibrary.
        budget: budget of memory for constants.
    """

    def __init__(self, proto: Message, budget: Budget):
        # A message takes much more memory than its bytes, so no message is kept.
        self._blobs = {Message(blob).message(1).text(1): blob for blob in proto.blobs(1)}
        self._bodies: dict[str, FunctionBody] = {}
        self._budget = budget

    def __getitem__(self, name: str) -> FunctionBody:
        if name not in self._bodies:
            self._bodies[name] = _function(name, Message(self._blobs[name]), self._budget)
        return self._bodies[name]

    def __contains__(self, name: object) -> bool:
        return name in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def _body(proto: Message, field: int, budget: Budget) -> FunctionBody:
    nodes, constants = [], {}
    for document in proto.messages(field):
        spend(NODE_BYTES, "its nodes")
        node = _node(document, budget)
        if node.type == "Const":
            constants[node.name] = _constant(document, node.name)
        nodes.append(node)
    twice = len(nodes) - len({node.name for node in nodes})
    if twice:
        raise CoreError(f"{twice} names of nodes are used twice")
    return FunctionBody(nodes, constants)


def _function(name: str, proto: Message, budget: Budget) -> FunctionBody:
    signature = proto.message(1)
    inputs, results = (tuple(a.text(1) for a in signature.messages(n)) for n in (2, 3))
    returned = {key: entry.text(2) for key, entry in proto.pairs(4)}
    missing = [result for result in results if result not in returned]
    if missing:
        raise CoreError(f"the function {name!r} returns nothing for {', '.join(missing)}")
    return _body(proto, 3, budget)._replace(
        inputs=inputs,
        outputs=tuple(returned[result] for result in results),
        result_names=results,
        controls=tuple(entry.text(2) for _, entry in proto.pairs(6)),
    )


def _node(proto: Message, budget: Budget) -> Node:
    name = proto.text(1)
    node = read_node(proto, budget)
    if not name or not node.type or ":" in name or name.startswith("^"):
        raise CoreError(f"a node is named {name!r} and of the type {node.type!r}")
    return node


def read_node(proto: Message, budget: Budget) -> Node:
    """Return the node of a NodeDef, also without a name, as TFLite files have it.

    The value of a Const node is not among its attributes.

    Raises:
        CoreError, ValueError: the message is damaged.
    """
    kind = proto.text(2)
    attributes = {
        key: None if kind == "Const" and key == "value" else _attribute(entry.message(2), budget)
        for key, entry in proto.pairs(5)
        if not key.startswith("_")  # long notes of TensorFlow's own passes
    }
    return Node(proto.text(1), kind, tuple(proto.texts(3)), attributes)


def _constant(proto: Message, name: str) -> memoryview:
    for key, entry in proto.pairs(5):
        if key == "value":
            return entry.message(2).blob(8)
    raise CoreError(f"the constant {name!r} has no value")


def _attribute(proto: Message, budget: Budget) -> Any:
    """Return the value of an AttrValue, or None if it is empty."""
    if 8 in proto:
        return read_tensor(proto.message(8), budget)
    if 1 in proto:
        return _list(proto.message(1), budget)
    return next((read(proto)[-1] for n, read in _READERS.items() if n in proto), None)


def _list(proto: Message, budget: Budget) -> list[Any]:
    if 8 in proto:
        return [read_tensor(tensor, budget) for tensor in proto.messages(8)]
    return next((read(proto) for n, read in _LIST_READERS.items() if n in proto), [])


def _decoded(blob: memoryview) -> str | bytes:
    try:
        return str(blob, "utf-8")
    except UnicodeDecodeError:
        return bytes(blob)


def _shape(proto: Message) -> PartialShape | None:
    lengths = shape_lengths(proto)
    return None if lengths is None else PartialShape(n if n >= 0 else None for n in lengths)


def _shortest(values: np.ndarray) -> list[float]:
    """Return floats with the fewest digits that identify them, as in JSON documents."""
    spend(FIELD_BYTES * len(values), "an attribute of a node")
    return [float(str(value)) for value in values]


#: Readers of the fields of an AttrValue that hold values.
_READERS: dict[int, Callable[[Message], list[Any]]] = {
    2: lambda proto: [_decoded(blob) for blob in proto.blobs(2)],
    3: lambda proto: proto.integers(3).tolist(),
    4: lambda proto: _shortest(proto.floats(4)),
    5: lambda proto: [bool(value) for value in proto.integers(5)],
    6: lambda proto: [data_type(number) for number in proto.integers(6).tolist()],
    7: lambda proto: [_shape(shape) for shape in proto.messages(7)],
    10: lambda proto: [FunctionName(function.text(1)) for function in proto.messages(10)],
}

#: Readers of the fields of a list of values.
_LIST_READERS = {
    **{n: read for n, read in _READERS.items() if n < 10},
    9: lambda proto: [FunctionName(function.text(1)) for function in proto.messages(9)],
}

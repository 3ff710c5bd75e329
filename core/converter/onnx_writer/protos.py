"""The messages of an ONNX file: tensors, nodes, values, the graph, the model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.converter.onnx.content import PRODUCER
from core.converter.protobuf_writer import (
    bytes_field,
    float_field,
    floats_field,
    integer_field,
    integers_field,
    text_field,
)
from core.errors import CoreError
from core.graph.node_types.onnx.type_table import NUMBERS

#: Version of the operators, and of the file format: ONNX Runtime reads them since 1.14 (2023).
OPSET, IR_VERSION = 18, 8

#: Protocol buffers count the bytes of a message in 31 bits.
LARGEST = 2**31 - 1

#: Name of the axis whose length is free.
BATCH = "batch"

#: Numbers of the element types that are written.
ELEMENT_TYPES = {
    name: NUMBERS[name]
    for name in ("float32", "uint8", "int8", "int32", "int64", "bool", "float64")
}

#: Numbers of the kinds of attributes, AttributeProto.AttributeType.
_FLOAT, _INT, _STRING, _TENSOR, _FLOATS, _INTS = 1, 2, 3, 4, 6, 7


class WrittenNode(NamedTuple):
    """A node to write; absent inputs have the name ""."""

    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    def renamed(self, names: Mapping[str, str]) -> "WrittenNode":
        """Return the node with other names of values."""
        ends = [tuple(names.get(n, n) for n in each) for each in (self.inputs, self.outputs)]
        return self._replace(inputs=ends[0], outputs=ends[1])


class WrittenValue(NamedTuple):
    """An input or output to write; a length of None is free."""

    name: str
    dtype: str
    dims: tuple[int | None, ...]


class WrittenGraph(NamedTuple):
    """A graph to write.

    Attributes:
        nodes: in the order in which they run.
        initializers: the weights, by name.
        numbers: other constants, which nodes of the type Constant hold.
        inputs: what is given.
        outputs: what it gives.
    """

    nodes: Sequence[WrittenNode]
    initializers: Mapping[str, np.ndarray]
    numbers: Mapping[str, np.ndarray]
    inputs: Sequence[WrittenValue]
    outputs: Sequence[WrittenValue]


class ModelFacts(NamedTuple):
    """Facts that a file states beside its graph.

    Attributes:
        doc: for readers, such as the licence.
        metadata: texts by key.
        labels: names of the classes, in the order of an output: ``names`` in the metadata, a dict
            of Python by number, as Ultralytics writes it.
    """

    doc: str = ""
    metadata: Mapping[str, str] = {}
    labels: Sequence[str] = ()


NO_FACTS = ModelFacts()


def model_parts(graph: WrittenGraph, facts: ModelFacts, version: str = "") -> list[bytes]:
    """Return the bytes of a file, in parts to be written one after the other.

    Args:
        graph: the graph.
        facts: what the file says beside it.
        version: of the program that writes it.

    Raises:
        CoreError: it would be larger than 2 GiB.
    """
    head = [
        integer_field(1, IR_VERSION),
        bytes_field(8, integer_field(2, OPSET)),
        text_field(2, PRODUCER),
        text_field(3, version),
        text_field(6, facts.doc) if facts.doc else b"",
    ]
    names = {"names": repr(dict(enumerate(facts.labels)))} if facts.labels else {}
    props = [
        bytes_field(14, text_field(1, key) + text_field(2, value))
        for key, value in {**names, **facts.metadata}.items()
    ]
    body = _graph(graph)
    size = sum(map(len, body))
    if size > LARGEST - 2**20:
        raise CoreError(
            f"the file would have {size:,} bytes, more than the {LARGEST:,} that ONNX allows in "
            f"one file: write a smaller model"
        )
    start = bytes_field(7, b"")[:-1]  # the key of the graph, without the length 0
    return [*head, start, _length(size), *body, *props]


def _length(size: int) -> bytes:
    return integer_field(0, size)[1:]


def _graph(graph: WrittenGraph) -> list[bytes]:
    numbers = [
        WrittenNode("Constant", (), (name,), {"value": array})
        for name, array in graph.numbers.items()
    ]
    return [
        *(bytes_field(1, _node(node)) for node in (*numbers, *graph.nodes)),
        text_field(2, PRODUCER),
        *(bytes_field(5, _tensor(array, name)) for name, array in graph.initializers.items()),
        *(bytes_field(11, _value(value)) for value in graph.inputs),
        *(bytes_field(12, _value(value)) for value in graph.outputs),
    ]


def _node(node: WrittenNode) -> bytes:
    return b"".join(
        [
            *(text_field(1, name) for name in node.inputs),
            *(text_field(2, name) for name in node.outputs),
            text_field(3, node.outputs[0]),
            text_field(4, node.type),
            *(bytes_field(5, _attribute(n, value)) for n, value in node.attributes.items()),
        ]
    )


def _attribute(name: str, value: Any) -> bytes:
    """Return an attribute; numbers of NumPy are not among them."""
    return text_field(1, name) + _attribute_value(value)


def _attribute_value(value: Any) -> bytes:
    match value:
        case bool() | int():
            return integer_field(3, int(value)) + integer_field(20, _INT)
        case float():
            return float_field(2, value) + integer_field(20, _FLOAT)
        case str():
            return text_field(4, value) + integer_field(20, _STRING)
        case np.ndarray():
            return bytes_field(5, _tensor(value)) + integer_field(20, _TENSOR)
        case [float(), *_]:
            return floats_field(7, value) + integer_field(20, _FLOATS)
        case _:
            return integers_field(8, map(int, value)) + integer_field(20, _INTS)


def _tensor(array: np.ndarray, name: str = "") -> bytes:
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return b"".join(
        [
            integers_field(1, array.shape),
            integer_field(2, ELEMENT_TYPES[array.dtype.name]),
            text_field(8, name),
            bytes_field(9, data.tobytes()),
        ]
    )


def _value(value: WrittenValue) -> bytes:
    lengths: Iterable[bytes] = (
        text_field(2, BATCH) if n is None else integer_field(1, n) for n in value.dims
    )
    shape = b"".join(bytes_field(1, length) for length in lengths)
    tensor = integer_field(1, ELEMENT_TYPES[value.dtype]) + bytes_field(2, shape)
    return text_field(1, value.name) + bytes_field(2, bytes_field(1, tensor))

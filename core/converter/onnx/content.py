"""The content of ONNX files as it is written: graphs, nodes, attributes, functions, metadata."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.converter.graph_protos import NODE_BYTES
from core.converter.onnx.tensors import OnnxTensor, TensorReader, element_type
from core.converter.protobuf import Message
from core.converter.tensor_protos import MOST_AXES
from core.errors import CoreError
from weights_cache.reading_budgets import check_time, spend

#: Length of an axis: a number, a name, or None: any.
Dimension = int | str | None

#: The producer of files that `core.converter.onnx_writer` writes.
PRODUCER = "friendly-zoo"


class ValueInfo(NamedTuple):
    """The declared type of a value.

    Attributes:
        type: name of the element type; "" if it is not known.
        shape: None: not known.
        kind: "tensor", "sequence", "optional", "map" or "sparse".
    """

    type: str = ""
    shape: tuple[Dimension, ...] | None = None
    kind: str = "tensor"


class AttributeReference(str):
    """An attribute of a function's node that is an attribute of the call, by its name."""

    __slots__ = ()


class OnnxNode(NamedTuple):
    """A node; absent inputs and outputs have the name ""."""

    name: str
    type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Return the name that errors have for it: its type, and its first result or its own."""
        name = next(filter(None, (*self.outputs, self.name)), "")
        return f"{self.type:.80} of {name!r:.80}"


class OnnxGraph(NamedTuple):
    """A graph, or the body of a branch or loop; ``values`` are those with a declared type."""

    name: str
    nodes: Sequence[OnnxNode]
    initializers: Mapping[str, OnnxTensor]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    values: Mapping[str, ValueInfo]


class OnnxFunction(NamedTuple):
    """A function of the file, which nodes call by its domain and name."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    nodes: Sequence[OnnxNode]
    opsets: Mapping[str, int]


class OnnxModel(NamedTuple):
    """A file.

    Attributes:
        graph: what it computes.
        opsets: version of the operators by domain; "" is ONNX's own.
        functions: by domain and name.
        metadata: texts by key.
        producer: the program that wrote it.
    """

    graph: OnnxGraph
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str], OnnxFunction]
    metadata: Mapping[str, str]
    producer: str

    @property
    def has_weights_apart(self) -> bool:
        """Whether weights are initializers alone, and Constant nodes numbers of a computation."""
        return bool(self.graph.initializers) or self.producer.startswith(PRODUCER)


def read_model(proto: Message, tensors: TensorReader) -> OnnxModel:
    """Return the content of a ModelProto.

    Raises:
        CoreError: it has no graph, or is damaged.
    """
    opsets = _opsets(proto, 8)
    if 7 not in proto or not opsets:
        raise CoreError("it has no graph or no opset: is it an ONNX model?")
    reader = _ContentReader(tensors)
    functions = {
        (each.text(10), each.text(1)): reader.function(each, opsets) for each in proto.messages(25)
    }
    metadata = {entry.text(1): entry.text(2) for entry in proto.messages(14)}
    producer = f"{proto.text(2)} {proto.text(3)}".strip()
    return OnnxModel(reader.graph(proto.message(7)), opsets, functions, metadata, producer)


def _opsets(proto: Message, field: int) -> dict[str, int]:
    return {_domain(each.text(1)): each.integer(2) for each in proto.messages(field)}


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


class _ContentReader:
    """Reads graphs, and the graphs in the attributes of their nodes."""

    def __init__(self, tensors: TensorReader):
        self._tensors = tensors

    def graph(self, proto: Message) -> OnnxGraph:
        """Return the content of a GraphProto."""
        initializers = {each.text(8): self._tensors.read(each) for each in proto.messages(5)}
        for each in proto.messages(15):
            initializers[each.message(1).text(8)] = self._tensors.sparse(each)
        ends = [[(each.text(1), _value(each)) for each in proto.messages(n)] for n in (11, 12, 13)]
        return OnnxGraph(
            name=proto.text(2),
            nodes=self._nodes(proto, 1),
            initializers=initializers,
            inputs=tuple(name for name, _ in ends[0]),
            outputs=tuple(name for name, _ in ends[1]),
            values={name: value for each in ends for name, value in each},
        )

    def function(self, proto: Message, opsets: Mapping[str, int]) -> OnnxFunction:
        """Return the content of a FunctionProto."""
        defaults = dict(map(self._attribute, proto.messages(11)))
        return OnnxFunction(
            inputs=tuple(proto.texts(4)),
            outputs=tuple(proto.texts(5)),
            attributes={**dict.fromkeys(proto.texts(6)), **defaults},
            nodes=self._nodes(proto, 7),
            opsets={**opsets, **_opsets(proto, 9)},
        )

    def _nodes(self, proto: Message, field: int) -> list[OnnxNode]:
        spend(NODE_BYTES * len(proto.blobs(field)), "its nodes")
        return [self._node(each) for each in proto.messages(field)]

    def _node(self, proto: Message) -> OnnxNode:
        check_time()
        node = OnnxNode(
            name=proto.text(3),
            type=proto.text(4),
            domain=_domain(proto.text(7)),
            inputs=tuple(proto.texts(1)),
            outputs=tuple(proto.texts(2)),
            attributes={},
        )
        try:
            return node._replace(attributes=dict(map(self._attribute, proto.messages(5))))
        except CoreError as error:
            raise CoreError(f"{node.label}: {error}") from error

    def _attribute(self, proto: Message) -> tuple[str, Any]:
        """Return name and value of an attribute."""
        name, kind = proto.text(1), proto.integer(20)
        if 21 in proto:
            return name, AttributeReference(proto.text(21))
        if kind not in _ATTRIBUTES:
            kind = next((k for k, (field, _) in _ATTRIBUTES.items() if field in proto), 0)
        if not kind:
            raise CoreError(f"the attribute {name!r:.80} has no value of a known type")
        field, read = _ATTRIBUTES[kind]
        return name, read(self, proto, field)

    def tensor(self, proto: Message) -> OnnxTensor:
        """Return a tensor that is an attribute."""
        return self._tensors.read(proto)

    def sparse(self, proto: Message) -> OnnxTensor:
        """Return a sparse tensor that is an attribute."""
        return self._tensors.sparse(proto)


def _value(proto: Message) -> ValueInfo:
    """Return the type in a ValueInfoProto."""
    return _type(proto.message(2))


def _type(proto: Message) -> ValueInfo:
    """Return the type of a TypeProto; of a sequence or optional that of its elements."""
    for field, kind in _KINDS.items():
        if field in proto:
            inner = proto.message(field)
            if kind in ("sequence", "optional"):
                return _type(inner.message(1))._replace(kind=kind)
            if kind == "map":
                return ValueInfo(kind=kind)
            number = inner.integer(1)
            shape = _shape(inner.message(2)) if 2 in inner else None
            return ValueInfo(element_type(number).name if number else "", shape, kind)
    return ValueInfo()


def _shape(proto: Message) -> tuple[Dimension, ...]:
    if len(proto.blobs(1)) > MOST_AXES:
        raise CoreError(f"a shape has {len(proto.blobs(1))} axes, more than {MOST_AXES}")
    return tuple(map(_dimension, proto.messages(1)))


def _dimension(proto: Message) -> Dimension:
    """Return a length, or the name of one; exporters write -1, too, for any."""
    length = proto.integer(1)
    return length if 1 in proto and length >= 0 else proto.text(2) or None


_KINDS = {1: "tensor", 4: "sequence", 5: "map", 8: "sparse", 9: "optional"}

#: Field and reading of an attribute by the number of its type.
_ATTRIBUTES: dict[int, tuple[int, Callable[[_ContentReader, Message, int], Any]]] = {
    1: (2, lambda _, proto, field: _float(proto, field)),
    2: (3, lambda _, proto, field: proto.integer(field)),
    3: (4, lambda _, proto, field: _text(proto.blob(field))),
    4: (5, lambda reader, proto, field: reader.tensor(proto.message(field))),
    5: (6, lambda reader, proto, field: reader.graph(proto.message(field))),
    6: (7, lambda _, proto, field: proto.floats(field).tolist()),
    7: (8, lambda _, proto, field: proto.integers(field).tolist()),
    8: (9, lambda _, proto, field: [_text(each) for each in proto.blobs(field)]),
    9: (10, lambda reader, proto, field: [reader.tensor(e) for e in proto.messages(field)]),
    11: (22, lambda reader, proto, field: reader.sparse(proto.message(field))),
    13: (14, lambda _, proto, field: _type(proto.message(field))),
}


def _float(proto: Message, field: int) -> float:
    found = proto.floats(field)
    return float(found[-1]) if len(found) else 0.0


def _text(blob: memoryview) -> str | bytes:
    """Return a text, or bytes if they are not UTF-8."""
    try:
        return str(blob, "utf-8")
    except UnicodeDecodeError:
        return bytes(blob)

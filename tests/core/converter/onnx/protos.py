"""Messages of ONNX files, written field by field without ``onnx``: onnx.proto has the numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.graph.node_types.onnx.type_table import NUMBERS
from tests.core.converter.fuzz.protobuf import field


class Body(NamedTuple):
    """An attribute that is a graph."""

    proto: bytes


class OfCall(NamedTuple):
    """An attribute of a function's node that is an attribute of the call."""

    name: str


def tensor(array: Any, name: str = "", kind: str = "") -> bytes:
    """A TensorProto with raw bytes, of the array's own dtype or of bits of a type."""
    array = np.asarray(array)
    head = head_of(array.shape, kind or array.dtype.name, name)
    return head + field(9, array.astype(array.dtype.newbyteorder("<")).tobytes())


def head_of(shape: Sequence[int], kind: str, name: str = "") -> bytes:
    """A TensorProto without values."""
    return b"".join(field(1, n) for n in shape) + field(2, NUMBERS[kind]) + field(8, name)


def external(shape: Sequence[int], kind: str, name: str = "", **facts: object) -> bytes:
    """A TensorProto whose bytes are in another file."""
    entries = [field(13, field(1, key) + field(2, str(value))) for key, value in facts.items()]
    return head_of(shape, kind, name) + b"".join(entries) + field(14, 1)


def value(name: str, shape: Sequence[int | str] | None = None, kind: str = "float32") -> bytes:
    """A ValueInfoProto; lengths are numbers, or names."""
    lengths = [field(1, field(1 if isinstance(n, int) else 2, n)) for n in shape or ()]
    form = b"" if shape is None else field(2, b"".join(lengths))
    return field(1, name) + field(2, field(1, field(1, NUMBERS[kind]) + form))


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any
) -> bytes:
    """A NodeProto."""
    ends = [field(1, name) for name in inputs] + [field(2, name) for name in outputs]
    held = [field(5, attribute(name, each)) for name, each in attributes.items()]
    return b"".join(ends) + field(3, f"the {op}") + field(4, op) + b"".join(held) + field(7, domain)


def attribute(name: str, given: Any) -> bytes:
    """An AttributeProto of a number, text, list of these, array or graph."""
    head = field(1, name)
    if isinstance(given, OfCall):
        return head + field(21, given.name)
    if isinstance(given, Body):
        return head + field(6, given.proto) + field(20, 5)
    if isinstance(given, (list, tuple)):
        number, kind = (7, 6) if given and isinstance(given[0], float) else (8, 7)
        if given and isinstance(given[0], str):
            number, kind = 9, 8
        return head + b"".join(field(number, each) for each in given) + field(20, kind)
    if isinstance(given, np.ndarray):
        return head + field(5, tensor(given)) + field(20, 4)
    number = {float: 2, int: 3, str: 4}[type(given)]
    return head + field(number, given) + field(20, number - 1)


def graph(
    nodes: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    tensors: Sequence[bytes] = (),
    sparse: Sequence[bytes] = (),
) -> bytes:
    """A GraphProto."""
    fields = {1: nodes, 5: tensors, 11: inputs, 12: outputs, 15: sparse}
    named = field(2, "main")
    return named + b"".join(field(number, each) for number, of in fields.items() for each in of)


def function(
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    nodes: Sequence[bytes],
    attributes: Sequence[str] = (),
    defaults: Mapping[str, Any] | None = None,
) -> bytes:
    """A FunctionProto of the domain "own"."""
    texts = {4: inputs, 5: outputs, 6: attributes}
    said = field(1, name) + field(10, "own") + field(9, opset("", 17))
    said += b"".join(field(number, each) for number, of in texts.items() for each in of)
    said += b"".join(field(11, attribute(*item)) for item in (defaults or {}).items())
    return said + b"".join(field(7, each) for each in nodes)


def opset(domain: str, version: int) -> bytes:
    """An OperatorSetIdProto."""
    return field(1, domain) + field(2, version)


def model(
    of: bytes,
    opsets: Mapping[str, int] | None = None,
    functions: Sequence[bytes] = (),
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    """A ModelProto."""
    versions = {"": 17} if opsets is None else opsets
    return (
        field(1, 8)
        + field(7, of)
        + b"".join(field(8, opset(*item)) for item in versions.items())
        + b"".join(field(14, field(1, k) + field(2, v)) for k, v in (metadata or {}).items())
        + b"".join(field(25, each) for each in functions)
    )


def simple(nodes: Sequence[bytes], tensors: Sequence[bytes] = (), **options: Any) -> bytes:
    """A ModelProto of one input x of two floats and one output y."""
    main = graph(nodes, [value("x", (2,))], [value("y")], tensors)
    return model(main, **options)


def write(folder: Path, data: bytes, name: str = "model.onnx") -> Path:
    """Write a file into a folder; its path."""
    path = folder / name
    path.write_bytes(data)
    return path

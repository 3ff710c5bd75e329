"""GraphDef documents as protocol buffers: just what small files need.

Field numbers are those of TensorFlow's graph.proto, function.proto and saved_model.proto.
"""

import base64
import struct
from collections.abc import Mapping
from typing import Any

from core.graph.attributes import data_type

#: TensorFlow's numbers of dtypes by name.
TYPES = {str(data_type(number)): number for number in range(1, 24)}


def varint(number: int) -> bytes:
    """A whole number, 7 bits a byte; negative ones are taken as 64 bits."""
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number: int, value: int | float | str | bytes) -> bytes:
    """One field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def entry(number: int, key: str, value: bytes) -> bytes:
    """One entry of a map."""
    return field(number, field(1, key) + field(2, value))


def graph_def(document: Mapping[str, Any], tensors: Mapping[str, bytes]) -> bytes:
    """A GraphDef; ``tensors`` are the TensorProtos of its Const nodes by name."""
    nodes = b"".join(field(1, node_def(node, tensors)) for node in document["node"])
    functions = document.get("library", {}).get("function", ())
    library = b"".join(field(1, function_def(f, tensors)) for f in functions)
    return nodes + field(2, library)


def node_def(document: Mapping[str, Any], tensors: Mapping[str, bytes]) -> bytes:
    """A NodeDef."""
    name = document["name"]
    inputs = b"".join(field(3, i) for i in document.get("input", ()))
    attributes = {k: attr_value(v) for k, v in document.get("attr", {}).items() if k != "value"}
    if name in tensors:
        attributes["value"] = field(8, tensors[name])
    mapped = b"".join(entry(5, key, value) for key, value in attributes.items())
    return field(1, name) + field(2, document["op"]) + inputs + mapped


def attr_value(document: Mapping[str, Any]) -> bytes:
    """An AttrValue."""
    if not document:
        return b""
    ((kind, value),) = document.items()
    if kind == "list":
        return field(1, b"".join(attr_value({k: v}) for k, vs in value.items() for v in vs))
    number, data = {
        "s": lambda: (2, base64.b64decode(value)),
        "i": lambda: (3, int(value)),
        "f": lambda: (4, float(value)),
        "b": lambda: (5, int(value)),
        "type": lambda: (6, TYPES[value]),
        "shape": lambda: (7, shape_of(value)),
        "func": lambda: (10, field(1, value["name"])),
    }[kind]()
    return field(number, data)


def shape_of(document: Mapping[str, Any]) -> bytes:
    """A TensorShapeProto of a document, of any rank where that says so."""
    if document.get("unknownRank"):
        return field(3, 1)
    return shape([int(d["size"]) for d in document.get("dim", ())])


def shape(lengths: list[int]) -> bytes:
    """A TensorShapeProto."""
    return b"".join(field(2, field(1, length)) for length in lengths)


def tensor(dtype: str, lengths: list[int], content: bytes) -> bytes:
    """A TensorProto."""
    return field(1, TYPES[dtype]) + field(2, shape(lengths)) + field(4, content)


def function_def(document: Mapping[str, Any], tensors: Mapping[str, bytes]) -> bytes:
    """A FunctionDef."""
    signature = document["signature"]
    arguments = b"".join(
        field(number, field(1, a["name"]) + field(3, TYPES[a["type"]]))
        for number, key in ((2, "inputArg"), (3, "outputArg"))
        for a in signature.get(key, ())
    )
    nodes = b"".join(field(3, node_def(node, tensors)) for node in document.get("nodeDef", ()))
    returned = b"".join(
        entry(4, key, value.encode()) for key, value in document.get("ret", {}).items()
    )
    return field(1, field(1, signature["name"]) + arguments) + nodes + returned

"""ONNX files as protocol buffers: just what small networks need.

Field numbers are those of ONNX's onnx.proto.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.core.converter.fuzz.protobuf import field

_FLOAT, _INT64 = 1, 7
_TYPES = {"float32": _FLOAT, "uint8": 2, "int32": 6, "int64": _INT64}


class OnnxNode(NamedTuple):
    """A node with its attributes: numbers, texts, lists of integers."""

    type: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Any] = {}


def write_onnx(
    path: Path,
    nodes: Sequence[OnnxNode],
    arrays: Mapping[str, np.ndarray],
    inputs: Mapping[str, Sequence[int | str]],
    outputs: Mapping[str, Sequence[int | str]],
    metadata: Mapping[str, str] | None = None,
    dtype: str = "float32",
) -> Path:
    """Write a file of opset 17; lengths of axes that are texts are free."""
    graph = b"".join(field(1, _node(node)) for node in nodes) + field(2, "graph")
    graph += b"".join(field(5, _tensor(name, array)) for name, array in arrays.items())
    graph += b"".join(field(11, _value(name, shape, dtype)) for name, shape in inputs.items())
    graph += b"".join(field(12, _value(name, shape, "float32")) for name, shape in outputs.items())
    content = field(1, 8) + field(2, "tests") + field(7, graph) + field(8, field(2, 17))
    content += b"".join(
        field(14, field(1, key) + field(2, text)) for key, text in (metadata or {}).items()
    )
    path.write_bytes(content)
    return path


def _node(node: OnnxNode) -> bytes:
    ends = b"".join(field(1, name) for name in node.inputs)
    ends += b"".join(field(2, name) for name in node.outputs)
    attributes = b"".join(field(5, _attribute(*item)) for item in node.attributes.items())
    return ends + field(3, node.outputs[0]) + field(4, node.type) + attributes


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return field(1, name) + b"".join(field(8, n) for n in value) + field(20, 7)


def _tensor(name: str, array: np.ndarray) -> bytes:
    shape = b"".join(field(1, n) for n in array.shape)
    return shape + field(2, _TYPES[array.dtype.name]) + field(8, name) + field(9, array.tobytes())


def _value(name: str, shape: Sequence[int | str], dtype: str) -> bytes:
    axes = b"".join(field(1, field(2 if isinstance(n, str) else 1, n)) for n in shape)
    return field(1, name) + field(2, field(1, field(1, _TYPES[dtype]) + field(2, axes)))

"""Writer of graphs as TensorFlow.js's ``model.json``, the inverse of `graph_json_reader`."""

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.engine.dtypes import dtype_of
from core.errors import CoreError
from core.graph.graph_json_reader import DTYPES
from core.graph.nodes import (
    DataType,
    Endpoint,
    Function,
    FunctionName,
    Graph,
    Node,
    PartialShape,
    PartialSpec,
)

#: TensorFlow's names of tensor dtypes.
DATA_TYPES = {
    "float32": "DT_FLOAT",
    "int32": "DT_INT32",
    "bool": "DT_BOOL",
    "string": "DT_STRING",
    "complex64": "DT_COMPLEX64",
    "resource": "DT_RESOURCE",
}


def graph_document(graph: Graph) -> dict[str, Any]:
    """The GraphDef document of a graph: its nodes, and its functions.

    Constants have dtype and shape; their values lie in the shards. Inputs have their specs.

    Raises:
        CoreError: a name or an attribute cannot be written.
    """
    fed = {endpoint.node: endpoint.spec for endpoint in graph.inputs.values()}
    functions = [_function(f, graph.weights) for f in graph.functions.values()]
    return {
        "node": [_node(node, graph.weights, fed) for node in graph.nodes],
        "library": {"function": functions} if functions else {},
        "versions": {},
    }


def signature_document(graph: Graph) -> dict[str, Any]:
    """The inputs and outputs of a graph by public name, with node, dtype and shape.

    An input that the initializer gives has the number of the initializer's output; see
    `initializer_signature`.
    """
    numbers = _resource_numbers(graph)
    given = {node: _resource(node, numbers[output]) for node, output in graph.resources.items()}
    return {
        "inputs": {name: _endpoint(e) for name, e in graph.inputs.items()} | given,
        "outputs": {name: _endpoint(e) for name, e in graph.outputs.items()},
    }


def initializer_signature(graph: Graph) -> dict[str, Any] | None:
    """The outputs of a graph's initializer, by numbers; None without outputs."""
    numbers = _resource_numbers(graph)
    if graph.initializer is None or not numbers:
        return None
    outputs = graph.initializer.outputs
    return {"outputs": {n: _resource(outputs[n].node, i) for n, i in numbers.items()}}


def _resource_numbers(graph: Graph) -> dict[str, int]:
    return {name: i for i, name in enumerate(dict.fromkeys(graph.resources.values()), 1)}


def _resource(reference: str, number: int) -> dict[str, Any]:
    info = {"name": _indexed(reference), "dtype": "DT_RESOURCE", "tensorShape": {}}
    return info | {"resourceId": number}


def _endpoint(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": _indexed(endpoint.node),
        "dtype": data_type(endpoint.spec.dtype),
        "tensorShape": _shape(endpoint.spec.shape),
    }


def _indexed(reference: str) -> str:
    return reference if ":" in reference else f"{reference}:0"


def data_type(dtype: str) -> DataType:
    """TensorFlow's name of a tensor dtype."""
    if dtype not in DATA_TYPES:
        raise CoreError(f"TensorFlow.js has no dtype {dtype!r}, only {list(DATA_TYPES)}")
    return DataType(DATA_TYPES[dtype])


def _node(
    node: Node, weights: Mapping[str, np.ndarray], fed: Mapping[str, PartialSpec]
) -> dict[str, Any]:
    if ":" in node.name or node.name.startswith("^"):
        raise CoreError(f"the node {node.name!r} has a name that cannot be referred to")
    attributes = {
        name: write_attribute(value, f"{name} of the node {node.name!r}")
        for name, value in _full_attributes(node, weights, fed).items()
    }
    if node.type == "Const":
        attributes["value"] = _constant(node, weights)
    document: dict[str, Any] = {"name": node.name, "op": node.type}
    if node.inputs:
        document["input"] = list(node.inputs)
    return document | ({"attr": attributes} if attributes else {})


def _full_attributes(
    node: Node, weights: Mapping[str, np.ndarray], fed: Mapping[str, PartialSpec]
) -> dict[str, Any]:
    """Return a node's attributes; inputs get their dtype and shape."""
    if node.type == "Const":
        if node.name not in weights:
            raise CoreError(f"the constant {node.name!r} has no value")
        return {"dtype": _declared(node, dtype_of(weights[node.name]))}
    attributes = dict(node.attributes)
    if node.name in fed:
        spec = fed[node.name]
        shape = None if spec.shape is None else PartialShape(spec.shape)
        attributes |= {"dtype": _declared(node, spec.dtype), "shape": shape}
    return attributes


def _declared(node: Node, dtype: str) -> DataType:
    """Return the dtype that a node declares, if it represents the given one, such as DT_UINT8."""
    named = node.attributes.get("dtype")
    if isinstance(named, str) and DTYPES.get(named) == dtype:
        return DataType(named)
    return data_type(dtype)


def _constant(node: Node, weights: Mapping[str, np.ndarray]) -> dict[str, Any]:
    array = weights[node.name]
    dtype = _declared(node, dtype_of(array))
    return {"tensor": {"dtype": dtype, "tensorShape": _shape(array.shape)}}


def _function(function: Function, weights: Mapping[str, np.ndarray]) -> dict[str, Any]:
    results = [f"result_{i}" for i in range(len(function.outputs))]
    return {
        "signature": {
            "name": function.name,
            "inputArg": [{"name": name} for name in function.inputs],
            "outputArg": [{"name": name} for name in results],
        },
        "nodeDef": [_node(node, weights, {}) for node in function.nodes],
        "ret": dict(zip(results, map(_indexed, function.outputs), strict=True)),
    }


def write_attribute(value: Any, where: str = "an attribute") -> dict[str, Any]:
    """The AttrValue document of a value.

    >>> write_attribute([1, 2]), write_attribute("SAME")
    ({'list': {'i': ['1', '2']}}, {'s': 'U0FNRQ=='})
    """
    if isinstance(value, (list, tuple)) and not isinstance(value, PartialShape):
        return {"list": _list(value, where)}
    kind, document = _written(value, where)
    return {kind: document}


def _list(values: Sequence[Any], where: str) -> dict[str, Any]:
    written = [_written(value, where) for value in values]
    kinds = {kind for kind, _ in written}
    if kinds == {"i", "f"}:
        return {"f": [_float(float(value)) for value in values]}
    if len(kinds) > 1:
        raise CoreError(f"{where} mixes values of several kinds: {values!r:.80}")
    return {kind: [document for _, document in written] for kind in kinds}


def _written(value: Any, where: str) -> tuple[str, Any]:
    """Return the kind of an AttrValue and its content; integers are texts, as in protobuf."""
    if value is None or isinstance(value, PartialShape):
        return "shape", _shape(value)
    if isinstance(value, DataType) or (isinstance(value, str) and value in DTYPES):
        return "type", str(value)
    if isinstance(value, FunctionName):
        return "func", {"name": str(value)}
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        return "s", base64.b64encode(data).decode()
    if isinstance(value, (bool, np.bool_)):
        return "b", bool(value)
    if isinstance(value, (int, np.integer)):
        return "i", str(int(value))
    if isinstance(value, (float, np.floating)):
        return "f", _float(float(value))
    raise CoreError(f"{where} is a {type(value).__name__}, which the web format cannot hold")


def _float(value: float) -> float | str:
    """Return a number; as text if JSON has none."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _shape(shape: Sequence[int | None] | None) -> dict[str, Any]:
    if shape is None:
        return {"unknownRank": True}
    sizes = [{"size": str(-1 if n is None else n)} for n in shape]
    return {"dim": sizes} if sizes else {}

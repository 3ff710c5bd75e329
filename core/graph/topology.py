"""The topology of TensorFlow.js's ``model.json``, a GraphDef written as JSON, and its signature."""

import base64
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import numpy as np

from core.errors import CoreError
from core.graph.nodes import (
    FILLING_TYPES,
    DataType,
    Endpoint,
    Function,
    FunctionName,
    Graph,
    Node,
    PartialShape,
    PartialSpec,
    node_of,
)

#: TensorFlow's dtypes and ours; as in TensorFlow.js, whole numbers are int32.
DTYPES = {
    "DT_FLOAT": "float32",
    "DT_HALF": "float32",
    "DT_DOUBLE": "float32",
    "DT_BFLOAT16": "float32",
    "DT_INT8": "int32",
    "DT_UINT8": "int32",
    "DT_INT16": "int32",
    "DT_UINT16": "int32",
    "DT_INT32": "int32",
    "DT_INT64": "int32",
    "DT_BOOL": "bool",
    "DT_STRING": "string",
    "DT_COMPLEX64": "complex64",
    "DT_COMPLEX128": "complex64",
}

#: The dtypes in the order of TensorFlow's numbers, which some documents write instead of names.
_NUMBERED = (
    "DT_INVALID",
    "DT_FLOAT",
    "DT_DOUBLE",
    "DT_INT32",
    "DT_UINT8",
    "DT_INT16",
    "DT_INT8",
    "DT_STRING",
    "DT_COMPLEX64",
    "DT_INT64",
    "DT_BOOL",
    "DT_QINT8",
    "DT_QUINT8",
    "DT_QINT32",
    "DT_BFLOAT16",
    "DT_QINT16",
    "DT_QUINT16",
    "DT_UINT16",
    "DT_COMPLEX128",
    "DT_HALF",
    "DT_RESOURCE",
    "DT_VARIANT",
    "DT_UINT32",
    "DT_UINT64",
)


def dtype_of_type(data_type: Any) -> str:
    """Our name of TensorFlow's dtype.

    >>> dtype_of_type("DT_UINT8")
    'int32'
    """
    if data_type not in DTYPES:
        raise CoreError(f"no tensor dtype for TensorFlow's {data_type!r}: known are {list(DTYPES)}")
    return DTYPES[data_type]


def read_graph_document(topology: Any, signature: Any, weights: Mapping[str, np.ndarray]) -> Graph:
    """The graph of a GraphDef document: nodes, functions, and what goes in and out.

    Args:
        topology: the GraphDef.
        signature: names of inputs and outputs, or None.
        weights: arrays by name of node.

    Raises:
        CoreError: a document has not the form that it should have.
    """
    topology = _dict(topology, "the topology")
    nodes = read_nodes(topology.get("node"))
    inputs, outputs, resources = read_signature(nodes, signature)
    functions = read_functions(topology.get("library"))
    return Graph(nodes, weights, inputs, outputs, functions, resources=resources)


def read_initializer(
    graph: Graph, topology: Any, signature: Any, weights: Mapping[str, np.ndarray]
) -> Graph:
    """The same graph with the one that runs before its first use, and fills its hash tables.

    The results of the initializer reach inputs of the graph by a number that both signatures have.

    Args:
        graph: of the model, whose ``resources`` are these numbers.
        topology: the initializer's GraphDef.
        signature: that of the initializer, or None.
        weights: arrays by name of node, for both graphs.
    """
    initializer = read_graph_document(topology, None, weights)
    given = _dict(_dict(signature or {}, "the signature").get("outputs") or {}, "its outputs")
    if given:
        outputs = {_public(name): _resource(name, info) for name, info in given.items()}
    else:
        outputs = _last_steps(initializer.nodes)
    by_number = {str(info.get("resourceId")): _public(name) for name, info in given.items()}
    missing = [node for node, number in graph.resources.items() if number not in by_number]
    if missing:
        raise CoreError(f"the initializer gives nothing for these inputs: {', '.join(missing)}")
    return graph._replace(
        initializer=initializer._replace(outputs=outputs),
        resources={node: by_number[number] for node, number in graph.resources.items()},
    )


def _resource(name: str, info: Any) -> Endpoint:
    info = _dict(info, f"{name!r} of the signature")
    return Endpoint(_public(_text(info.get("name", name), name)), PartialSpec(None, "resource"))


def _last_steps(nodes: Sequence[Node]) -> dict[str, Endpoint]:
    """What an initializer does at last: nodes that at most a NoOp waits for."""
    steps = [node for node in nodes if node.type != "NoOp"]
    return _leaves(steps)


def read_nodes(document: Any) -> list[Node]:
    """The nodes of a GraphDef's list of nodes.

    Raises:
        CoreError: the document has not the form of a GraphDef.
    """
    return [_node(node) for node in _list(document, "the nodes of the topology")]


def read_functions(library: Any) -> dict[str, Function]:
    """The functions of a GraphDef's library, by name."""
    found = {}
    for document in _list(_dict(library or {}, "the library").get("function"), "the functions"):
        function = _function(_dict(document, "a function"))
        found[function.name] = function
    return found


def read_signature(
    nodes: Sequence[Node], signature: Any
) -> tuple[dict[str, Endpoint], dict[str, Endpoint], dict[str, str]]:
    """What goes in and out of a graph, by public name, and the inputs that are resources.

    Without a signature these are the placeholders and the nodes that no other one needs. Names are
    the signature's keys, else the nodes', without a trailing ``:0``. A resource is an input that
    the model's initializer gives: node → the resource's id, in the third dict.
    """
    signature = _dict(signature or {}, "the signature")
    inputs = _dict(signature.get("inputs") or {}, "the inputs of the signature")
    resources = {
        _public(_text(info.get("name"), "an input")): str(info["resourceId"])
        for info in inputs.values()
        if _dict(info, "an input of the signature").get("resourceId") is not None
    }
    taken = {n: i for n, i in inputs.items() if i.get("resourceId") is None}
    given = _dict(signature.get("outputs") or {}, "the outputs of the signature")
    return (
        _endpoints(taken) or _placeholders(nodes, resources),
        _endpoints(given) or _leaves(nodes, FILLING_TYPES),
        resources,
    )


def _endpoints(infos: Mapping[str, Any]) -> dict[str, Endpoint]:
    return {_public(name): _endpoint(name, info) for name, info in infos.items()}


def _endpoint(name: str, info: Any) -> Endpoint:
    info = _dict(info, f"{name!r} of the signature")
    reference = _public(_text(info.get("name", name), f"the name of {name!r}"))
    shape = info.get("tensorShape")
    spec = PartialSpec(
        read_shape(shape) if shape else None,
        dtype_of_type(_data_type(info.get("dtype", "DT_FLOAT"))),
    )
    return Endpoint(reference, spec)


def _placeholders(nodes: Sequence[Node], resources: Mapping[str, str]) -> dict[str, Endpoint]:
    return {
        node.name: Endpoint(node.name, _declared_spec(node))
        for node in nodes
        if node.type == "Placeholder" and node.name not in resources
    }


def _declared_spec(node: Node) -> PartialSpec:
    shape = node.attributes.get("shape")
    return PartialSpec(
        tuple(shape) if isinstance(shape, PartialShape) else None,
        DTYPES.get(node.attributes.get("dtype", "DT_FLOAT"), "float32"),
    )


def _leaves(nodes: Sequence[Node], skipped: Container[str] = ()) -> dict[str, Endpoint]:
    """Nodes that no other one needs, and that compute something."""
    used = {node_of(reference) for node in nodes for reference in node.inputs}
    computing = [n for n in nodes if n.type not in ("Const", "NoOp", "Placeholder")]
    leaves = [n.name for n in computing if n.name not in used and n.type not in skipped]
    return {name: Endpoint(name, PartialSpec(None)) for name in leaves}


def _public(name: str) -> str:
    return name.removesuffix(":0")


def _node(document: Any) -> Node:
    document = _dict(document, "a node")
    name = _text(document.get("name"), "the name of a node")
    where = f"the node {name!r}"
    if ":" in name or name.startswith("^"):
        raise CoreError(f"{where} has a name that cannot be referred to")
    inputs = tuple(_text(i, f"an input of {where}") for i in _list(document.get("input"), where))
    attributes = _dict(document.get("attr") or {}, f"the attributes of {where}")
    return Node(
        name,
        _text(document.get("op"), f"the op of {where}"),
        inputs,
        {key: read_attribute(value, f"{key} of {where}") for key, value in attributes.items()},
    )


def _function(document: Mapping[str, Any]) -> Function:
    signature = _dict(document.get("signature"), "the signature of a function")
    name = _text(signature.get("name"), "the name of a function")
    arguments, results = (
        [_text(_dict(a, key).get("name"), key) for a in _list(signature.get(key), key)]
        for key in ("inputArg", "outputArg")
    )
    returned = _dict(document.get("ret") or {}, f"what the function {name!r} returns")
    missing = [result for result in results if result not in returned]
    if missing:
        raise CoreError(f"the function {name!r} returns nothing for {', '.join(missing)}")
    outputs = tuple(_text(returned[r], f"what {name!r} returns") for r in results)
    return Function(name, read_nodes(document.get("nodeDef")), tuple(arguments), outputs)


def read_attribute(document: Any, where: str = "an attribute") -> Any:
    """The value of an AttrValue document; None if it holds nothing."""
    document = _dict(document, where)
    for kind, value in document.items():
        if kind == "list":
            return _attribute_list(value, where)
        if kind in _READERS:
            try:
                return _READERS[kind](value)
            except (TypeError, ValueError, LookupError, OverflowError) as error:
                raise CoreError(f"{where}: {value!r:.80} is no value of kind {kind!r}") from error
    return None


def _attribute_list(document: Any, where: str) -> list[Any]:
    for kind, values in _dict(document or {}, where).items():
        if kind in _READERS and values:
            return [read_attribute({kind: value}, where) for value in _list(values, where)]
    return []


def _data_type(value: Any) -> DataType:
    if isinstance(value, int):
        value = _NUMBERED[value] if 0 <= value < len(_NUMBERED) else f"DT_{value}"
    return DataType(_text(value, "a dtype"))


def _bytes(value: Any) -> str | bytes:
    """Text, or bytes that are no UTF-8; converters of old wrote lists of byte values."""
    data = bytes(value) if isinstance(value, list) else base64.b64decode(value, validate=True)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def read_shape(document: Any) -> PartialShape | None:
    """The shape of a TensorShapeProto document; None if it may have any rank."""
    document = _dict(document or {}, "a shape")
    if document.get("unknownRank"):
        return None
    sizes = [int(_dict(d, "a length of a shape").get("size", 0)) for d in document.get("dim") or ()]
    return PartialShape(None if size < 0 else size for size in sizes)


_READERS: dict[str, Callable[[Any], Any]] = {
    "s": _bytes,
    "i": int,
    "f": float,
    "b": bool,
    "type": _data_type,
    "shape": read_shape,
    "func": lambda value: FunctionName(_text(_dict(value, "a function").get("name"), "its name")),
    "tensor": lambda value: None,  # the values of constants lie in the shards
}


def _dict(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CoreError(f"{what} should be an object, not {value!r:.80}")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, (list, type(None))):
        raise CoreError(f"{what} should be a list, not {value!r:.80}")
    return value or []


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise CoreError(f"{what} should be a text, not {value!r:.80}")
    return value

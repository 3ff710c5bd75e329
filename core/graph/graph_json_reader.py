"""Reader of graphs in TensorFlow.js's ``model.json``: a GraphDef in JSON, and its signature."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from core.errors import CoreError
from core.graph.attributes import data_type, read_attribute, read_shape
from core.graph.json_values import mapping, sequence, text
from core.graph.nodes import (
    FILLING_TYPES,
    Endpoint,
    Function,
    Graph,
    Node,
    PartialShape,
    PartialSpec,
    node_of,
)

#: Tensor dtypes by TensorFlow's; as in TensorFlow.js, integers are int32.
DTYPES = {
    **dict.fromkeys(("DT_FLOAT", "DT_HALF", "DT_DOUBLE", "DT_BFLOAT16"), "float32"),
    **dict.fromkeys(("DT_INT8", "DT_UINT8", "DT_INT16", "DT_UINT16"), "int32"),
    **dict.fromkeys(("DT_INT32", "DT_INT64"), "int32"),
    "DT_BOOL": "bool",
    "DT_STRING": "string",
    **dict.fromkeys(("DT_COMPLEX64", "DT_COMPLEX128"), "complex64"),
}


def dtype_of_type(data_type: Any) -> str:
    """The dtype of a tensor, by TensorFlow's name.

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
    topology = mapping(topology, "the topology")
    nodes = read_nodes(topology.get("node"))
    inputs, outputs, resources = read_signature(nodes, signature)
    functions = read_functions(topology.get("library"))
    return Graph(nodes, weights, inputs, outputs, functions, resources=resources)


def read_initializer(
    graph: Graph, topology: Any, signature: Any, weights: Mapping[str, np.ndarray]
) -> Graph:
    """Return the graph with its initializer, which runs before the first use and fills tables.

    The results of the initializer reach inputs of the graph by a number that both signatures have.

    Args:
        graph: of the model, whose ``resources`` are these numbers.
        topology: the initializer's GraphDef.
        signature: that of the initializer, or None.
        weights: arrays by name of node, for both graphs.
    """
    initializer = read_graph_document(topology, None, weights)
    given = mapping(mapping(signature or {}, "the signature").get("outputs") or {}, "its outputs")
    if given:
        outputs = {_public(name): _resource(name, info) for name, info in given.items()}
    else:  # the last nodes: only a NoOp may wait for them
        outputs = _leaves([node for node in initializer.nodes if node.type != "NoOp"])
    by_number = {str(info.get("resourceId")): _public(name) for name, info in given.items()}
    missing = [node for node, number in graph.resources.items() if number not in by_number]
    if missing:
        raise CoreError(f"the initializer gives nothing for these inputs: {', '.join(missing)}")
    return graph._replace(
        initializer=initializer._replace(outputs=outputs),
        resources={node: by_number[number] for node, number in graph.resources.items()},
    )


def _resource(name: str, info: Any) -> Endpoint:
    info = mapping(info, f"{name!r} of the signature")
    return Endpoint(_public(text(info.get("name", name), name)), PartialSpec(None, "resource"))


def read_nodes(document: Any) -> list[Node]:
    """The nodes of a GraphDef's list of nodes.

    Raises:
        CoreError: the document has not the form of a GraphDef.
    """
    return [_node(node) for node in _list(document, "the nodes of the topology")]


def read_functions(library: Any) -> dict[str, Function]:
    """The functions of a GraphDef's library, by name."""
    documents = _list(mapping(library or {}, "the library").get("function"), "the functions")
    functions = [_function(mapping(document, "a function")) for document in documents]
    return {function.name: function for function in functions}


def read_signature(
    nodes: Sequence[Node], signature: Any
) -> tuple[dict[str, Endpoint], dict[str, Endpoint], dict[str, str]]:
    """The inputs and outputs of a graph, by public name, and the inputs that are resources.

    Without a signature these are the placeholders and the nodes that no other one needs. Names are
    the signature's keys, else the nodes', without a trailing ``:0``. A resource is an input that
    the model's initializer gives: node → the resource's id, in the third dict.

    A length of an input is known if both the signature and the placeholder know it.
    """
    signature = mapping(signature or {}, "the signature")
    inputs = mapping(signature.get("inputs") or {}, "the inputs of the signature")
    resources = {
        _public(text(info.get("name"), "an input")): str(info["resourceId"])
        for info in inputs.values()
        if mapping(info, "an input of the signature").get("resourceId") is not None
    }
    taken = {n: i for n, i in inputs.items() if i.get("resourceId") is None}
    given = mapping(signature.get("outputs") or {}, "the outputs of the signature")
    return (
        loosened(_endpoints(taken), nodes) or _placeholders(nodes, resources),
        _endpoints(given) or _leaves(nodes, FILLING_TYPES),
        resources,
    )


def _endpoints(infos: Mapping[str, Any]) -> dict[str, Endpoint]:
    return {_public(name): _endpoint(name, info) for name, info in infos.items()}


def loosened(inputs: Mapping[str, Endpoint], nodes: Iterable[Node]) -> dict[str, Endpoint]:
    """Return inputs without the lengths that their placeholders leave open: others run, too."""
    shapes = {n.name: declared_spec(n).shape for n in nodes if n.type == "Placeholder"}
    return {name: _loosened(e, shapes.get(e.node)) for name, e in inputs.items()}


def _loosened(endpoint: Endpoint, declared: Sequence[int | None] | None) -> Endpoint:
    shape = endpoint.spec.shape
    if shape is None or declared is None or len(shape) != len(declared):
        return endpoint
    lengths = (None if other is None else n for n, other in zip(shape, declared, strict=True))
    return endpoint._replace(spec=endpoint.spec._replace(shape=tuple(lengths)))


def _endpoint(name: str, info: Any) -> Endpoint:
    info = mapping(info, f"{name!r} of the signature")
    reference = _public(text(info.get("name", name), f"the name of {name!r}"))
    shape = info.get("tensorShape")
    spec = PartialSpec(
        read_shape(shape) if shape else None,
        dtype_of_type(data_type(info.get("dtype", "DT_FLOAT"))),
    )
    return Endpoint(reference, spec)


def _placeholders(nodes: Sequence[Node], resources: Mapping[str, str]) -> dict[str, Endpoint]:
    return {
        node.name: Endpoint(node.name, declared_spec(node))
        for node in nodes
        if node.type == "Placeholder" and node.name not in resources
    }


def declared_spec(node: Node, scalars: bool = True) -> PartialSpec:
    """The spec that a placeholder declares.

    Args:
        node: a placeholder.
        scalars: whether the shape () means one number; in files of old it means any shape.
    """
    shape = node.attributes.get("shape")
    known = isinstance(shape, PartialShape) and (bool(shape) or scalars)
    return PartialSpec(
        tuple(shape) if shape is not None and known else None,
        DTYPES.get(node.attributes.get("dtype", "DT_FLOAT"), "float32"),
    )


def unread(nodes: Sequence[Node], waited_for: bool = True) -> list[Node]:
    """The nodes of which no other one reads anything.

    Args:
        nodes: of a graph.
        waited_for: whether nodes that others just run after count as read.
    """
    inputs = (reference for node in nodes for reference in node.inputs)
    read = {node_of(r) for r in inputs if waited_for or not r.startswith("^")}
    return [node for node in nodes if node.name not in read]


def _leaves(nodes: Sequence[Node], skipped: Iterable[str] = ()) -> dict[str, Endpoint]:
    """Return the nodes that no other node needs, and that compute something."""
    given = {"Const", "NoOp", "Placeholder", *skipped}
    names = [node.name for node in unread(nodes) if node.type not in given]
    return {name: Endpoint(name, PartialSpec(None)) for name in names}


def _public(name: str) -> str:
    return name.removesuffix(":0")


def _node(document: Any) -> Node:
    document = mapping(document, "a node")
    name = text(document.get("name"), "the name of a node")
    where = f"the node {name!r}"
    if ":" in name or name.startswith("^"):
        raise CoreError(f"{where} has a name that cannot be referred to")
    inputs = tuple(text(i, f"an input of {where}") for i in _list(document.get("input"), where))
    attributes = mapping(document.get("attr") or {}, f"the attributes of {where}")
    return Node(
        name,
        text(document.get("op"), f"the op of {where}"),
        inputs,
        {key: read_attribute(value, f"{key} of {where}") for key, value in attributes.items()},
    )


def _function(document: Mapping[str, Any]) -> Function:
    signature = mapping(document.get("signature"), "the signature of a function")
    name = text(signature.get("name"), "the name of a function")
    arguments, results = (
        [text(mapping(a, key).get("name"), key) for a in _list(signature.get(key), key)]
        for key in ("inputArg", "outputArg")
    )
    returned = mapping(document.get("ret") or {}, f"what the function {name!r} returns")
    missing = [result for result in results if result not in returned]
    if missing:
        raise CoreError(f"the function {name!r} returns nothing for {', '.join(missing)}")
    outputs = tuple(text(returned[r], f"what {name!r} returns") for r in results)
    return Function(name, read_nodes(document.get("nodeDef")), tuple(arguments), outputs)


def _list(value: Any, what: str) -> Sequence[Any]:
    """Return a list, which may be absent."""
    return sequence([] if value is None else value, what)

"""Short ways to graphs with loops, branches and functions, for tests."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.graph.graph_json_reader import read_graph_document
from core.graph.nodes import Endpoint, Function, FunctionName, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel

RECORDED = json.loads(Path(__file__).with_name("control_graphs.json").read_text())


def recorded(name: str) -> tuple[GraphModel, list[dict[str, Any]]]:
    """A graph that TensorFlow made, and its runs."""
    document = RECORDED[name]
    weights = {
        key: np.array(value["values"], value["dtype"]).reshape(value["shape"])
        for key, value in document["weights"].items()
    }
    graph = read_graph_document(document["topology"], None, weights)
    outputs = {key: Endpoint(key, PartialSpec(None)) for key in document["outputs"]}
    return GraphModel(graph._replace(outputs=outputs)), document["runs"]


def nodes(text: str, attributes: Mapping[str, Mapping[str, Any]] | None = None) -> list[Node]:
    """Nodes from lines such as ``y = Mul x two ^after``."""
    made = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, kind, *inputs = line.split()
        made.append(Node(name, kind, tuple(inputs), (attributes or {}).get(name, {})))
    return made


def model(
    text: str,
    outputs: str,
    constants: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    functions: Sequence[Function] = (),
    *,
    kernels: Mapping[str, Callable[..., Any]] | None = None,
    **parts: Any,
) -> GraphModel:
    """A model of lines as `nodes` reads them; names of no line are constants or inputs."""
    weights = {name: np.array(value) for name, value in (constants or {}).items()}
    made = nodes(text, attributes)
    placeholders = [n.name for n in made if n.type == "Placeholder"]
    stated = {node.name for node in made}
    made += [Node(name, "Const") for name in weights if name not in stated]
    return GraphModel(
        Graph(
            made,
            weights,
            {n: Endpoint(n, PartialSpec(None, _dtype(attributes, n))) for n in placeholders},
            {name: Endpoint(name, PartialSpec(None)) for name in outputs.split()},
            {function.name: function for function in functions},
            **parts,
        ),
        kernels=kernels,
    )


def _dtype(attributes: Mapping[str, Mapping[str, Any]] | None, name: str) -> str:
    return str((attributes or {}).get(name, {}).get("dtype", "float32"))


def function(name: str, text: str, inputs: str, outputs: str, **attributes: Any) -> Function:
    """The body of a function."""
    return Function(name, nodes(text, attributes), tuple(inputs.split()), tuple(outputs.split()))


def calls(**functions: str) -> dict[str, FunctionName]:
    """Attributes that name functions."""
    return {name: FunctionName(value) for name, value in functions.items()}


def loop(frame: str = "loop", constant: bool = False) -> dict[str, Any]:
    """The attributes of an Enter node."""
    return {"frame_name": frame, "is_constant": constant}

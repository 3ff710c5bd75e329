"""Freezing of a TensorFlow file's nodes to a graph that runs: variables become constants.

Calls are inlined, nodes for training are dropped, and nodes that pass a value on unchanged are
bridged.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.converter.graph_protos import FunctionBody, GraphDef
from core.converter.inlining import Inliner, NameBudget, Scope, Sources
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from core.engine.limits import LimitError
from core.errors import CoreError
from core.graph.nodes import (
    TABLE_TYPES,
    Attributes,
    DataType,
    Function,
    FunctionName,
    Node,
    node_of,
)

#: Node types that hold a variable, or a reference to one.
VARIABLES = frozenset({"VarHandleOp", "VariableV2", "Variable", "AutoReloadVariable"})

#: Node types that hold a hash table.
TABLES = TABLE_TYPES | {"MutableHashTable", "MutableHashTableV2"}

#: Node types that read parts of a variable, with the type that reads a constant; and those whose
#: names have another meaning in TensorFlow.js.
_RENAMED = {
    "LookupTableFind": "LookupTableFindInShape",
    "LookupTableFindV2": "LookupTableFindInShape",
    "ResourceGather": "Gather",
    "ResourceGatherNd": "GatherNd",
    "Select": "SelectRows",
}

#: Defaults of attributes in TensorFlow that differ from TensorFlow.js's.
_DEFAULTS: dict[str, Attributes] = {
    **dict.fromkeys(
        ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"),
        {"epsilon": 1e-4, "is_training": True},
    ),
    "Range": {"Tidx": DataType("DT_INT32")},
    "StaticRegexReplace": {"replace_global": True},
    "TensorArrayV3": {"clear_after_read": True},
}


class Frozen(NamedTuple):
    """A frozen graph.

    Attributes:
        nodes: nodes of the graph.
        weights: values of all Const nodes, including those of functions.
        functions: functions that nodes name in their attributes.
        references: requested reference → reference in the frozen graph.
        tables: original nodes of the hash tables that the graph reads as placeholders.
    """

    nodes: list[Node]
    weights: dict[str, np.ndarray]
    functions: dict[str, Function]
    references: dict[str, str]
    tables: dict[str, Node]


class Freezer:
    """Freezing of a graph and the functions that it names.

    Args:
        graph: the graph that was read.
        budget: budget of memory for constants.
        variable: function from the node of a variable to its value.
    """

    def __init__(
        self, graph: GraphDef, budget: Budget, variable: Callable[[Node], np.ndarray] | None = None
    ):
        self._graph, self._budget, self._variable = graph, budget, variable
        self._weights: dict[str, np.ndarray] = {}
        self._tables: dict[str, Node] = {}
        self._names = NameBudget()

    def freeze(self, fetches: Sequence[str]) -> Frozen:
        """Return the frozen graph for some references.

        Raises:
            CoreError: references are unknown, or constants are damaged or too large.
        """
        inliner = self._inliner(self._graph.body)
        nodes, references = self._frozen(inliner, fetches)
        return Frozen(nodes, self._weights, self._functions(nodes), references, self._tables)

    def _inliner(self, body: FunctionBody) -> Inliner:
        return Inliner(body, self._graph.functions, self._names)

    def _functions(self, nodes: Sequence[Node]) -> dict[str, Function]:
        """Return the functions that nodes name, and the functions that their bodies name."""
        found: dict[str, Function] = {}
        waiting = list(_named_functions(nodes))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._function(name)
                waiting += _named_functions(found[name].nodes)
        return found

    def _function(self, name: str) -> Function:
        """Return a function with names that no other body has."""
        if name not in self._graph.functions:
            raise CoreError(f"the graph has no function {name!r}")
        body = self._graph.functions[name]
        prefix = f"{name}/"
        given = [prefix + argument for argument in body.inputs]
        self._names.take(body, prefix)
        scope = Scope(body, prefix, given, self._graph.functions)
        arguments = [Node(argument, "Placeholder") for argument in given]
        constants = {prefix + key: value for key, value in body.constants.items()}
        inliner = self._inliner(FunctionBody([*arguments, *scope.nodes()], constants))
        fetches = [scope.outer(reference) for reference in body.outputs]
        nodes, references = self._frozen(inliner, fetches)
        inside = [node for node in nodes if node.name not in set(given)]
        return Function(name, inside, tuple(given), tuple(references[r] for r in fetches))

    def _frozen(
        self, inliner: Inliner, fetches: Sequence[str]
    ) -> tuple[list[Node], dict[str, str]]:
        reached = inliner.reachable(fetches)
        _check_unwritten(reached, inliner)
        nodes = {name: self._running(node) for name, node in reached.items()}
        # Control inputs select the branches of TensorFlow 1.
        branches = {i[1:] for node in nodes.values() for i in node.inputs if i.startswith("^")}
        sources = Sources(nodes, stops=branches)
        references = {r: sources.source(inliner.resolved(r)) for r in fetches}
        kept = _remaining(sources, references.values())
        for node in kept:
            if node.type == "Const" and node.name not in self._weights:
                self._weights[node.name] = self._value(reached[node.name], inliner)
        return kept, references

    def _running(self, node: Node) -> Node:
        """Return a node in the form that runs, where variables are constants."""
        if node.type in VARIABLES:
            dtype = node.attributes.get("dtype", DataType("DT_FLOAT"))
            return Node(node.name, "Const", (), {"dtype": dtype, "value": None})
        if node.type in TABLES:
            self._tables[node.name] = node
            return Node(node.name, "Placeholder", (), {"dtype": DataType("DT_RESOURCE")})
        return running_node(node)

    def _value(self, node: Node, inliner: Inliner) -> np.ndarray:
        """Return the value of a Const node, or of a variable that became one."""
        try:
            if node.type == "Const":
                return narrowed(read_tensor(Message(inliner.constants[node.name]), self._budget))
            if self._variable is None:
                raise CoreError(
                    "it is a variable without a value: freeze the graph, or give the SavedModel"
                )
            return narrowed(self._variable(node))
        except LimitError:
            raise
        except (CoreError, ValueError) as error:
            raise CoreError(f"the constant {node.name!r}: {error}") from error


def running_node(node: Node) -> Node:
    """Return a node of TensorFlow as TensorFlow.js means it: its type and defaults may differ."""
    attributes = {**_DEFAULTS.get(node.type, {}), **node.attributes}
    return node._replace(type=_RENAMED.get(node.type, node.type), attributes=attributes)


def _remaining(sources: Sources, fetches: Iterable[str]) -> list[Node]:
    """Return the nodes that references need, in order, with nodes that pass values on bridged."""
    found: dict[str, Node] = {}
    waiting = [node_of(reference) for reference in fetches]
    while waiting:
        name = waiting.pop()
        if name not in found:
            node = sources.nodes[name]
            inputs = [i if i.startswith("^") else sources.source(i) for i in node.inputs]
            found[name] = node._replace(inputs=tuple(inputs))
            waiting += map(node_of, inputs)
    return [found[name] for name in sources.nodes if name in found]


def _named_functions(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the names of functions in the attributes of nodes."""
    for node in nodes:
        for value in node.attributes.values():
            listed = value if isinstance(value, list) else [value]
            yield from (str(name) for name in listed if isinstance(name, FunctionName))


def _check_unwritten(nodes: Mapping[str, Node], inliner: Inliner) -> None:
    """Raise a CoreError if a result depends on a variable that the graph itself writes."""
    writing = [name for name, node in nodes.items() if _writes(node)]
    for node in (node for node in nodes.values() if node.type == "ReadVariableOp"):
        writing += [before.name for before in inliner.before(node.name) if _writes(before)]
    if writing:
        raise CoreError(
            f"results depend on variables that these nodes write: {', '.join(writing[:10])}; "
            f"only graphs with constant variables are supported"
        )


def _writes(node: Node) -> bool:
    return node.type.startswith(("Assign", "ResourceScatter", "ResourceApply", "Scatter")) and (
        node.type not in ("ScatterNd", "ScatterNdNonAliasingAdd")
    )

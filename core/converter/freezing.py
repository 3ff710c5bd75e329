"""From the nodes of a TensorFlow file to a graph that runs: variables become constants.

Calls are inlined, what only training needs is left out, and nodes that pass a value on unchanged
are bridged.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.bounds import LimitError
from core.converter.graph_protos import FunctionBody, GraphDef
from core.converter.inlining import Inliner, NameBudget, Scope
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from core.converter.value_sources import Sources
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

#: Node types that read a variable by parts, and what they are of a constant; and one that
#: TensorFlow.js understands otherwise.
_RENAMED = {"ResourceGather": "Gather", "ResourceGatherNd": "GatherNd", "Select": "SelectRows"}

#: Attributes that TensorFlow leaves out where they have these values; TensorFlow.js's are others.
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
    """Nodes that run, and what belongs to them.

    Attributes:
        nodes: of the graph.
        weights: of all Const nodes, those of functions among them.
        functions: that nodes name in their attributes.
        references: what was wanted → the output that gives it now.
        tables: hash tables that the graph reads, as they were: they are placeholders now.
    """

    nodes: list[Node]
    weights: dict[str, np.ndarray]
    functions: dict[str, Function]
    references: dict[str, str]
    tables: dict[str, Node]


class Freezer:
    """Freezes a graph, and the functions that it names.

    Args:
        graph: as read.
        budget: of the memory that constants may take.
        variable: gives the value of a variable, for its node.
    """

    def __init__(
        self, graph: GraphDef, budget: Budget, variable: Callable[[Node], np.ndarray] | None = None
    ):
        self._graph, self._budget, self._variable = graph, budget, variable
        self._weights: dict[str, np.ndarray] = {}
        self._tables: dict[str, Node] = {}
        self._names = NameBudget()

    def freeze(self, wanted: Sequence[str]) -> Frozen:
        """The nodes that lead to some references.

        Raises:
            CoreError: references lead nowhere, or constants are damaged or too large.
        """
        inliner = self._inliner(self._graph.body)
        nodes, references = self._frozen(inliner, wanted)
        return Frozen(nodes, self._weights, self._functions(nodes), references, self._tables)

    def _inliner(self, body: FunctionBody) -> Inliner:
        return Inliner(body, self._graph.functions, self._names)

    def _functions(self, nodes: Sequence[Node]) -> dict[str, Function]:
        """The functions that nodes name, and those that their bodies name."""
        found: dict[str, Function] = {}
        waiting = list(_named_functions(nodes))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._function(name)
                waiting += _named_functions(found[name].nodes)
        return found

    def _function(self, name: str) -> Function:
        """A function whose names are unlike those of all other bodies."""
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
        wanted = [scope.outer(reference) for reference in body.outputs]
        nodes, references = self._frozen(inliner, wanted)
        inside = [node for node in nodes if node.name not in set(given)]
        return Function(name, inside, tuple(given), tuple(references[r] for r in wanted))

    def _frozen(self, inliner: Inliner, wanted: Sequence[str]) -> tuple[list[Node], dict[str, str]]:
        reached = inliner.reachable(wanted)
        _check_unwritten(reached, inliner)
        nodes = {name: self._running(node) for name, node in reached.items()}
        sources = Sources(nodes, stops=_waited_for(nodes.values()))
        references = {r: sources.source(inliner.resolved(r)) for r in wanted}
        kept = _remaining(sources, references.values())
        for node in kept:
            if node.type == "Const" and node.name not in self._weights:
                self._weights[node.name] = self._value(reached[node.name], inliner)
        return kept, references

    def _running(self, node: Node) -> Node:
        """A node as it runs, once variables are constants."""
        if node.type in VARIABLES:
            dtype = node.attributes.get("dtype", DataType("DT_FLOAT"))
            return Node(node.name, "Const", (), {"dtype": dtype, "value": None})
        if node.type in TABLES:
            self._tables[node.name] = node
            return Node(node.name, "Placeholder", (), {"dtype": DataType("DT_RESOURCE")})
        attributes = {**_DEFAULTS.get(node.type, {}), **node.attributes}
        return node._replace(type=_RENAMED.get(node.type, node.type), attributes=attributes)

    def _value(self, node: Node, inliner: Inliner) -> np.ndarray:
        """The value of a Const node, or of a variable that was made one."""
        try:
            if node.type == "Const":
                return narrowed(read_tensor(Message(inliner.constants[node.name]), self._budget))
            if self._variable is None:
                raise CoreError("it is a variable without a value: the graph is not frozen")
            return narrowed(self._variable(node))
        except LimitError:
            raise
        except (CoreError, ValueError) as error:
            raise CoreError(f"the constant {node.name!r}: {error}") from error


def _waited_for(nodes: Iterable[Node]) -> set[str]:
    """Nodes that others run after: these tell which branch of TensorFlow 1 runs."""
    return {i[1:] for node in nodes for i in node.inputs if i.startswith("^")}


def _remaining(sources: Sources, wanted: Iterable[str]) -> list[Node]:
    """The nodes that lead to references, around those that pass on, in the order they were in."""
    found: dict[str, Node] = {}
    waiting = [node_of(reference) for reference in wanted]
    while waiting:
        name = waiting.pop()
        if name not in found:
            node = sources.nodes[name]
            inputs = [i if i.startswith("^") else sources.source(i) for i in node.inputs]
            found[name] = node._replace(inputs=tuple(inputs))
            waiting += map(node_of, inputs)
    return [found[name] for name in sources.nodes if name in found]


def _named_functions(nodes: Sequence[Node]) -> Iterator[str]:
    """Names of functions among the attributes of nodes."""
    for node in nodes:
        for value in node.attributes.values():
            listed = value if isinstance(value, list) else [value]
            yield from (str(name) for name in listed if isinstance(name, FunctionName))


def _check_unwritten(nodes: Mapping[str, Node], inliner: Inliner) -> None:
    """No result may depend on a variable that the graph itself writes."""
    writing = [name for name, node in nodes.items() if _writes(node)]
    for node in (node for node in nodes.values() if node.type == "ReadVariableOp"):
        writing += [before.name for before in inliner.before(node.name) if _writes(before)]
    if writing:
        raise CoreError(
            f"these nodes write variables, and results depend on it: {', '.join(writing[:10])}; "
            f"only graphs whose variables stay the same can be read"
        )


def _writes(node: Node) -> bool:
    return node.type.startswith(("Assign", "ResourceScatter", "ResourceApply", "Scatter")) and (
        node.type not in ("ScatterNd", "ScatterNdNonAliasingAdd")
    )

"""Checks of a graph, and its initialization before its first use, which fills hash tables."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from core.autodiff.scopes import keep
from core.engine.limits import LimitError, Limits
from core.errors import CoreError
from core.graph.executor import GIVEN_TYPES, Executor
from core.graph.nodes import FILLING_TYPES, TABLE_TYPES, Graph, Node, node_of
from core.graph.weight_tensors import weight
from core.process.locks import new_lock


class Initialization:
    """Runs a graph's initializer at the first use, and keeps its results.

    Nodes that fill a table with constants run then, too, whether or not anything refers to them.

    Args:
        graph: graph with or without an initializer.
        executor: executor of the graph; its tables are those of the initializer.

    Raises:
        CoreError: some nodes of the initializer have no kernel.
    """

    def __init__(self, graph: Graph, executor: Executor):
        self._inputs = graph.resources
        self._bodies = [(executor, _filling_nodes(graph))]
        self._outputs: dict[str, str] = {}
        if graph.initializer is not None:
            before = _initializer(graph, graph.initializer, executor)
            self._outputs = {
                name: before.normalised(endpoint.node)
                for name, endpoint in graph.initializer.outputs.items()
            }
            wanted = [*self._outputs.values(), *_filling_nodes(graph.initializer)]
            before.check_outputs(wanted)
            self._bodies.append((before, wanted))
        self._lock = new_lock()
        self._found: Mapping[str, Any] | None = None if any(w for _, w in self._bodies) else {}

    def resources(self) -> Mapping[str, Any]:
        """Return the values of inputs that the initializer computes, by name of node."""
        if self._found is None:
            with self._lock:
                if self._found is None:
                    self._found = self._run()
        return self._found

    def _run(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for body, wanted in self._bodies:
            values.update(body.run({}, wanted))
        given = {node: values[self._outputs[name]] for node, name in self._inputs.items()}
        return keep(given)


def _initializer(graph: Graph, initializer: Graph, executor: Executor) -> Executor:
    """Return the initializer's executor, which has the tables and weights of the graph's."""
    own = {
        name: weight(array)
        for name, array in initializer.weights.items()
        if graph.weights.get(name) is not array
    }
    made = Executor(
        initializer.nodes,
        {**executor.constants, **keep(own)},
        functions=initializer.functions,
        kernels=executor.kernels,
        name="the initializer",
    )
    made.resources = executor.resources
    return made


def _filling_nodes(graph: Graph) -> list[str]:
    """Return the nodes that fill a table with constants."""
    ready = {*graph.weights, *(n.name for n in graph.nodes if n.type in TABLE_TYPES)}
    return [
        node.name
        for node in graph.nodes
        if node.type in FILLING_TYPES and ready.issuperset(map(node_of, node.inputs))
    ]


def check_count(graph: Graph, limits: Limits) -> None:
    """The graph and its functions have no more nodes than limits allow."""
    bodies = [graph.nodes, *(function.nodes for function in graph.functions.values())]
    if graph.initializer is not None:
        bodies.append(graph.initializer.nodes)
    count, most = sum(map(len, bodies)), limits.nodes
    if most is not None and count > most:
        raise LimitError(f"the graph has {count:,} nodes", "nodes", most)


def check_unique(graph: Graph) -> None:
    """Every name means one node."""
    _check_nodes(graph.nodes, "the graph")
    fed = Counter(endpoint.node for endpoint in graph.inputs.values())
    _refuse_twice(fed, "the graph")
    for function in graph.functions.values():
        _check_nodes(function.nodes, f"the function {function.name!r}")
    if graph.initializer is not None:
        _check_nodes(graph.initializer.nodes, "the initializer")


def _check_nodes(nodes: Iterable[Node], where: str) -> None:
    _refuse_twice(Counter(node.name for node in nodes), where)


def _refuse_twice(counts: Mapping[str, int], where: str) -> None:
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise CoreError(f"these names are used twice in {where}: {', '.join(twice)}")


def check_given(graph: Graph) -> None:
    """Whatever is not computed is given."""
    fed = [node_of(endpoint.node) for endpoint in graph.inputs.values()]
    given = {*graph.weights, *fed, *graph.resources}
    missing = [n.name for n in graph.nodes if n.type in GIVEN_TYPES and n.name not in given]
    if missing:
        raise CoreError(f"nothing is given for these nodes: {', '.join(missing)}")

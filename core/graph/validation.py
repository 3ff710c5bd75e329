"""Graphs that cannot run as they are say so before anything runs."""

from collections import Counter
from collections.abc import Iterable, Mapping

from core.bounds import LimitError, Limits
from core.errors import CoreError
from core.graph.executor import GIVEN_TYPES
from core.graph.nodes import Graph, Node, node_of


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

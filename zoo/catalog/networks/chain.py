"""Chaining of networks in two files to one graph."""

from collections.abc import Mapping, Set

from core import CoreError, Endpoint, Graph
from core.graph.nodes import node_of
from core.graph.unique_names import free_name
from core.plan.passes.rewriting import with_references


def chain_graphs(first: Graph, second: Graph) -> Graph:
    """Return a graph that feeds the output of the first graph to the second.

    Nodes of the second graph keep their names unless the first has a node of that name. The graphs
    must have no functions and tables.

    Args:
        first: graph with one output.
        second: graph with one input, of equal shape, dtype and quantisation.

    Raises:
        CoreError: the graphs do not fit.

    >>> from core import Node, PartialSpec
    >>> def graph(kind):
    ...     x, y = (Endpoint(name, PartialSpec((2,))) for name in ("x", "y"))
    ...     nodes = [Node("x", "Placeholder"), Node("y", kind, ("x",))]
    ...     return Graph(nodes, {}, {"x": x}, {"y": y})
    >>> both = chain_graphs(graph("Neg"), graph("Exp"))
    >>> [(node.name, node.type, node.inputs) for node in both.nodes[1:]]
    [('y', 'Neg', ('x',)), ('y_1', 'Exp', ('y',))]
    """
    given, taken = _joint(first, second)
    known = {*first.aliases, *(node.name for node in first.nodes)}
    names = _new_names(second, node_of(taken.node), known)

    def changed(reference: str) -> str:
        name, colon, number = reference.partition(":")
        return given.node if name == taken.node else f"{names[name]}{colon}{number}"

    rest = second._replace(nodes=[n for n in second.nodes if n.name in names])
    rest = with_references(rest, changed)
    aliases = {name: node for name, node in rest.aliases.items() if name not in known}
    quantizations = {changed(key): value for key, value in second.quantizations.items()}
    return Graph(
        nodes=[*first.nodes, *(n._replace(name=names[n.name]) for n in rest.nodes)],
        weights={**first.weights, **{names[k]: array for k, array in second.weights.items()}},
        inputs=first.inputs,
        outputs=rest.outputs,
        aliases={**aliases, **first.aliases},
        quantizations={**quantizations, **first.quantizations},
        integers={**first.integers, **{names[k]: i for k, i in second.integers.items()}},
    )


def _joint(first: Graph, second: Graph) -> tuple[Endpoint, Endpoint]:
    """Return the output of the first and the input of the second; raise unless they fit."""
    outputs, inputs = list(first.outputs.values()), list(second.inputs.values())
    if len(outputs) != 1 or len(inputs) != 1:
        raise CoreError(f"{len(outputs)} outputs cannot be chained to {len(inputs)} inputs")
    (given,), (taken,) = outputs, inputs
    if given[1:] != taken[1:]:
        raise CoreError(
            f"{given} cannot be chained to {taken}: shapes, dtypes or quantisations differ"
        )
    return given, taken


def _new_names(second: Graph, input_name: str, known: Set[str]) -> Mapping[str, str]:
    """Return the new names of the second graph's nodes, without its input."""
    used, names = {*known, *(node.name for node in second.nodes)}, {}
    for node in second.nodes:
        if node.name != input_name:
            names[node.name] = free_name(node.name, used) if node.name in known else node.name
            used.add(names[node.name])
    return names

"""Networks that come in two files: one graph of both."""

from collections.abc import Mapping, Set

from core import CoreError, Endpoint, Graph
from core.graph.nodes import node_of
from core.graph.unique_names import free_name
from core.plan.passes.rewriting import with_references


def chain_graphs(first: Graph, second: Graph) -> Graph:
    """A graph that feeds what the first gives to the second.

    Nodes of the second keep their names where the first has none of that name. For graphs without
    functions and tables.

    Args:
        first: with one output.
        second: with one input, of the same shape, dtype and quanta.

    Raises:
        CoreError: they do not fit.

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
    quantizations = {changed(key): quanta for key, quanta in second.quantizations.items()}
    return Graph(
        nodes=[*first.nodes, *(n._replace(name=names[n.name]) for n in rest.nodes)],
        weights={**first.weights, **{names[k]: array for k, array in second.weights.items()}},
        inputs=first.inputs,
        outputs=rest.outputs,
        aliases={**aliases, **first.aliases},
        quantizations={**quantizations, **first.quantizations},
    )


def _joint(first: Graph, second: Graph) -> tuple[Endpoint, Endpoint]:
    """The output of the first and the input of the second, which fit together."""
    outputs, inputs = list(first.outputs.values()), list(second.inputs.values())
    if len(outputs) != 1 or len(inputs) != 1:
        raise CoreError(f"{len(outputs)} outputs cannot be chained to {len(inputs)} inputs")
    (given,), (taken,) = outputs, inputs
    if given[1:] != taken[1:]:
        raise CoreError(f"{given} cannot be chained to {taken}: they are not of one kind")
    return given, taken


def _new_names(second: Graph, fed: str, known: Set[str]) -> Mapping[str, str]:
    """What each node of the second but the fed one is called in the whole."""
    used, names = {*known, *(node.name for node in second.nodes)}, {}
    for node in second.nodes:
        if node.name != fed:
            names[node.name] = free_name(node.name, used) if node.name in known else node.name
            used.add(names[node.name])
    return names

"""Names that nothing has yet, in a graph or elsewhere."""

from collections.abc import Container

from core.graph.nodes import Graph


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or with the first number behind it that makes it one that is not taken.

    >>> free_name("conv", {"dense"}), free_name("conv", {"conv", "conv_1"})
    ('conv', 'conv_2')
    """
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found


def other_names(graph: Graph) -> set[str]:
    """The names that mean something beside a graph's own nodes.

    All bodies share the weights, so a constant that had a name of these would change what another
    body computes.
    """
    names = set(graph.weights)
    for function in graph.functions.values():
        names.update(function.inputs, (node.name for node in function.nodes))
    if graph.initializer is not None:
        names |= all_names(graph.initializer)
    return names


def all_names(graph: Graph) -> set[str]:
    """The names that mean something anywhere in a graph."""
    return {*other_names(graph), *(node.name for node in graph.nodes)}

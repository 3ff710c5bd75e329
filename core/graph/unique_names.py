"""Unused names, in a graph or elsewhere."""

from collections.abc import Container, Iterable, MutableMapping

from core.graph.nodes import Graph


def free_name(
    name: str, taken: Container[str], counts: MutableMapping[str, int] | None = None
) -> str:
    """The name, or with the first number behind it that makes it one that is not taken.

    Args:
        name: as it should be.
        taken: names that there are.
        counts: which numbers the last calls found, by name: with it many equal names take no more
            time each, as long as no name is given free.

    >>> free_name("conv", {"dense"}), free_name("conv", {"conv", "conv_1"})
    ('conv', 'conv_2')
    """
    count = counts.get(name, 0) if counts is not None else 0
    found = f"{name}_{count}" if count else name
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    if counts is not None:
        counts[name] = count
    return found


class UniqueNames:
    """A set of names that gives each name away once.

    Args:
        taken: names that there are.

    >>> names = UniqueNames(["conv"])
    >>> names.unique("conv"), names.unique("a:0"), names.unique("a:0", as_is=True)
    ('conv_1', 'a_0', 'a:0')
    """

    def __init__(self, taken: Iterable[str] = ()):
        self._taken, self._counts = set(taken), dict[str, int]()

    def unique(self, name: str, as_is: bool = False) -> str:
        """Return the name, with a number if taken; unless ``as_is``, valid in references."""
        if not as_is:
            name = name.replace(":", "_").replace("^", "_")
        found = free_name(name, self._taken, self._counts)
        self._taken.add(found)
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

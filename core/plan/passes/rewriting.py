"""Shared functions of passes: uses of a node's outputs, and changes of references."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from core.graph.control_flow import LOOP_TYPES
from core.graph.nodes import Graph, Node, node_of
from core.graph.unique_names import UniqueNames, other_names


def plain(reference: str) -> str:
    """Return a reference without ``:0``, the form that passes compare."""
    return reference.removesuffix(":0")


def with_references(graph: Graph, change: Callable[[str], str]) -> Graph:
    """Return the graph with other references, in nodes, outputs, states and aliases."""

    def changed(reference: str) -> str:
        if reference.startswith("^"):
            return f"^{node_of(change(reference[1:]))}"
        return change(reference)

    nodes = [n._replace(inputs=tuple(changed(i) for i in n.inputs)) for n in graph.nodes]
    outputs = {k: e._replace(node=changed(e.node)) for k, e in graph.outputs.items()}
    states = {k: changed(reference) for k, reference in graph.states.items()}
    aliases = {k: changed(reference) for k, reference in graph.aliases.items()}
    return graph._replace(nodes=nodes, outputs=outputs, states=states, aliases=aliases)


def followed(links: Mapping[str, str], reference: str) -> str:
    """Return the last reference of a chain of replacements."""
    seen = set()
    while reference in links and reference not in seen:
        seen.add(reference)
        reference = links[reference]
    return reference


def has_loops(graph: Graph) -> bool:
    """Return whether nodes belong to loops or branches, which control inputs may show."""
    return any(node.type in LOOP_TYPES for node in graph.nodes)


class Index:
    """Nodes by name, the users of their outputs, and the constants.

    Inputs of a graph are never constants, whatever they are otherwise. ``several`` are the names
    of nodes of which more than the first output is used; ``elsewhere`` the names that mean
    something beside the graph's own nodes.
    """

    def __init__(self, graph: Graph):
        self.nodes = {node.name: node for node in graph.nodes}
        self.weights = graph.weights
        self.elsewhere = other_names(graph)
        self._names = UniqueNames({*self.nodes, *self.elsewhere})
        self.fed = {node_of(endpoint.node) for endpoint in graph.inputs.values()}
        self._users: dict[str, list[Node | None]] = {}
        self._uses: Counter[str] = Counter()
        self.several: set[str] = set()
        uses: list[tuple[str, Node | None]] = [(r, n) for n in graph.nodes for r in n.inputs]
        for reference, user in [*uses, *((e.node, None) for e in graph.outputs.values())]:
            self._users.setdefault(node_of(reference), []).append(user)
            self._uses[plain(reference.lstrip("^"))] += 1
            if ":" in plain(reference):
                self.several.add(node_of(reference))

    def constant(self, reference: str) -> np.ndarray | None:
        """Return the value of a constant, or None."""
        name = plain(reference)
        node = self.nodes.get(name)
        if node is None or node.type != "Const" or name in self.fed:
            return None
        return self.weights.get(name)

    def only_user(self, node: Node) -> Node | None:
        """Return the single user of a node's first output, if nothing else uses the node."""
        users = self._users.get(node.name, [])
        alone = len(users) == 1 and node.name not in self.several | self.fed
        return users[0] if alone else None

    def uses(self, reference: str) -> int:
        """Return the number of references to one output of a node, control inputs included."""
        return self._uses[plain(reference)]

    def free_name(self, name: str) -> str:
        """Return a name that is unused in all bodies, and reserve it."""
        return self._names.unique(name, as_is=True)


def with_changes(
    graph: Graph,
    replaced: Mapping[str, Iterable[Node]],
    weights: Mapping[str, np.ndarray],
) -> Graph:
    """Return the graph with nodes replaced by name, and with further weights."""
    nodes = [new for old in graph.nodes for new in replaced.get(old.name, (old,))]
    return graph._replace(nodes=nodes, weights={**graph.weights, **weights})

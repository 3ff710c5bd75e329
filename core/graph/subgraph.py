"""Nodes of a graph or function by name, their execution order, and the last uses of values."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import partial

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.control_flow import BACK, LOOP_TYPES
from core.graph.node_types import find_node_type
from core.graph.nodes import Node, node_of, output_index
from core.process.locks import lazy_property


class Subgraph:
    """Nodes by name, of which some are constants.

    Args:
        nodes: of a graph, or of a function's body.
        constants: values by name of node.
        name: of the function, for errors.
    """

    def __init__(self, nodes: Iterable[Node], constants: Mapping[str, Tensor], name: str):
        self.nodes = {node.name: node for node in nodes}
        self.constants, self.name = constants, name

    def node(self, name: str) -> Node:
        """The node of that name."""
        if name not in self.nodes:
            raise CoreError(f"{self.name} has no node {name!r}")
        return self.nodes[name]

    def normalised(self, reference: str) -> str:
        """A reference in the one form that values are stored by: without ``:0``.

        Bodies of functions also write the output's own name, as in ``"split:output:1"``.

        Raises:
            CoreError: the node's outputs have names, and this is not one of them.
        """
        if ":" not in reference:
            return reference
        name, *output = reference.split(":")
        index = output[-1]
        if len(output) == 2 and name in self.nodes:
            kind = find_node_type(self.nodes[name].type)
            try:
                index = str(output_index(kind.outputs if kind else (), *output))
            except CoreError as error:
                raise CoreError(f"{self.name} refers to {reference!r}, but {error}") from error
        return name if index == "0" else f"{name}:{index}"

    def execution_order(self, given: Collection[str], wanted: Sequence[str]) -> list[str]:
        """The nodes from what is given to what is wanted, each after what it needs.

        In a graph with branches, a constant may wait for one; elsewhere it just is there.

        Args:
            given: normalised references.
            wanted: more of them.

        Raises:
            CoreError: there is no such node, or some wait for each other in a circle.
        """
        known = {*self.constants, *given}
        order = self._closed_order(known, wanted)
        waiting = self._waiting_constants.difference(given)
        if not waiting or all(self.node(name).type not in LOOP_TYPES for name in order):
            return order
        return self._closed_order(known - waiting, wanted)

    @lazy_property
    def _waiting_constants(self) -> set[str]:
        return {n.name for n in self.nodes.values() if n.type == "Const" and n.inputs}

    def _closed_order(self, known: Container[str], wanted: Iterable[str]) -> list[str]:
        """The order with the bodies of loops, to which only the ways back lead."""

        def ways_back(name: str) -> list[str]:
            inputs = self.nodes[name].inputs if self.nodes[name].type == "Merge" else ()
            back = [node_of(r) for r in inputs if self._goes_back(name, r)]
            return [source for source in back if source not in known]

        unknown = [node_of(reference) for reference in wanted if reference not in known]
        return running_order(partial(self._needs, known), (), unknown, ways_back)

    def _needs(self, known: Container[str], name: str) -> list[str]:
        """The nodes that must run before a node; without the way back of a loop."""
        return [
            node_of(reference)
            for reference in self.node(name).inputs
            if self.normalised(reference.lstrip("^")) not in known
            and not self._goes_back(name, reference)
        ]

    def _goes_back(self, name: str, reference: str) -> bool:
        source = self.nodes.get(node_of(reference))
        return self.nodes[name].type == "Merge" and source is not None and source.type == BACK


def running_order(
    needs: Callable[[str], Iterable[str]],
    given: Iterable[str],
    wanted: Iterable[str],
    later: Callable[[str], Iterable[str]] = lambda name: (),
) -> list[str]:
    """The names of nodes that lead to wanted ones, each after what it needs.

    Args:
        needs: gives the names of the nodes that must run before a node, or raises for an unknown
            one.
        given: names of nodes that need not run.
        wanted: names of nodes that must run.
        later: gives the names of the nodes that must run, too, if a node does, before it or after.

    Raises:
        CoreError: a name is unknown, or nodes wait for each other in a circle.
    """
    done, waiting = set(given), set[str]()
    order: list[str] = []
    stack = [*wanted][::-1]
    closing = 0  # how many nodes of the order were asked what must run later
    while stack or closing < len(order):
        if not stack:
            stack += later(order[closing])
            closing += 1
            continue
        name = stack[-1]
        if name in done:
            stack.pop()
        elif name in waiting:
            order.append(name)
            done.add(name)
            stack.pop()
        else:
            waiting.add(name)
            missing = [n for n in needs(name) if n not in done]
            if any(n in waiting for n in missing):
                raise CoreError(f"node {name!r} waits for itself: the graph has a circle")
            stack += missing
    return order


def last_uses(needs: Sequence[Sequence[str]], wanted: Iterable[str]) -> list[list[str]]:
    """For each step of a sequence the references that nobody needs after it, by what each needs."""
    remaining = set(wanted)
    freed: list[list[str]] = []
    for needed in reversed(needs):
        freed.append([n for n in dict.fromkeys(needed) if n not in remaining])
        remaining.update(needed)
    return freed[::-1]

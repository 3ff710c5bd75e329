"""In which order nodes run, and when a value is no longer needed."""

from collections.abc import Iterable, Mapping, Sequence

from core.errors import CoreError
from core.graph.nodes import Node


def running_order(
    nodes: Mapping[str, Node], given: Iterable[str], wanted: Sequence[str]
) -> list[Node]:
    """The nodes that lead from given values to wanted ones, each after its inputs.

    Raises:
        CoreError: a name is unknown, or nodes wait for each other in a circle.
    """
    done, waiting = set(given), set()
    order: list[Node] = []
    stack = list(reversed(wanted))
    while stack:
        name = stack[-1]
        if name in done:
            stack.pop()
        elif name in waiting:
            order.append(nodes[name])
            done.add(name)
            stack.pop()
        else:
            waiting.add(name)
            missing = [n for n in _node(nodes, name).inputs if n not in done]
            if any(n in waiting for n in missing):
                raise CoreError(f"node {name!r} waits for itself: the graph has a circle")
            stack += missing
    return order


def _node(nodes: Mapping[str, Node], name: str) -> Node:
    if name not in nodes:
        raise CoreError(f"the graph has no node {name!r}")
    return nodes[name]


def last_uses(order: Sequence[Node], wanted: Iterable[str]) -> list[list[str]]:
    """For each node of the order, the values that nobody needs after it."""
    remaining = set(wanted)
    freed: list[list[str]] = []
    for node in reversed(order):
        freed.append([n for n in dict.fromkeys(node.inputs) if n not in remaining])
        remaining.update(node.inputs)
    return freed[::-1]

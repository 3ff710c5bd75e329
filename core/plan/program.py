"""The form that plans are made of: ops in running order, for known shapes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from core import op_cost
from core.graph.nodes import Node
from core.specs import Spec

#: In the inputs of a node of an epilogue: what the node before it gave.
HERE = "."

#: In the place of an optional input that is absent.
ABSENT = ""

#: Ops whose result is their input's data in another shape (of a cast: if the dtype stays).
VIEW_OPS = frozenset({"reshape", "expand_dims", "identity", "cast"})

#: Ops whose arithmetic outweighs the making of a plan.
HEAVY_OPS = frozenset(
    {
        *("conv2d", "depthwise_conv2d", "matmul", "conv2d_backprop_input"),
        *("fused_conv2d", "fused_depthwise_conv2d", "fused_matmul"),
    }
)


class Program(NamedTuple):
    """Ops for known shapes, each after what it needs.

    A `Node` has the name of one of our ops as its type ("conv2d"), that op's attributes, and
    references to values as inputs, in the order of the op's (`ABSENT`: an optional one that is not
    there; the members of a list one after the other). ``attributes["epilogue"]``, if there, is a
    tuple of element-wise nodes that are applied to the result, one after the other, while it is at
    hand; there `HERE` refers to what the one before gave. The value of a node is that of its last
    epilogue, and has the node's own name; of several outputs the later are ``"name:1"`` and so on.

    Attributes:
        nodes: in running order.
        constants: arrays by reference; nobody writes to them.
        specs: shape and dtype of every input, constant and result, by reference.
        inputs: references of what is fed.
        outputs: references of what is wanted; also inputs and constants, and one several times.
    """

    nodes: tuple[Node, ...]
    constants: Mapping[str, np.ndarray]
    specs: Mapping[str, Spec]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def epilogue_of(node: Node) -> tuple[Node, ...]:
    """What is applied to the result of a node while it is at hand."""
    return node.attributes.get("epilogue", ())


def attributes_of(node: Node) -> dict[str, Any]:
    """The attributes of a node's op: those that are not about its epilogue."""
    return {name: value for name, value in node.attributes.items() if name != "epilogue"}


def reads(node: Node) -> Iterator[str]:
    """The references that a node and its epilogue need, in order; one may come twice."""
    for inputs in (node.inputs, *(e.inputs for e in epilogue_of(node))):
        yield from (i for i in inputs if i not in (ABSENT, HERE))


def results(node: Node, specs: Mapping[str, Spec]) -> list[str]:
    """The references that a node gives."""
    found = [node.name]
    while (reference := f"{node.name}:{len(found)}") in specs:
        found.append(reference)
    return found


def use_counts(nodes: Iterable[Node], outputs: Iterable[str]) -> dict[str, int]:
    """How often nodes and outputs need each reference."""
    counts: dict[str, int] = {}
    for reference in (*(r for node in nodes for r in reads(node)), *outputs):
        counts[reference] = counts.get(reference, 0) + 1
    return counts


def multiply_adds(node: Node, specs: Mapping[str, Spec]) -> int:
    """How many products a node sums up; 0 of those that are no sums of products."""
    inputs = [specs[r] for r in node.inputs[:2] if r != ABSENT]
    return op_cost.multiply_adds(node.type, inputs, node.attributes, specs[node.name])

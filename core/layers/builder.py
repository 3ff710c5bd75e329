"""Builder of a graph's nodes and constants."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from core.engine.limits import LimitError, effective_limits
from core.errors import CoreError
from core.graph.nodes import FIXED, Attributes, Function, Node, node_of
from core.graph.unique_names import UniqueNames
from core.layers.layer_call import Value
from core.layers.weight_slots import Bound
from weights_cache.reading_budgets import check_time

#: The most nodes of the graph of a model.
MOST_NODES = 100_000


class Builder:
    """A builder of nodes and constants with unique names.

    Args:
        bound: the weights of all layers.
        unique: gives an unused name for a name, by default among the names of the builder.
    """

    def __init__(self, bound: Bound, unique: Callable[[str], str] | None = None):
        self.bound = bound
        self.nodes: list[Node] = []
        self.weights: dict[str, np.ndarray] = {}
        self.functions: dict[str, Function] = {}
        self.unique: Callable[[str], str] = unique or UniqueNames().unique
        self._most_nodes = effective_limits().nodes or MOST_NODES
        self._values: dict[Any, Value] = {}

    def add(self, name: str, type: str, inputs: Sequence[str], attributes: Any) -> str:
        """Add a node, and return its unique name."""
        self.check_count(len(self.nodes) + 1)
        check_time()
        name = self.unique(name)
        self.nodes.append(Node(name, type, tuple(inputs), attributes))
        return name

    def check_count(self, count: int) -> None:
        """Raise if ``count`` nodes exceed the limit of a model."""
        if count > self._most_nodes:
            raise LimitError(f"the model becomes {count:,} nodes", "nodes", self._most_nodes)
        if count > MOST_NODES:
            raise CoreError(f"the model becomes more than {MOST_NODES} nodes")

    def constant(self, name: str, array: np.ndarray) -> Value:
        """Add a constant that is no weight; equal small constants are shared."""
        if array.size > 16 or array.dtype.hasobject:  # texts have no bytes to compare
            return self._constant(name, array, {FIXED: True})
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._values:
            self._values[key] = self._constant(name, array, {FIXED: True})
        return self._values[key]

    def weight(self, name: str, array: np.ndarray) -> Value:
        """Add the constant of a weight, once for all calls."""
        if name not in self._values:
            self._values[name] = self._constant(name, array, {})
        return self._values[name]

    def _constant(self, name: str, array: np.ndarray, attributes: Attributes) -> Value:
        node = self.add(name, "Const", (), attributes)
        self.weights[node] = array
        dtype = {"f": "float32", "b": "bool", "O": "string"}.get(array.dtype.kind, "int32")
        return Value(node, array.shape, dtype)

    @contextmanager
    def body(self) -> Iterator[list[Node]]:
        """Collect the nodes added in the block in a separate list, except for constants."""
        outer, self.nodes = self.nodes, []
        inner = self.nodes
        try:
            yield inner
        finally:
            self.nodes = outer + [node for node in inner if node.type == "Const"]
            inner[:] = [node for node in inner if node.type != "Const"]

    def add_function(self, function: Function) -> None:
        """Add the body of a loop, with nodes for the constants of the model that it refers to."""
        references = (reference for node in function.nodes for reference in node.inputs)
        named = dict.fromkeys(map(node_of, (*references, *function.outputs)))
        own = {*function.inputs, *(node.name for node in function.nodes)}
        constants = [Node(n, "Const") for n in named if n in self.weights and n not in own]
        nodes = [*constants, *function.nodes]
        self.functions[function.name] = function._replace(nodes=nodes)

    def rename(self, start: int, old: str, new: str) -> str:
        """Rename a node that was added since ``start``."""
        new = self.unique(new)

        def renamed(reference: str) -> str:
            name, colon, output = reference.partition(":")
            return new + colon + output if name == old else reference

        for i in range(start, len(self.nodes)):
            node = self.nodes[i]
            inputs = tuple(map(renamed, node.inputs))
            name = new if node.name == old else node.name
            self.nodes[i] = node._replace(name=name, inputs=inputs)
        return new

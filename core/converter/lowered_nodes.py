"""Builder of the nodes that replace a node type that TensorFlow.js lacks."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from core.graph.nodes import Node
from core.graph.unique_names import UniqueNames


class LoweredNodes:
    """A builder of nodes and constants with unique names; equal constants are shared.

    Attributes:
        weights: the values of the constants, by name.
        nodes: nodes of the body.
    """

    def __init__(self, names: Iterable[str]):
        self.weights: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self._unique = UniqueNames(names).unique
        self._constants: dict[Any, str] = {}

    def start_body(self) -> None:
        """Begin another body, with separate constants."""
        self.nodes, self._constants = [], {}

    def add(self, base: str, type: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with a unique name, and return the name."""
        return self.end(self._unique(f"{base}/{type}", as_is=True), type, *inputs, **attributes)

    def end(self, name: str, type: str, *inputs: str, **attributes: Any) -> str:
        """Add the last node, which has the name of the replaced node, and return the name."""
        self.nodes.append(Node(name, type, inputs, attributes))
        return name

    def constant(self, base: str, value: Any, dtype: type = np.float32) -> str:
        """Add a constant of one value or a few, and return its name."""
        array: np.ndarray = np.array(value, dtype)
        key = array.dtype, array.shape, array.tobytes()
        if key not in self._constants:
            name = self._unique(f"{base}/value", as_is=True)
            self.nodes.append(Node(name, "Const"))
            self.weights[name] = array
            self._constants[key] = name
        return self._constants[key]

"""Nodes that stand for one that TensorFlow.js lacks, as they are written one by one."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from core.graph.nodes import Node
from core.graph.unique_names import free_name


class LoweredNodes:
    """Collects nodes and constants of a body with names that are free; equal constants once.

    Attributes:
        weights: the values of the constants, by name.
        nodes: of the body.
    """

    def __init__(self, names: Iterable[str]):
        self.weights: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self._names = set(names)
        self._constants: dict[Any, str] = {}

    def start_body(self) -> None:
        """Begin another body, which has constants of its own."""
        self.nodes, self._constants = [], {}

    def add(self, base: str, type: str, *inputs: str, **attributes: Any) -> str:
        """A node with a name of its own."""
        return self.end(self._free(f"{base}/{type}"), type, *inputs, **attributes)

    def end(self, name: str, type: str, *inputs: str, **attributes: Any) -> str:
        """The last node, which keeps the name of the one that it stands for."""
        self.nodes.append(Node(name, type, inputs, attributes))
        return name

    def constant(self, base: str, value: Any, dtype: type = np.float32) -> str:
        """A constant of one value, or a few."""
        array: np.ndarray = np.array(value, dtype)
        key = array.dtype, array.shape, array.tobytes()
        if key not in self._constants:
            name = self._free(f"{base}/value")
            self.nodes.append(Node(name, "Const"))
            self.weights[name] = array
            self._constants[key] = name
        return self._constants[key]

    def _free(self, name: str) -> str:
        found = free_name(name, self._names)
        self._names.add(found)
        return found

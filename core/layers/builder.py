"""Builder of a graph's nodes, and the call of a layer, with which lowerings add nodes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from core.bounds import LimitError, effective_limits
from core.errors import CoreError
from core.graph.nodes import Function, Node
from core.graph.unique_names import UniqueNames
from core.layers.keras_config import LayerSpec
from core.layers.layer_config import Options
from core.layers.weight_slots import Bound
from weights_cache.reading_budgets import check_time

#: Lengths of axes; None is an unknown length.
Lengths = tuple[int | None, ...]

#: TensorFlow's names of dtypes.
DATA_TYPES = {"float32": "DT_FLOAT", "int32": "DT_INT32", "bool": "DT_BOOL"}

#: The most nodes of a lowered model.
MOST_NODES = 100_000


class Value(NamedTuple):
    """An output of a node: its reference, shape (None: unknown rank), dtype, and mask if any."""

    reference: str
    shape: Lengths | None
    dtype: str = "float32"
    mask: "Value | None" = None


class Builder:
    """A builder of nodes and constants with unique names.

    Args:
        bound: the weights of all layers.
    """

    def __init__(self, bound: Bound):
        self.bound = bound
        self.nodes: list[Node] = []
        self.weights: dict[str, np.ndarray] = {}
        self.functions: dict[str, Function] = {}
        self.unique = UniqueNames().unique
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
        """Add a constant; equal small constants are shared."""
        if array.size > 16:
            return self._constant(name, array)
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._values:
            self._values[key] = self._constant(name, array)
        return self._values[key]

    def weight(self, name: str, array: np.ndarray) -> Value:
        """Add the constant of a weight, once for all calls."""
        if name not in self._values:
            self._values[name] = self._constant(name, array)
        return self._values[name]

    def _constant(self, name: str, array: np.ndarray) -> Value:
        node = self.add(name, "Const", (), {})
        self.weights[node] = array
        dtype = {"f": "float32", "b": "bool"}.get(array.dtype.kind, "int32")
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


class LayerCall:
    """A call of a layer, with the functions that add its nodes.

    Args:
        builder: builder of the nodes.
        spec: the layer.
        path: names of the surrounding models, and the layer's name.
        scope: prefix of the names of its nodes.
        keywords: keyword arguments of the call, with values in place of tensors.

    Attributes:
        where: description of the layer for errors.
        dialect: the library that wrote the topology: "tfjs", "keras2" or "keras3".
    """

    def __init__(
        self,
        builder: Builder,
        spec: LayerSpec,
        path: tuple[str, ...],
        scope: str,
        keywords: Mapping[str, Any] | None = None,
    ):
        self.builder, self.spec, self.path, self.scope = builder, spec, path, scope
        self.keywords, self.dialect = keywords or {}, spec.dialect
        self.where = f"layer {'/'.join(path)!r} ({spec.class_name})"
        self.options = Options(spec.config, self.where)

    def error(self, message: str) -> CoreError:
        """Return an error that names the layer."""
        return CoreError(f"{self.where}: {message}")

    def child(self, spec: LayerSpec) -> "LayerCall":
        """Return the call of an inner layer."""
        scope = f"{self.scope}/{spec.name}"
        return LayerCall(self.builder, spec, (*self.path, spec.name), scope)

    def node(
        self,
        type: str,
        inputs: Sequence[Value],
        attributes: Mapping[str, Any] | None = None,
        shape: Lengths | None = None,
        dtype: str | None = None,
    ) -> Value:
        """Add a node; shape and dtype default to those of its first input."""
        references = [value.reference for value in inputs]
        name = self.builder.add(f"{self.scope}/{type}", type, references, attributes or {})
        if shape is None:
            shape = inputs[0].shape
        return Value(name, shape, dtype or inputs[0].dtype)

    def outputs(
        self, value: Value, shapes: Sequence[Lengths], dtype: str | None = None
    ) -> list[Value]:
        """Return the outputs of a node with several."""
        name = value.reference
        return [
            Value(f"{name}:{i}" if i else name, shape, dtype or value.dtype)
            for i, shape in enumerate(shapes)
        ]

    def ints(self, *values: int) -> Value:
        """Add a constant vector of integers."""
        return self.constant(np.array(values, np.int32), "ints")

    def integer(self, value: int) -> Value:
        """Add a constant integer."""
        return self.constant(np.array(value, np.int32), "int")

    def number(self, value: float) -> Value:
        """Add a constant float."""
        return self.constant(np.array(value, np.float32), "number")

    def constant(self, array: np.ndarray, name: str) -> Value:
        """Add a constant that is not a weight, or a part of one."""
        return self.builder.constant(f"{self.scope}/{name}", array)

    def part(self, array: np.ndarray, name: str) -> Value:
        """Add a constant computed from weights, once for all calls of the layer."""
        return self.builder.weight(f"{'/'.join(self.path)}/{name}", np.ascontiguousarray(array))

    def array(self, name: str, shape: Sequence[int | None]) -> np.ndarray:
        """Return the values of a weight; raise unless its shape fits (None: any length)."""
        found = self.builder.bound.get(self.path, {})
        if name not in found:
            shapes = {key: array.shape for key, array in found.items()} or "no weights"
            raise self.error(f"lacks the weight {name!r} of shape {tuple(shape)}; it has {shapes}")
        array = found[name]
        if len(array.shape) != len(shape) or any(
            n not in (None, m) for n, m in zip(shape, array.shape, strict=True)
        ):
            raise self.error(
                f"the weight {name!r} must have shape {tuple(shape)}, the file has {array.shape}"
            )
        return array

    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Value:
        """Add a weight with a shape in the file; ``view`` is another shape for the graph."""
        array = self.array(name, shape)
        if view is not None:
            array = array.reshape(view)
        return self.builder.weight(f"{'/'.join(self.path)}/{name}", array)

    def shape(self, x: Value, *ranks: int) -> Lengths:
        """Return the shape of a value; raise if it is unknown, or of none of the ranks given."""
        if x.shape is None:
            raise self.error("the shape of its input must be known")
        if ranks and len(x.shape) not in ranks:
            expected = " or ".join(map(str, ranks))
            raise self.error(f"takes tensors of {expected} axes, got shape {x.shape}")
        return x.shape

    def length(self, x: Value, axis: int) -> int:
        """Return the length of an axis; raise if it is unknown."""
        found = self.shape(x)[axis]
        if found is None:
            raise self.error(f"the length of axis {axis} of its input must be known, got {x.shape}")
        return found

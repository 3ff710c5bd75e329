"""Calls of layers without data: they find the shapes of results, and make the weights."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.layers.keras_config import LayerSpec
from core.layers.layer_call import (
    LayerCall,
    Lengths,
    Masked,
    Operand,
    Value,
    with_masks,
    without_masks,
)
from core.layers.layer_config import Options
from core.layers.op_shapes import OpsOf, results_of_op
from core.layers.variable_store import VariableStore


class ShapeCall(LayerCall):
    """A call of a layer on shapes.

    Args:
        spec: the layer.
        path: names of the layers from the one that has the store to this one.
        store: where the variables are made.
        keywords: keyword arguments of the call.
    """

    is_abstract = True

    def __init__(
        self,
        spec: LayerSpec,
        path: tuple[str, ...],
        store: VariableStore,
        keywords: Mapping[str, Any] | None = None,
    ):
        self.spec, self.path, self.store = spec, path, store
        self.keywords, self.options = keywords or {}, Options(spec.config, self.where)
        self.ops = OpsOf(self._shapes)

    def _shapes(self, op: str, *inputs: Any, **attributes: Any) -> Value | list[Value]:
        return results_of_op(self, op, inputs, attributes)

    @property
    def where(self) -> str:
        """Description of the layer for errors."""
        return f"layer {'/'.join((self.store.owner, *self.path))!r} ({self.spec.class_name})"

    def child(self, spec: LayerSpec) -> "ShapeCall":
        """Return the call of an inner layer."""
        return ShapeCall(spec, (*self.path, spec.name), self.store)

    def lengths(self, x: Operand) -> Value:
        """Return the shape of the vector of a value's lengths."""
        return Value(None, (len(self.shape(x)),), "int32")

    def constant(self, array: np.ndarray, name: str) -> Value:
        """Return the shape of a constant."""
        dtype = {"f": "float32", "b": "bool", "O": "string"}.get(array.dtype.kind, "int32")
        return Value(None, array.shape, dtype)

    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Value:
        """Make a weight, and return its shape."""
        made = self.store.make(self, name, shape)
        return Value(None, made.shape if view is None else tuple(view))

    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Value]:
        """Make a weight, and return the shapes of its parts."""
        made = self.store.make(self, name, shape)
        found = []
        for size in sizes:
            part = [size if i == axis % len(made.shape) else n for i, n in enumerate(made.shape)]
            found.append(Value(None, tuple(part if view is None else view(size))))
        return found

    def check_count(self, count: int) -> None:
        """Accept any number of operations."""

    def called(self, function: Callable[..., Any], *values: Operand) -> Value:
        """Return the shape of the first value, which the function keeps."""
        return Value(None, values[0].shape, values[0].dtype)

    def state(self, number: int, shape: Lengths) -> Value:
        """Make the variable of a state."""
        lengths = tuple(n for n in shape if n is not None)
        if len(lengths) < len(shape):
            raise self.error(
                f"keeps its state between calls, so that its shape {shape} must be known: give the "
                f"model an input with a batch_size"
            )
        return Value(None, self.store.state(self.path, number, lengths).shape)

    def stop_gradient(self, x: Operand) -> Value:
        """Return the shape of the values."""
        return Value(None, x.shape, x.dtype)

    def layer_results(self, values: Sequence[Operand]) -> list[Masked]:
        """Return the shapes of the results of the layer object that the spec stands for."""
        given = with_masks(values, self.masks)
        return without_masks(self.spec.layer.shapes_of(given, self.keywords))

"""Calls of layers and models that add nodes to a graph."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.graph.graph_json_writer import DATA_TYPES
from core.layers.builder import Builder
from core.layers.keras_config import KerasCall, LayerSpec, ModelSpec
from core.layers.layer_call import (
    LayerCall,
    Lengths,
    Masked,
    Operand,
    RunLengths,
    Value,
    with_masks,
    without_masks,
)
from core.layers.layer_config import Options, dimensions
from core.layers.layer_results import results_of_values
from core.layers.model_run import ModelRun, bound_arguments
from core.layers.op_nodes import op_node
from core.layers.op_shapes import OpsOf, results_of_op


class GraphCall(LayerCall):
    """A call of a layer that adds nodes to a graph.

    Args:
        builder: builder of the nodes.
        spec: the layer.
        path: names of the surrounding models, and the layer's name.
        scope: prefix of the names of its nodes.
        keywords: keyword arguments of the call, with values in place of tensors.
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
        self.keywords, self.options = keywords or {}, Options(spec.config, self.where)
        self.ops = OpsOf(self._applied)

    def child(self, spec: LayerSpec) -> "GraphCall":
        """Return the call of an inner layer."""
        scope = f"{self.scope}/{spec.name}"
        return GraphCall(self.builder, spec, (*self.path, spec.name), scope)

    def _applied(self, op: str, *inputs: Any, **attributes: Any) -> Value | list[Value]:
        """Add the node of an op."""
        found = results_of_op(self, op, inputs, attributes)
        type, operands, written = op_node(op, inputs, attributes)
        references = [*map(self._reference, operands)]
        name = self.builder.add(f"{self.scope}/{type}", type, references, written)
        if isinstance(found, Value):
            return found._replace(reference=name)
        return [v._replace(reference=f"{name}:{i}" if i else name) for i, v in enumerate(found)]

    def _reference(self, given: Any) -> str:
        """Return the input of a node that is a value, a number or (nested) tuples of numbers."""
        if isinstance(given, RunLengths):
            given = given.vector
        elif isinstance(given, float):
            with np.errstate(over="ignore"):  # it is infinite in float32, as in Keras
                given = self.constant(np.array(given, np.float32), "number")
        elif isinstance(given, int):
            given = self.integer(given)
        elif not isinstance(given, Value):
            name = "paddings" if any(isinstance(each, tuple) for each in given) else "ints"
            given = self.constant(np.array(given, np.int32), name)
        reference: str = given.reference
        return reference

    def node(
        self,
        type: str,
        inputs: Sequence[Value],
        attributes: Mapping[str, Any] | None = None,
        shape: Lengths | None = None,
        dtype: str = "float32",
    ) -> Value:
        """Add a node that is no op, such as a loop."""
        references = [value.reference for value in inputs]
        name = self.builder.add(f"{self.scope}/{type}", type, references, attributes or {})
        return Value(name, shape, dtype)

    def lengths(self, x: Operand) -> Value:
        """Return the lengths of the axes as a vector that is known when the graph runs."""
        assert isinstance(x, Value)
        return self.node("Shape", [x], {}, (len(self.shape(x)),), "int32")

    def integer(self, value: int) -> Value:
        """Add a constant integer."""
        return self.constant(np.array(value, np.int32), "int")

    def stop_gradient(self, x: Operand) -> Value:
        """Add a node without a gradient."""
        assert isinstance(x, Value)
        return self.node("StopGradient", [x], {}, x.shape, x.dtype)

    def constant(self, array: np.ndarray, name: str) -> Value:
        """Add a constant that is not a weight, or a part of one."""
        return self.builder.constant(f"{self.scope}/{name}", array)

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

    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Value]:
        """Add the parts of a weight as constants, once for all calls of the layer."""
        parts = np.split(self.array(name, shape), np.cumsum(sizes)[:-1], axis)
        found = []
        for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
            part = np.ascontiguousarray(part if view is None else part.reshape(view(size)))
            found.append(self.builder.weight(f"{'/'.join(self.path)}/{name}_{i}", part))
        return found

    def check_count(self, count: int) -> None:
        """Raise if so many more nodes exceed the limit of a model."""
        self.builder.check_count(count)

    def layer_results(self, values: Sequence[Any]) -> list[Masked]:
        """Return the results of a model, or of a layer with a user-defined kernel."""
        if self.spec.model is None:
            return [Masked(self._custom_node(values))]
        given = with_masks(values, self.masks)
        return without_masks(
            model_results(self.builder, self.spec.model, self.path, self.scope, given)
        )

    def _custom_node(self, values: Sequence[Value]) -> Value:
        """Add a node for a layer with a user-defined kernel: its tensors, then its weights."""
        arrays = self.builder.bound.get(self.path, {})
        weights = [self.weight(name, array.shape) for name, array in arrays.items()]
        config = {name: value for name, value in self.spec.config.items() if _is_plain(value)}
        references = [value.reference for value in (*values, *weights)]
        class_name = self.spec.class_name
        name = self.builder.add(f"{self.scope}/{class_name}", class_name, references, config)
        return Value(name, None)


def _is_plain(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(isinstance(part, (str, int, float)) for part in parts)


def model_results(
    builder: Builder,
    model: ModelSpec,
    path: tuple[str, ...],
    scope: str,
    values: Sequence[Value],
) -> list[Value]:
    """Return the results of a model for values of its inputs.

    Args:
        builder: builder of the nodes.
        model: the model to call.
        path: names of the surrounding models, and the model's name.
        scope: prefix of the names of its nodes.
        values: one value per input.
    """
    return _GraphRun(builder, model, path, scope).results(values)


class _GraphRun(ModelRun):
    """A run of a model that adds nodes to a graph."""

    def __init__(self, builder: Builder, model: ModelSpec, path: tuple[str, ...], scope: str):
        super().__init__(model, f"the model {'/'.join(path)!r}" if path else "the model")
        self.builder, self.path, self.scope = builder, path, scope

    def called(self, spec: LayerSpec, index: int) -> list[Value]:
        """Return the results of a call of a layer, the last of whose nodes has its name."""
        call = spec.calls[index].with_values(self.inputs_of(spec, spec.calls[index]))
        name, (values, keywords) = spec.name, bound_arguments(call)
        scoped = f"{self.scope}/{name}" if self.scope else name
        scoped = f"{scoped}_{index}" if index else scoped
        if _has_number(spec.calls[index]):  # as in x * 2.0, which Keras 3's h5 files do not mark
            spec = spec._replace(is_function=True)
        made = GraphCall(self.builder, spec, (*self.path, name), scoped, keywords)
        values = [_with_known_shape(made, value, len(values)) for value in values]
        start = len(self.builder.nodes)
        return self._named(made, start, results_of_values(made, values))

    def either(self, mask: Value, other: Value) -> Value:
        """Add a node for the mask of what one of two masks keeps."""
        scope = f"{self.scope}/" if self.scope else ""
        inputs = [mask.reference, other.reference]
        name = self.builder.add(f"{scope}LogicalOr", "LogicalOr", inputs, {})
        return mask._replace(reference=name)

    def _named(self, call: GraphCall, start: int, found: list[Value]) -> list[Value]:
        """Return the results, with the last node named by the layer."""
        if len(found) > 1:
            name = self.builder.add(
                call.scope,
                "IdentityN",
                [v.reference for v in found],
                {"T": [DATA_TYPES[v.dtype] for v in found]},
            )
            return [v._replace(reference=f"{name}:{i}" if i else name) for i, v in enumerate(found)]
        last = self.builder.nodes[-1].name if len(self.builder.nodes) > start else None
        value = found[0]
        if last is not None and value.reference == last and call.spec.model is None:
            return [value._replace(reference=self.builder.rename(start, last, call.scope))]
        name = self.builder.add(call.scope, "Identity", [value.reference], {})
        return [value._replace(reference=name)]


def _has_number(call: KerasCall) -> bool:
    arguments = call.arguments if isinstance(call.arguments, list) else []
    return any(isinstance(a, (int, float)) and not isinstance(a, bool) for a in arguments)


def _with_known_shape(call: GraphCall, value: Value, count: int) -> Value:
    """Return a value with the layer's declared input shape, if the value has no known shape."""
    shape = call.spec.input_shape
    if value.shape is not None or count != 1 or shape is None:
        return value
    return value._replace(shape=dimensions(shape, f"the input_shape of {call.where}"))

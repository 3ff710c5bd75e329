"""Functional models: from symbolic tensors to a description, and runs of it."""

from collections.abc import Sequence

from core import ops
from core.engine.op_places import in_layer
from core.errors import CoreError
from core.layers.keras_config import KerasCall, LayerSpec, ModelSpec, Source, TensorFacts
from core.layers.layer import Layer
from core.layers.layer_call import Value
from core.layers.model_run import ModelRun
from core.layers.nested import replaced
from core.layers.symbolic import SymbolicTensor
from core.layers.tensor_calls import tensor_of, value_of

#: A call of a layer: the layer's id, and the number of the call.
_Node = tuple[int, int]


class LayerGraph:
    """The layers between some symbolic tensors, ordered as in Keras's functional models.

    Layers far from the outputs come first, which decides the names of weights in files.

    Source: ``map_graph_network`` of ``keras.src.ops.function``.

    Args:
        inputs: the inputs.
        outputs: the outputs.

    Attributes:
        layers: the layers, inputs included.
        spec: the description of the model.
    """

    def __init__(self, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]):
        self._given = {_node(x): x for x in inputs}
        self._layers: dict[int, Layer] = {}
        self._nodes: list[_Node] = []
        self._visited: set[_Node] = set()
        for output in outputs:
            self._visit(output)
        for x in inputs:
            if id(x.layer) not in self._layers:
                raise CoreError(f"the input {x.name!r} leads to no output of the model")
        self.layers = self._ordered()
        _check_names(self.layers)
        self.spec = self._described(inputs, outputs)

    def _visit(self, output: SymbolicTensor) -> None:
        """Add the calls that lead to a tensor, after those that lead to their inputs."""
        stack: list[tuple[SymbolicTensor, bool]] = [(output, False)]
        while stack:
            symbol, is_done = stack.pop()
            node = _node(symbol)
            if is_done:
                self._nodes.append(node)
                continue
            if node in self._visited:
                continue
            self._visited.add(node)
            self._layers.setdefault(id(symbol.layer), symbol.layer)
            stack.append((symbol, True))
            if node in self._given:
                continue
            needed = symbol.layer.call_inputs[symbol.call]
            if not needed:
                raise CoreError(
                    f"the output needs the input {symbol.name!r}, which is not among the inputs "
                    f"of the model"
                )
            stack += [(each, False) for each in reversed(needed)]

    def _parents(self, node: _Node) -> list[_Node]:
        key, call = node
        return [] if node in self._given else [*map(_node, self._layers[key].call_inputs[call])]

    def _ordered(self) -> list[Layer]:
        """Return the layers by their distance from the outputs, then by first visit."""
        depths: dict[_Node, int] = {}
        of_layers: dict[int, int] = {}
        for node in reversed(self._nodes):
            depth = max(depths.setdefault(node, 0), of_layers.get(node[0], 0))
            of_layers[node[0]] = depths[node] = depth
            for parent in self._parents(node):
                depths[parent] = max(depth + 1, depths.get(parent, 0))
        places = {key: place for place, key in enumerate(self._layers)}
        order = sorted(self._layers, key=lambda key: (-of_layers[key], places[key]))
        return [self._layers[key] for key in order]

    def _described(
        self, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
    ) -> ModelSpec:
        """Return the description, with the calls of this model alone, numbered from 0."""
        used: dict[int, list[int]] = {}
        for node in sorted(self._nodes, key=lambda node: node[1]):
            used.setdefault(node[0], []).append(node[1])
        names = {layer.name: id(layer) for layer in self.layers}

        def moved(source: Source) -> Source:
            return source._replace(call=used[names[source.layer]].index(source.call))

        specs: list[LayerSpec] = []
        tensors: dict[Source, TensorFacts] = {}
        for layer in self.layers:
            key = id(layer)
            calls: list[KerasCall] = []
            for number in used[key]:
                given = (key, number) in self._given
                call = KerasCall([], {}) if given else layer.calls[number]
                for i, symbol in enumerate(layer.call_outputs[number]):
                    facts = TensorFacts(symbol.value.shape, symbol.dtype)
                    tensors[Source(layer.name, len(calls), i)] = facts
                calls.append(KerasCall(*(replaced(part, Source, moved) for part in call)))
            specs.append(layer.layer_spec()._replace(calls=tuple(calls)))
        starts, ends = (
            tuple(moved(Source(s.layer.name, s.call, s.output)) for s in symbols)
            for symbols in (inputs, outputs)
        )
        return ModelSpec(tuple(specs), starts, ends, tensors)


def _of_rank(value: Value, facts: TensorFacts | None) -> Value:
    """Return a value of an input with as many axes as the input has, if the last has length 1."""
    expected = None if facts is None else facts.shape
    shape = value.shape
    if expected is None or shape is None or len(shape) == len(expected):
        return value
    if shape[-1:] == (1,) and len(shape) == len(expected) + 1:
        return value_of(ops.squeeze(tensor_of(value), axis=(len(shape) - 1,)), value.mask)
    if expected[-1:] == (1,) and len(shape) == len(expected) - 1:
        return value_of(ops.expand_dims(tensor_of(value), axis=len(shape)), value.mask)
    return value


def _node(symbol: SymbolicTensor) -> _Node:
    return id(symbol.layer), symbol.call


def _check_names(layers: Sequence[Layer]) -> None:
    known: dict[str, Layer] = {}
    for layer in layers:
        if known.setdefault(layer.name, layer) is not layer:
            raise CoreError(
                f"two layers of the model are named {layer.name!r}: give one another name="
            )


class TensorRun(ModelRun):
    """A run of a functional model on tensors.

    Args:
        model: the model.
        where: description of the model, for errors.
        training: whether its layers run as in training.
    """

    def __init__(self, model: ModelSpec, where: str, *, training: bool):
        super().__init__(model, where)
        self.training = training

    def results(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the results for values of the inputs, which may lack a last axis of length 1.

        As in Keras they may also have one more, so that a vector is what a column is.
        """
        if len(inputs) == len(self.model.inputs):
            pairs = zip(self.model.inputs, inputs, strict=True)
            inputs = [_of_rank(value, self.model.tensors.get(source)) for source, value in pairs]
        return super().results(inputs)

    def called(self, spec: LayerSpec, index: int) -> list[Value]:
        """Return the results of a call of a layer."""
        with in_layer(spec.name):
            call = spec.calls[index]
            found: list[Value] = spec.layer.results_of_call(
                call, self.inputs_of(spec, call), training=self.training
            )
        return found

    def either(self, mask: Value, other: Value) -> Value:
        """Return the mask of what one of two masks keeps."""
        return value_of(ops.logical_or(tensor_of(mask), tensor_of(other)))


class ShapeRun(ModelRun):
    """A run of a functional model on shapes, which makes the variables of its layers."""

    def called(self, spec: LayerSpec, index: int) -> list[Value]:
        """Return the shapes of the results of a call of a layer."""
        found: list[Value] = spec.layer.shapes_of_call(spec.calls[index], self.value)
        return found


def without_objects(model: ModelSpec) -> ModelSpec:
    """Return the description of a model with those of its layers for files."""
    layers = (spec.layer.file_spec()._replace(calls=spec.calls) for spec in model.layers)
    return model._replace(layers=tuple(layers))

"""Lowering of calls of layers and models to nodes and their output values."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import CoreError
from core.graph.subgraph import running_order
from core.layers.builder import DATA_TYPES, Builder, LayerCall, Value
from core.layers.keras_config import KerasCall, LayerSpec, ModelSpec, Source, sources
from core.layers.layer_config import dimensions
from core.layers.lowering.rows import LayerType, find_layer_type

#: Keyword arguments that are tensors for some layers.
_TENSOR_KEYWORDS = {"initial_state", "mask", "count_weights"}


def kind_of(spec: LayerSpec) -> LayerType | None:
    """Return the type of a layer, or of a function between layers."""
    as_function = f"ops.{spec.class_name.lower()}"
    if spec.is_function:
        return find_layer_type(as_function)
    return find_layer_type(spec.class_name) or find_layer_type(as_function)


def results(call: LayerCall, values: Sequence[Value]) -> list[Value]:
    """Return the results of a layer called on values."""
    if call.spec.model is not None:
        return model_results(call.builder, call.spec.model, call.path, call.scope, values)
    kind = kind_of(call.spec)
    if kind is None:
        return [_custom_node(call, values)]
    try:
        found = kind.lower(call, *values)
    except TypeError as error:
        if "positional argument" not in str(error):
            raise
        raise call.error(f"does not take {len(values)} tensors") from error
    given = list(found) if isinstance(found, list) else [found]
    mask = values[0].mask if values and kind.keeps_mask else None
    if given[0].mask is None and mask is not None:
        given[0] = given[0]._replace(mask=mask)
    return given


def _custom_node(call: LayerCall, values: Sequence[Value]) -> Value:
    """Add a node for a layer with a user-defined kernel: its tensors, then its weights."""
    arrays = call.builder.bound.get(call.path, {})
    weights = [call.weight(name, array.shape) for name, array in arrays.items()]
    config = {name: value for name, value in call.spec.config.items() if _is_plain(value)}
    references = [value.reference for value in (*values, *weights)]
    name = call.builder.add(
        f"{call.scope}/{call.spec.class_name}", call.spec.class_name, references, config
    )
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
    if len(values) != len(model.inputs):
        raise CoreError(
            f"the model {'/'.join(path)!r} has {len(model.inputs)} inputs, but is called "
            f"on {len(values)} tensors"
        )
    run = _ModelRun(builder, model, path, scope)
    for source, value in zip(model.inputs, values, strict=True):
        run.values[source.layer, source.call] = [value]
    run.compute(model.outputs)
    return [run.value(source) for source in model.outputs]


class _ModelRun:
    """One call of a model, with the results of the calls of its layers."""

    def __init__(self, builder: Builder, model: ModelSpec, path: tuple[str, ...], scope: str):
        self.builder, self.model, self.path, self.scope = builder, model, path, scope
        self.layers = {layer.name: layer for layer in model.layers}
        self.values: dict[tuple[str, int], list[Value]] = {}

    def compute(self, outputs: Sequence[Source]) -> None:
        """Call all layers that outputs need, in execution order."""
        calls = [(layer.name, i) for layer in self.model.layers for i in range(len(layer.calls))]
        known = set(calls)
        calls += [key for key in self.values if key not in known]
        labels = {key: f"{i} {key[0].replace(':', '_')}" for i, key in enumerate(calls)}
        keys = {label: key for key, label in labels.items()}

        def needs(label: str) -> list[str]:
            name, i = keys[label]
            call = self.layers[name].calls[i]
            found = sources([call.arguments, call.keywords], name)
            return [self._label(labels, source) for source in found]

        given = [labels[key] for key in self.values]
        for label in running_order(needs, given, [self._label(labels, s) for s in outputs]):
            self.values[keys[label]] = self._called(*keys[label])

    def _label(self, labels: Mapping[tuple[str, int], str], source: Source) -> str:
        found = labels.get((source.layer, source.call))
        if found is None:
            where = f"the model {'/'.join(self.path)!r}" if self.path else "the model"
            raise CoreError(f"{where} has no call {source.call} of a layer {source.layer!r}")
        return found

    def value(self, source: Source) -> Value:
        """Return an output of a call."""
        found = self.values[source.layer, source.call]
        if source.output >= len(found):
            raise CoreError(f"layer {source.layer!r} has no output {source.output}")
        return found[source.output]

    def _called(self, name: str, index: int) -> list[Value]:
        spec = self.layers[name]
        if spec.class_name == "InputLayer":
            raise CoreError(f"the input {name!r} is not an input of its model")
        scoped = f"{self.scope}/{name}" if self.scope else name
        scoped = f"{scoped}_{index}" if index else scoped
        if _has_number(spec.calls[index]):  # as in x * 2.0, which Keras 3's h5 files do not mark
            spec = spec._replace(is_function=True)
        values, keywords = self._arguments(spec.calls[index])
        call = LayerCall(self.builder, spec, (*self.path, name), scoped, keywords)
        values = [_with_known_shape(call, value, len(values)) for value in values]
        start = len(self.builder.nodes)
        return self._named(call, start, results(call, values))

    def _arguments(self, call: KerasCall) -> tuple[list[Value], dict[str, Any]]:
        """Return the tensors of a layer's call, and the other arguments by name."""
        values = [self.value(source) for source in sources(call.arguments, "the arguments")]
        keywords: dict[str, Any] = {}
        for name, argument in call.keywords.items():
            given = [self.value(source) for source in sources(argument, name)]
            if given and name not in _TENSOR_KEYWORDS:
                values += given  # as in layer(query, value=...)
            elif name == "initial_state":
                values += given
            elif name == "mask" and given and values:
                values[0] = values[0]._replace(mask=given[0])
            else:
                keywords[name] = given[0] if given else argument
        if isinstance(call.arguments, list):
            keywords["arguments"] = [
                self.value(a) if isinstance(a, Source) else a for a in call.arguments
            ]
        return values, keywords

    def _named(self, call: LayerCall, start: int, found: list[Value]) -> list[Value]:
        """Return the results, with the last node named by the layer."""
        if len(found) > 1:
            name = self.builder.add(
                call.scope,
                "IdentityN",
                [v.reference for v in found],
                {"T": [DATA_TYPES.get(v.dtype, "DT_STRING") for v in found]},
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


def _with_known_shape(call: LayerCall, value: Value, count: int) -> Value:
    """Return a value with the layer's declared input shape, if the value has no known shape."""
    shape = call.spec.input_shape
    if value.shape is not None or count != 1 or shape is None:
        return value
    return value._replace(shape=dimensions(shape, f"the input_shape of {call.where}"))

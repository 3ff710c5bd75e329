"""Reader of topologies of layer models in the dialects of TensorFlow.js, Keras 2 and Keras 3.

Sources: ``Model.toJSON`` of TensorFlow.js, ``Model.get_config`` of tf.keras 2 and Keras 3.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from core.errors import CoreError
from core.graph.json_values import mapping, sequence, text
from core.layers.nested import replaced
from weights_cache.reading_budgets import spend

#: The libraries whose configs of layers differ.
Dialect = Literal["keras2", "keras3", "tfjs"]

MODEL_CLASSES = {"Model": "Functional", "Functional": "Functional", "Sequential": "Sequential"}

#: Arguments of layers that are layers, or lists of them.
INNER_LAYERS = ("layer", "backward_layer", "cell", "cells")

#: Recurrent layers, whose second argument are the initial states.
RECURRENT = frozenset({"RNN", "SimpleRNN", "LSTM", "GRU", "ConvLSTM2D", "Bidirectional"})

#: The most nested models and wrappers.
DEEPEST = 24

#: Least memory of a layer with its calls and its nodes.
_LAYER_BYTES = 4000


class Source(NamedTuple):
    """An input of a layer's call: an output of a call of another layer."""

    layer: str
    call: int
    output: int


class KerasCall(NamedTuple):
    """A call of a layer as in Keras 3: its nested arguments, with a Source for each tensor."""

    arguments: Any
    keywords: Mapping[str, Any]

    def with_values(self, value_of_source: Callable[[Source], Any]) -> "KerasCall":
        """Return the call with values in place of the sources."""
        return KerasCall(*(replaced(part, Source, value_of_source) for part in self))


class LayerSpec(NamedTuple):
    """A layer of a topology.

    Attributes:
        class_name: such as "Dense"; "Functional" and "Sequential" are models.
        name: name of the layer, unique in its model.
        config: config of the file, unchecked; layers in it are documents, specs or layer objects.
        dialect: "tfjs", "keras2" or "keras3": the one of the config.
        calls: calls of the layer in its model.
        model: inner layers, if the layer is a model.
        holder: attribute of the parent in Keras that has the layer.
        is_function: whether it is a function of Keras, such as ``x + y``.
        module: module of Keras 3 that has the class, where the file says it.
        input_shape: shape for which Keras 3 built the layer.
        layer: the layer object that the spec stands for, where a program made the layer.
        registered_name: of a user-defined class, by which Keras finds it, such as "my>Scale", or
            its own name; empty for a class of Keras, and where the file does not say it.
        same_built_in: of a user-defined class that has nothing but a constructor of its own: the
            layer of the built-in class from which it derives.
    """

    class_name: str
    name: str
    config: Mapping[str, Any]
    dialect: Dialect
    calls: tuple[KerasCall, ...] = ()
    model: "ModelSpec | None" = None
    holder: str = "layers"
    is_function: bool = False
    module: str = ""
    input_shape: Any = None
    layer: Any = None
    registered_name: str = ""
    same_built_in: "LayerSpec | None" = None

    def name_in(self, names: Container[str]) -> str | None:
        """Return the name of the class that a program gives: the registered, or the short one."""
        return next((n for n in (self.registered_name, self.class_name) if n and n in names), None)


class TensorFacts(NamedTuple):
    """Shape (None: any rank) and dtype of a tensor in a model without data."""

    shape: tuple[int | None, ...] | None
    dtype: str


class ModelSpec(NamedTuple):
    """A model.

    Attributes:
        layers: its layers, in the order of Keras.
        inputs: sources of its inputs.
        outputs: sources of its outputs.
        tensors: what is known of its tensors, if its layers were called and not only read.
    """

    layers: tuple[LayerSpec, ...]
    inputs: tuple[Source, ...]
    outputs: tuple[Source, ...]
    tensors: Mapping[Source, TensorFacts] = {}

    def rank(self, source: Source) -> int | None:
        """Return the number of axes of a tensor, or None if it is unknown."""
        known = self.tensors.get(source)
        return None if known is None or known.shape is None else len(known.shape)


def read_topology(document: Any) -> LayerSpec:
    """Return the model of a topology in any of the dialects; a model that was read stays.

    Raises:
        CoreError: the document is not a topology.
    """
    if isinstance(document, LayerSpec):
        return document
    outer = mapping(document, "the topology")
    version = ""
    while True:
        version = str(outer.get("keras_version") or version)
        inner = next((outer[k] for k in ("modelTopology", "model_config") if k in outer), None)
        if inner is None:
            break
        outer = mapping(inner, "the topology")
    if str(outer.get("class_name")) not in MODEL_CLASSES:
        raise CoreError(
            f"the topology is a {outer.get('class_name')!r:.80}: expected Sequential, "
            f"Functional or Model, as a subclass of Model has no topology"
        )
    return read_layer(outer, _dialect(outer, version))


def _dialect(model: Mapping[str, Any], version: str) -> Dialect:
    has_marks = _has_marks_of_keras3(model, 0)
    if version.startswith("tfjs"):
        return "tfjs"
    return "keras3" if version.startswith("3") or (not version and has_marks) else "keras2"


def _has_marks_of_keras3(document: Any, depth: int) -> bool:
    """Whether a document has symbolic tensors or "batch_shape", which only Keras 3 writes."""
    if depth > 4 * DEEPEST:
        raise CoreError("the topology is nested too deeply")
    if isinstance(document, Mapping):
        if "batch_shape" in document or document.get("class_name") == "__keras_tensor__":
            return True
        document = list(document.values())
    return isinstance(document, list) and any(_has_marks_of_keras3(d, depth + 1) for d in document)


def read_layer(
    document: Any, dialect: Dialect, holder: str = "layers", depth: int = 0
) -> LayerSpec:
    """Read a layer, with its inner layers if it is a model."""
    if depth > DEEPEST:
        raise CoreError(f"models are nested more than {DEEPEST} deep")
    if hasattr(document, "layer_spec"):  # a layer object, not of a file
        document = document.layer_spec()
    if isinstance(document, LayerSpec):
        return document._replace(holder=holder)
    spend(_LAYER_BYTES, "its layers")
    document = mapping(document, "a layer")
    class_name = text(document.get("class_name"), "the class_name of a layer")
    class_name, registered_name = _names_of_class(document, class_name)
    config = document.get("config")
    if class_name == "Sequential" and isinstance(config, list):
        config = {"layers": config}  # Keras before 2.2.3
    config = mapping(config, f"the config of a {class_name}")
    # Keras 3's h5 files have no modules, and call both a function and a layer "Reshape".
    module = str(document.get("module") or "")
    is_function = "ops" in module.split(".") or "newshape" in config
    if class_name == "TFOpLambda":  # a function of tf.keras between layers
        class_name, is_function = str(config.get("function")).rpartition(".")[2], True
    name = document.get("name") or config.get("name") or class_name.lower()
    name = text(name, f"the name of a {class_name}")
    nodes = sequence(document.get("inbound_nodes") or [], f"the inbound_nodes of {name!r}")
    build = document.get("build_config")
    return LayerSpec(
        class_name,
        name,
        config,
        dialect,
        tuple(_call(node, name, class_name, is_function) for node in nodes),
        None if registered_name else _model(class_name, name, config, dialect, depth),
        holder,
        is_function,
        module,
        build.get("input_shape") if isinstance(build, Mapping) else None,
        registered_name=registered_name,
    )


def _names_of_class(document: Mapping[str, Any], class_name: str) -> tuple[str, str]:
    """Return the name of a class, and the one by which a program registered it, or "".

    Files of Keras 2 have the registered name alone.
    """
    registered = str(document.get("registered_name") or "")
    if ">" in class_name:
        registered, class_name = class_name, class_name.rpartition(">")[2]
    elif "module" not in document or _is_of_keras(document["module"]):
        registered = ""
    return MODEL_CLASSES.get(class_name, class_name) if not registered else class_name, registered


def _is_of_keras(module: Any) -> bool:
    return str(module).partition(".")[0] in ("keras", "tf_keras", "tensorflow")


def _model(
    class_name: str, name: str, config: Mapping[str, Any], dialect: Dialect, depth: int
) -> ModelSpec | None:
    if class_name not in MODEL_CLASSES:
        return None
    where = f"the layers of {name!r}"
    documents = sequence(config.get("layers"), where)
    layers = [read_layer(document, dialect, depth=depth + 1) for document in documents]
    if class_name == "Sequential":
        layers = _chained(layers, config, name)
    names = [layer.name for layer in layers]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise CoreError(f"{where}: these names are used twice: {', '.join(twice)}")
    if class_name == "Sequential":
        return ModelSpec(tuple(layers), (Source(names[0], 0, 0),), (Source(names[-1], 0, 0),))
    inputs, outputs = (
        tuple(sources(config.get(key), f"the {key} of {name!r}"))
        for key in ("input_layers", "output_layers")
    )
    model = ModelSpec(tuple(layers), inputs, outputs)
    return _outputs_from_zero(model) if dialect == "keras3" else _counted_from_zero(model)


def _chained(layers: list[LayerSpec], config: Mapping[str, Any], name: str) -> list[LayerSpec]:
    """Return the layers of a Sequential after an InputLayer, each called on the previous one."""
    if not layers:
        raise CoreError(f"the model {name!r} has no layers")
    if layers[0].class_name != "InputLayer":
        shape = _input_shape(layers[0]) or config.get("build_input_shape")
        first = {"batch_shape": shape, "dtype": _input_dtype(layers[0])}
        given = LayerSpec("InputLayer", f"{layers[0].name}_input", first, layers[0].dialect)
        layers = [given, *layers]
    chained = [layers[0]._replace(calls=(KerasCall((), {}),))]
    for layer in layers[1:]:
        source = Source(chained[-1].name, 0, 0)
        chained.append(layer._replace(calls=(KerasCall(source, {}),)))
    return chained


def _input_shape(layer: LayerSpec) -> Any:
    """Return the input shape of the first layer of a Sequential, or None if unknown."""
    for key in ("batch_input_shape", "batch_shape"):
        if layer.config.get(key) is not None:
            return layer.config[key]
    if layer.model is not None and layer.model.inputs:
        first = layer.model.inputs[0].layer
        return next((_input_shape(x) for x in layer.model.layers if x.name == first), None)
    return layer.input_shape


def _input_dtype(layer: LayerSpec) -> Any:
    """Return the dtype of the input of a Sequential's first layer."""
    if layer.model is not None and layer.model.inputs:
        return _input_dtype(layer.model.layers[0])
    return layer.config.get("dtype") if layer.class_name != "Embedding" else "float32"


def _call(node: Any, name: str, class_name: str, is_function: bool) -> KerasCall:
    """Read a call in the form of Keras 3 (an object) or of Keras 2 (a list of tensors)."""
    if isinstance(node, Mapping):
        keywords = mapping(node.get("kwargs") or {}, f"the kwargs of a call of {name!r}")
        return KerasCall(
            _value(node.get("args") or [], name), {k: _value(v, name) for k, v in keywords.items()}
        )
    node = sequence(node, f"a call of {name!r}")
    entries = [node] if node and isinstance(node[0], str) else list(node)
    keywords = {}
    arguments = []
    for entry in entries:
        entry = sequence(entry, f"an argument of a call of {name!r}")
        arguments.append(_argument(entry, name))
        if len(entry) > 3:
            keywords.update(mapping(entry[3] or {}, f"the kwargs of a call of {name!r}"))
    found = {k: _value(v, name) for k, v in keywords.items()}
    if len(arguments) < 2 or is_function:
        return KerasCall(arguments, found)
    if class_name in RECURRENT:
        return KerasCall(arguments[:1], {"initial_state": arguments[1:], **found})
    return KerasCall([arguments], found)


def _argument(entry: Sequence[Any], name: str) -> Any:
    if len(entry) > 2 and entry[0] == "_CONSTANT_VALUE":
        return entry[2]
    found = _source(entry[:3])
    if found is None:
        raise CoreError(f"a call of {name!r} has {list(entry)!r:.80}: expected a tensor")
    return found


def _source(entry: Any) -> Source | None:
    if isinstance(entry, (list, tuple)) and len(entry) in (3, 4) and isinstance(entry[0], str):
        numbers = entry[1:3]
        if all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers):
            return Source(entry[0], *numbers)
    return None


def _value(value: Any, name: str, depth: int = 0) -> Any:
    """Return an argument with sources in place of tensors."""
    if depth > DEEPEST:
        raise CoreError(f"a call of {name!r} has arguments nested too deeply")
    if isinstance(value, Mapping):
        if value.get("class_name") == "__keras_tensor__":
            config = mapping(value.get("config"), f"a tensor that {name!r} is called on")
            return _argument(sequence(config.get("keras_history"), "a keras_history"), name)
        return {k: _value(v, name, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return _source(value) or [_value(v, name, depth + 1) for v in value]
    return value


def sources(value: Any, where: str, depth: int = 0) -> Iterator[Source]:
    """Yield all tensors in nested lists and objects, in the order of Keras's flattening."""
    if depth > DEEPEST:
        raise CoreError(f"{where} are nested too deeply")
    if isinstance(value, Source):
        yield value
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from sources(value[key], where, depth + 1)
    elif isinstance(value, (list, tuple)):
        found = _source(value)
        for part in [found] if found else value:
            yield from sources(part, where, depth + 1)


def _outputs_from_zero(model: ModelSpec) -> ModelSpec:
    """Count calls of nested models from 0: Keras 3 counts from 1 in inputs and outputs only."""
    nested = {layer.name for layer in model.layers if layer.class_name == "Functional"}

    def moved(found: Sequence[Source]) -> tuple[Source, ...]:
        return tuple(
            s._replace(call=s.call - 1) if s.layer in nested and s.call else s for s in found
        )

    return model._replace(inputs=moved(model.inputs), outputs=moved(model.outputs))


def _counted_from_zero(model: ModelSpec) -> ModelSpec:
    """Count calls of nested models from 0: Keras 2 counts from 1, as call 0 made the model."""
    counts = {layer.name: len(layer.calls) for layer in model.layers}
    used = [*model.inputs, *model.outputs]
    for layer in model.layers:
        for call in layer.calls:
            used += sources([call.arguments, call.keywords], layer.name)
    late = {s.layer for s in used if counts.get(s.layer) and s.call >= counts[s.layer]}

    def moved(value: Any) -> Any:
        if isinstance(value, Source):
            return value._replace(call=value.call - 1) if value.layer in late else value
        if isinstance(value, Mapping):
            return {k: moved(v) for k, v in value.items()}
        return [moved(v) for v in value] if isinstance(value, (list, tuple)) else value

    if not late:
        return model
    layers = tuple(
        layer._replace(
            calls=tuple(KerasCall(moved(c.arguments), moved(c.keywords)) for c in layer.calls)
        )
        for layer in model.layers
    )
    return ModelSpec(layers, tuple(moved(model.inputs)), tuple(moved(model.outputs)))

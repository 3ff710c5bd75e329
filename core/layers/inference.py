"""Conversion of layer models to graphs, from topologies and weights of readers."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from core.errors import CoreError, KernelNotFound
from core.graph.nodes import Endpoint, Graph, PartialSpec
from core.graph.unique_names import free_name
from core.layers.builder import Builder
from core.layers.graph_calls import model_results
from core.layers.keras_config import LayerSpec, Source, read_topology
from core.layers.layer_call import Value
from core.layers.layer_config import dimensions
from core.layers.lookup import kind_of
from core.layers.weight_slots import Bound, bind_by_lists, bind_by_names, slots_of_model

_DTYPES = {"bool": "bool", "string": "string"}


def layers_graph(topology: Any, weights: Mapping[str, Any], kernels: Container[str] = ()) -> Graph:
    """Return the graph of a layer model with its weights by name.

    Nodes are named by the layers ("outer/inner" in nested models, "name_1" for a second call),
    constants by the weights. Random layers and dropout become identities.

    Args:
        topology: ``modelTopology`` of TensorFlow.js's model.json or the whole document, the
            config of a Keras 2 or Keras 3 model, of Sequential and functional models.
        weights: arrays by name, such as "conv1/kernel"; names of surrounding models are optional.
        kernels: classes of layers that user-defined functions run: they become nodes of that
            type, with the layer's tensors and weights as inputs, and the numbers, texts and lists
            of these in its config as attributes.

    Raises:
        CoreError: the topology is invalid, contains code, or does not fit the weights.
        KernelNotFound: some classes have no kernel; all are listed.

    >>> dense = {"class_name": "Dense", "config": {
    ...     "name": "dense", "units": 1, "batch_input_shape": [None, 2], "activation": "relu"}}
    >>> model = {"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}}
    >>> import numpy as np
    >>> weights = {"dense/kernel": np.ones((2, 1)), "dense/bias": np.zeros(1)}
    >>> graph = layers_graph(model, weights)
    >>> list(graph.inputs), list(graph.outputs), graph.nodes[-1].type
    (['dense_input'], ['dense'], '_FusedMatMul')
    """
    model = _read(topology, kernels)
    return _graph(model, bind_by_names(slots_of_model(model), weights))


def layer_classes(topology: Any) -> list[str]:
    """Return the class of each layer of a model, including nested models and layers.

    >>> dense = {"class_name": "Dense", "config": {
    ...     "name": "dense", "units": 1, "batch_input_shape": [None, 2]}}
    >>> layer_classes({"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}})
    ['InputLayer', 'Dense']
    """
    return [layer.class_name for _, layer in _flattened(read_topology(topology), ())]


def graph_of_layer_weights(
    topology: Any, weights: Mapping[str, Sequence[Any]], kernels: Container[str] = ()
) -> Graph:
    """Return the graph of a layer model with its weights as lists per layer.

    Args:
        topology: as for `layers_graph`.
        weights: lists in Keras's order, by path of layer: "outer/inner" (a .keras file, see
            `weight_slots`), or the name of a layer of the outer model, whose list then has all
            weights of its inner layers, trainable ones first (an .h5 file).
        kernels: as for `layers_graph`.

    Raises:
        CoreError, KernelNotFound: as for `layers_graph`.
    """
    model = _read(topology, kernels)
    return _graph(model, bind_by_lists(slots_of_model(model), weights))


def _read(topology: Any, kernels: Container[str]) -> LayerSpec:
    model = read_topology(topology)
    unknown: dict[str, list[str]] = {}
    for path, layer in _flattened(model, ()):
        if layer.name_in(kernels) or layer.class_name == "InputLayer":
            continue
        if layer.class_name == "Lambda":
            raise CoreError(
                f"layer {path!r} is a Lambda with code, and code from a file is not run: "
                f"save the model with a built-in layer of Keras, or give a function for it, "
                f"as in kernels={{'Lambda': f}}"
            )
        if layer.model is None and kind_of(layer) is None:
            name = layer.registered_name or layer.class_name
            kind = f"keras.ops.{name}" if layer.is_function else name
            unknown.setdefault(kind, []).append(path)
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(paths)})" for kind, paths in unknown.items())
        raise KernelNotFound(
            f"these classes of layers are not supported: {listed}; give functions for them as "
            f"kernels="
        )
    return model


def _flattened(layer: LayerSpec, path: tuple[str, ...]) -> Iterator[tuple[str, LayerSpec]]:
    """Yield a layer and its inner layers, with their paths."""
    if layer.model is not None:
        for child in layer.model.layers:
            yield from _flattened(child, (*path, child.name))
        return
    yield "/".join(path), layer
    kind = kind_of(layer)
    for child in kind.children(layer) if kind is not None else ():
        yield from _flattened(child, (*path, child.name))


def _graph(layer: LayerSpec, bound: Bound) -> Graph:
    model = layer.model
    assert model is not None
    builder = Builder(bound)
    inputs: dict[str, Endpoint] = {}
    counts: dict[str, int] = {}
    layers = {layer.name: layer for layer in model.layers}
    values = []
    for source in model.inputs:
        name = free_name(source.layer, inputs, counts)
        spec = _input_spec(layers.get(source.layer), source)
        node = builder.add(name, "Placeholder", (), {})
        inputs[name] = Endpoint(node, spec)
        values.append(Value(node, spec.shape, spec.dtype))
    found = model_results(builder, model, (), "", values)
    outputs: dict[str, Endpoint] = {}
    counts = {}
    for source, value in zip(model.outputs, found, strict=True):
        spec = PartialSpec(value.shape, value.dtype)
        outputs[free_name(source.layer, outputs, counts)] = Endpoint(value.reference, spec)
    if not inputs or not outputs:
        raise CoreError(f"the model {layer.name!r} has no inputs or no outputs")
    return Graph(builder.nodes, builder.weights, inputs, outputs, builder.functions)


def _input_spec(layer: LayerSpec | None, source: Source) -> PartialSpec:
    """Return the spec of an input from its InputLayer, with an open batch."""
    if layer is None or layer.class_name != "InputLayer":
        raise CoreError(f"the model has no input layer {source.layer!r}")
    config = layer.config
    shape = next((config[k] for k in ("batch_shape", "batch_input_shape") if config.get(k)), None)
    if shape is None:
        raise CoreError(
            f"the topology lacks the shape of its input: give the layer {layer.name!r} a "
            f"batch_input_shape"
        )
    lengths = dimensions(shape, f"the shape of the input {layer.name!r}")
    return PartialSpec((None, *lengths[1:]), _dtype(config.get("dtype")))


def _dtype(document: Any) -> str:
    """Return the engine dtype of an input; all integers are int32."""
    if isinstance(document, Mapping):  # a policy
        config = document.get("config")
        document = config.get("name") if isinstance(config, Mapping) else None
    name = str(document or "float32")
    return _DTYPES.get(name, "int32" if "int" in name else "float32")

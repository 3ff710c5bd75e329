"""Models from and to the documents of files: topology, weights, training configuration, state."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.converter.layer_files.dialect_tables import RECURRENT
from core.converter.layer_files.document import LayersDocument
from core.engine.variables import Variable
from core.errors import CoreError, KernelNotFound
from core.layers.built_in import BuiltIn, function_class, layer_class, serialized
from core.layers.input_layer import InputLayer
from core.layers.keras_config import LayerSpec, ModelSpec, Source, read_topology
from core.layers.layer import Layer
from core.layers.model_run import ModelRun
from core.layers.symbolic import SymbolicTensor, replaced

if TYPE_CHECKING:
    from core.models.model import Model

#: Classes of user-defined layers by their names in files.
CustomObjects = Mapping[str, type[Layer]]


def model_from_document(
    topology: Mapping[str, Any], custom_objects: CustomObjects | None = None
) -> "Model":
    """Make a model from a topology in any dialect, with new weights.

    Args:
        topology: class name and config, as `Model.get_config` and files have them.
        custom_objects: classes of user-defined layers by their names in the topology.

    Raises:
        CoreError: the topology is invalid.
        KernelNotFound: it has layers of unknown classes, which are listed.
    """
    spec = read_topology(topology)
    _check_classes(spec, custom_objects or {})
    return _model_of(spec, custom_objects or {})


def _check_classes(spec: LayerSpec, custom: CustomObjects) -> None:
    assert spec.model is not None
    unknown = sorted(
        f"{layer.class_name} ({layer.name})"
        for layer in _flat(spec.model)
        if not layer.is_function
        and layer.class_name not in (*custom, "InputLayer")
        and layer_class(layer.class_name) is None
    )
    if unknown:
        raise KernelNotFound(
            f"these classes of layers are unknown: {', '.join(unknown)}; give their classes as "
            f"custom_objects={{'Name': Class}}"
        )


def _flat(model: ModelSpec) -> list[LayerSpec]:
    found: list[LayerSpec] = []
    for layer in model.layers:
        found += [layer] if layer.model is None else _flat(layer.model)
    return found


def _model_of(spec: LayerSpec, custom: CustomObjects) -> "Model":
    from core.models.model import Model
    from core.models.sequential import Sequential

    model = spec.model
    assert model is not None
    trainable = spec.config.get("trainable", True) is not False
    layers = {layer.name: _layer_of(layer, custom) for layer in model.layers}
    if spec.class_name == "Sequential":
        made: Model = Sequential(list(layers.values()), name=spec.name)
    else:
        run = _SymbolRun(model, f"the model {spec.name!r}", layers)
        starts = [run.begin(source) for source in model.inputs]
        ends: Any = run.results(starts)  # type: ignore[arg-type]
        made = Model(starts, list(ends), name=spec.name)
    if not trainable:
        made.trainable = False
    made.dialect = spec.dialect
    return made


def _layer_of(spec: LayerSpec, custom: CustomObjects) -> Layer:
    if spec.model is not None:
        return _model_of(spec, custom)
    if spec.class_name == "InputLayer":
        return InputLayer.from_spec(spec)
    if spec.is_function:
        return function_class(spec.class_name).from_spec(spec)
    if spec.class_name in custom:
        return custom[spec.class_name].from_config(spec.config)
    found = layer_class(spec.class_name)
    assert found is not None
    return found.from_spec(spec)


class _SymbolRun(ModelRun):
    """A run of a functional model on symbolic tensors, which calls its layers anew."""

    def __init__(self, model: ModelSpec, where: str, layers: Mapping[str, Layer]):
        super().__init__(model, where)
        self._objects = layers

    def begin(self, source: Source) -> SymbolicTensor:
        """Return the symbolic tensor of an input."""
        layer = self._objects.get(source.layer)
        if not isinstance(layer, InputLayer):
            raise CoreError(f"{self.where} has no input layer {source.layer!r}")
        return layer.call_outputs[0][0]

    def called(self, spec: LayerSpec, index: int, values: Any, keywords: Any) -> Any:
        """Return the symbolic results of a call of a layer."""
        call = spec.calls[index]
        arguments = replaced(call.arguments, Source, self._value)
        options = replaced(dict(call.keywords), Source, self._value)
        given = arguments if isinstance(arguments, list) else [arguments]
        if spec.dialect != "keras3" and len(given) > 1 and spec.class_name not in RECURRENT:
            given = [given]  # layers of Keras 2 and TensorFlow.js take their inputs as one list
        found = self._objects[spec.name](*given, **options)
        return found if isinstance(found, list) else [found]

    def _called(self, name: str, index: int) -> Any:
        return self.called(self.layers[name], index, (), {})


def variables_by_path(layer: Layer, path: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    """Return the variables of a layer and of those inside, by path and name, as files have them."""
    found: dict[tuple[str, ...], dict[str, Variable]] = {}
    if isinstance(layer, BuiltIn):
        for each in layer.described():
            found.setdefault((*path, *each.path), {})[each.name] = each.variable
        for name, inner in layer.inner_layers():
            found |= variables_by_path(inner, (*path, name))
        return found
    own = {v.name.rpartition("/")[2]: v for v in layer.own_variables()}
    if own:
        found[path] = own
    for inner in layer.sublayers():
        assert isinstance(inner, Layer)
        found |= variables_by_path(inner, (*path, inner.name))
    return found


def document_of(model: "Model", *, include_optimizer: bool = True) -> LayersDocument:
    """Return the content of a file for a model.

    Raises:
        CoreError: the model is neither Sequential nor functional, or has no weights yet.
    """
    if model._graph is None:
        what = (
            "has no shape of its input yet: call it on data, or give the first layer input_shape="
            if model.class_name == "Sequential"
            else "is a subclass, which files cannot describe: save its weights by save_weights"
        )
        raise CoreError(f"the model {model.name!r} {what}")
    weights = {
        path: {name: variable.numpy() for name, variable in named.items()}
        for path, named in variables_by_path(model, ()).items()
    }
    config, state = None, None
    if include_optimizer and model._compiled_with is not None:
        config = _compile_config(model)
        state = _state_of(model)
    topology = {"class_name": model.class_name, "config": model.get_config()}
    return LayersDocument(topology, weights, config, state, model.dialect)


def _compile_config(model: "Model") -> dict[str, Any]:
    given = dict(model._compiled_with or {})
    found = {name: serialized(value) for name, value in given.items() if name != "optimizer"}
    optimizer = model.optimizer
    config = {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    return {"optimizer": config, **found}


def _state_of(model: "Model") -> list[np.ndarray] | None:
    list_of = getattr(model.optimizer, "variable_list", None)
    if list_of is None:
        return None
    return [array for _, array in list_of(model.trainable_variables)]


def fill(model: "Model", document: LayersDocument, *, compile: bool = True) -> None:
    """Give a model of a document's topology the weights of the document, and compile it.

    Raises:
        CoreError: weights are missing or left over, or have other shapes.
    """
    variables = variables_by_path(model, ())
    given = {
        path: _with_names(named, variables.get(path, {}))
        for path, named in document.weights.items()
        if named
    }
    pairs = []
    for path, named in variables.items():
        for name, variable in named.items():
            array = given.get(path, {}).pop(name, None)
            if array is None:
                raise CoreError(f"the file lacks the weight {'/'.join((*path, name))!r}")
            pairs.append((variable, np.asarray(array)))
    left = sorted("/".join((*path, name)) for path, named in given.items() for name in named)
    if left:
        raise CoreError(f"the model has no variables for these weights: {', '.join(left):.300}")
    for variable, array in pairs:
        if array.shape != variable.shape:
            raise CoreError(
                f"{variable.name!r} has shape {variable.shape}, the file has {array.shape}"
            )
        variable.assign(array)
    if compile and document.compile_config:
        _compile(model, document)


def _with_names(
    stored: Mapping[str, np.ndarray], variables: Mapping[str, Variable]
) -> dict[str, np.ndarray]:
    """Return weights by the names of variables; those of user-defined classes have numbers."""
    numbers = [str(number) for number in range(len(variables))]
    if variables and sorted(stored) == sorted(numbers):
        return {name: stored[n] for n, name in zip(numbers, variables, strict=True)}
    return dict(stored)


def _compile(model: "Model", document: LayersDocument) -> None:
    names = ("optimizer", "loss", "loss_weights", "metrics", "weighted_metrics")
    config = document.compile_config or {}
    model.compile(**{name: config[name] for name in names if config.get(name) is not None})
    state = document.optimizer_variables
    if state is not None and hasattr(model.optimizer, "set_variable_list"):
        model.optimizer.set_variable_list(model.trainable_variables, list(state))

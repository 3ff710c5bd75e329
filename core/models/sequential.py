"""Sequential models: layers in a row; and models of either kind from their configs."""

from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from typing import Any

from core.engine.tensors import Tensor
from core.errors import MISUSE, CoreError, KernelNotFound
from core.keras.custom_objects import CustomObjects, with_custom_objects
from core.layers.built_in_layer import BuiltIn, layer_class
from core.layers.dialects.configs import derived_config
from core.layers.function_layer import function_class
from core.layers.input_layer import Input, InputLayer
from core.layers.keras_config import (
    INNER_LAYERS,
    KerasCall,
    LayerSpec,
    ModelSpec,
    Source,
    read_layer,
    read_topology,
)
from core.layers.layer import Layer
from core.layers.layer_call import Value
from core.layers.layer_config import as_flag
from core.layers.lookup import find_layer_class, kind_of
from core.layers.model_run import ModelRun, bound_arguments
from core.layers.symbolic import SymbolicTensor
from core.models.model import Model


class Sequential(Model[Tensor]):
    """A model of layers in a row.

    The shape of the input is that of the first layer's ``input_shape``, of an `core.layers.Input`
    before it, or else of the first data on which the model is called.

    Args:
        layers: layers, in order.
        name: name of the model.
        trainable: whether training changes its variables.

    >>> import core
    >>> model = core.Sequential()
    >>> model.add(core.layers.Dense(8, activation="relu", input_shape=(4,)))
    >>> model.add(core.layers.Dense(1))
    >>> model.output_shape, model.count_params()
    ((None, 1), 49)
    """

    def __init__(
        self,
        layers: Layer | Iterable[Layer | SymbolicTensor] = (),
        *,
        name: str | None = None,
        trainable: bool = True,
    ):
        super().__init__(name=name, trainable=trainable)
        self._list: list[Layer] = []
        self._first: SymbolicTensor | None = None
        self._last: SymbolicTensor | None = None
        for layer in [layers] if isinstance(layers, Layer) else layers:
            self.add(layer)

    def add(self, layer: Layer | SymbolicTensor) -> None:
        """Add a layer, a model or an input at the end.

        Raises:
            CoreError: it is no layer, its name is used already, or the result of the layers
                before does not fit it.
        """
        if isinstance(layer, SymbolicTensor):
            layer = layer.layer
        if not isinstance(layer, Layer):
            raise CoreError(f"a Sequential takes layers, got {layer!r:.80}")
        if isinstance(layer, InputLayer):
            if self._list or self._first is not None:
                raise CoreError("an input must be the first layer of a Sequential")
            self._begin(layer.call_outputs[0][0])
            return
        if any(each.name == layer.name for each in self._list):
            raise CoreError(
                f"a layer named {layer.name!r} is in the model: give this another name="
            )
        if self._first is None and not self._list:
            self._begin_with(layer)
        if self._last is not None:
            self._extend(layer)
        self._list.append(layer)
        self._renew()

    def pop(self) -> Layer:
        """Remove the last layer, and return it."""
        if not self._list:
            raise CoreError("the Sequential has no layers")
        layer = self._list.pop()
        if self._first is not None:
            before = self._list[-1].call_outputs[-1][0] if self._list else self._first
            self._last = before
        self._renew()
        return layer

    def _begin_with(self, layer: Layer) -> None:
        """Make the input from what the first layer declares."""
        shape, dtype = layer.declared_input_shape, None
        if isinstance(layer, Model) and layer._graph is not None:
            shape, dtype = layer.inputs[0].shape, layer.inputs[0].dtype
        if shape is not None:
            self._begin(Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input"))

    def _begin(self, symbol: SymbolicTensor) -> None:
        self._first = self._last = symbol

    def _extend(self, layer: Layer) -> None:
        found = layer(self._last)
        if not isinstance(found, SymbolicTensor):
            raise CoreError(
                f"layer {layer.name!r} returns several tensors, a Sequential needs one: make a "
                f"functional model, core.Model(inputs, outputs)"
            )
        self._last = found

    def _renew(self) -> None:
        """Make the description anew, where the shape of the input is known."""
        self._forget_steps()
        self._graph, self.built = None, False
        if self._first is not None and self._last is not None and self._list:
            self._take_graph(self._first, self._last)

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape with the batch."""
        if self._graph is None:
            if not self._list:
                raise CoreError(f"the model {self.name!r} has no layers: add some first")
            shape = (None, *tuple(input_shape)[1:])
            self._begin(Input(batch_shape=shape, name=f"{self._list[0].name}_input"))
            for layer in self._list:
                self._extend(layer)
            self._renew()

    def _build_by(self, call: KerasCall) -> None:
        values, _ = bound_arguments(call)
        if len(values) != 1:
            raise CoreError(f"a Sequential takes one input, got {len(values)} tensors")
        self.build(values[0].shape)

    def _results_for(self, call: KerasCall, *, training: bool) -> list[Value]:
        """Return the results of a call that has values of tensors in place of sources."""
        self._build_by(call)
        return super()._results_for(call, training=training)

    def _shapes_for(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results of a call that has values in place of sources."""
        self._build_by(call)
        return super()._shapes_for(call)

    def sublayers(self) -> list[Layer]:
        """Return the layers in order."""
        return list(self.__dict__.get("_list", ()))

    @property
    def class_name(self) -> str:
        """Name of the class in files."""
        return type(self).__name__ if self._has_own_call() else "Sequential"

    @property
    def output_shape(self) -> Any:
        """The shape of the result with the batch."""
        if self._last is None:
            raise CoreError(
                f"the shape of the input of {self.name!r} is unknown: give the first layer "
                f"input_shape="
            )
        return self._last.shape

    def file_spec(self) -> LayerSpec:
        """Return the description of the model for files, which has no objects."""
        if self._graph is not None or self._has_own_call():
            return super().file_spec()
        return self.layer_spec()._replace(
            model=ModelSpec(tuple(layer.file_spec() for layer in self._list), (), ()), layer=None
        )

    def _check_described(self) -> None:
        if self._graph is None:
            raise CoreError(
                f"the model {self.name!r} has no shape of its input yet: call it on data, or give "
                f"the first layer input_shape="
            )
        super()._check_described()

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Sequential":
        """Make a model from the result of `get_config`, with new weights."""
        made: Any = model_from_document({"class_name": "Sequential", "config": config})
        model: Sequential = made
        return model


def sequential(
    layers: Layer | Iterable[Layer | SymbolicTensor] = (), *, name: str | None = None
) -> Sequential:
    """Return a `Sequential` model, as TensorFlow.js's ``tf.sequential`` does.

    Args:
        layers: layers, in order.
        name: name of the model.

    Listing 1 of the paper on TensorFlow.js (Smilkov et al. 2019, https://arxiv.org/abs/1901.05350):

    >>> import core
    >>> core.set_random_seed(1)
    >>> # A linear model with 1 dense layer.
    >>> model = core.sequential()
    >>> model.add(core.layers.dense(
    ...     units=1, input_shape=[1]
    ... ))
    >>> # Specify the loss and the optimizer.
    >>> model.compile(
    ...     loss="mean_squared_error",
    ...     optimizer="sgd"
    ... )
    >>> # Generate synthetic data to train.
    >>> xs = core.tensor2d([1, 2, 3, 4], [4, 1])
    >>> ys = core.tensor2d([1, 3, 5, 7], [4, 1])
    >>> # Train the model using the data.
    >>> history = model.fit(xs, ys, verbose=0)
    >>> # Do inference on an unseen data point and print the result.
    >>> x = core.tensor2d([5], [1, 1])
    >>> model.predict(x).print()  # doctest: +ELLIPSIS
    Tensor
        [[...]]
    """
    return Sequential(layers, name=name)


# --- models from configs ------------------------------------------------------------------------


def model_from_document(
    topology: Mapping[str, Any], custom_objects: CustomObjects | None = None
) -> Model:
    """Make a model from a topology in any dialect, with new weights.

    Args:
        topology: class name and config, as `Model.get_config` and files have them.
        custom_objects: user-defined classes by their names in the topology, with or without the
            package of ``keras.saving.register_keras_serializable``.

    Raises:
        CoreError: the topology is invalid.
        KernelNotFound: it has layers of unknown classes, which are listed.
    """
    return model_of_spec(read_topology(topology), custom_objects or {})


def bases_of(custom: CustomObjects) -> dict[str, str]:
    """Return the built-in classes from which user-defined ones derive, by all names of these."""
    return {
        name: made.class_name
        for name, made in custom.items()
        if isinstance(made, type) and issubclass(made, BuiltIn)
    }


def model_of_spec(
    spec: LayerSpec, custom: CustomObjects, given: Mapping[str, Layer] | None = None
) -> Model:
    """Make a model from its description, with new weights.

    Args:
        spec: the description.
        custom: classes of user-defined layers by their names in it.
        given: layers of the model that are made already, by name.

    Raises:
        KernelNotFound: it has layers of unknown classes, which are listed.
    """
    _check_classes(spec, custom)
    return _model_of(spec, custom, given or {})


def _check_classes(spec: LayerSpec, custom: CustomObjects) -> None:
    assert spec.model is not None
    unknown = sorted(
        f"{layer.registered_name or layer.class_name} ({layer.name})"
        for layer in _flat(spec.model, custom)
        if not layer.is_function
        and layer.name_in(custom) is None
        and layer.class_name != "InputLayer"
        and not _is_built_in(layer)
    )
    if unknown:
        raise KernelNotFound(
            f"these classes of layers are unknown: {', '.join(unknown)}; give their classes as "
            f"custom_objects={{'Name': Class}}"
        )


def _is_built_in(layer: LayerSpec) -> bool:
    """Whether there is a class for a layer, or, for a cell, the row of one."""
    is_cell = layer.holder in ("cell", "cells")
    kind = find_layer_class(layer.class_name) if is_cell else layer_class(layer.class_name)
    return kind is not None and not layer.registered_name


def _flat(model: ModelSpec, custom: CustomObjects) -> Iterator[LayerSpec]:
    """Yield the layers of a model, of models in it, and those that wrap others with these."""
    layers = [*model.layers]
    while layers:
        layer = layers.pop()
        if layer.model is not None:
            layers += layer.model.layers
            continue
        yield layer
        kind = None if layer.is_function or layer.name_in(custom) else kind_of(layer)
        layers += () if kind is None else kind.children(layer)


def _model_of(spec: LayerSpec, custom: CustomObjects, given: Mapping[str, Layer]) -> Model:
    model = spec.model
    assert model is not None
    trainable = as_flag(spec.config.get("trainable")) is not False
    layers = {
        layer.name: given.get(layer.name) or _layer_of(layer, custom) for layer in model.layers
    }
    if spec.class_name == "Sequential":
        made: Model = Sequential(list(layers.values()), name=spec.name)
    else:
        run = _SymbolRun(model, f"the model {spec.name!r}", layers)
        starts = [run.begin(source) for source in model.inputs]
        ends: Any = run.results(starts)  # type: ignore[arg-type]
        made = Model(starts, list(ends), name=spec.name)
    if not trainable:
        made.trainable = False
    return made


def _layer_of(spec: LayerSpec, custom: CustomObjects) -> Layer:
    if spec.model is not None:
        return _model_of(spec, custom, {})
    if spec.class_name == "InputLayer":
        return InputLayer.from_spec(spec)
    if spec.is_function:
        return function_class(spec.class_name).from_spec(spec)
    if name := spec.name_in(custom):
        return _custom_layer(custom[name], spec, with_custom_objects(spec.config, custom), name)
    found = layer_class(spec.class_name)
    assert found is not None
    return found.from_spec(
        spec._replace(config={**spec.config, **dict(_inner_objects(spec, custom))})
    )


def _inner_objects(spec: LayerSpec, custom: CustomObjects) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a layer that are models or user-defined layers, made as objects."""

    def made(document: Any) -> Any:
        inner = read_layer(document, spec.dialect)
        is_object = inner.model is not None or inner.name_in(custom)
        return _layer_of(inner, custom) if is_object else document

    for key, given in spec.config.items():
        if key not in INNER_LAYERS:
            yield key, with_custom_objects(given, custom)
        elif isinstance(given, list):
            yield key, [made(document) for document in given]
        elif given is not None:
            yield key, made(given)


def _custom_layer(made: Any, spec: LayerSpec, config: Any, name: str) -> Layer:
    """Return a layer of a user-defined class, whose arguments may not be those of the file."""
    where = f"custom_objects[{name!r}]"
    if not (isinstance(made, type) and issubclass(made, Layer)):
        raise CoreError(f"{where} must be a class of layers, got {made!r:.80}")
    if issubclass(made, BuiltIn):
        own = signature(made).parameters
        config = derived_config(made.class_name, config, spec.dialect, own)
    try:
        layer = made.from_config(config)
    except MISUSE as error:
        raise CoreError(
            f"{where}, the class {made.__name__}, cannot make the layer {spec.name!r} of the "
            f"arguments {[*spec.config]}: {error}"
        ) from error
    layer._registered_name = spec.registered_name
    return layer


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

    def called(self, spec: LayerSpec, index: int) -> Any:
        """Return the symbolic results of a call of a layer."""
        call = spec.calls[index].with_values(self.value)
        given = call.arguments if isinstance(call.arguments, list) else [call.arguments]
        found = self._objects[spec.name](*given, **call.keywords)
        return found if isinstance(found, list) else [found]

    def _called(self, name: str, index: int) -> Any:
        spec = self.layers[name]
        return self.called(spec, index)

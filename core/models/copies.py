"""Copies of models: with new weights, by `copy.deepcopy`, and by pickle."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core.converter.layer_files.document import LayersDocument, LayerWeights
from core.errors import CoreError
from core.keras.custom_objects import CustomObjects
from core.layers.input_layer import InputLayer
from core.layers.keras_config import LayerSpec
from core.layers.layer import Layer
from core.models.documents import fill, user_defined, weights_by_path
from core.models.model import Model
from core.models.sequential import model_of_spec
from core.optimizers import Optimizer

#: Attributes of a model that its layers do not tell.
_ATTRIBUTES = ("input_names", "output_names", "_returns_dict", "_run_eagerly")


class ModelState(NamedTuple):
    """Content of a pickle of a model: plain values, and classes and functions of the program."""

    spec: LayerSpec
    custom_objects: CustomObjects
    weights: LayerWeights
    attributes: Mapping[str, Any]
    compiled_with: Mapping[str, Any] | None
    optimizer: Optimizer | None


def clone_model(model: Model, clone_function: Callable[[Layer], Layer] | None = None) -> Model:
    """Return a model of the same layers with new weights, as ``keras.models.clone_model`` does.

    Args:
        model: a `core.Sequential` or functional model.
        clone_function: makes the new layer for each layer of the model but the inputs and
            functions such as ``x + y``; by default an equal one.

    Raises:
        CoreError: the model is a subclass, whose layers nothing describes.

    >>> import core
    >>> model = core.Sequential([core.layers.Dense(2, input_shape=(3,))])
    >>> clone = core.clone_model(model)
    >>> clone.set_weights(model.get_weights())
    >>> bool((clone(core.ones((1, 3))) == model(core.ones((1, 3)))).numpy().all())
    True
    """
    given: dict[str, Layer] = {}
    if clone_function is not None:
        for layer in model.layers:
            if not isinstance(layer, InputLayer) and not layer.layer_spec().is_function:
                given[layer.name] = _checked(clone_function(layer), layer)
    made = model_of_spec(_described(model), dict(user_defined(model)), given)
    _set_attributes(made, _attributes_of(model))
    return made


def _checked(made: Any, layer: Layer) -> Layer:
    if not isinstance(made, Layer):
        raise CoreError(f"clone_function must return a layer for {layer!r}, got {made!r:.80}")
    return made


def state_of(model: Model, compiled_with: Mapping[str, Any] | None) -> ModelState:
    """Return what a pickle of a model holds.

    Args:
        model: the model.
        compiled_with: the arguments of `compile`; None for a model that was not compiled.

    Raises:
        CoreError: the model is a subclass, whose layers nothing describes.
    """
    return ModelState(
        _described(model),
        dict(user_defined(model)),
        weights_by_path(model),
        _attributes_of(model),
        compiled_with,
        None if compiled_with is None else model.optimizer,
    )


def restored(state: ModelState) -> Model:
    """Return the model of a pickle."""
    made = model_of_spec(state.spec, state.custom_objects)
    fill(made, LayersDocument({}, state.weights))
    _set_attributes(made, state.attributes)
    if state.compiled_with is not None:
        made.compile(**{**state.compiled_with, "optimizer": state.optimizer})
    return made


def _described(model: Model) -> LayerSpec:
    found = model.file_spec()
    if found.model is None:
        raise CoreError(
            f"the model {model.name!r} is a subclass, whose layers nothing describes: make another "
            f"one by its class, and give it the weights by set_weights"
        )
    return found


def _attributes_of(model: Model) -> dict[str, Any]:
    return {name: getattr(model, name) for name in _ATTRIBUTES}


def _set_attributes(model: Model, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        setattr(model, name, value)

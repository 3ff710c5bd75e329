"""The content of files for models, and back: weights, training configuration, optimizer's state."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from core.converter import layer_files
from core.converter.layer_files.document import LayersDocument, LayerWeights
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import Configured, is_user_defined
from core.keras.configured import document_of as document_of_object
from core.layers.built_in_layer import BuiltIn, serialized
from core.layers.dialects.topologies import translated_topology
from core.layers.keras_config import Dialect
from core.layers.layer import Layer


class Format(NamedTuple):
    """A format of files of layer models.

    Attributes:
        write: its writer, which takes a path and a `LayersDocument`.
        dialect: the dialect of its topologies.
        has_functions: whether it has functions between layers.
    """

    write: Callable[[str | os.PathLike[str], LayersDocument], object]
    dialect: Dialect
    has_functions: bool = False


def format_for(path: str | os.PathLike[str], keras_version: int = 3) -> Format:
    """Return the format for the ending of a path.

    Args:
        path: the path.
        keras_version: the Keras that reads an ``.h5`` file, 2 or 3.

    Raises:
        CoreError: there is no format of the ending, or Keras 2 has none.
    """
    if keras_version not in (2, 3):
        raise CoreError(f"keras_version={keras_version!r:.40} is unknown: give 2 or 3")
    formats = {
        ".keras": Format(layer_files.write_keras, "keras3", has_functions=True),
        ".h5": Format(layer_files.write_h5, "keras3"),
        ".hdf5": Format(layer_files.write_h5, "keras3"),
        ".onnx": Format(layer_files.write_onnx_of_layers, "keras3", has_functions=True),
        "": Format(layer_files.write_tfjs_layers, "tfjs"),
    }
    ending = os.path.splitext(path)[1]
    if ending not in formats:
        raise CoreError(
            f"a model is saved as a .keras, .h5 or .onnx file, or as a folder without an ending "
            f"for TensorFlow.js; got {os.fspath(path)!r}"
        )
    if keras_version == 3:
        return formats[ending]
    if ending not in (".h5", ".hdf5"):
        raise CoreError(f"keras_version=2 is for .h5 files, got {os.fspath(path)!r}")
    return Format(partial(layer_files.write_h5, dialect="keras2"), "keras2")


def variables_by_path(layer: Layer, path: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    """Return the variables of a layer and of those inside, by path and name, as files have them."""
    found: dict[tuple[str, ...], dict[str, Variable]] = {}
    if isinstance(layer, BuiltIn):
        described = layer.described()
        for each in described:
            found.setdefault((*path, *each.path), {})[each.name] = each.variable
        for name, inner in layer.inner_layers():
            found |= variables_by_path(inner, (*path, name))
        known = {id(each.variable) for each in described}
        added = [variable for variable in layer.own_variables() if id(variable) not in known]
        if added:  # by a user-defined subclass
            found[path] = _by_last_name([*found.get(path, {}).values(), *added], layer)
        return found
    own = _by_last_name(layer.own_variables(), layer)
    if own:
        found[path] = own
    for inner in layer.sublayers():
        assert isinstance(inner, Layer)
        found |= variables_by_path(inner, (*path, inner.name))
    return found


def _by_last_name(variables: Sequence[Variable], layer: Layer) -> dict[str, Variable]:
    found = {variable.name.rpartition("/")[2]: variable for variable in variables}
    if len(found) < len(variables):
        names = [variable.name for variable in variables]
        raise CoreError(
            f"two weights of layer {layer.name!r} have one name, of {names!r:.300}: give one "
            f"another name="
        )
    return found


def user_defined(layer: Layer) -> Iterator[tuple[str, type[Layer] | type[Configured]]]:
    """Yield the user-defined classes in a layer, and in the layers inside, by names in files."""
    if layer.registered_name:
        yield layer.registered_name, type(layer)
    inner = layer.sublayers()
    if isinstance(layer, BuiltIn):
        inner = [*(each for _, each in layer.inner_layers()), *inner]
        for value in layer.config.values():
            if isinstance(value, Configured) and is_user_defined(type(value)):
                yield document_of_object(value)["registered_name"], type(value)
    for each in inner:
        yield from user_defined(each)


def weights_by_path(model: Layer) -> LayerWeights:
    """Return copies of the weights of a model, by path and name, as files have them."""
    return {
        path: {name: variable.numpy() for name, variable in named.items()}
        for path, named in variables_by_path(model, ()).items()
    }


def document_of(
    model: Layer,
    format: Format,
    compiled_with: Mapping[str, Any] | None,
    optimizer: Any,
) -> LayersDocument:
    """Return the content of a file for a model.

    Args:
        model: the model.
        format: the format of the file.
        compiled_with: the arguments of `compile`; None leaves them and the optimizer out.
        optimizer: the optimizer.

    Raises:
        CoreError: the format cannot express some layers; all are listed with the reasons.
    """
    topology = translated_topology(
        model.file_spec(), format.dialect, has_functions=format.has_functions
    )
    if format.dialect == "tfjs":
        _check_limits(model)
    config, state = None, None
    if compiled_with is not None:
        config = _compile_config(compiled_with, optimizer)
        state = _state_of(optimizer, model.trainable_variables)
    return LayersDocument(topology, weights_by_path(model), config, state, format.dialect)


def _check_limits(model: Layer) -> None:
    """Raise if weights are outside of their constraints, which TensorFlow.js applies on loading."""
    for constraint, variable in model.limits():
        kept, value = constraint(variable.read()).numpy(), variable.numpy()
        if np.abs(kept - value).max(initial=0) > 1e-5 * np.abs(value).max(initial=1):
            raise CoreError(
                f"the weight {variable.name!r} is outside of its constraint {constraint!r}, which "
                f"TensorFlow.js would apply when it loads the model: train a step, or set weights "
                f"that keep it"
            )


def _compile_config(given: Mapping[str, Any], optimizer: Any) -> dict[str, Any]:
    found = {name: serialized(value) for name, value in given.items() if name != "optimizer"}
    return {"optimizer": document_of_object(optimizer), **found}


def _state_of(optimizer: Any, variables: list[Variable]) -> list[np.ndarray] | None:
    list_of = getattr(optimizer, "variable_list", None)
    return None if list_of is None else [array for _, array in list_of(variables)]


def fill(model: Layer, document: LayersDocument) -> None:
    """Give a model of a document's topology the weights of the document.

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
    for variable, array in pairs:
        variable.assign(array)


def _with_names(
    stored: Mapping[str, np.ndarray], variables: Mapping[str, Variable]
) -> dict[str, np.ndarray]:
    """Return weights by the names of variables; those of user-defined classes have numbers."""
    numbers = [str(number) for number in range(len(variables))]
    if variables and sorted(stored) == sorted(numbers):
        return {name: stored[n] for n, name in zip(numbers, variables, strict=True)}
    return dict(stored)

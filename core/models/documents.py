"""The content of files for models, and back: weights, training configuration, optimizer's state."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from core.converter import layer_files
from core.converter.layer_files.document import LayersDocument
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.built_in import BuiltIn, serialized
from core.layers.layer import Layer


def writer_for(path: str | os.PathLike[str]) -> Callable[..., object]:
    """Return the writer for the ending of a path."""
    writers = {
        ".keras": layer_files.write_keras,
        ".h5": layer_files.write_h5,
        ".hdf5": layer_files.write_h5,
        "": layer_files.write_tfjs_layers,
    }
    ending = os.path.splitext(path)[1]
    if ending not in writers:
        raise CoreError(
            f"a model is saved as a .keras or .h5 file, or as a folder without an ending for "
            f"TensorFlow.js; got {os.fspath(path)!r}"
        )
    return writers[ending]


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


def document_of(
    model: Layer,
    topology: Mapping[str, Any],
    compiled_with: Mapping[str, Any] | None,
    optimizer: Any,
) -> LayersDocument:
    """Return the content of a file for a model, in the dialect of Keras 3.

    Args:
        model: the model.
        topology: its class name and config.
        compiled_with: the arguments of `compile`; None leaves them and the optimizer out.
        optimizer: the optimizer.
    """
    weights = {
        path: {name: variable.numpy() for name, variable in named.items()}
        for path, named in variables_by_path(model, ()).items()
    }
    config, state = None, None
    if compiled_with is not None:
        config = _compile_config(compiled_with, optimizer)
        state = _state_of(optimizer, model.trainable_variables)
    return LayersDocument(topology, weights, config, state)


def _compile_config(given: Mapping[str, Any], optimizer: Any) -> dict[str, Any]:
    found = {name: serialized(value) for name, value in given.items() if name != "optimizer"}
    config = {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    return {"optimizer": config, **found}


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

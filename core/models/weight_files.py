"""Weights of models alone, in files: `Model.save_weights` and `load_weights`."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from core.callbacks.checkpoints import WEIGHT_ENDINGS
from core.converter import OptimizerStateWarning
from core.converter.layer_files.weight_archive import read_weight_archive, write_weight_archive
from core.converter.layer_files.weights_h5 import read_weights_h5, write_weights_h5
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.weight_slots import derived_classes
from core.models.documents import document_of, fill, format_for, user_defined
from core.optimizers.keras_optimizer import KerasOptimizer

if TYPE_CHECKING:
    from core.converter.layer_files import LayersDocument
    from core.models.trainer import Trainer


def save_weights(model: "Trainer[Any]", path: str | os.PathLike[str]) -> None:
    """Write the weights of a model; raises as `Trainer.save_weights`."""
    if not os.fspath(path).endswith(WEIGHT_ENDINGS):
        raise CoreError(
            f"weights are written to .weights.h5 files, as Keras 3 reads them, or to .npz files, "
            f"got {Path(path).name!r}: rename it"
        )
    named = _named_variables(model)
    if os.fspath(path).endswith(".npz"):
        write_weight_archive(path, {name: variable.numpy() for name, variable in named.items()})
    else:
        with derived_classes_of(model):
            write_weights_h5(path, _document(model, with_state=True))


def load_weights(model: "Trainer[Any]", path: str | os.PathLike[str]) -> None:
    """Give a model the weights of a file; raises as `Trainer.load_weights`."""
    named = _named_variables(model)
    if os.fspath(path).endswith((".npz", ".safetensors")):
        _assign(named, read_weight_archive(path))
        return
    with derived_classes_of(model):
        document = read_weights_h5(path, _document(model, with_state=False))
    fill(model, document)
    fault = fault_of_state(model, document.optimizer_variables)
    if fault:
        message = f"the state of the optimizer in the file does not fit the model: {fault}"
        warn(message, OptimizerStateWarning, stacklevel=3)


def fault_of_state(model: "Trainer[Any]", state: Sequence[np.ndarray] | None) -> str:
    """Give the optimizer of a model its state, or return why it does not fit."""
    optimizer = model._optimizer
    if state is None or not isinstance(optimizer, KerasOptimizer):
        return ""
    try:
        optimizer.set_variable_list(model.trainable_variables, state)
    except CoreError as error:
        return str(error)
    return ""


def derived_classes_of(model: "Trainer[Any]") -> AbstractContextManager[None]:
    """Give the user-defined layers of a model the weights of the classes they derive from."""
    from core.models.sequential import bases_of

    return derived_classes(bases_of(dict(user_defined(model))))


def _document(model: "Trainer[Any]", *, with_state: bool) -> "LayersDocument":
    """Return the content of a model in the order of Keras 3."""
    model._check_described()
    compiled_with = model._compiled_with if with_state else None
    return document_of(model, format_for("model.keras"), compiled_with, model._optimizer)


def _assign(variables: dict[str, Variable], found: dict[str, np.ndarray]) -> None:
    """Give variables the arrays of their names, which must be the same ones."""
    missing, left = sorted(set(variables) - set(found)), sorted(set(found) - set(variables))
    if missing or left:
        raise CoreError(
            f"the weights do not fit the model: missing are {missing or 'none'}, left over "
            f"{left or 'none'}"
        )
    for name, variable in variables.items():
        if found[name].shape != variable.shape:
            raise CoreError(
                f"{name!r} has shape {variable.shape}, the file has {found[name].shape}"
            )
    for name, variable in variables.items():
        variable.assign(found[name])


def _named_variables(model: "Trainer[Any]") -> dict[str, Variable]:
    """Return the variables of a model by their names in archives."""
    variables = model.variables
    named = {variable.name.replace("/", "."): variable for variable in variables}
    if len(named) < len(variables) or not variables:
        raise CoreError(
            f"the model {model.name!r} has no variables yet, or two of one name: build it by a "
            f"call on data, and give its layers names"
        )
    return named

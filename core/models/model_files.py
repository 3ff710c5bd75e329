"""Models from files and texts: `load_layers_model`, `model_from_json`."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from warnings import warn

from core.converter import OptimizerStateWarning
from core.converter.layer_files import read_document
from core.errors import CoreError
from core.keras.custom_objects import CustomObjects, with_custom_objects
from core.layers.weight_slots import derived_classes
from core.models.documents import fill
from core.models.model import Model
from core.models.sequential import bases_of, model_from_document
from core.models.weight_files import fault_of_state

if TYPE_CHECKING:
    from core.converter.layer_files import LayersDocument


def load_layers_model(
    path: str | os.PathLike[str],
    *,
    custom_objects: CustomObjects | None = None,
    compile: bool = True,
) -> Model:
    """Load a model of layers, which can be trained on, from a file of Keras or TensorFlow.js.

    Args:
        path: a ``.keras`` or ``.h5`` file, or a folder or ``model.json`` of TensorFlow.js.
        custom_objects: classes that the program defines, by their names in the file: of layers,
            initializers, regularizers, constraints, losses, metrics and optimizers; and functions
            that are losses or metrics. The package of
            ``keras.saving.register_keras_serializable``, as in "my>Scale", may be left out.
        compile: take the training configuration and the optimizer's state from the file.

    Raises:
        WeightsError: the file is missing, damaged, or of another kind.
        CoreError: topology and weights do not fit.
        KernelNotFound: the file has layers of unknown classes, which are listed.

    The state of an optimizer that does not fit, as after layers were unfrozen, is left out with an
    `OptimizerStateWarning`: the optimizer then starts anew, as in Keras.
    """
    custom = custom_objects or {}
    with derived_classes(bases_of(custom)):
        document = read_document(path)
        model = model_from_document(document.topology, custom)
        fill(model, document)
    if compile and document.compile_config:
        _compile(model, document, custom)
    return model


def _compile(model: Model, document: "LayersDocument", custom: CustomObjects) -> None:
    names = ("optimizer", "loss", "loss_weights", "metrics", "weighted_metrics")
    config = document.compile_config or {}
    given = {name: config[name] for name in names if config.get(name) is not None}
    try:
        given = with_custom_objects(given, custom, functions=True)
        model.compile(**given)
    except CoreError as error:
        raise CoreError(
            f"the training configuration of the file cannot be used: {error}. Give user-defined "
            f"classes as custom_objects=, or load the model without it by compile=False, then "
            f"compile it"
        ) from error
    fault = document.state_fault or fault_of_state(model, document.optimizer_variables)
    if fault:
        model.compile(**given)  # what was restored before the fault is forgotten
        message = f"the state of the optimizer does not fit the model, so it starts anew: {fault}"
        warn(message, OptimizerStateWarning, stacklevel=3)


def model_from_json(text: str, custom_objects: CustomObjects | None = None) -> Model:
    """Make a model with new weights from the JSON of a topology, of any dialect.

    Raises:
        CoreError: the text is no topology.
    """
    try:
        document: Any = json.loads(text)
    except ValueError as error:
        raise CoreError(f"the topology is no JSON: {error}") from error
    if not isinstance(document, Mapping):
        raise CoreError(f"the topology must be an object, got {text!r:.80}")
    return model_from_document(document, custom_objects)

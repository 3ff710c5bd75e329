"""Writer of whole models as ``.h5`` files, as Keras 2 and 3 read them."""

import os
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from core.converter.layer_files.document import (
    LayersDocument,
    slots_with_weights,
    trained_weights,
)
from core.converter.layer_files.files import check_written
from core.converter.layer_files.hdf5_writer import MOST_TEXTS, Attributes, hdf5_blocks
from core.converter.layer_files.keras_archive import KERAS_VERSION, json_bytes, writing_file
from core.converter.layer_files.optimizer_state import keras2_variables, state_of
from core.converter.layer_files.training_configs import h5_training_config
from core.converter.layer_files.translation import translated
from core.converter.layer_files.vocabularies import factors_of
from core.errors import CoreError
from core.layers.weight_slots import weights_in_order

_VERSIONS = {"keras3": KERAS_VERSION, "keras2": "2.15.0"}


def write_h5(
    path: str | os.PathLike[str],
    document: LayersDocument,
    dialect: Literal["keras3", "keras2"] = "keras3",
) -> Path:
    """Write a model as an HDF5 file that Keras loads with `keras.models.load_model`.

    Args:
        path: the file to write, such as ``model.h5``; its folder is made if missing.
        document: the model; a topology of another dialect is translated.
        dialect: "keras3" for Keras 3, or "keras2" for tf.keras 2 (Keras 3 reads such files, too,
            but not the optimizer's state).

    Returns:
        The path of the file. An error leaves an existing file unchanged.

    Raises:
        CoreError: weights do not fit the topology, or Keras lacks some of its layers.
        WeightsError: the file cannot be written.
    """
    target = Path(path)
    document = translated(document, dialect, has_functions=False)
    made_by = {"keras_version": _VERSIONS[dialect], "backend": "tensorflow"}
    config = json_bytes(document.topology, target).decode()
    attributes: dict[str, Attributes] = {"": {**made_by, "model_config": config}}
    arrays: dict[str, np.ndarray] = {}
    if document.compile_config is not None:
        training = h5_training_config(document.compile_config, dialect)
        attributes[""] = {
            **attributes[""],
            "training_config": json_bytes(training, target).decode(),
        }
    layers = _layers(document)
    if dialect == "keras2":
        _add_factors(layers, document)
    attributes["model_weights"] = {**made_by, **_in_parts("layer_names", list(layers))}
    layers["top_level_model_weights"] = {}
    for layer, weights in layers.items():
        group = f"model_weights/{layer}"
        attributes[group] = {
            **attributes.get(group, {}),
            **_in_parts("weight_names", list(weights)),
        }
        arrays.update({f"{group}/{name}": array for name, array in weights.items()})
    if document.optimizer_variables is not None:
        named = _optimizer_variables(document, dialect)
        attributes["optimizer_weights"] = _in_parts("weight_names", list(named))
        arrays.update({f"optimizer_weights/{name}": array for name, array in named.items()})
    blocks = hdf5_blocks(arrays, attributes)
    with writing_file(target, blocks, partial(check_written, document)) as stream:
        stream.writelines(blocks)
    return target


def _layers(document: LayersDocument) -> dict[str, dict[str, np.ndarray]]:
    """Return the weights of the model's layers, trainable ones first, by full names."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for slots in slots_with_weights(document):
        found[slots.path[-1]] = {
            f"{'/'.join(path)}/{name}:0": document.weights[path][name]
            for path, name in weights_in_order(slots)
        }
    return found


def _add_factors(layers: dict[str, dict[str, np.ndarray]], document: LayersDocument) -> None:
    """Add the factors of layers with a vocabulary, which are weights in Keras 2."""
    for path, _, name, values in factors_of(document.topology):
        if name not in layers or path.count("/") > 1:
            raise CoreError(
                f"an .h5 file of Keras 2 cannot have the idf_weights of {name!r} in a model inside "
                f"of the model: save a .keras file"
            )
        layers[name] = {f"{name}/idf_weights:0": values}


def _in_parts(name: str, texts: list[str]) -> dict[str, Any]:
    """Return a list of texts as an attribute, or as several, numbered ones if it is long."""
    if len(texts) <= MOST_TEXTS:
        return {name: texts}
    starts = range(0, len(texts), MOST_TEXTS)
    return {f"{name}{i}": texts[s : s + MOST_TEXTS] for i, s in enumerate(starts)}


def _optimizer_variables(document: LayersDocument, dialect: str) -> dict[str, np.ndarray]:
    """Return the variables of the optimizer with numbered names, in the order of the dialect."""
    variables = list(document.optimizer_variables or ())
    if dialect == "keras2":
        optimizer = (document.compile_config or {}).get("optimizer") or {}
        shapes = [trained.value.shape for trained in trained_weights(document)]
        variables = keras2_variables(state_of(variables, optimizer), optimizer, shapes)
    return {f"optimizer/variable_{i}:0": np.asarray(a) for i, a in enumerate(variables)}

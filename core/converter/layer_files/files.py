"""Reader of files of layer models, with everything in them: `read_document`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.keras_files.hdf5 import Item
from core.converter.keras_files.models import StoredModel, listed_texts, read_stored
from core.converter.layer_files.document import Dialect, LayersDocument, check_weights
from core.converter.layer_files.optimizer_state import keras3_variables, state_of_keras2
from core.converter.layer_files.tfjs_layers import read_tfjs_layers
from core.converter.layer_files.training_configs import compile_config_of_h5
from core.converter.opened import opened
from core.converter.read_back import read_back
from core.errors import CoreError
from core.graph.json_values import mapping
from core.layers.keras_config import read_topology
from core.layers.weight_slots import bind_by_lists, weight_slots
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json


def read_document(path: str | os.PathLike[str]) -> LayersDocument:
    """Read a layer model with its training configuration and the state of its optimizer.

    Args:
        path: a ``.keras`` archive, a ``.h5`` file of a whole model of Keras 2 or 3, or a
            ``model.json`` of TensorFlow.js or its folder.

    Returns:
        The document, in the dialect of the file; see `translated`. No code of the file runs.

    Raises:
        WeightsError: the file is damaged, has weights without an architecture, or holds a graph
            without layers.
    """
    with opened(path) as model:
        if model.kind == "keras":
            stored = read_stored(model)
            return _of_archive(stored) if stored.is_archive else _of_h5(stored, model.path)
        if model.kind in ("web", "teachable") and model.archive is None:
            return read_tfjs_layers(model.path)
        raise WeightsError(
            f"{model.path} is not a file of layers, which are a .keras or .h5 file, or a folder or "
            f"model.json of TensorFlow.js: load it with core.load_model"
        )


def check_written(document: LayersDocument, path: Path) -> None:
    """Raise a CoreError unless a new file can be read, and has the weights of a document."""
    check_weights(document, read_back(read_document, path))


def _of_archive(stored: StoredModel) -> LayersDocument:
    topology, dialect = _topology(stored, "config.json")
    compiled = topology.pop("compile_config", None)
    variables = stored.root.get("optimizer/vars")
    arrays = (
        [_member(variables, str(i)) for i in range(len(variables.children))] if variables else []
    )
    return LayersDocument(
        topology,
        bind_by_lists(weight_slots(topology), stored.weights),
        dict(compiled) if isinstance(compiled, Mapping) and compiled else None,
        arrays or None,
        dialect,
    )


def _topology(stored: StoredModel, where: str) -> tuple[dict[str, Any], Dialect]:
    """Return the topology of a file, and its dialect by the version that wrote it."""
    topology = dict(mapping(stored.config, where))
    return topology, read_topology(topology).dialect


def _of_h5(stored: StoredModel, path: Path) -> LayersDocument:
    root = stored.root
    topology, dialect = _topology(stored, "model_config")
    document = LayersDocument(
        topology, bind_by_lists(weight_slots(topology), stored.weights), dialect=dialect
    )
    text = root.attribute("training_config")
    if not isinstance(text, str):
        return document
    training = mapping(parse_json(text.encode(), path), "training_config")
    compiled = compile_config_of_h5(training)
    variables = _h5_variables(root, training, compiled, dialect)
    return document._replace(compile_config=compiled, optimizer_variables=variables)


def _h5_variables(
    root: Item, training: Mapping[str, Any], compiled: Mapping[str, Any], dialect: Dialect
) -> list[np.ndarray] | None:
    """Return the variables of the optimizer of an .h5 file in Keras 3's order."""
    group = root.get("optimizer_weights")
    if group is None:
        return None
    arrays = [_member(group, name) for name in listed_texts(group, "weight_names")]
    optimizer = compiled.get("optimizer")
    if dialect == "keras3" or not arrays or not isinstance(optimizer, Mapping):
        return arrays or None
    given = mapping(training["optimizer_config"], "the optimizer_config")
    options = mapping(given.get("config"), "the config of the optimizer")
    is_legacy = options.get("is_legacy_optimizer", ">" not in str(given.get("class_name")))
    return keras3_variables(state_of_keras2(arrays, optimizer, bool(is_legacy)), optimizer)


def _member(group: Item, name: str) -> np.ndarray:
    """Return an array of the optimizer in its stored dtype, such as int64 for counts of steps."""
    item = group.get(name)
    if item is None or not item.is_array:
        raise CoreError(f"the variable {name!r:.300} of the optimizer is missing")
    return item.array()

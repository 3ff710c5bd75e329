"""Reader of files of layer models, with everything in them: `read_document`."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.keras_files.hdf5 import Item
from core.converter.keras_files.models import StoredModel, listed_texts, read_stored
from core.converter.layer_files.document import (
    Dialect,
    LayersDocument,
    check_document,
    trained_weights,
)
from core.converter.layer_files.optimizer_state import (
    OptimizerState,
    keras3_variables,
    state_of_keras2,
)
from core.converter.layer_files.tfjs_layers import read_tfjs_layers
from core.converter.layer_files.training_configs import (
    compile_config_of_archive,
    compile_config_of_h5,
)
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
        Where the optimizer's state does not fit, ``state_fault`` says why.

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
    """Raise a CoreError unless a new file can be read, and has the numbers of a document."""
    check_document(document, read_back(read_document, path))


def _of_archive(stored: StoredModel) -> LayersDocument:
    topology, dialect = _topology(stored, "config.json")
    compiled = topology.pop("compile_config", None)
    variables = stored.root.get("optimizer/vars")
    arrays = (
        [_member(variables, str(i)) for i in range(len(variables.children))] if variables else []
    )
    document = LayersDocument(
        topology,
        bind_by_lists(weight_slots(topology), stored.weights),
        compile_config_of_archive(compiled) if isinstance(compiled, Mapping) and compiled else None,
        arrays or None,
        dialect,
    )
    return _from_keras2(document, arrays) if stored.version.startswith("2.") else document


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
    document = document._replace(compile_config=compile_config_of_h5(training))
    group = root.get("optimizer_weights")
    if group is None:
        return document
    arrays = [_member(group, name) for name in listed_texts(group, "weight_names")]
    if dialect == "keras3":
        return document._replace(optimizer_variables=arrays or None)
    given = mapping(training["optimizer_config"], "the optimizer_config")
    options = mapping(given.get("config"), "the config of the optimizer")
    is_legacy = options.get("is_legacy_optimizer", ">" not in str(given.get("class_name")))
    order = _order_by_names(stored) if re.match(r"2\.0\.[0-5]\b", stored.version) else ()
    return _from_keras2(document, arrays, bool(is_legacy), order)


def _from_keras2(
    document: LayersDocument,
    arrays: Sequence[np.ndarray],
    is_legacy: bool = False,
    order: Sequence[int] = (),
) -> LayersDocument:
    """Return a document with the optimizer's state of Keras 2, or with the reason why it is not.

    Args:
        document: the document.
        arrays: the state in the order of the file.
        is_legacy: whether Keras before 2.11 wrote it.
        order: for each trained variable its place among those of the file, if that is another.
    """
    optimizer = (document.compile_config or {}).get("optimizer")
    if isinstance(optimizer, str):
        optimizer = {"class_name": optimizer, "config": {}}
    if not arrays or not isinstance(optimizer, Mapping):
        return document._replace(optimizer_variables=None)
    try:
        count = sum(1 for _ in trained_weights(document))
        state = state_of_keras2(arrays, optimizer, is_legacy, count)
        if order:
            slots = {name: [each[i] for i in order] for name, each in state.slots.items() if each}
            state = OptimizerState(state.iteration, slots)
        return document._replace(optimizer_variables=keras3_variables(state, optimizer))
    except CoreError as error:
        return document._replace(optimizer_variables=None, state_fault=str(error))


def _order_by_names(stored: StoredModel) -> list[int]:
    """Return the places of the trained weights in the order of their names.

    Keras before 2.0.6 sorted the variables of an optimizer in `Model.compile`.
    """
    names: list[str] = []
    numbers: dict[str, list[np.ndarray]] = {}
    group = stored.root.get("model_weights") or stored.root
    for layer in stored.weights:
        listed = group.get(layer)
        own = listed_texts(listed, "weight_names") if listed else []
        numbers[layer] = [np.array(len(names) + i, np.int32) for i in range(len(own))]
        names += own
    slots = weight_slots(stored.config)
    numbered = LayersDocument(stored.config, bind_by_lists(slots, numbers))
    trained = [names[int(weight.value)] for weight in trained_weights(numbered)]
    return [sorted(trained).index(name) for name in trained]


def _member(group: Item, name: str) -> np.ndarray:
    """Return an array of the optimizer in its stored dtype, such as int64 for counts of steps."""
    item = group.get(name)
    if item is None or not item.is_array:
        raise CoreError(f"the variable {name!r:.300} of the optimizer is missing")
    return item.array()

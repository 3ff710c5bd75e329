"""Writer and reader of TensorFlow.js's layers format: ``model.json`` and shards of weights."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.layer_files.document import (
    LayersDocument,
    check_document,
    slots_with_weights,
    trained_weights,
)
from core.converter.layer_files.optimizer_state import (
    OptimizerState,
    Run,
    in_runs,
    keras3_variables,
    state_from_runs,
    state_of,
    with_zeros,
)
from core.converter.layer_files.training_configs import (
    TFJS_MOMENTUM,
    TfjsOptimizer,
    compile_config_of_h5,
    compile_config_of_tfjs,
    tfjs_optimizer,
    tfjs_training_config,
)
from core.converter.layer_files.translation import translated
from core.converter.read_back import read_back
from core.converter.web import optimizer_weights
from core.errors import CoreError
from core.layers.keras_config import read_topology
from core.layers.weight_slots import WeightSlots, bind_by_names, weight_slots
from weights_cache.common.errors import WeightsError
from weights_cache.loader import load_web_model
from weights_cache.write import write_weights

_OPTIMIZER = "optimizer"


def write_tfjs_layers(folder: str | os.PathLike[str], document: LayersDocument) -> Path:
    """Write a model as files that TensorFlow.js loads with `tf.loadLayersModel`.

    The state of an optimizer is written in the group "optimizer", as TensorFlow.js does with
    ``includeOptimizer``; Adamax has none there.

    Args:
        folder: target folder, made if missing. Files of other names are not changed.
        document: the model; a topology of another dialect is translated.

    Returns:
        The path of ``model.json``. An error leaves existing files unchanged.

    Raises:
        CoreError: weights do not fit the topology, or TensorFlow.js lacks some of its layers, its
            optimizer, a loss or a metric; all layers are listed.
        WeightsError: the files cannot be written.
    """
    document = translated(document, "tfjs")
    names = _weight_names(slots_with_weights(document))
    weights = {name: document.weights[path][weight] for (path, weight), name in names.items()}
    fields: dict[str, Any] = {}
    state: dict[str, np.ndarray] = {}
    if document.compile_config is not None:
        fields["trainingConfig"] = tfjs_training_config(document.compile_config)
        state = _optimizer_weights(document, names)
    return write_weights(
        folder,
        {**weights, **state},
        topology=document.topology,
        fields=fields,
        groups=dict.fromkeys(state, _OPTIMIZER),
        check=lambda path: check_document(
            document, read_back(read_tfjs_layers, path), has_state=bool(state)
        ),
    )


def _weight_names(all_slots: Sequence[WeightSlots]) -> dict[tuple[tuple[str, ...], str], str]:
    """Return the name in TensorFlow.js of each weight, by path and name of the weight.

    Names have the layer of the innermost model, and the directions and numbered cells in it.

    Raises:
        CoreError: two weights have one name, as TensorFlow.js needs unique names of layers.
    """
    found: dict[tuple[tuple[str, ...], str], str] = {}
    for slots in all_slots:
        _add_names(slots, "", found)
    taken: dict[str, tuple[str, ...]] = {}
    for (path, _), name in found.items():
        if taken.setdefault(name, path) != path:
            raise CoreError(
                f"TensorFlow.js needs unique names of layers, but {'/'.join(taken[name])!r} and "
                f"{'/'.join(path)!r} both have a weight {name!r}: rename one of them"
            )
    return found


def _add_names(
    slots: WeightSlots, prefix: str, found: dict[tuple[tuple[str, ...], str], str], number: int = 0
) -> None:
    own = {
        "layers": slots.path[-1],
        "forward_layer": f"{prefix}/{slots.path[-1]}",
        "backward_layer": f"{prefix}/{slots.path[-1]}",
        "cells": f"{prefix}/RNNCell_{number}",
    }
    prefix = own.get(slots.holder, prefix)
    for weight in slots.weights:
        found[slots.path, weight] = f"{prefix}/{weight}"
    for i, child in enumerate(slots.children):
        _add_names(child, prefix, found, i)


def _optimizer_weights(
    document: LayersDocument, names: Mapping[tuple[tuple[str, ...], str], str]
) -> dict[str, np.ndarray]:
    """Return the state of the optimizer by TensorFlow.js's names, in its order."""
    optimizer = (document.compile_config or {}).get("optimizer") or {}
    kind = tfjs_optimizer(optimizer)
    if document.optimizer_variables is None or not kind.keeps_state:
        return {}
    state = state_of(document.optimizer_variables, optimizer)
    trained = list(trained_weights(document))
    runs = _runs(kind, optimizer["config"])
    state = with_zeros(state, runs, [weight.value.shape for weight in trained])
    if kind is TFJS_MOMENTUM:
        state = _scaled(state, -1 / float(optimizer["config"]["learning_rate"]))
    ends = [kind.slots[slot] for run in runs for slot in run.slots]
    keys = [f"{names[w.path, w.name]}/{end}" for end in ends for w in trained]
    arrays = in_runs(state, runs, kind.class_name)
    if len(keys) != len(arrays):
        raise CoreError(
            f"the optimizer has {len(arrays)} arrays for {len(trained)} trainable weights"
        )
    return {"iter": np.array(state.iteration, np.int32), **dict(zip(keys, arrays, strict=True))}


def _runs(kind: TfjsOptimizer, config: Mapping[str, Any]) -> list[Run]:
    """Return the slots of an optimizer of TensorFlow.js, each listed for all variables."""
    slots = (s for s in kind.slots if s != "average_gradient" or config.get("centered"))
    return [Run((slot,)) for slot in slots]


def _scaled(state: OptimizerState, factor: float) -> OptimizerState:
    """Return momentums in another unit: those of Keras include the learning rate, negative."""
    slots = {k: [(a * np.float32(factor)) for a in arrays] for k, arrays in state.slots.items()}
    return state._replace(slots=slots)


def read_tfjs_layers(path: Path) -> LayersDocument:
    """Read a layer model that TensorFlow.js or its converter saved; see `read_document`."""
    model = load_web_model(path)
    document = model.document if isinstance(model.document, dict) else {}
    topology = document.get("modelTopology")
    if not isinstance(topology, dict) or "node" in topology:
        raise WeightsError(
            f"{model.path} is not a model of layers, but "
            f"{'weights alone' if topology is None else 'a graph'}: load it with core.load_model"
        )
    spec = read_topology(topology)
    inner, training = _unwrapped(topology)
    of_optimizer = optimizer_weights(document)
    weights = model.weights()
    own = {name: array for name, array in weights.items() if name not in of_optimizer}
    found = LayersDocument(
        inner,
        bind_by_names(weight_slots(topology), own),
        dialect=spec.dialect,
    )
    compiled = None
    if isinstance(document.get("trainingConfig"), dict):
        compiled = compile_config_of_tfjs(document["trainingConfig"])
    elif isinstance(training, dict):
        compiled = compile_config_of_h5(training)
    found = found._replace(compile_config=compiled)
    state = [array for name, array in weights.items() if name in of_optimizer]
    if not compiled or not state:
        return found
    try:
        return found._replace(optimizer_variables=_keras3_state(state, compiled, found))
    except CoreError as error:
        return found._replace(state_fault=str(error))


def _unwrapped(topology: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the config of a model, with its version, and the training configuration."""
    outer: dict[str, Any] = dict(topology)
    marks: dict[str, Any] = {}
    training = None
    while True:
        marks |= {key: outer[key] for key in ("keras_version", "backend") if key in outer}
        training = outer.get("training_config", training)
        if not isinstance(outer.get("model_config"), dict):
            break
        outer = outer["model_config"]
    return {**{key: outer[key] for key in ("class_name", "config")}, **marks}, training


def _keras3_state(
    arrays: Sequence[np.ndarray], compiled: Mapping[str, Any], document: LayersDocument
) -> list[np.ndarray]:
    """Return the optimizer's arrays of a file in Keras 3's order."""
    optimizer = compiled["optimizer"]
    kind, config = tfjs_optimizer(optimizer), optimizer["config"]
    runs = _runs(kind, config)
    if len(arrays) == 1:  # the model was not trained yet
        state = OptimizerState(int(arrays[0]), {})
        state = with_zeros(state, runs, [w.value.shape for w in trained_weights(document)])
    else:
        state = state_from_runs(arrays, runs, kind.class_name)
    if kind is TFJS_MOMENTUM:
        state = _scaled(state, -float(config["learning_rate"]))
    return keras3_variables(state, optimizer)

"""Models of layers that were trained a step, with optimizers and their states; weights alone."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import core
from core.callbacks.checkpoints import WEIGHT_ENDINGS
from tests.core.layers.recorded import FILES
from tests.reliability.fuzz import layer_files
from tests.reliability.fuzz.uses import Loaded, Rng, train_a_step
from tests.reliability.fuzz.writers import Writers

#: How models are saved: the name of the file or folder, and the version of Keras.
_FILES = {"model.keras": 3, "model.h5": 3, "keras2.h5": 2, "web": 3}


def _dense() -> core.Model:
    layers = core.layers
    model = core.Sequential(
        [
            layers.Input((4,)),
            layers.Dense(5, "relu", kernel_regularizer="l2", name="first"),
            layers.BatchNormalization(name="norm"),
            layers.Dropout(0.5),
            layers.Dense(3, "softmax", kernel_constraint="max_norm", name="last"),
        ]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def _images() -> core.Model:
    layers = core.layers
    model = core.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(4, 3, strides=2, padding="same", activation="relu", name="first"),
            layers.DepthwiseConv2D(3, name="each"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, "sigmoid", name="last"),
        ]
    )
    momentum = core.optimizers.SGD(0.01, momentum=0.9, nesterov=True)
    model.compile(momentum, "binary_crossentropy")
    return model


def _sequence() -> core.Model:
    layers = core.layers
    both = layers.Bidirectional(layers.LSTM(3, return_sequences=True, name="cell"), name="both")
    model = core.Sequential(
        [
            layers.Input((3,)),
            layers.Embedding(7, 4, name="words"),
            both,
            layers.GRU(2, reset_after=False, name="end"),
            layers.Dense(1, name="last"),
        ]
    )
    model.compile(core.optimizers.RMSprop(centered=True, momentum=0.5), "mse", metrics=["mae"])
    return model


def _two_inputs() -> core.Model:
    layers = core.layers
    one, other = core.Input((4,), name="one"), core.Input((4,), name="other")
    shared = layers.Dense(3, "tanh", name="shared")
    both = layers.Concatenate()([shared(one), shared(other)])
    outputs = [layers.Dense(2, name="first")(both), layers.Dense(1, name="second")(both)]
    model = core.Model([one, other], outputs)
    model.compile("adamax", ["mse", "mae"])
    return model


MODELS: Mapping[str, Callable[[], core.Model]] = {
    "dense": _dense,
    "images": _images,
    "sequence": _sequence,
    "two_inputs": _two_inputs,
}


def writers() -> Writers:
    """Our own with the state of training, and those with weights that other programs recorded."""
    found = {f"{m}-{name}": partial(_write, m, name) for m in MODELS for name in _FILES}
    others = {
        "keras": layer_files.keras_writers(),
        "h5": layer_files.h5_writers(),
        "web": layer_files.web_writers(),
    }
    with_weights = {name for name, model in layer_files.models(*FILES) if model.weights}
    return found | {
        f"{form}-{name}": write
        for form, each in others.items()
        for name, write in each.items()
        if name in with_weights
    }


def weights_writers() -> Writers:
    """Weights alone of our own models, which the name of the file tells."""
    return {
        f"{name}{ending}": partial(_write_weights, name, ending)
        for name in MODELS
        for ending in WEIGHT_ENDINGS
    }


def topology_writers() -> Writers:
    """Topologies alone, as JSON."""
    return {
        name: partial(_write_topology, model.topology)
        for name, model in layer_files.models(*FILES)
        if model.weights
    }


def train_with_weights(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Give a model the weights of a file, and train it one step."""
    model = MODELS[path.name.partition(".")[0]]()
    model.load_weights(path)
    loaded()
    train_a_step(model, rng)


def _trained(name: str) -> core.Model:
    core.set_random_seed(1)
    model = MODELS[name]()
    train_a_step(model, np.random.default_rng(1))
    return model


def _write(name: str, file: str, folder: Path) -> Path:
    _trained(name).save(folder / file, keras_version=2 if _FILES[file] == 2 else 3)
    return folder / file


def _write_weights(name: str, ending: str, folder: Path) -> Path:
    path = folder / f"{name}{ending}"
    _trained(name).save_weights(path)
    return path


def _write_topology(topology: Mapping[str, Any], folder: Path) -> Path:
    path = folder / "topology.json"
    path.write_text(json.dumps(topology))
    return path

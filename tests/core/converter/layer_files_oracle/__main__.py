"""Trains small models in Keras, and moves them through our reader and writers and back.

Prints a report as JSON: by model and file the differences found; empty lists are right. The folder
keeps each model as Keras saved it, and after two more steps. ``TF_USE_LEGACY_KERAS=1`` takes
Keras 2.
"""

import importlib
import json
import os
import sys
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow

from core.converter.layer_files import read_document, write_h5, write_keras
from core.models.model_files import load_layers_model
from tests.core.converter.layer_files_oracle.models import MODELS

LEGACY = bool(os.environ.get("TF_USE_LEGACY_KERAS"))


def batch_of(model, rng):
    """Inputs and targets for a model."""
    inputs = []
    for x in model.inputs:
        shape = [n or 4 for n in x.shape[1:]]
        inputs.append(rng.uniform(-1, 1, (6, *shape)).astype(np.float32))
    if type(model.layers[0]).__name__ == "Embedding":
        inputs = [np.round(3 + 3 * inputs[0])]
    outputs = [rng.uniform(0, 1, (6, *y.shape[1:])).astype(np.float32) for y in model.outputs]
    if "softmax" in str(model.layers[-1].get_config().get("activation")):
        outputs = [y / y.sum(-1, keepdims=True) for y in outputs]
    return inputs, outputs


def step(model, inputs, outputs):
    """One step of training."""
    model.train_on_batch(*(v if len(v) > 1 else v[0] for v in (inputs, outputs)))


def weights_by_path(model) -> list[np.ndarray]:
    return [np.asarray(w) for w in model.get_weights()]


def optimizer_arrays(model) -> list[np.ndarray]:
    variables = model.optimizer.variables
    return [np.asarray(v) for v in (variables() if callable(variables) else variables)]


def differences(found, model, inputs, state=True) -> list[str]:
    """How a loaded model differs from the one that was saved.

    Keras 3.15 does not restore the state of optimizers from .h5 files, not even from its own.
    """
    wrong = []
    pairs = {
        "weights": (weights_by_path(found), weights_by_path(model)),
        "optimizer": (optimizer_arrays(found), optimizer_arrays(model)),
    }
    if not state:
        del pairs["optimizer"]
    elif not getattr(model.optimizer, "momentum", 1):  # Keras 2 keeps momentums without use
        pairs["optimizer"] = tuple(arrays[:1] for arrays in pairs["optimizer"])
    for what, (mine, theirs) in pairs.items():
        if len(mine) != len(theirs):
            wrong.append(f"{what}: {len(mine)} arrays, not {len(theirs)}")
        elif not all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True)):
            wrong.append(f"{what}: other values")
    for a, b in zip(predictions(found, inputs), predictions(model, inputs), strict=True):
        if not np.allclose(a, b, rtol=1e-6, atol=1e-6):
            wrong.append(f"predictions differ by {np.abs(a - b).max()}")
    if type(found.optimizer) is not type(model.optimizer):
        wrong.append(f"optimizer: {found.optimizer}")
    if found.optimizer.get_config() != model.optimizer.get_config():
        wrong.append(f"{found.optimizer.get_config()} != {model.optimizer.get_config()}")
    return wrong


def predictions(model, inputs) -> list[np.ndarray]:
    found = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    return [np.asarray(y) for y in (found if isinstance(found, (list, tuple)) else [found])]


def document_differences(found, other) -> list[str]:
    """How two documents differ."""
    wrong = []
    for path, named in other.weights.items():
        for name, array in named.items():
            if not np.array_equal(found.weights[path][name], array):
                wrong.append("/".join((*path, name)))
    states = [d.optimizer_variables or [] for d in (found, other)]
    if len(states[0]) != len(states[1]):
        wrong.append(f"{len(states[0])} variables of the optimizer, not {len(states[1])}")
    elif not all(np.array_equal(a, b) for a, b in zip(*states, strict=True)):
        wrong.append("variables of the optimizer")
    if found.compile_config != other.compile_config:
        wrong.append(f"{found.compile_config} != {other.compile_config}")
    return wrong


def report_of(keras, name, build, folder: Path) -> dict[str, list[str]]:
    """What is wrong with each file of a model."""
    rng = np.random.default_rng(11)
    # Eager steps take less time than compiling them for a few. But TensorFlow computes gradients
    # of grouped convolutions on CPUs in compiled functions only.
    tensorflow.config.run_functions_eagerly(name != "grouped")
    keras.backend.clear_session()
    keras.utils.set_random_seed(5)
    model = build(keras)
    inputs, outputs = batch_of(model, rng)
    for _ in range(3):
        step(model, inputs, outputs)
    np.savez(folder / f"{name}.npz", *inputs, *outputs)
    endings = ("h5",) if LEGACY else ("keras", "h5")
    report = {}
    for ending in endings:
        path = folder / f"{name}.{ending}"
        model.save(path)
        document = read_document(path)
        mine = folder / f"{name}.ours.{ending}"
        if ending == "keras":
            write_keras(mine, document)
        else:
            write_h5(mine, document, dialect="keras2" if LEGACY else "keras3")
        loaded = keras.models.load_model(mine)
        report[mine.name] = differences(loaded, model, inputs, state=LEGACY or ending != "h5")
        report[mine.name] += document_differences(read_document(mine), document)
        again = folder / f"{name}.again.{ending}"
        loaded.save(again)
        if LEGACY or ending != "h5":
            report[again.name] = document_differences(read_document(again), document)
    if LEGACY:
        report.update(into_keras3(folder, name))
    else:
        path = folder / f"{name}.core.keras"
        load_layers_model(folder / f"{name}.keras").save(path)
        report[path.name] = differences(keras.models.load_model(path), model, inputs)
    for _ in range(2):
        step(model, inputs, outputs)
    model.save(folder / f"{name}.later.{endings[0]}")
    return report


def into_keras3(folder: Path, name: str) -> dict[str, list[str]]:
    """Move a file of Keras 2 into one of Keras 3 and back."""
    document = read_document(folder / f"{name}.h5")
    path = write_keras(folder / f"{name}.moved.keras", document)
    back = write_h5(folder / f"{name}.back.h5", read_document(path), dialect="keras2")
    return {back.name: document_differences(read_document(back), document)}


def main(folder: Path) -> None:
    keras = importlib.import_module("tf_keras" if LEGACY else "keras")
    report = {}
    for name, build in MODELS.items():
        try:
            report.update(report_of(keras, name, build, folder))
        except Exception as error:  # the other models are reported, too
            report[name] = [f"{type(error).__name__}: {error}"]
    print(json.dumps({"keras": keras.__version__, "differences": report}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

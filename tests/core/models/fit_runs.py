"""Runs of `fit` that Keras and `core` make alike."""

from typing import Any

import numpy as np

from tests.core.models.curve_models import numbers, start

KINDS = {"binary": "binary_crossentropy", "categorical": "categorical_crossentropy"}
SPLIT = {"validation_split": 0.25}
WEIGHTS = np.linspace(0.2, 2.0, 40).astype(np.float32)
TWO_EPOCHS = {"epochs": 2}

#: Arguments of `compile` and of `fit` by the name of a run, which begins with the kind of labels.
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "binary": ({}, {**TWO_EPOCHS, **SPLIT}),
    "categorical": ({}, {**TWO_EPOCHS, **SPLIT}),
    "sparse": ({}, {**TWO_EPOCHS, **SPLIT}),
    "sparse, class weights": ({}, {**TWO_EPOCHS, "class_weight": {0: 0.5, 1: 2.0, 2: 1.2}}),
    "categorical, class weights": ({}, {**TWO_EPOCHS, "class_weight": {0: 0.5, 2: 3.0}}),
    "binary, class weights": ({}, {**TWO_EPOCHS, "class_weight": {0: 0.5, 1: 2.0}}),
    "sparse, weights": ({}, {**TWO_EPOCHS, "sample_weight": WEIGHTS}),
    "sparse, weights and split": ({}, {**TWO_EPOCHS, **SPLIT, "sample_weight": WEIGHTS}),
    "sparse, weighted metrics": (
        {"weighted_metrics": ["accuracy"]},
        {**TWO_EPOCHS, "sample_weight": WEIGHTS},
    ),
    "sparse, late": ({}, {"initial_epoch": 1, "epochs": 3}),
    "sparse, two steps": ({}, {"epochs": 2, "steps_per_epoch": 2, "batch_size": 10}),
    "binary, batches": ({}, {**TWO_EPOCHS, "batch_size": 7}),
    "sparse, validation": ({}, {"epochs": 4, "validation_data": ..., "validation_freq": 2}),
    "binary, frozen": ({}, TWO_EPOCHS),
}


def labels_of(kind: str) -> np.ndarray:
    """Labels of forty samples."""
    classes = np.random.default_rng(8).integers(0, 2 if kind == "binary" else 3, 40)
    if kind == "categorical":
        return np.eye(3, dtype=np.float32)[classes]
    return classes.astype(np.float32 if kind == "binary" else np.int32).reshape(-1, 1)


def run(library: Any, name: str) -> dict[str, Any]:
    """The epochs and logs of a run, and what evaluation gives after it."""
    layers, kind = library.layers, name.split(",")[0]
    units, activation = (1, "sigmoid") if kind == "binary" else (3, "softmax")
    hidden = layers.Dense(5, activation="tanh", trainable="frozen" not in name)
    net = library.Sequential(
        [layers.Input(shape=(4,)), hidden, layers.Dense(units, activation=activation)]
    )
    start(net)
    compiled, fitted = RUNS[name]
    loss = KINDS.get(kind, "sparse_categorical_crossentropy")
    optimizer = library.optimizers.SGD(learning_rate=0.3)
    net.compile(optimizer, loss, **{"metrics": ["accuracy"], **compiled})
    x, y = numbers(40, 4), labels_of(kind)
    if "validation_data" in fitted:
        fitted = {**fitted, "validation_data": (x[:9] + 0.3, y[:9], WEIGHTS[:9])}
    found = net.fit(x, y, **{"batch_size": 8, "shuffle": False, "verbose": 0, **fitted})
    options = {"batch_size": 16, "sample_weight": WEIGHTS, "verbose": 0, "return_dict": True}
    evaluated = net.evaluate(x, y, **options)
    logs = {key: [float(v) for v in values] for key, values in found.history.items()}
    return {
        "epochs": found.epoch,
        "logs": logs,
        "evaluated": {k: float(v) for k, v in evaluated.items()},
    }

"""Writes keras_values.json: what Keras 3 gives for regularizers, constraints, callbacks and fans.

Run ``python keras_values.py`` where Keras 3 is.
"""

import importlib
import inspect
import json
import warnings
from pathlib import Path

import numpy as np

if __name__ == "__main__":  # the suite looks into this file, and needs no Keras
    keras = importlib.import_module("keras")
    tf = importlib.import_module("tensorflow")

INITIALIZERS = [
    "Zeros",
    "Ones",
    "Constant",
    "Identity",
    "Orthogonal",
    "RandomUniform",
    "RandomNormal",
    "TruncatedNormal",
    "VarianceScaling",
    "GlorotUniform",
    "GlorotNormal",
    "HeUniform",
    "HeNormal",
    "LecunUniform",
    "LecunNormal",
]
REGULARIZERS = {
    "L1": {"l1": 0.03},
    "L2": {"l2": 0.02},
    "L1L2": {"l1": 0.03, "l2": 0.02},
    "OrthogonalRegularizer": {"factor": 0.5, "mode": "rows"},
    "OrthogonalRegularizer columns": {"factor": 0.5, "mode": "columns"},
}
CONSTRAINTS = {
    "MaxNorm": {"max_value": 0.8, "axis": 0},
    "MaxNorm axes": {"max_value": 1.1, "axis": [0, 1, 2]},
    "MinMaxNorm": {"min_value": 0.7, "max_value": 0.9, "rate": 0.4, "axis": 1},
    "NonNeg": {},
    "UnitNorm": {"axis": 0},
}
FANS = [[], [7], [5, 3], [4, 5, 3], [3, 3, 16, 32], [2, 3, 4, 5, 6]]
CURVES = {
    "falls": [0.9, 0.7, 0.6, 0.55, 0.54, 0.53],
    "rises": [0.5, 0.6, 0.55, 0.7, 0.7, 0.4, 0.3],
    "waves": [0.9, 0.5, 0.6, 0.4, 0.45, 0.47, 0.39, 0.6, 0.7, 0.8],
    "stays": [0.5] * 8,
}
STOPPING = {
    "usual": {"monitor": "val_loss"},
    "patient": {"monitor": "val_loss", "patience": 2, "restore_best_weights": True},
    "delta": {"monitor": "val_loss", "patience": 1, "min_delta": 0.05},
    "baseline": {"monitor": "val_loss", "patience": 2, "baseline": 0.45},
    "best of none": {
        "monitor": "val_loss",
        "patience": 2,
        "baseline": 0.1,
        "restore_best_weights": True,
    },
    "late": {"monitor": "val_loss", "patience": 1, "start_from_epoch": 3},
    "max": {"monitor": "val_loss", "patience": 2, "mode": "max", "restore_best_weights": True},
}
PLATEAUS = {
    "usual": {"patience": 2, "min_delta": 0.0},
    "cooldown": {"patience": 1, "cooldown": 2, "factor": 0.5},
    "least": {"patience": 1, "factor": 0.1, "min_lr": 0.05},
    "max": {"patience": 1, "mode": "max", "factor": 0.5},
}


class FakeModel:
    """What callbacks see of a model."""

    def __init__(self):
        self.stop_training = False
        self.metrics = []
        self.weights = 0
        self.restored = None
        self.optimizer = type("Optimizer", (), {"learning_rate": 1.0})()

    def get_weights(self):
        return [self.weights]

    def set_weights(self, weights):
        self.restored = weights[0]


def stored(array):
    """An array as nested lists."""
    return np.asarray(array, np.float32).tolist()


def initializers():
    """Documents with the defaults of the constructors."""
    found = {}
    for name in INITIALIZERS:
        made = getattr(keras.initializers, name)
        defaults = {
            key: p.default
            for key, p in inspect.signature(made).parameters.items()
            if p.default is not p.empty
        }
        document = keras.initializers.serialize(made())
        found[name] = {"defaults": defaults, "document": document}
    return found


def regularizers(rng):
    """Penalties and their gradients."""
    found = {}
    for name, config in REGULARIZERS.items():
        made = getattr(keras.regularizers, name.split()[0])(**config)
        x = rng.uniform(-1, 1, (4, 3)).astype("float32")
        x[1] = 0
        weight = tf.Variable(x)
        with tf.GradientTape() as tape:
            penalty = made(weight)
        gradient = tape.gradient(penalty, weight)
        document = keras.regularizers.serialize(made)
        found[name] = {
            "document": document,
            "x": stored(x),
            "penalty": float(penalty),
            "gradient": stored(gradient),
        }
    return found


def constraints(rng):
    """Weights, and what they become."""
    found = {}
    for name, config in CONSTRAINTS.items():
        made = getattr(keras.constraints, name.split()[0])(**config)
        shape = (2, 2, 2, 3) if "axes" in name else (4, 3)
        w = rng.uniform(-1, 1, shape).astype("float32")
        w[..., 1] = 0
        document = keras.constraints.serialize(made)
        found[name] = {"document": document, "w": stored(w), "result": stored(made(w))}
    return found


def stopping():
    """The epochs after which training stops, and whose weights are restored."""
    found = {}
    for name, config in STOPPING.items():
        for curve, values in CURVES.items():
            callback, model = keras.callbacks.EarlyStopping(**config), FakeModel()
            callback.set_model(model)
            callback.on_train_begin()
            for epoch, value in enumerate(values):
                model.weights = epoch
                callback.on_epoch_end(epoch, {"val_loss": value})
                if model.stop_training:
                    break
            callback.on_train_end()
            found[f"{name}, {curve}"] = [epoch, model.restored]
    return found


def plateaus():
    """The learning rate after each epoch."""
    found = {}
    for name, config in PLATEAUS.items():
        for curve, values in CURVES.items():
            callback, model = keras.callbacks.ReduceLROnPlateau(**config), FakeModel()
            callback.set_model(model)
            callback.on_train_begin()
            rates = []
            for epoch, value in enumerate(values):
                callback.on_epoch_end(epoch, {"val_loss": value})
                rates.append(float(model.optimizer.learning_rate))
            found[f"{name}, {curve}"] = rates
    return found


def main():
    """Write everything."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(7)
    fans = importlib.import_module("keras.src.initializers.random_initializers").compute_fans
    document = {
        "keras": keras.__version__,
        "initializers": initializers(),
        "fans": [[shape, list(fans(shape))] for shape in FANS],
        "regularizers": regularizers(rng),
        "constraints": constraints(rng),
        "stopping": stopping(),
        "plateaus": plateaus(),
    }
    path = Path(__file__).with_name("keras_values.json")
    text = json.dumps(document)
    path.write_text(text + "\n")
    print(f"{len(text):,} bytes")


if __name__ == "__main__":
    main()

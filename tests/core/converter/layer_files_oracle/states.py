"""Saves models in Keras with states of optimizers that fit, fit in part, or are missing.

``python -m tests.core.converter.layer_files_oracle.states FOLDER`` writes each model, a batch, and
the weights after one step of the model as Keras loads it. ``TF_USE_LEGACY_KERAS=1`` takes Keras 2.
"""

import importlib
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

LEGACY = bool(os.environ.get("TF_USE_LEGACY_KERAS"))

OPTIMIZERS = {
    "adam": lambda o: o.Adam(0.01),
    "amsgrad": lambda o: o.Adam(0.01, amsgrad=True),
    "rmsprop": lambda o: o.RMSprop(0.01, momentum=0.5, centered=True),
    "sgd": lambda o: o.SGD(0.1),
    "momentum": lambda o: o.SGD(0.1, momentum=0.9),
    "nadam": lambda o: o.Nadam(0.01),
    "adagrad": lambda o: o.Adagrad(0.1),
    "adadelta": lambda o: o.Adadelta(0.5),
    "adamax": lambda o: o.Adamax(0.01),
    "ftrl": lambda o: o.Ftrl(0.1),
    "adamw": lambda o: o.AdamW(0.01, weight_decay=0.1),
    "schedule": lambda o: o.Adam(o.schedules.ExponentialDecay(0.1, 2, 0.5)),
    "default": lambda o: "sgd",
}

#: Those of which a model is saved before a step, too.
NEW = ("adam", "rmsprop", "momentum", "schedule", "default")


def built(keras, optimizer, *, frozen=False):
    """A small classifier that is compiled with a loss that has options."""
    layers = keras.layers
    body = layers.Dense(4, activation="relu", name="body")
    model = keras.Sequential([layers.Input((3,)), body, layers.Dense(3, name="head")])
    body.trainable = not frozen
    compiled(keras, model, optimizer)
    return model


def compiled(keras, model, optimizer):
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
    metrics = [keras.metrics.CategoricalAccuracy(name="share")]
    model.compile(optimizer(keras.optimizers), loss, metrics=metrics)


def main(folder: Path) -> None:
    keras = importlib.import_module("tf_keras" if LEGACY else "keras")
    # With weights of chance, one run in 500 has a gradient of about 1e-6, and Adam divides it by
    # itself: its first step then turns rounding of the last bits into 1e-5.
    keras.utils.set_random_seed(3)
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(8, 3)).astype("f4"), np.eye(3, dtype="f4")[rng.integers(0, 3, 8)]
    later = {"x": x, "y": y}
    models = {}
    for name, optimizer in OPTIMIZERS.items():
        if LEGACY and name == "nadam":
            continue  # its product of shares depends on when Keras 2 compiles its steps
        if name in NEW:
            models[f"{name}.new"] = built(keras, optimizer)
        models[f"{name}.trained"] = trained = built(keras, optimizer)
        trained.fit(x, y, epochs=3, verbose=0)
    for name in ("adam", "momentum"):
        models[f"{name}.unfrozen"] = model = built(keras, OPTIMIZERS[name], frozen=True)
        model.fit(x, y, epochs=3, verbose=0)
        model.get_layer("body").trainable = True
    for name, model in models.items():
        for ending in ("keras", "h5"):
            path = folder / f"{name}.{ending}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # .h5 is an old format
                model.save(path)
            # Keras 3 does not restore the state from .h5, not even from its own; Keras 2 restores
            # the number of steps before it finds that the rest does not fit.
            if ending == "h5" and (not LEGACY or ".unfrozen" in name):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loaded = keras.models.load_model(path)
            loaded.train_on_batch(x, y)
            for i, array in enumerate(loaded.get_weights()):
                later[f"{path.name}/{i}"] = array
    np.savez(folder / "later.npz", **later)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Writes keras_composites.json: outputs of Keras 3 before and after three steps of training.

Run ``python -m tests.core.models.keras_composites`` where Keras 3 and TensorFlow are: 2 minutes.
"""

import importlib
import json
from pathlib import Path

import numpy as np

from tests.core.models.composites import NETWORKS, batch_of, model_of
from tests.core.models.keras_layers import listed, packed, start

STEPS, RATE = 3, 0.05


def targets_of(outputs) -> list[np.ndarray]:
    """Numbers to train towards."""
    rng = np.random.default_rng(3)
    return [rng.uniform(0, 1, np.shape(y)).astype(np.float32) for y in outputs]


def single(values: list):
    return values if len(values) > 1 else values[0]


def recorded(keras, name: str) -> dict:
    """What Keras gives for a network."""
    keras.backend.clear_session()
    model = model_of(keras, name)
    start(model)
    inputs = single(batch_of(name))
    before = [np.asarray(y) for y in listed(model(inputs, training=False))]
    targets = targets_of(before)
    model.compile(keras.optimizers.SGD(RATE), loss=["mse"] * len(targets))
    for _ in range(STEPS):
        model.train_on_batch(inputs, single(targets))
    after = listed(model(inputs, training=False))
    return {"before": packed(before), "after": packed(after)}


if __name__ == "__main__":
    keras = importlib.import_module("keras")
    # Quicker than compiling each network for three steps.
    importlib.import_module("tensorflow").config.run_functions_eagerly(True)
    found = {name: recorded(keras, name) for name in NETWORKS}
    document = {"keras": keras.__version__, "networks": found}
    text = json.dumps(document, indent=1)
    Path(__file__).with_name("keras_composites.json").write_text(f"{text}\n")

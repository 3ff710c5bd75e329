"""All of keras.applications with random weights, through our readers and back to Keras.

``python -m tests.core.converter.layer_files_oracle.applications [NAMES]`` prints a JSON object for
each: the largest difference to Keras, as a share of the outputs' range, of the model as a graph, as
layers, and of these layers saved and loaded by Keras.
"""

import gc
import json
import os
import sys
import tempfile
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import numpy as np

import core

#: The smallest images that a family takes, if not 64 pixels.
SIZES = {"NASNet": 224, "Inception": 75, "Xception": 75}


#: More normalizations than this make a deep network.
DEEP = 150


def model_of(name: str) -> keras.Model:
    """A network without its classes, with random weights."""
    size = next((size for part, size in SIZES.items() if part in name), 64)
    keras.backend.clear_session()
    keras.utils.set_random_seed(1)
    make = getattr(keras.applications, name)
    model = make(weights=None, input_shape=(size, size, 3), include_top=False, pooling="avg")
    shrink(model)
    return model


def shrink(model: keras.Model) -> None:
    """Make the branches of deep residual networks small, as training does.

    Else values grow from block to block, so that the last bit of an input changes all of Keras's
    own results.
    """
    layers = model._flatten_layers()
    norms = [each for each in layers if isinstance(each, keras.layers.BatchNormalization)]
    for norm in norms if len(norms) > DEEP else ():
        if norm.scale:
            norm.gamma.assign(0.5 * norm.gamma)


def differences(name: str, folder: Path) -> dict[str, float]:
    """The differences of a network, by how it was loaded."""
    model = model_of(name)
    x = np.random.default_rng(0).uniform(0, 255, (1, *model.input_shape[1:])).astype(np.float32)
    expected = np.asarray(model(x, training=False))
    path, again = folder / "model.keras", folder / "again.keras"
    model.save(path)
    (graph,) = core.load_model(path).predict(x).values()
    layers = core.load_layers_model(path)
    layers.save(again)
    found = {
        "graph": graph.numpy(),
        "layers": layers(x).numpy(),
        "again": np.asarray(keras.models.load_model(again)(x, training=False)),
    }
    span = max(float(np.ptp(expected)), 1e-9)
    return {how: float(np.abs(y - expected).max()) / span for how, y in found.items()}


def main(names: list[str]) -> None:
    listed = [n for n in dir(keras.applications) if n[0].isupper()]
    for name in names or listed:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps({"name": name, **differences(name, Path(folder))}), flush=True)
        gc.collect()


if __name__ == "__main__":
    main(sys.argv[1:])

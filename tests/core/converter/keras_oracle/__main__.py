"""Build small models in Keras, save them in both formats, and compare predictions."""

import json
import os
import sys
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

import zoo
from tests.core.converter.keras_oracle.models import MODELS


def largest_error(path: Path, model, batch: np.ndarray) -> float:
    """The largest distance to Keras, relative to the range of Keras's outputs."""
    results = model(batch, training=False)
    expected = [np.asarray(y) for y in (results if isinstance(results, list) else [results])]
    with zoo.load(path) as ours:
        found = list(ours.predict(batch).values())
    if [tuple(y.shape) for y in found] != [y.shape for y in expected]:
        return float("inf")
    ranges = [max(float(np.ptp(y)), 1e-3) for y in expected]
    errors = [np.abs(y.numpy() - x).max() for y, x in zip(found, expected, strict=True)]
    return max(float(e / r) for e, r in zip(errors, ranges, strict=True))


def drawn(variable, rng: np.random.Generator) -> np.ndarray:
    """Values for a weight; variances are positive."""
    values = rng.uniform(-0.9, 0.9, variable.shape)
    return np.abs(values) + 0.1 if "variance" in variable.path else values


def main(folder: Path) -> None:
    import keras

    rng = np.random.default_rng(5)
    errors = {}
    for name, build in MODELS.items():
        keras.backend.clear_session()
        keras.utils.set_random_seed(5)
        model = build(keras)
        model.set_weights([drawn(v, rng) for v in model.weights])
        batch = rng.uniform(-1, 1, (2, *model.inputs[0].shape[1:])).astype(np.float32)
        for ending in ("h5", "keras"):
            path = folder / f"{name}.{ending}"
            model.save(path)
            errors[path.name] = largest_error(path, model, batch)
        model.save_weights(folder / f"{name}.weights.h5")
    print(json.dumps({"keras": keras.__version__, "errors": errors}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

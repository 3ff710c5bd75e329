"""Batch normalisation of Keras in training: ``python -m tests.core.graph_model.keras_batch_norm``.

Writes what Keras computes, and its moving statistics after two batches, beside this file.
"""

import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("keras_batch_norm.json")
SHAPES = {"images": (3, 4, 5, 2), "rows": (6, 3)}
MOMENTUM, EPSILON = 0.9, 0.01


def rounded(value) -> list:
    """Numbers of float32 as a nested list."""
    return np.asarray(value, np.float64).round(6).tolist()


def recorded(shape: tuple[int, ...]) -> dict:
    """One case."""
    import keras

    rng = np.random.default_rng(7)
    batches = np.float32(rng.normal(1.0, 2.0, (3, *shape)).round(3))
    layer = keras.layers.BatchNormalization(momentum=MOMENTUM, epsilon=EPSILON)
    layer.build(shape)
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    values = [np.float32(rng.uniform(0.5, 2.0, shape[-1]).round(3)) for _ in names]
    layer.set_weights(values)
    trained = [layer(batch, training=True) for batch in batches[:2]]
    return {
        "batches": rounded(batches),
        "weights": {name: rounded(value) for name, value in zip(names, values, strict=True)},
        "trained": [rounded(y) for y in trained],
        "moved": [rounded(value) for value in layer.get_weights()[2:]],
        "inferred": rounded(layer(batches[2], training=False)),
    }


if __name__ == "__main__":
    cases = {name: recorded(shape) for name, shape in SHAPES.items()}
    FILE.write_text(json.dumps(cases, separators=(",", ":")) + "\n")

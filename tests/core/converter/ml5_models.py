"""Models as ml5's neuralNetwork saves them: ``model.json``, weights and ``model_meta.json``."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from weights_cache import write_weights

CLASSES: dict[str, Any] = {
    "inputUnits": [4],
    "outputUnits": 2,
    "inputs": {
        "r": {"dtype": "number", "min": 0, "max": 255},
        "g": {"dtype": "number", "min": 10, "max": 250},
        "shade": {
            "dtype": "string",
            "min": 0,
            "max": 1,
            "uniqueValues": ["light", "dark"],
            "legend": {"light": [1, 0], "dark": [0, 1]},
        },
    },
    "outputs": {
        "label": {
            "dtype": "string",
            "min": 0,
            "max": 1,
            "uniqueValues": ["red-ish", "blue-ish"],
            "legend": {"red-ish": [1, 0], "blue-ish": [0, 1]},
        }
    },
    "isNormalized": True,
}

NUMBERS: dict[str, Any] = {
    "inputUnits": [2],
    "outputUnits": 2,
    "inputs": {
        "rooms": {"dtype": "number", "min": 1, "max": 9},
        "area": {"dtype": "number", "min": 20, "max": 320},
    },
    "outputs": {
        "price": {"dtype": "number", "min": 100, "max": 900},
        "days": {"dtype": "number", "min": 1, "max": 60},
    },
    "isNormalized": True,
}


def arrays_of(units: int, seed=3) -> dict[str, np.ndarray]:
    """The weights of ml5's two layers, of 16 hidden units and 2 outputs."""
    rng = np.random.default_rng(seed)
    shapes = {"kernel": (units, 16), "bias": (16,)}, {"kernel": (16, 2), "bias": (2,)}
    return {
        f"dense_Dense{layer}/{name}": rng.normal(0, 0.5, shape).astype(np.float32)
        for layer, its in enumerate(shapes, 1)
        for name, shape in its.items()
    }


def write_ml5(folder: Path, meta: Any, name="model", activation="softmax") -> Path:
    """A folder of such a model."""
    sides = meta.get("inputs") if isinstance(meta, dict) else None
    units = 2 if sides and "rooms" in sides else 4
    layers = [
        {
            "class_name": "Dense",
            "config": {
                "name": f"dense_Dense{number}",
                "units": count,
                "activation": kind,
                "use_bias": True,
                **({"batch_input_shape": [None, units]} if number == 1 else {}),
            },
        }
        for number, count, kind in ((1, 16, "relu"), (2, 2, activation))
    ]
    topology = {
        "class_name": "Sequential",
        "config": {"name": "sequential_1", "layers": layers},
        "keras_version": "tfjs-layers 4.8.0",
        "backend": "tensor_flow.js",
    }
    write_weights(folder, arrays_of(units), topology=topology)
    (folder / "model.json").rename(folder / f"{name}.json")
    (folder / f"{name}_meta.json").write_text(json.dumps(meta))
    return folder


def outputs_of(values: Any, activation="softmax") -> np.ndarray:
    """What the network gives for its numbers, in float64."""
    row = np.asarray(values, np.float64)
    arrays = arrays_of(len(row))
    hidden = np.maximum(row @ arrays["dense_Dense1/kernel"] + arrays["dense_Dense1/bias"], 0)
    logits = hidden @ arrays["dense_Dense2/kernel"] + arrays["dense_Dense2/bias"]
    if activation == "sigmoid":
        return 1 / (1 + np.exp(-logits))
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()

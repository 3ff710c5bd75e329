"""Recurrent layers over long sequences, from files of four formats, beside TensorFlow.

Run: ``python -m tests.benchmarks.recurrent_files [--steps N ..] [--rounds N] [--tier 1 2]`` with
Keras and TensorFlow (extra `oracle`). A batch of one, 16 features, 64 units and a dense layer. All
sides run in this process; in each round every one has its turn. Prints the milliseconds of the
first call of each file, medians of later ones, and the median of the rounds' ratios to Keras's
model in a ``tf.function``; at the end the largest difference of results.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import core
from tests.benchmarks.tf_backend import turns

FEATURES, UNITS, CLASSES = 16, 64, 4

#: Sequences for which loops are written: shorter ones are unrolled in some of the files.
STEPS = (100, 1000)

PEER = "tf.function"


def write_files(layer: str, steps: int, folder: Path) -> tuple[Any, Mapping[str, Path]]:
    """Write a model in every format; returns a function of TensorFlow, and the files."""
    import keras
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    keras.utils.set_random_seed(1)
    inside = [getattr(keras.layers, layer)(UNITS), keras.layers.Dense(CLASSES)]
    model = keras.Sequential([keras.Input((steps, FEATURES)), *inside])
    files = {
        ".keras": folder / "model.keras",
        "SavedModel": folder / "saved",
        "TFLite": folder / "model.tflite",
        "frozen graph": folder / "model.pb",
    }
    model.save(files[".keras"])
    model.export(files["SavedModel"], verbose=False)
    peer = tf.function(lambda x: model(x, training=False))
    known = peer.get_concrete_function(tf.TensorSpec((1, steps, FEATURES)))
    calls = convert_variables_to_constants_v2(known, lower_control_flow=False)
    files["TFLite"].write_bytes(tf.lite.TFLiteConverter.from_concrete_functions([calls]).convert())
    frozen = convert_variables_to_constants_v2(known)  # as Switch, Merge and so on
    tf.io.write_graph(frozen.graph, str(folder), files["frozen graph"].name, as_text=False)
    return peer, files


def loaded(file: Path, x: np.ndarray) -> Callable[[], np.ndarray]:
    """Return the call of a file's model for an input."""
    model = core.load_model(file)
    name = next(n for n, spec in model.inputs.items() if spec.shape is None or spec.shape[2:])
    found = model.predict({name: x})  # of a frozen graph also a weight, and inputs without use
    (output,) = (n for n, value in found.items() if value.shape == (1, CLASSES))
    return lambda: model.execute({name: x}, [output], as_arrays=True)[output]


def measured(layer: str, steps: int, rounds: int, folder: Path) -> dict[str, Any]:
    """Print a row for each side of a case."""
    import tensorflow as tf

    peer, files = write_files(layer, steps, folder)
    x = np.random.default_rng(0).standard_normal((1, steps, FEATURES)).astype(np.float32)
    tensor = tf.constant(x)
    sides: dict[str, Callable[[], Any]] = {PEER: lambda: peer(tensor).numpy()}
    first: dict[str, float] = {}
    for name, file in files.items():
        started = perf_counter()
        sides[name] = loaded(file, x)
        sides[name]()
        first[name] = 1e3 * (perf_counter() - started)
    wanted = sides[PEER]()
    differences = {name: float(np.abs(run() - wanted).max()) for name, run in sides.items()}
    times = turns(sides, 1, rounds)
    row: dict[str, Any] = {"case": f"{layer}, {steps} steps", "sides": {}}
    for name, each in times.items():
        low, middle, high = np.percentile(each, (25, 50, 75)) / 1e3
        ratio = float(np.median(np.divide(each, times[PEER])))
        row["sides"][name] = {"ms": [low, middle, high], "ratio": ratio, "first": first.get(name)}
        print(
            f"{row['case']:<18} {name:<13} {middle:8.2f} ms [{low:.2f}, {high:.2f}]  "
            f"{ratio:.2f} x  loading and first call {first.get(name, np.nan):6.1f} ms  "
            f"difference {differences[name]:.1e}",
            flush=True,
        )
    return row


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", nargs="+", type=int, default=STEPS)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--tier", type=int, choices=(1, 2), help="by default as the engine chooses")
    arguments = parser.parse_args()
    core.set_tier(arguments.tier)
    rows = []
    for layer_name in ("LSTM", "GRU"):
        for count in arguments.steps:
            with TemporaryDirectory() as made:
                rows.append(measured(layer_name, count, arguments.rounds, Path(made)))
    print(json.dumps(rows))

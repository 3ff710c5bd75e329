"""Gives models from Keras to this engine and back, within one process; prints what differs.

``python -m tests.core.converter.layer_files_oracle.exchanges FOLDER`` prints a report as JSON: the
largest difference of weights or outputs, by name of the exchange.
"""

import importlib
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

import core
import zoo
from tests.core.converter.layer_files_oracle import texts
from tests.core.converter.layer_files_oracle.distances import distance
from tests.core.converter.layer_files_oracle.models import MODELS

ENDINGS = ("keras", "h5")

#: Arguments of Normalization.
NORMALIZATIONS = {
    "channels": {},
    "scalar": {"axis": None},
    "inverted": {"invert": True},
    "axes": {"axis": (2, -2)},
}

#: Arguments of to_categorical.
CATEGORIES = {
    "inferred": ([2, 0, 1], None),
    "more": (np.array([[0.0], [3.0]]), 5),
    "planes": (np.array([[0, 1], [1, 2]], np.uint8), 3),
    "one": (np.array(1), 2),
    "column": (np.zeros((2, 3, 1), int), None),
}

KEYS = {"StringLookup": ["a", "b", "c"], "IntegerLookup": [7, -3, 12]}

#: Class, arguments, and whether the vocabulary is adapted to, and lies in a model in the model.
LOOKUPS = {
    "texts": ("StringLookup", {}, False),
    "texts with a mask": ("StringLookup", {"mask_token": "", "num_oov_indices": 3}, False),
    "texts one-hot": ("StringLookup", {"output_mode": "one_hot"}, False),
    "adapted texts": ("StringLookup", {"num_oov_indices": 2}, True),
    "integers": ("IntegerLookup", {"mask_token": 0}, False),
    "integers counted": ("IntegerLookup", {"output_mode": "count", "num_oov_indices": 2}, False),
    "padded integers": (
        "IntegerLookup",
        {"output_mode": "multi_hot", "max_tokens": 9, "pad_to_max_tokens": True},
        False,
    ),
    "adapted integers": ("IntegerLookup", {}, True),
    "texts counted with a mask": (
        "StringLookup",
        {"mask_token": "", "output_mode": "count"},
        False,
    ),
    "texts by frequency": (
        "StringLookup",
        {"output_mode": "tf_idf", "idf_weights": [0.5, 2.0, 1.0]},
        False,
    ),
}


def adapted(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """Normalization adapted to data by both, saved by both and loaded by both."""
    rng = np.random.default_rng(3)
    data = rng.normal(5, 3, (40, 4, 3)).astype("f4")
    batches = [data[:16], (data[16:32], None), data[32:]]
    for name, options in NORMALIZATIONS.items():
        theirs, ours = keras.layers.Normalization(**options), core.layers.Normalization(**options)
        theirs.adapt(iter(batches))
        ours.adapt(iter(batches))
        yield f"{name}, batches", distance(ours.get_weights(), theirs.get_weights())
        ours.adapt(core.data.Dataset.from_arrays((data, data)).batch(16))
        yield f"{name}, dataset", distance(ours.get_weights(), theirs.get_weights())
        theirs.adapt(data)
        ours.adapt(data)
        yield f"{name}, array", distance(ours.get_weights(), theirs.get_weights())
        model = keras.Sequential([keras.layers.Input((4, 3)), theirs, keras.layers.Dense(2)])
        mine = core.Sequential([core.layers.Input((4, 3)), ours, core.layers.Dense(2)])
        expected, own = model.predict(data, verbose=0), mine.predict(data).numpy()
        for ending in ENDINGS:
            path = folder / f"{name}.{ending}"
            model.save(path)
            loaded = core.load_layers_model(path)
            yield f"{name}, {ending} as layers", distance(loaded.predict(data), expected)
            yield f"{name}, {ending}, weights", distance(loaded.get_weights(), model.get_weights())
            with zoo.load(path) as graph:
                (found,) = graph.predict(data).values()
            yield f"{name}, {ending} as a graph", distance(found, expected)
            mine.save(path)
            again = keras.models.load_model(path)
            yield f"{name}, {ending} of ours", distance(again.predict(data, verbose=0), own)
            yield (
                f"{name}, {ending} back",
                distance(core.load_layers_model(path).predict(data), own),
            )


def categories(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """Vectors of classes by the helper of Keras and by ours."""
    for name, (x, count) in CATEGORIES.items():
        found = core.utils.to_categorical(x, count)
        yield f"categories, {name}", distance(found, keras.utils.to_categorical(x, count))


def lookups(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """Numbers of texts and integers by models of Keras here, and by ours there."""
    tensorflow = importlib.import_module("tensorflow")
    for name, (class_name, options, adapts) in LOOKUPS.items():
        is_text = class_name == "StringLookup"
        x = np.array([["b"], ["zz"], ["a"], [""]]) if is_text else np.array([[7], [9], [-3], [0]])
        given = tensorflow.constant(x)
        make = getattr(keras.layers, class_name)
        layer = make(**options) if adapts else make(vocabulary=KEYS[class_name], **options)
        if adapts:
            layer.adapt(tensorflow.constant(KEYS[class_name]))
        start = keras.layers.Input((1,), dtype="string" if is_text else "int64")
        inner = keras.Model(start, layer(start))
        model = keras.Model(start, inner(start)) if adapts else inner
        expected = np.asarray(model(given))
        model.save(folder / f"{name}.keras")
        ours = core.load_layers_model(folder / f"{name}.keras")
        yield f"{name}, as layers", distance(ours.predict(x), expected)
        with zoo.load(folder / f"{name}.keras") as graph:
            (found,) = graph.predict(x.astype(object) if is_text else x).values()
        yield f"{name}, as a graph", distance(found, expected)
        ours.save(folder / f"{name}.ours.keras")
        again = keras.models.load_model(folder / f"{name}.ours.keras")
        yield f"{name}, of ours", distance(np.asarray(again(given)), expected)


def weight_files(keras, folder: Path) -> Iterator[tuple[str, float]]:
    """Weights of Keras 3 and 2 in models of ours, and back, with the optimizer's state."""
    rng = np.random.default_rng(7)
    keras2 = importlib.import_module("tf_keras")
    for name, build in MODELS.items():
        keras.backend.clear_session()
        model, other, old = build(keras), build(keras), build(keras2)
        model.save(folder / f"{name}.keras")
        ours = core.load_layers_model(folder / f"{name}.keras")
        model.set_weights([rng.uniform(0, 1, w.shape).astype("f4") for w in model.get_weights()])
        model.optimizer.build(model.trainable_variables)
        for variable in model.optimizer.variables[2:]:
            variable.assign(rng.uniform(0, 1, variable.shape))
        path = folder / f"{name}.weights.h5"
        model.save_weights(path)
        ours.load_weights(path)
        yield f"{name}, of Keras 3", distance(ours.get_weights(), model.get_weights())
        state = [np.asarray(v) for v in model.optimizer.variables]
        listed = ours.optimizer.variable_list(ours.trainable_variables)
        yield f"{name}, state", distance([array for _, array in listed], state)
        ours.save_weights(path)
        other.optimizer.build(other.trainable_variables)
        other.load_weights(path)
        yield f"{name}, of ours", distance(other.get_weights(), model.get_weights())
        found = [np.asarray(v) for v in other.optimizer.variables]
        yield f"{name}, state of ours", distance(found, state)
        old.set_weights([rng.uniform(0, 1, w.shape).astype("f4") for w in old.get_weights()])
        old.save_weights(folder / f"{name}.h5")
        ours.load_weights(folder / f"{name}.h5")
        yield f"{name}, of Keras 2", distance(ours.get_weights(), old.get_weights())
        ours.load_weights(folder / f"{name}.keras")
        first = keras.models.load_model(folder / f"{name}.keras")
        yield f"{name}, of a whole model", distance(ours.get_weights(), first.get_weights())


def main(folder: Path) -> None:
    keras = importlib.import_module("keras")
    report = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # .h5 is an old format
        for exchange in (adapted, categories, lookups, weight_files, texts.exchanges):
            report |= dict(exchange(keras, folder))
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

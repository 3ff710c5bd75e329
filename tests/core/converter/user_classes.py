"""User-defined classes in files that go between Keras and this engine.

``python -m tests.core.converter.user_classes FOLDER`` writes a model of registered classes with
Keras, loads it here by either of their names, saves it again, and loads that with Keras. The last
line printed is a JSON object: the relative differences of outputs, and the names, by file.
"""

import importlib
import json
import os
import sys
import zipfile
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

import core

X = np.random.default_rng(3).normal(size=(16, 4, 3)).astype(np.float32)


def classes_of(library, register):
    """Classes of Keras, or of this engine, whose names and rules are equal."""

    @register("my")
    class Doubled(library.layers.Dense):
        def call(self, x):
            return super().call(x) * 2

    class Last(library.layers.LSTM):
        pass

    @register("my")
    class Fours(library.initializers.Ones):
        def __call__(self, shape, dtype=None):
            return super().__call__(shape, dtype or "float32") * 4

    @register("my")
    class Squares(library.losses.MeanSquaredError):
        pass

    class Slow(library.optimizers.Adam):
        pass

    return {made.__name__: made for made in (Doubled, Last, Fours, Squares, Slow)}


def model_of(library, classes):
    """A model of these classes, compiled with them."""
    layers = [
        library.layers.Input((4, 3)),
        classes["Last"](2, name="last"),
        classes["Doubled"](2, kernel_initializer=classes["Fours"](), name="doubled"),
    ]
    model = library.Sequential(layers)
    model.compile(classes["Slow"](0.01), classes["Squares"]())
    return model


def main(folder: Path) -> dict[str, object]:
    """Exchange the models; return what differs, and what the files say."""
    keras = importlib.import_module("keras")
    keras.utils.set_random_seed(3)
    core.set_random_seed(3)
    theirs = classes_of(keras, lambda package: keras.saving.register_keras_serializable(package))
    ours = classes_of(core, lambda package: lambda made: made)
    model = model_of(keras, theirs)
    expected = np.asarray(model(X))
    differences: dict[str, float] = {}
    names: dict[str, list[object]] = {}
    packages = {"Doubled": "my>", "Fours": "my>", "Squares": "my>"}
    by_registered_name = {packages.get(name, "") + name: made for name, made in ours.items()}
    for ending in ("keras", "h5"):
        model.save(folder / f"keras.{ending}")
        for custom in (ours, by_registered_name):
            found = core.load_layers_model(folder / f"keras.{ending}", custom_objects=custom)
            differences[f"{len(differences)} here.{ending}"] = difference(
                found(X).numpy(), expected
            )
            for again in ("keras", "h5"):
                path = folder / f"again.{again}"
                found.save(path)
                loaded = keras.models.load_model(
                    path, custom_objects={"Last": theirs["Last"], "Slow": theirs["Slow"]}
                )
                name = f"{len(differences)} again.{ending}.{again}"
                differences[name] = difference(np.asarray(loaded(X)), expected)
                kinds = [
                    *loaded.layers,
                    loaded.layers[1].kernel_initializer,
                    loaded.optimizer,
                    loaded.loss,
                ]
                names[name] = [type(each).__name__ for each in kinds]
    made = model_of(core, ours)
    made.save(folder / "own.keras")
    made.save_weights(folder / "own.weights.h5")
    with zipfile.ZipFile(folder / "own.keras") as archive:
        names["own"] = registered_in(json.loads(archive.read("config.json")))
    loaded = keras.models.load_model(folder / "own.keras", custom_objects=theirs)
    differences["own"] = difference(np.asarray(loaded(X)), made(X).numpy())
    model.load_weights(folder / "own.weights.h5")
    differences["own weights"] = difference(np.asarray(model(X)), made(X).numpy())
    return {"differences": differences, "names": names}


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the largest value: sums of float32 round by its size."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def registered_in(value: object) -> list[object]:
    """The registered names in a document, but for null."""
    if isinstance(value, list):
        return [name for each in value for name in registered_in(each)]
    if not isinstance(value, dict):
        return []
    own = [value["registered_name"]] if value.get("registered_name") else []
    return own + [name for each in value.values() for name in registered_in(each)]


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))

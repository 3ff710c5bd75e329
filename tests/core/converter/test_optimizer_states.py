"""States of optimizers in files: all layouts since Keras 2.0, and states that do not fit."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import core
from core.converter import OptimizerStateWarning
from core.converter.layer_files.hdf5_writer import hdf5_blocks
from core.errors import CoreError
from tests.conftest import ROOT
from tests.core.converter.layer_files_oracle.states import NEW, OPTIMIZERS
from tests.helpers import skip_or_fail

ORACLE = "tests.core.converter.layer_files_oracle.states"


def saved_by(module: str, folder: Path, **environment: str) -> dict[str, np.ndarray]:
    """The batch and the weights after a step, by file, of models that Keras saved in a folder."""
    if importlib.util.find_spec(module) is None:
        skip_or_fail(f"{module} is not installed: core/docs/how_to/tests.md says how")
    given = {**os.environ, **environment}
    command = [sys.executable, "-m", ORACLE, str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(np.load(folder / "later.npz"))


def after_a_step(path: Path, batch: dict[str, np.ndarray]) -> tuple[list[np.ndarray], list[str]]:
    """The weights after one step of a model in a file, and the warnings while it was loaded."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = core.load_layers_model(path)
    assert all(each.category is OptimizerStateWarning for each in caught)
    model.train_on_batch(batch["x"], batch["y"])
    return model.get_weights(), [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("module", "environment"), [("keras", {}), ("tf_keras", {"TF_USE_LEGACY_KERAS": "1"})]
)
def test_steps_of_loaded_models_are_those_of_keras(module, environment, tmp_path):
    later = saved_by(module, tmp_path, **environment)
    files = sorted(path for path in tmp_path.iterdir() if path.suffix != ".npz")
    assert len(files) == 2 * (len(OPTIMIZERS) - (module == "tf_keras") + len(NEW) + 2)
    for path in files:
        found, messages = after_a_step(path, later)
        # Where Keras restores no state from .h5 files, or a part, they continue as .keras files.
        name = path.name if f"{path.name}/0" in later else f"{path.stem}.keras"
        expected = [later[f"{name}/{i}"] for i in range(len(found))]
        for array, right in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, right, rtol=0, atol=1e-6, err_msg=path.name)
        assert bool(messages) == (".unfrozen." in path.name), (path.name, messages)
        for message in messages:
            assert message.startswith("the state of the optimizer does not fit the model, so it")


# --- lists of old versions ----------------------------------------------------------------------


def trained(rng, optimizer) -> core.Sequential:
    """Two layers, of which names and order of layers differ, after three steps."""
    layers = [core.layers.Dense(4, input_shape=(4,), name="z"), core.layers.Dense(4, name="a")]
    model = core.Sequential(layers)
    model.compile(optimizer, "mse")
    model.fit(*(rng.normal(size=(8, 4)) for _ in range(2)), epochs=3, verbose=0)
    return model


def slots_of(model: core.Sequential) -> dict[str, list[np.ndarray]]:
    """The arrays of each slot, for all variables in the order of the model."""
    listed = model.optimizer.variable_list(model.trainable_variables)
    names = [re.split("[/_]", name)[-1] for name, _ in listed]
    found: dict[str, list[np.ndarray]] = {}
    for name, (_, array) in zip(names, listed, strict=True):
        found.setdefault(name, []).append(array)
    return found


def old_file(path: Path, model: core.Sequential, version: str, arrays, **config) -> Path:
    """Write a model as an old version of Keras does, with a list of its optimizer's arrays."""
    optimizer = {"class_name": type(model.optimizer).__name__, "config": {"lr": 0.25, **config}}
    training = {"loss": "mse", "metrics": [], "optimizer_config": optimizer}
    layers = [
        {
            "class_name": "Dense",
            "config": {"name": "z", "units": 4, "batch_input_shape": [None, 4]},
        },
        {"class_name": "Dense", "config": {"name": "a", "units": 4}},
    ]
    config = {"name": "old", "layers": layers}
    numbered = [f"training/Optimizer/Variable_{i}:0" for i in range(len(arrays))]
    stored = {f"optimizer_weights/{n}": np.array(a) for n, a in zip(numbered, arrays, strict=True)}
    attributes = {
        "": {
            "keras_version": version,
            "model_config": json.dumps({"class_name": "Sequential", "config": config}),
            "training_config": json.dumps(training),
        },
        "model_weights": {"layer_names": ["z", "a"]},
        "optimizer_weights": {"weight_names": numbered},
    }
    for layer in model.layers:
        group, names = f"model_weights/{layer.name}", [f"{layer.name}/{n}:0" for n in ("k", "b")]
        attributes[group] = {"weight_names": names}
        pairs = zip(names, layer.get_weights(), strict=True)
        stored |= {f"{group}/{name}": array for name, array in pairs}
    path.write_bytes(b"".join(hdf5_blocks(stored, attributes)))
    return path


#: Optimizers, the version of a file, and its list for the number of steps and slots. Sources:
#: `get_updates` of Keras 2.0.5, 2.0.8, 2.1.6 and 2.3.1, ``_create_slots`` of tf.keras 2.10.
LISTS = {
    "adam 2.0.8": (core.optimizers.Adam, "2.0.8", lambda n, s: [n, *s["momentum"], *s["velocity"]]),
    "adam 2.0.5": (
        core.optimizers.Adam,
        "2.0.5",  # sorted by name: a/b, a/k, z/b, z/k
        lambda n, s: [np.float32(n), *s["momentum"][::-1], *s["velocity"][::-1]],
    ),
    "adam 2.1.6": (
        core.optimizers.Adam,
        "2.1.6",
        lambda n, s: [n, *s["momentum"], *s["velocity"], *[np.zeros(1, np.float32)] * 4],
    ),
    "rmsprop 2.2.4": (core.optimizers.RMSprop, "2.2.4", lambda n, s: s["velocity"]),
    "adagrad 2.2.4": (core.optimizers.Adagrad, "2.2.4", lambda n, s: s["accumulator"]),
    "rmsprop 2.3.1": (core.optimizers.RMSprop, "2.3.1", lambda n, s: [n, *s["velocity"]]),
    "sgd 2.2.4": (core.optimizers.SGD, "2.2.4", lambda n, s: [n, *[np.ones((4, 4), "f4")] * 4]),
    "nadam 2.3.1": (
        core.optimizers.Nadam,
        "2.3.1",
        lambda n, s: [n, np.float32(0.5), *s["momentum"], *s["velocity"]],
    ),
    "ftrl 2.10": (
        core.optimizers.Ftrl,
        "2.10.0",
        lambda n, s: [n, *sum(map(list, zip(s["accumulator"], s["linear"], strict=True)), [])],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_old_versions(name, rng, tmp_path):
    kind, version, listed = LISTS[name]
    model = trained(rng, kind(0.25))
    path = old_file(tmp_path / "old.h5", model, version, listed(np.int64(3), slots_of(model)))
    found = core.load_layers_model(path)
    steps = 0 if len(listed(3, slots_of(model))) == 4 else 3
    assert found.optimizer.iterations == steps
    assert found.optimizer.learning_rate == 0.25
    expected = slots_of(model)
    for slot, arrays in slots_of(found).items():
        if slot not in ("iteration", "product"):  # "product": computed from the number of steps
            for array, right in zip(arrays, expected[slot], strict=True):
                np.testing.assert_array_equal(array, right, err_msg=slot)


@pytest.mark.parametrize("arrays", [[3], [3, 1.0], [[1.0, 2.0], 3], [3, *[np.zeros(2)] * 8]])
def test_lists_that_do_not_fit(arrays, rng, tmp_path):
    model = trained(rng, core.optimizers.Adam(0.25))
    given = [np.asarray(each, np.float32) for each in arrays]
    path = old_file(tmp_path / "old.h5", model, "2.2.4", given)
    with pytest.warns(OptimizerStateWarning, match="starts anew: "):
        found = core.load_layers_model(path)
    assert found.optimizer.iterations == 0
    assert not any(array.any() for array in slots_of(found)["momentum"])
    core.load_layers_model(path, compile=False)  # without a warning, which would be an error


def test_decay_of_old_optimizers(rng, tmp_path):
    model = trained(rng, core.optimizers.RMSprop(0.25))
    arrays = slots_of(model)["velocity"]
    path = old_file(tmp_path / "old.h5", model, "2.2.4", arrays, decay=0.5)
    optimizer = core.load_layers_model(path).optimizer
    assert optimizer.learning_rate == 0.25
    optimizer.set_weights({**optimizer.get_weights(), "iter": 2})
    assert optimizer.learning_rate == 0.125  # 0.25 / (1 + 0.5 * 2)


def test_training_configurations_that_cannot_be_used(rng, tmp_path):
    model = trained(rng, core.optimizers.Adam(0.25))
    path = old_file(tmp_path / "old.h5", model, "2.2.4", [np.int64(0)], beta_3=0.5)
    with pytest.raises(
        CoreError, match="no argument 'beta_3'.*or load the model without it by comp"
    ):
        core.load_layers_model(path)
    assert not core.load_layers_model(path, compile=False).is_compiled


def test_state_with_values_out_of_range(rng, tmp_path):
    model = trained(rng, core.optimizers.Adam(0.25))
    path = tmp_path / "model.keras"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rate = np.float32(0.25).tobytes()
    assert members["model.weights.h5"].count(rate) == 1
    members["model.weights.h5"] = members["model.weights.h5"].replace(rate, b"\xff" * 4)  # NaN
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.warns(OptimizerStateWarning, match="learning_rate=nan must be a finite number"):
        found = core.load_layers_model(path)
    assert found.optimizer.iterations == 0 and found.optimizer.learning_rate == 0.25

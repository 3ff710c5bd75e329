"""Keras and npm's tfjs in Node load the layer models that we write, train them and save them."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from core.converter import load_model
from core.converter.layer_files import (
    LayersDocument,
    read_document,
    write_keras,
    write_tfjs_layers,
)
from core.converter.layer_files.document import trained_weights
from core.errors import CoreError
from tests.conftest import ROOT
from tests.core.converter import test_tfjs_node
from tests.core.converter.layer_files_oracle.models import MODELS, NOT_IN_TFJS
from tests.core.converter.test_tfjs_node import decoded, encoded
from tests.helpers import skip_or_fail

RUNNER = Path(__file__).parent / "tfjs_node" / "layers.mjs"
modules = test_tfjs_node.modules

#: Models with the tolerance after two more steps; TensorFlow.js has other formulas for Adadelta
#: and another epsilon in Adam. It cannot run a layer that begins with states of another one if the
#: other one's output is used, too, not even in models of its own ("lstm").
TRAINED = {"convolutions": 1e-5, "branches": 1e-5, "separable": 1e-4, "dense": 1e-3}


class Saved(NamedTuple):
    """A model that Keras saved: before and after two steps on a batch."""

    document: LayersDocument
    later: LayersDocument
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    predictions: list[np.ndarray]


def run_keras(folder: Path, module: str, **environment: str) -> dict[str, list[str]]:
    """What differs, by file, after Keras trained and saved models in a folder, and loaded ours."""
    if importlib.util.find_spec(module) is None:
        skip_or_fail(f"{module} is not installed: core/docs/how_to/tests.md says how")
    command = [sys.executable, "-m", "tests.core.converter.layer_files_oracle", str(folder)]
    given = {**os.environ, **environment}
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])["differences"]


class Keras3(NamedTuple):
    """What Keras 3 trained and saved, and what differs, by file."""

    saved: dict[str, Saved]
    differences: dict[str, list[str]]


@pytest.fixture(scope="module")
def keras3(tmp_path_factory) -> Keras3:
    folder = tmp_path_factory.mktemp("keras")
    differences = run_keras(folder, "keras")
    return Keras3({name: saved_model(folder, name) for name in MODELS}, differences)


@pytest.fixture
def saved(keras3) -> dict[str, Saved]:
    return keras3.saved


def saved_model(folder: Path, name: str) -> Saved:
    document = read_document(folder / f"{name}.keras")
    arrays = list(np.load(folder / f"{name}.npz").values())
    count = 2 if name == "branches" else 1
    return Saved(
        document,
        read_document(folder / f"{name}.later.keras"),
        arrays[:count],
        arrays[count:],
        predicted(folder / f"{name}.keras", arrays[:count]),
    )


def predicted(path: Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
    model = load_model(path)
    found = model.predict(dict(zip(model.inputs, inputs, strict=True)))
    return [tensor.numpy() for tensor in found.values()]


def run_in_node(modules: Path, folder: Path, jobs: list[dict]) -> list[list[np.ndarray]]:
    asked, answers = folder / "jobs.json", folder / "answers.json"
    asked.write_text(json.dumps(jobs))
    command = ["node", RUNNER, modules.resolve(), asked, answers]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(answers.read_text())
    errors = {i: answer["error"] for i, answer in enumerate(found) if "error" in answer}
    assert errors == {}
    return [[decoded(array) for array in answer["predictions"]] for answer in found]


def job(inputs, outputs, folder: Path, steps: int = 0, **model) -> dict:
    batch = {"inputs": list(map(encoded, inputs)), "outputs": list(map(encoded, outputs))}
    return {"optimizer": True, **batch, **model, "steps": steps, "saved": str(folder)}


def arrays_of(document: LayersDocument) -> list[np.ndarray]:
    return [array for named in document.weights.values() for array in named.values()]


def assert_alike(found: LayersDocument, expected: LayersDocument, tolerance: float) -> None:
    """Weights and state, relative to the largest value of each array."""
    pairs = [
        *zip(arrays_of(found), arrays_of(expected), strict=True),
        *zip(found.optimizer_variables, expected.optimizer_variables, strict=True),
    ]
    for array, right in pairs:
        limit = tolerance * max(float(np.abs(right).max()), 1e-3)
        np.testing.assert_allclose(array, right, rtol=0, atol=limit)


def test_keras3_loads_equal_models(keras3):
    assert {name: wrong for name, wrong in keras3.differences.items() if wrong} == {}
    assert len(keras3.differences) == 4 * len(MODELS)


def test_keras2_loads_equal_models(tmp_path):
    report = run_keras(tmp_path, "tf_keras", TF_USE_LEGACY_KERAS="1")
    assert {name: wrong for name, wrong in report.items() if wrong} == {}
    assert len(report) == 3 * len(MODELS)


def test_models_of_keras_in_node(modules, saved, tmp_path):
    expressed = [name for name in MODELS if name not in NOT_IN_TFJS and name != "lstm"]
    jobs = []
    for name in [*expressed, *TRAINED]:
        path = write_tfjs_layers(tmp_path / name, saved[name].document)
        steps = 2 if len(jobs) >= len(expressed) else 0
        model = saved[name]
        folder = tmp_path / f"{name}.{steps}"
        options = {"model": str(path), "optimizer": name != "embedding"}
        jobs.append(job(model.inputs, model.outputs, folder, steps, **options))
    answers = run_in_node(modules, tmp_path, jobs)
    for name, found in zip(expressed, answers, strict=False):
        for array, right in zip(found, saved[name].predictions, strict=True):
            np.testing.assert_allclose(array, right, rtol=1e-5, atol=1e-6, err_msg=name)
        back = read_document(tmp_path / f"{name}.0")
        if name == "embedding":  # TensorFlow.js cannot save Adamax
            back = back._replace(optimizer_variables=saved[name].document.optimizer_variables)
        assert_alike(back, saved[name].document, 1e-6)
    for name, tolerance in TRAINED.items():
        assert_alike(read_document(tmp_path / f"{name}.2"), saved[name].later, tolerance)


def test_what_node_cannot_express(saved, tmp_path):
    for name, match in NOT_IN_TFJS.items():
        with pytest.raises(CoreError, match=match):
            write_tfjs_layers(tmp_path, saved[name].document)


SHAPES = {"sequential": ((5, 5, 2), (2,)), "recurrent": ((4, 3), (1,))}


def test_models_that_node_made(modules, rng, tmp_path):
    """What TensorFlow.js made and trained, by way of .keras, in Node again: exact."""
    batches = {
        name: [rng.random((3, *shape), np.float32) for shape in shapes]
        for name, shapes in SHAPES.items()
    }
    jobs = [job([x], [y], tmp_path / n, 2, made=n) for n, (x, y) in batches.items()]
    first = run_in_node(modules, tmp_path, jobs)
    jobs = []
    for name, (x, y) in batches.items():
        document = read_document(tmp_path / name)
        assert document.dialect == "tfjs"
        moved = read_document(write_keras(tmp_path / f"{name}.keras", document))
        (output,) = predicted(tmp_path / f"{name}.keras", [x])
        np.testing.assert_allclose(output, first[len(jobs)][0], rtol=1e-5, atol=1e-6)
        path = write_tfjs_layers(tmp_path / f"{name}.back", moved)
        jobs.append(job([x], [y], tmp_path / f"{name}.again", model=str(path)))
    second = run_in_node(modules, tmp_path, jobs)
    for name, found, right in zip(batches, second, first, strict=True):
        np.testing.assert_array_equal(found, right)
        document = read_document(tmp_path / name)
        assert_alike(read_document(tmp_path / f"{name}.again"), document, 1e-6)
        assert_order_of_state(tmp_path / name, document)


def assert_order_of_state(folder: Path, document: LayersDocument) -> None:
    """TensorFlow.js lists the slots of variables in the order of our trained weights."""
    manifest = json.loads((folder / "model.json").read_text())["weightsManifest"]
    entries = [entry for group in manifest for entry in group["weights"]]
    names = [entry["name"] for entry in entries if entry.get("group") == "optimizer"]
    trained = list(trained_weights(document))
    for name, weight in zip(names[1:], trained, strict=False):
        layer, own = name.split("/")[-3:-1] if name.count("/") > 1 else name.split("/")[-2:]
        assert own == weight.name
        assert layer in "/".join(weight.path) or "RNNCell" in layer

"""What models save, Keras 3, Keras 2 and TensorFlow.js load, and compute the same.

The models are small ones of each layer with its arguments, and the composite networks. A layer that
a program lacks is refused before anything is written.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import core
from core.errors import CoreError
from tests.conftest import ROOT
from tests.core.converter import test_tfjs_node
from tests.core.converter.test_layer_files_peers import job, run_in_node
from tests.core.models.composites import NETWORKS, batch_of, model_of
from tests.core.models.keras_layers import start
from tests.core.models.layer_cases import CASES, models_of, values_of
from tests.helpers import skip_or_fail

modules = test_tfjs_node.modules

#: Endings of the files by the program that reads them, with the options of `save`.
TARGETS = {
    "keras3": {"model.keras": {}, "model.h5": {}},
    "keras2": {"keras2.h5": {"keras_version": 2}},
    "tfjs": {"tfjs": {}},
}

#: The share of the models that each program has all layers of, at least.
EXPRESSED = {"model.keras": 1, "model.h5": 1, "keras2.h5": 0.85, "tfjs": 0.5}

#: The largest difference of an output, as a share of its range.
TOLERANCE = 1e-5


class Saved(NamedTuple):
    """The folder with the files, the outputs by model, and by file why it was not written."""

    folder: Path
    inputs: dict[str, list[np.ndarray]]
    outputs: dict[str, list[np.ndarray]]
    refused: dict[str, str]


#: Every so many models are in CI, all of them in long runs.
SHARES = [pytest.param(5, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)]


def all_models(every: int):
    """Each model with a name and inputs."""
    for name, case in list(CASES.items())[::every]:
        core.set_random_seed(1)
        model, _ = models_of(core, case)
        yield name, model, [values_of(data, i) for i, data in enumerate(case.inputs)]
    for name in list(NETWORKS)[::every]:
        yield name, model_of(core, name), batch_of(name)


@pytest.fixture(scope="module", params=SHARES)
def saved(request, tmp_path_factory) -> Saved:
    if not shutil.which("node") and importlib.util.find_spec("keras") is None:
        skip_or_fail("neither Keras nor Node.js is installed: core/docs/how_to/tests.md says how")
    found = Saved(tmp_path_factory.mktemp("saved"), {}, {}, {})
    for name, model, inputs in all_models(request.param):
        name = name.replace(": ", " ")
        start(model)
        for constraint, variable in model.limits():  # TensorFlow.js applies them when it loads
            variable.assign(constraint(variable.read()))
        outputs = model(inputs if len(inputs) > 1 else inputs[0])
        found.inputs[name] = inputs
        found.outputs[name] = [
            y.numpy() for y in (outputs if isinstance(outputs, list) else [outputs])
        ]
        np.savez(found.folder / name, *inputs)
        for ending, options in (e for target in TARGETS.values() for e in target.items()):
            path = found.folder / f"{name} {ending}"
            try:
                model.save(path, **options)
            except CoreError as error:
                assert not path.exists()
                found.refused[path.name] = str(error)
    return found


@pytest.mark.parametrize("target", ["keras3", "keras2"])
def test_in_keras(target, saved):
    module, endings = {"keras3": "keras", "keras2": "tf_keras"}[target], list(TARGETS[target])
    if importlib.util.find_spec(module) is None:
        skip_or_fail(f"{module} is not installed: core/docs/how_to/tests.md says how")
    command = [sys.executable, "-m", "tests.core.converter.files_in_keras", str(saved.folder)]
    legacy = {"TF_USE_LEGACY_KERAS": "1"} if target == "keras2" else {}
    done = subprocess.run(
        [*command, *endings],
        cwd=ROOT,
        env={**os.environ, **legacy},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {}
    for ending in endings:
        compare(
            saved,
            ending,
            lambda path: list(np.load(path.with_name(f"{path.name}.npz")).values()),
        )


def test_in_tensorflow_js(saved, modules):
    names = [name for name in saved.inputs if (saved.folder / f"{name} tfjs").exists()]
    jobs, again = [], saved.folder / "again"
    for name in names:
        model = str(saved.folder / f"{name} tfjs" / "model.json")
        jobs.append(job(saved.inputs[name], [], again, model=model, optimizer=False))
    answers = dict(zip(names, run_in_node(modules, saved.folder, jobs), strict=True))
    compare(saved, "tfjs", lambda path: answers[path.name.removesuffix(" tfjs")])


def compare(saved: Saved, ending: str, outputs_of) -> None:
    """Compare what a program computes with all files of an ending."""
    paths = [(n, saved.folder / f"{n} {ending}") for n in saved.inputs]
    found = [(name, path) for name, path in paths if path.exists()]
    assert len(found) >= EXPRESSED[ending] * len(paths)
    wrong = {}
    for name, path in found:
        for mine, right in zip(outputs_of(path), saved.outputs[name], strict=True):
            limit = TOLERANCE * max(1e-2, float(np.ptp(right)), float(np.abs(right).max()))
            if mine.shape != right.shape or np.abs(mine - right).max(initial=0) > limit:
                wrong[name] = f"{mine.shape} {np.abs(mine - right).max(initial=0)}"
    assert wrong == {}


@pytest.mark.long
def test_all_applications_of_keras():
    """As a graph, as layers, and these saved and loaded by Keras."""
    if importlib.util.find_spec("keras") is None:
        skip_or_fail("keras is not installed: core/docs/how_to/tests.md says how")
    command = [sys.executable, "-m", "tests.core.converter.layer_files_oracle.applications"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) >= 38
    wrong = [
        each for each in found if max(each[how] for how in ("graph", "layers", "again")) > 1e-5
    ]
    assert wrong == []


@pytest.mark.long
def test_real_files():
    """Models of others: what we load and save, each program loads with equal results.

    ``ZOO_REAL_FILES`` names a folder with the files that ``layer_files_oracle/real_files.json``
    lists with their sources; `layer_files_oracle.real_files` prints what happens to each.
    """
    folder = os.environ.get("ZOO_REAL_FILES")
    if not folder:
        pytest.skip("ZOO_REAL_FILES names no folder with the files of real_files.json")
    listed = Path(__file__).with_name("layer_files_oracle") / "real_files.json"
    command = [sys.executable, "-m", "tests.core.converter.layer_files_oracle.real_files"]
    done = subprocess.run(
        [*command, folder, str(listed)], cwd=ROOT, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrong = [
        (each["file"], program, what)
        for each in reports[:-1]
        for program, what in each["report"].items()
        if what.startswith(("FOREIGN", "differs", "refused there"))
    ]
    assert wrong == []
    assert reports[-1]["makers of loaded files"] >= 25

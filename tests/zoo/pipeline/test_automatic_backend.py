"""backend="auto" of pretrained models and models from files, with a GPU that software plays."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import core
import zoo
from core.converter.web_writer import write_web
from core.graph_model import automatic_model, stored_calls
from core.graph_model.automatic_model import AutomaticModel
from core.process import code_cache
from tests.core.graph_model.automatic import (
    GPU,
    SOFTWARE,
    nothing_measured,
    use_renderer,
    use_times,
)
from tests.core.graph_model.networks import convolutions, images
from tests.helpers import ROOT, require_llvmlite, start_or_skip
from weights_cache.common.errors import ZooError
from zoo.cli import main
from zoo.cli.doctor import examine
from zoo.pipeline import model_cache

FEATURES = "posenet.tiny"

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


@pytest.fixture
def gpu(tmp_path, monkeypatch):
    """Software rendering plays a GPU, on which models are faster."""
    start_or_skip()
    use_renderer(monkeypatch, GPU)
    monkeypatch.setattr(automatic_model, "REPLACED", [])
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    return use_times(monkeypatch, cpu=9.8, shader=4.1)


@pytest.fixture(autouse=True)
def _no_kept_models(monkeypatch):
    monkeypatch.setattr(model_cache, "_kept", {})


def assert_same_pose(found, expected):
    assert found["score"] == pytest.approx(expected["score"], abs=1e-4)
    for one, other in zip(found["keypoints"], expected["keypoints"], strict=True):
        assert one["position"] == pytest.approx(other["position"], abs=0.05)


def test_a_pretrained_model_runs_where_it_is_faster(gpu):
    model, on_cpu = (zoo.load("posenet.tiny", backend=b, input_size=97) for b in ("auto", "cpu"))
    assert model.backend == "auto" and isinstance(model.network, AutomaticModel)
    assert_same_pose(model.estimate_single_pose(PHOTO), on_cpu.estimate_single_pose(PHOTO))
    assert gpu.count == 1 and [*model.network._models] == ["shader"]
    assert model.plan(PHOTO).backend == "shader"
    text = str(model.describe())
    assert "posenet.tiny" in text.splitlines()[0] and " on auto" in text.splitlines()[0]
    line = text.splitlines()[-1]
    assert line.startswith("auto: shader for [1, 97, 97, 3]")
    assert line.endswith("4.1 ms beside 9.8 ms on cpu")


def test_warmup_measures_so_that_the_first_image_does_not(monkeypatch, gpu):
    model = zoo.load("posenet.tiny", backend="auto", input_size=97)
    assert model.warmup() > 0 and gpu.count == 1
    with nothing_measured(monkeypatch):
        model.estimate_single_pose(PHOTO)


@pytest.mark.parametrize(
    "again", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy]
)
def test_pickles_keep_auto(monkeypatch, gpu, again):
    model = zoo.load("posenet.tiny", backend="auto", input_size=97)
    expected = model.estimate_single_pose(PHOTO)
    other = again(model)
    assert other.backend == "auto"
    with nothing_measured(monkeypatch):
        assert other.estimate_single_pose(PHOTO) == expected


def test_functions_take_auto_as_argument_setting_and_context(gpu):
    by_argument = zoo.estimate_single_pose(PHOTO, backend="auto", model="posenet.tiny")
    with core.backend("auto"):
        assert zoo.estimate_single_pose(PHOTO, model="posenet.tiny") == by_argument
    assert {key[1] for key in model_cache._kept} == {"auto"}
    zoo.estimate_single_pose(PHOTO, model="posenet.tiny")
    assert {key[1] for key in model_cache._kept} == {"auto", "cpu"}
    assert gpu.count == 1


def test_a_loaded_model_keeps_its_backend(gpu):
    model = zoo.load("posenet.tiny", backend="auto", input_size=97)
    zoo.estimate_single_pose(PHOTO, model=model, backend="auto")
    with pytest.raises(ZooError, match="backend='cpu', but the model .* was loaded on 'auto'"):
        zoo.estimate_single_pose(PHOTO, model=model, backend="cpu")


def test_each_network_of_a_model_chooses(monkeypatch, shared, gpu):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    model = zoo.load("blazepose.lite", backend="auto")
    model.warmup("detector")
    assert model.part("detector").backend == "auto" and gpu.count == 2
    assert [*model.part("detector").network._models] == ["shader"]


def test_models_from_files_take_auto(tmp_path, gpu):
    folder = write_web(convolutions(), tmp_path / "model").parent
    model = zoo.load(folder, backend="auto")
    assert model.backend == "auto"
    assert model.predict(images())["y"].backend == "shader"
    assert model.describe().splitlines()[-1].startswith("auto: shader for [4, 6, 5, 2], 4.1 ms")
    assert pickle.loads(pickle.dumps(model)).backend == "auto"


def test_isolated_models_run_on_cpu(tmp_path, gpu):
    folder = write_web(convolutions(), tmp_path / "model").parent
    with core.backend("auto"), zoo.load(folder, isolate=True) as model:
        assert model.backend == "cpu"
        assert model.predict(images())["y"].backend == "cpu"
    assert gpu.count == 0


def test_without_a_gpu_auto_is_cpu_and_says_why(monkeypatch):
    use_renderer(monkeypatch, SOFTWARE)
    model = zoo.load("posenet.tiny", backend="auto")
    with nothing_measured(monkeypatch):
        expected = zoo.load("posenet.tiny").estimate_single_pose(PHOTO)
        assert model.estimate_single_pose(PHOTO) == expected
    assert model.describe().splitlines()[-1] == f"auto: cpu, as {SOFTWARE}"


STORED = f"""
import json, sys, zoo
import core.backends.renderers
core.backends.renderers.device_files = lambda: []
model = zoo.load("posenet.tiny", backend="auto")
pose = model.estimate_single_pose({PHOTO!r})
print(json.dumps([pose, model.backend, sorted(sys.modules)]))
"""


def test_without_a_gpu_a_later_process_starts_as_fast_as_on_cpu(tmp_path, monkeypatch):
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere a child process is asked")
    require_llvmlite()
    monkeypatch.setattr(stored_calls, "REPLACED", [])
    variables = {**os.environ, code_cache.VARIABLE: str(tmp_path / "code"), "CORE_TIER": "2"}
    found = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", STORED], cwd=ROOT, env=variables, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    (first, *_), (pose, backend, modules) = found[0], found[-1]
    assert pose == first and backend == "auto"
    assert "core.backends.cpu.stored_program" in modules
    unneeded = (
        "core.ops.",
        "core.plan",
        "core.graph_model.automatic_model",
        "core.backends.shader",
    )
    assert not [m for m in modules if m.startswith((*unneeded, "moderngl"))]


def test_the_command_line(capsys, gpu):
    given = ["--backend", "auto", "--model", "posenet.tiny", "--option", "input_size=97"]
    assert main(["pose", PHOTO, "--json", *given]) == 0
    found = json.loads(capsys.readouterr().out)
    assert gpu.count == 1 and found


def test_the_doctor_says_what_auto_chooses(monkeypatch, tmp_path):
    monkeypatch.setattr("zoo.cli.doctor._probe", lambda *_, **__: "not tried")
    use_renderer(monkeypatch, SOFTWARE)
    assert dict(examine())["backend auto"] == f"cpu: {SOFTWARE}"
    use_renderer(monkeypatch, GPU)
    assert dict(examine())["backend auto"].startswith("shader for ops: a GPU; for models")


@pytest.mark.parametrize("option", ["device", "gpu", "use_gpu", "delegate", "providers"])
def test_options_of_other_libraries_are_answered_with_auto(option):
    message = f"unknown option '{option}' of .*'backend'.*backend='auto'.*backend='shader'"
    for call in (
        lambda: zoo.load("posenet.tiny", **{option: "cuda"}),
        lambda: zoo.estimate_single_pose(PHOTO, **{option: "cuda"}),
    ):
        with pytest.raises(ZooError, match=message):
            call()


@pytest.mark.parametrize("name", ["gpu", "cuda:1", "MPS", "rocm"])
def test_backends_of_other_libraries_are_answered_with_auto(name):
    with pytest.raises(ZooError, match="backend='auto' .* or backend='shader'$"):
        zoo.load("posenet.tiny", backend=name)


def test_taught_models_take_auto(tmp_path, monkeypatch):
    use_renderer(monkeypatch, SOFTWARE)
    images = [np.full((32, 32, 3), shade, np.uint8) for shade in (0, 10, 20, 235, 245, 255)]
    model = zoo.teach(images, ["dark"] * 3 + ["light"] * 3, features=FEATURES, backend="auto")
    assert model.backend == "auto" and model.classify(images[0])[0]["label"] == "dark"
    again = zoo.load(model.save(tmp_path / "taught"), backend="auto")
    assert again.backend == "auto" == pickle.loads(pickle.dumps(again)).backend
    assert again.classify(images[-1])[0]["label"] == "light"

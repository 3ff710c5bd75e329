"""Pretrained models whose network an earlier process stored."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import core
import zoo
from core.graph_model import stored_calls
from core.process import code_cache
from tests.helpers import ROOT, require_llvmlite
from weights_cache.common.errors import MissingError, ZooError

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")

RECORD = "mediapipe-selfie-segmentation-tflite"  # of selfie.base

POSE = f"""
import json, sys, zoo
pose = zoo.load("posenet.tiny").estimate_single_pose({PHOTO!r})
print(json.dumps([pose, sorted(sys.modules)]))
"""


@pytest.fixture(autouse=True)
def _generated_kernels(tmp_path, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    monkeypatch.setenv("CORE_TIER", "2")
    monkeypatch.setattr(stored_calls, "REPLACED", [])  # other tests of this process do
    core.set_tier(2)
    yield
    core.set_tier(None)


def in_process(program: str):
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_a_later_process_gives_the_pose_without_graph_ops_and_generator():
    pose, modules = in_process(POSE)
    assert {"core.ops.families", "core.graph.executor"} <= {*modules}
    for _ in range(2):  # the first of which may still store how images are resized
        again, modules = in_process(POSE)
        assert again == pose
    assert "core.backends.cpu.stored_program" in modules
    unneeded = (
        "core.ops.",
        "core.graph.",
        "core.plan.",
        "core.backends.cpu.numpy_steps.conv",
        "llvmlite",
    )
    assert not [m for m in modules if m.startswith(unneeded)]


def test_a_network_that_is_read_later_has_all_of_its_methods():
    first = zoo.load("posenet.tiny")
    expected = first.estimate_single_pose(PHOTO)
    with zoo.load("posenet.tiny") as model:
        assert model.backend == "cpu" and model.estimate_single_pose(PHOTO) == expected
        assert model._run_stored(model.network_input(PHOTO), model.output_names) is not None
        assert model.inputs == first.inputs and model.outputs == first.outputs
        assert "parameters" in repr(model.describe())
        assert model.plan().tier == "generated" and model.warmup() > 0
        assert model.estimate_single_pose(PHOTO) == expected
    for use in (lambda: model.network, lambda: model.estimate_single_pose(PHOTO)):
        with pytest.raises(ZooError, match="is closed"):
            use()


def test_other_options_are_another_network():
    zoo.load("posenet.tiny", output_stride=16).estimate_single_pose(PHOTO)
    other = zoo.load("posenet.tiny", output_stride=8)
    heatmap = other.predict(other.network_input(PHOTO))["heatmap"]
    usual = zoo.load("posenet.tiny").predict(other.network_input(PHOTO))["heatmap"]
    assert heatmap.shape[1] > usual.shape[1]


def test_weights_that_are_gone_are_missing_though_their_network_is_stored(
    shared, tmp_path, monkeypatch
):
    mirror = tmp_path / "mirror"
    shutil.copytree(shared / "weights" / RECORD, mirror / RECORD)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(mirror))
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    image = np.zeros((1, 256, 256, 3), np.float32)
    zoo.load("selfie.base").predict(image)
    assert zoo.load("selfie.base")._run_stored(image, None) is not None
    shutil.rmtree(mirror / RECORD)
    with pytest.raises(MissingError, match=r"selfie\.base"):
        zoo.load("selfie.base")


@pytest.mark.parametrize(
    "name, verb",
    [
        ("ssd.mobilenet_v1", "detect"),  # whose decoder needs a part of its file
        # With loops, and with steps of NumPy.
        pytest.param("handtrack.ssd320", "detect", marks=pytest.mark.long),
        pytest.param("movenet.lightning", "estimate_single_pose", marks=pytest.mark.long),
        pytest.param("facemesh.attention", "estimate_faces", marks=pytest.mark.long),
    ],
)
def test_a_later_model_finds_the_same_without_its_network(name, verb, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    expected = getattr(zoo.load(name), verb)(PHOTO)
    later = zoo.load(name)
    assert expected and getattr(later, verb)(PHOTO) == expected
    assert later._deferred is not None and later._deferred._model is None

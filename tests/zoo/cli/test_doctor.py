"""What `zoo doctor` says of OpenGL and the backends, each tried in a process of its own."""

import os
import re
from importlib.util import find_spec

import pytest

from tests.helpers import PATIENCE, skip_or_fail
from zoo.cli import doctor
from zoo.cli.doctor import _PROBE_BACKEND, _PROBE_OPENGL, _probe


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine may need a minute to import TensorFlow."""
    monkeypatch.setattr(doctor, "PROBE_SECONDS", PATIENCE)


def told(code: str, *arguments: str, **changes: str) -> str:
    kept = {k: v for k, v in os.environ.items() if k not in ("CORE_SHADER_DEVICE", "DISPLAY")}
    return _probe(code, *arguments, environment={**kept, **changes})


def test_the_device_is_told():
    found = told(_PROBE_OPENGL)
    if found.startswith("unavailable"):
        skip_or_fail(found)
    assert ", OpenGL " in found and "compute shaders" in found
    assert ("llvmpipe" in found) is ("software rendering: works, but slow" in found)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GLCONTEXT_LINUX_LIBGL", "libGL.so.99", "no OpenGL context: the OpenGL library (libGL)"),
        ("CORE_SHADER_DEVICE", "x", "CORE_SHADER_DEVICE='x' must be an integer, at least 0"),
    ],
)
def test_without_a_context_it_says_why_in_one_line(name, value, words):
    assert told(_PROBE_OPENGL, **{name: value}).startswith(f"unavailable: {words}")


def test_a_backend_that_cannot_start_is_told_without_the_error_class():
    found = told(_PROBE_BACKEND, "gpu")
    assert found.startswith("unavailable: unknown backend 'gpu': use one of [")
    assert told(_PROBE_BACKEND, "cpu") == "works"


def test_tensorflow_is_told_with_its_version_and_devices():
    if find_spec("tensorflow") is None:
        skip_or_fail("the package 'tensorflow' is not installed")
    found = told(_PROBE_BACKEND, "tf", CORE_TF_DEVICE="cpu")
    assert re.fullmatch(r"works: TensorFlow 2\.\d+\.\S+, cpu", found)
    wrong = told(_PROBE_BACKEND, "tf", CORE_TF_DEVICE="gpu:99")
    assert wrong.startswith("unavailable: CORE_TF_DEVICE='gpu:99' is not among the devices of")


def test_that_tensorflow_is_missing_is_no_alarm(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "_probe", lambda code, name: f"{name} was started")
    rows = dict(doctor._backends())
    assert rows["backend tf"].startswith("not installed; pip install 'friendly-zoo[tf]'")
    assert rows["backend cpu"] == "cpu was started"

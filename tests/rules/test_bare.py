"""What the extra ``test`` installs is enough to collect every test."""

import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.rules.bare_imports import (
    PROJECT,
    Refusal,
    collected_modules,
    installed_by,
    optional_modules,
)
from tests.rules.sources import ROOT


@pytest.mark.whole
def test_every_module_is_imported_without_optional_packages(monkeypatch):
    # Once imported, setuptools adds the packages it carries to the path; the new process has none.
    own = [folder for folder in sys.path if Path(folder).name != "_vendor"]
    monkeypatch.setattr(sys, "path", own)
    command = [sys.executable, "-m", "tests.rules.bare_imports"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(done.stdout.split()) == optional_modules()


def test_the_extra_brings_what_its_packages_need():
    test = installed_by(Requirement(f"{PROJECT}[test]"))
    assert {"numpy", "pytest", "pluggy"} <= test
    assert test & {"torch", "tensorflow", "tensorflow-cpu", "ai-edge-litert", "onnx"} == set()
    assert not optional_modules() & {"zoo", "core", "numpy", "pytest", "_pytest"}


def test_refused_modules_are_as_if_not_installed():
    refusal = Refusal({"wave"})
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'wave.x'"):
        refusal.find_spec("wave.x", None)
    assert refusal.find_spec("waves", None) is None


def test_folders_opt_out_by_their_conftest():
    modules = [*collected_modules()]
    assert "tests.rules.test_bare" in modules and "zoo.cli" in modules
    assert "tests.benchmarks.training_step" in modules
    assert not [m for m in modules if m.startswith("tests.benchmarks.gpu.")]
    assert not [m for m in modules if m.startswith("tests.core.ops.tf_oracle")]

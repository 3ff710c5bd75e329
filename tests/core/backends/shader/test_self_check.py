"""The check of drivers that were not used before."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import core
from core.backends.shader import ShaderBackend
from core.backends.shader.codegen.library import FUNCTIONS
from core.backends.shader.runtime import self_check
from core.backends.shader.runtime.self_check import (
    DriverWarning,
    check_once,
    find_faults,
    report,
)
from core.engine.backends import load_backend
from core.process import code_cache


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


@pytest.fixture
def backend(new_path) -> ShaderBackend:
    return load_backend("shader")


def verdicts(cache):
    """What is kept of checks; programs are no JSON."""
    found = []
    for file in cache.glob("*.code"):
        try:
            found.append(json.loads(code_cache.load(file.stem) or b""))
        except ValueError:
            continue
    return found


def test_this_driver_passes(backend):
    assert find_faults(backend) == {}
    assert report(backend) == f"{len(self_check._checks())} delicate ops give what cpu gives"
    assert len(self_check._checks()) >= 12


#: What compilers made of our functions on a GPU of NVIDIA before those were mended.
REARRANGED = {
    "expm1": ("expm1_", "float expm1_(float x) { return exp_(x) - 1.0; }"),
    "elu": ("expm1_", "float expm1_(float x) { return exp_(x) - 1.0; }"),
    "relu of NaN": ("is_nan", "bool is_nan(float x) { return false; }"),
    "pow": ("power_of_size", "float power_of_size(float a, float b) { return exp_(b * log_(a)); }"),
    "sum": ("kept", "float kept(float x, int o) { return 0.0; }"),
}


@pytest.mark.parametrize("name", REARRANGED)
def test_a_driver_that_rearranges_is_found(backend, monkeypatch, name):
    function, text = REARRANGED[name]
    monkeypatch.setitem(FUNCTIONS, function, text)
    faults = find_faults(backend)
    assert name in faults
    assert name in report(backend) and "use the backend cpu" in report(backend)


def test_a_driver_is_checked_once(backend, cache, monkeypatch):
    runs = []
    monkeypatch.setattr(self_check, "find_faults", lambda backend: runs.append(1) or {})
    check_once(backend)
    check_once(backend)
    assert len(runs) == 1 and verdicts(cache) == [{}]
    monkeypatch.setitem(FUNCTIONS, "exp_", FUNCTIONS["exp_"] + "// another one")
    check_once(backend)
    assert len(runs) == 2


def test_the_warning_comes_at_each_start(backend, cache, monkeypatch):
    monkeypatch.setattr(self_check, "find_faults", lambda backend: {"expm1": "850 units"})
    for _ in range(2):
        with pytest.warns(DriverWarning, match=r"wrong results: expm1 \(850 units\)\. Update"):
            check_once(backend)


def test_no_check_without_a_cache(backend, monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    monkeypatch.setattr(self_check, "find_faults", None)
    check_once(backend)


def test_no_check_for_16_bits_or_in_debug_mode(opengl, cache, monkeypatch):
    monkeypatch.setattr(self_check, "find_faults", None)
    core.start_shader(float16=True)
    core.stop_shader()
    with core.flags(debug=True):
        core.start_shader()
    core.stop_shader()


def test_the_first_use_checks_and_leaves_no_tensor(opengl, cache):
    """In a process of its own: as a user starts."""
    code = (
        "import core\n"
        "with core.backend('shader'), core.tidy():\n"
        "    assert core.square(3.0).item() == 9\n"
        "assert core.memory()['num_tensors'] == 0\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert verdicts(cache) == [{}]


def test_units_count_nan_and_small_numbers():
    one, nan = np.float32([1.0]), np.float32([np.nan])
    assert self_check._units(one, one) == 0 and self_check._units(nan, nan) == 0
    assert self_check._units(one, nan) == np.inf and self_check._units(nan, one) == np.inf
    assert self_check._units(np.nextafter(one, 2), one) == 1
    assert self_check._units(np.float32([0]), np.float32([1e-39])) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert self_check._units(np.float32([np.inf]), np.float32([np.inf])) == 0

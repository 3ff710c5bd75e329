"""What ``core.conformance`` finds in backends with one fault each."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.rules.sources import ROOT

#: By backend of `tests.core.conformance.faults`: a case that fails, and the failure.
EXPECTED = {
    "wrong_value": ("(3, 5)", r"the result at \(0, 0\) is 1\.35346.*, should be 1\.35332.* within"),
    "wrong_dtype": ("(3, 5)", "the result has NumPy's dtype float64, should have float32"),
    "wrong_shape": ("()", r"the result has shape \(1,\), should have \(\)"),
    "wrong_kind": ("()", "the result is no NumPy array but a float32"),
    "wrong_nan": ("special", r"the result at \(0,\) is 0\.0, should be nan"),
    "wrong_gradient": ("(3, 5)", "the gradient of 'x': the derivative along a direction is"),
    "writes_input": ("(3, 5)", "the kernel wrote to input 0"),
    "aliases": ("one", "the data of result 0 are those of an input: a kernel returns new ones"),
    "leaks_tensors": ("(3, 5)", "the op left 2 tensors and 2 data containers behind"),
    "keeps_data": ("(3, 5) (5,)", "the backend keeps the data of results whose tensors are gone"),
    "shares_box": ("one", "result 0 changes when the inputs are disposed"),
    "raises": ("(3, 5)", "raised RuntimeError: the device is gone"),
    "wrong_plan": ("(3, 5)", r"the plan's result at \(0, 0\) is"),
    "own_data": ("float32", r"take\(\) of .* gives the backend's own data, not a copy"),
    "half": ("float32", r"download\(\) after upload\(\) of .* should be 0\.333333.* within 1e-05"),
    "other_name": ("name", "the backend's name is 'another', but it is registered as 'other_name'"),
}


@pytest.fixture(scope="module")
def found():
    command = [sys.executable, "-W", "error", "-m", "tests.core.conformance.faults"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_fault_is_found(name, found):
    label, failure = EXPECTED[name]
    (result,) = [r for r in found[name] if r["label"] == label]
    assert result["status"] == "failed"
    assert re.match(failure.replace(" within", r" \(within"), result["failures"][0])


def test_all_faults_are_looked_for(found):
    assert set(found) == {*EXPECTED, "lacks_kernels"}


def test_gradients_without_kernels_are_noted(found):
    results = {r["label"]: r for r in found["lacks_kernels"]}
    assert results["(3, 5)"]["status"] == "passed"
    assert results["(3, 5)"]["note"].startswith("the gradient is not checked: no kernel 'step'")


def test_the_command_fails(tmp_path):
    (tmp_path / "off.py").write_text(
        "import core, numpy as np\n"
        "from tests.core.conformance.faults import ArrayBackend\n"
        "core.register_backend('off', lambda: ArrayBackend('off'))\n"
        "core.kernel('relu', 'off')(lambda x: np.asarray(np.maximum(x, 0) * 1.01, x.dtype))\n"
    )
    line = [
        sys.executable,
        "-m",
        "core.conformance",
        "off",
        "--import",
        "off",
        "-k",
        "relu and not 6",
    ]
    done = subprocess.run(
        [*line, "--junitxml", "off.xml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, tmp_path)))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert re.search(r"FAILED .*test_case\[relu \(\)\] - Failed: the result is 1.36", done.stdout)
    assert (tmp_path / "off.xml").read_text().count("<failure ") == 2

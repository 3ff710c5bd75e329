"""Every kernel against TensorFlow, which runs in a process of its own.

TensorFlow and software OpenGL crash in one process, so that the suite never imports it.
"""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.core.ops.tf_oracle.distance import DisagreementError, largest_error
from tests.helpers import skip_or_fail


def check_all_kernels(cases: int, folder) -> None:
    """Run the oracle; every comparison must agree, and every kernel must have one or a reason."""
    if importlib.util.find_spec("tensorflow") is None:
        skip_or_fail("TensorFlow is not installed (pip install -e '.[oracle]')")
    written = folder / "agreement.json"
    command = [sys.executable, "-m", "tests.core.ops.tf_oracle", "--cases", str(cases)]
    done = subprocess.run(
        [*command, "--json", str(written)], cwd=ROOT, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-6000:]
    rows = json.loads(written.read_text())["rows"]
    assert all(row["agrees"] and row["cases"] for row in rows)
    print(done.stdout)


@pytest.mark.whole
def test_every_kernel_agrees_with_tensorflow(tmp_path):
    check_all_kernels(2, tmp_path)


@pytest.mark.long
def test_every_kernel_agrees_with_tensorflow_in_20_cases(tmp_path):
    check_all_kernels(20, tmp_path)


FLOATS = np.array([1, np.nan, np.inf, -100], np.float32)


@pytest.mark.parametrize(
    "ours",
    [
        np.array([1, np.nan, np.inf, -100.1], np.float32),
        np.array([1, 1, np.inf, -100], np.float32),
        np.array([1, np.nan, -np.inf, -100], np.float32),
        np.array([np.nan, np.nan, np.inf, -100], np.float32),
        FLOATS[:3],
        FLOATS.astype(np.float64),
    ],
)
def test_a_disagreement_is_found(ours):
    with pytest.raises(DisagreementError, match="TensorFlow has"):
        largest_error([ours], [FLOATS], 1e-6)


def test_errors_are_relative_to_the_largest_magnitude():
    ours = FLOATS + np.array([1e-5, 0, 0, 0], np.float32)
    assert largest_error([ours], [FLOATS], 1e-6) == pytest.approx(1e-7, rel=0.1)
    with pytest.raises(DisagreementError, match="1 of 4 values differ"):
        largest_error([ours], [FLOATS], 1e-8)


@pytest.mark.parametrize("dtype", ["int32", "bool", object])
def test_what_is_no_float_must_be_equal(dtype):
    expected = np.array([b"a", b""], object) if dtype is object else np.array([1, 0], dtype)
    assert largest_error([expected.copy()], [expected], 1.0) == 0
    with pytest.raises(DisagreementError, match="2 of 2 values differ"):
        largest_error([expected[::-1]], [expected], 1.0)
    with pytest.raises(DisagreementError, match="1 results, TensorFlow has 2"):
        largest_error([expected], [expected, expected], 1.0)

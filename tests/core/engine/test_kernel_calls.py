"""`core.run_kernel` and the table of TensorFlow.js's kernels."""

import subprocess
import sys

import numpy as np
import pytest

import core
from core.engine.backends import backend_names
from core.engine.operation import camel_case
from tests.conftest import ROOT
from tests.core.engine.kernel_table import CANVAS_KERNELS, rows


def test_every_kernel_but_the_canvas_ones_is_complete():
    table = rows()
    assert len(table) == 180
    assert {r.kernel for r in table if not r.complete} == CANVAS_KERNELS


def test_the_command_prints_the_table():
    command = [sys.executable, "-m", "tests.core.engine.kernel_table"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "180 kernels: 178 present" in done.stdout
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("Conv2D "))
    everywhere = ["yes"] * len(backend_names())
    assert row.split()[:-1] == ["Conv2D", "conv2d", *everywhere, "2/2", "yes"]


def test_none_is_absent():
    (y,) = core.run_kernel("Sum", {"x": [[1.0, 2.0]]}, {"axis": None, "keepDims": None})
    assert y.item() == 3


def test_names_of_tensorflow_js():
    image = np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1)
    (resized,) = core.run_kernel(
        "ResizeBilinear",
        {"images": image},
        {"size": [2, 2], "alignCorners": False, "halfPixelCenters": True},
    )
    np.testing.assert_allclose(resized.numpy().ravel(), [2.5, 4.5, 10.5, 12.5])
    (largest,) = core.run_kernel(
        "Max", {"x": image}, {"reductionIndices": [1, 2, 3], "keepDims": False}
    )
    assert largest.numpy() == [15]


def test_lists_optional_inputs_and_several_results():
    (joined,) = core.run_kernel("Concat", {"inputs": [[1.0], core.tensor([2.0])]}, {"axis": 0})
    np.testing.assert_array_equal(joined.numpy(), [1, 2])
    x, filter = np.ones((1, 2, 2, 1), np.float32), np.ones((2, 2, 1, 1), np.float32)
    how = {"strides": [1, 1], "pad": "valid", "dataFormat": "NHWC", "dilations": [1, 1]}
    (y,) = core.run_kernel(
        "FusedConv2D", {"x": x, "filter": filter}, {**how, "activation": "linear"}
    )
    assert y.item() == 4
    parts = core.run_kernel("SplitV", {"x": np.arange(3)}, {"numOrSizeSplits": [1, 2], "axis": 0})
    assert [p.shape for p in parts] == [(1,), (2,)]


@pytest.mark.parametrize(
    "name, attributes", [("Identity", {}), ("Reshape", {"shape": [3, 2]}), ("Identity", None)]
)
def test_the_data_is_shared_not_copied(name, attributes):
    x = core.tensor(np.zeros((2, 3)))
    (y,) = core.run_kernel(name, {"x": x}, attributes)
    assert y is not x and np.shares_memory(np.asarray(x), np.asarray(y))


def test_input_arrays_are_never_written():
    x = np.array([3.0, -1.0, 2.0], np.float32)
    before = x.copy()
    for name in ("Relu", "Neg", "Identity", "Sigmoid"):
        core.run_kernel(name, {"x": x})
    np.testing.assert_array_equal(x, before)
    assert x.flags.writeable


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: core.run_kernel("Conv9D", {}), core.KernelNotFound, "no kernel 'Conv9D'"),
        (lambda: core.run_kernel("FromPixels", {}), core.KernelNotFound, "FromPixels"),
        (lambda: core.run_kernel("Relu", {"a": [1.0]}), core.CoreError, r"takes \['x'\].*got 'a'"),
        (lambda: core.run_kernel("Relu", {}), core.CoreError, r"needs the inputs \['x'\]"),
        (lambda: core.run_kernel("Add", {"a": [1.0]}), core.CoreError, r"needs the inputs \['b'\]"),
        (lambda: core.run_kernel("Abs", [1.0]), core.CoreError, r"names with values, not \[1.0\]"),
        (lambda: core.run_kernel("Abs", None), core.CoreError, "names with values, not None"),
        (lambda: core.run_kernel("Relu", {"x": [1.0]}, {"x": 1}), core.CoreError, "once, got 'x'"),
        (
            lambda: core.run_kernel("Sum", {"x": [1.0]}, {"keep_dims": True}),
            core.CoreError,
            "got 'keep_dims'",
        ),
        (lambda: core.run_kernel("Reshape", {"x": [1.0]}), core.CoreError, "attribute 'shape'"),
    ],
)
def test_wrong_names_are_told(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_camel_case():
    assert camel_case("x") == "x"
    assert camel_case("n_gram_widths") == "nGramWidths"

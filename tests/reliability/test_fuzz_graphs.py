"""Damaged graphs of TensorFlow and TensorFlow.js, TFLite and ONNX files, loaded and run."""

import os

import pytest

from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize(
    "format", ["graph", "frozen", "saved", "snappy", "tflite", "onnx", "onnx_ops"]
)
def test_damaged_graphs(format):
    check([format], 150, seed=5)


@pytest.mark.long
def test_damaged_onnx_files():
    check(["onnx", "onnx_ops"], 20_000, seed=49, workers=os.cpu_count() or 1)

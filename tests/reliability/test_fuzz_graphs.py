"""Damaged graphs of TensorFlow and TensorFlow.js, and TFLite files, loaded and run."""

import pytest

from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("format", ["graph", "frozen", "saved", "snappy", "tflite"])
def test_damaged_graphs(format):
    check([format], 150, seed=5)

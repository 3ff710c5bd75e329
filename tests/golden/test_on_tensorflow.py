"""Goldens and results of models on the tf backend, in a process of its own."""

import pytest

from tests.tensorflow_process import passed_on_tensorflow

FOLDER = "tests/golden/tensorflow"


def test_models_on_the_tf_backend(shared):
    assert passed_on_tensorflow(FOLDER) > 20


@pytest.mark.long
def test_all_models_on_the_tf_backend(shared):
    assert passed_on_tensorflow("-m", "long or not long", FOLDER) > 100

"""Goldens and results of all models on the tf backend, in a process of its own.

A few of them run with the other tests of this backend: `tests.core.backends.test_on_tensorflow`.
"""

import pytest

from tests.tensorflow_process import passed_on_tensorflow

FOLDER = "tests/golden/tensorflow"


@pytest.mark.long
def test_all_models_on_the_tf_backend(shared):
    assert len(passed_on_tensorflow("-m", "long", FOLDER)) > 60

"""TensorFlow.js's own specs pass on our kernels, but for those listed with a reason."""

import pytest

from tests.core.ops.tfjs_specs.packages import CannotRunError
from tests.core.ops.tfjs_specs.runner import compare, known_differences
from tests.helpers import skip_or_fail
from tests.tensorflow_process import passed_on_tensorflow

AT_LEAST = 2800  # specs that call a kernel: fewer means that they did not run


def check_specs(backend):
    """All specs pass on a backend but for the known ones, and these fail."""
    try:
        found = compare(backend=backend)
    except CannotRunError as error:
        skip_or_fail(str(error))
    assert sum(bool(r["kernels"]) for r in found.counted.values()) >= AT_LEAST
    failures = {name: r["messages"] for name, r in found.failures.items()}
    known = known_differences(backend)
    assert {n: m for n, m in failures.items() if n not in known} == {}
    assert [n for n in known if n not in failures] == [], "these pass now: take them off the list"


@pytest.mark.long
def test_specs_pass_but_for_the_known_ones():
    check_specs("cpu")


@pytest.mark.long
def test_specs_pass_on_the_tf_backend():
    passed_on_tensorflow("-m", "long", "tests/core/backends/tensorflow/test_tfjs_specs_on_tf.py")

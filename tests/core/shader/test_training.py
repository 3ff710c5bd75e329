"""A small CNN learns on the shader backend what it learns on cpu, step by step."""

import numpy as np
import pytest

from core.registry import load_backend
from tests.benchmarks.gpu_training import OPTIMIZERS, QUICK, trained

#: How far losses may be apart, of their size, in units of the backend's epsilon: measured is 1.1.
MOST_APART = 10


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_losses_are_those_of_cpu(name, opengl):
    (expected, _), (found, _) = (trained(backend, name, QUICK) for backend in ("cpu", "shader"))
    first, last = expected[: QUICK.batches], expected[-QUICK.batches :]
    assert sum(last) < 0.95 * sum(first)  # it does learn
    bound = MOST_APART * load_backend("shader").epsilon
    np.testing.assert_allclose(found, expected, rtol=bound, atol=0)

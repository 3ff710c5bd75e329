"""`fit` on the tf backend: losses and weights of cpu, step by step."""

import numpy as np

from tests.core.backends.shader.test_model_training import STEPS, fitted


def test_fit_has_the_losses_of_cpu():
    (expected, weights, loss), (found, own, own_loss) = map(fitted, ("cpu", "tf"))
    assert len(found) == STEPS and expected[-1, 0] < 0.8 * expected[0, 0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3)
    np.testing.assert_allclose(own_loss, loss, rtol=0, atol=1e-3)
    for one, other in zip(own, weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-3)

"""A small CNN learns on the shader backend what it learns on cpu, step by step."""

import numpy as np
import pytest

import core
from core.engine.backends import load_backend
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


def test_a_compiled_step_equals_the_step_op_by_op(opengl, rng):
    with core.backend("shader"):
        _compare_steps(rng)


def _compare_steps(rng):
    def make():
        w = core.variable(np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3))
        adam = core.train.adam(0.05)

        def step(x, y):
            def loss():
                return core.mean(core.square(core.sigmoid(core.matmul(x, w)) - y))

            return adam.minimize(loss, return_cost=True), core.dropout(x, 0.5, seed=1)

        return step, w

    (step, w), (own, own_w) = make(), make()
    compiled = core.compile(own)
    for _ in range(4):
        x, y = (core.tensor(rng.random(s).astype(np.float32)) for s in ((5, 8), (5, 3)))
        (loss, kept), (own_loss, own_kept) = step(x, y), compiled(x, y)
        assert own_loss.item() == pytest.approx(loss.item(), rel=1e-5)
        np.testing.assert_allclose(own_kept.numpy(), kept.numpy(), rtol=1e-6)
    np.testing.assert_allclose(own_w.numpy(), w.numpy(), rtol=1e-5, atol=1e-6)
    assert "a plan" in compiled.report() and own_w.container.backend.name == "shader"

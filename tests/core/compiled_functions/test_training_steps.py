"""Training steps as plans: every optimizer, convolutions, threads, denormal numbers."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core

pytestmark = pytest.mark.usefixtures("tier")

OPTIMIZERS = {
    "sgd": lambda: core.train.sgd(0.05),
    "momentum": lambda: core.train.momentum(0.02, 0.9),
    "nesterov": lambda: core.train.momentum(0.02, 0.9, use_nesterov=True),
    "rmsprop": lambda: core.train.rmsprop(0.01, momentum=0.5),
    "centered rmsprop": lambda: core.train.rmsprop(0.01, epsilon=1e-3, centered=True),
    "adam": lambda: core.train.adam(0.01),
    "adadelta": lambda: core.train.adadelta(0.5),
    "adamax": lambda: core.train.adamax(0.01, decay=0.1),
    "adagrad": lambda: core.train.adagrad(0.1),
}


def small_network(rng):
    """Return a function from a batch to logits, and its variables."""

    def variable(*shape):
        return core.variable(rng.standard_normal(shape).astype(np.float32) * 0.3)

    f, d, p, w = variable(3, 3, 3, 8), variable(3, 3, 8, 1), variable(1, 1, 8, 24), variable(24, 5)
    b, c = variable(24), variable(5)

    def logits(x):
        x = core.relu(core.conv2d(x, f, 2, "same"))
        x = core.relu6(core.depthwise_conv2d(x, d, 2, "same"))
        x = core.fused_conv2d(x, p, b, strides=1, pad="same", activation="relu6")
        return core.matmul(core.mean(x, axis=(1, 2)), w) + c

    return logits, (f, d, p, w, b, c)


def make_step(name, seed=0):
    """Return a training step that was not compiled, its variables and its optimizer."""
    logits, variables = small_network(np.random.default_rng(seed))
    optimizer = OPTIMIZERS[name]()

    def step(x, labels):
        def loss():
            return -core.mean(core.sum(labels * core.log_softmax(logits(x)), axis=1))

        return optimizer.minimize(loss, return_cost=True)

    return step, variables, optimizer


def batch(rng):
    x = rng.standard_normal((6, 13, 11, 3)).astype(np.float32)
    return core.tensor(x), core.tensor(np.eye(5, dtype=np.float32)[rng.integers(0, 5, 6)])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_equal_those_op_by_op(name, rng):
    step, variables, optimizer = make_step(name)
    own, own_variables, own_optimizer = make_step(name)
    compiled = core.compile(own)
    for i in range(12):
        x, labels = batch(rng)
        if i == 6:
            optimizer.learning_rate = own_optimizer.learning_rate = optimizer.learning_rate / 2
        expected, found = step(x, labels).item(), compiled(x, labels).item()
        # Centered: NaN where the variance of the gradients is below epsilon, as documented.
        assert found == pytest.approx(expected, rel=2e-4, abs=1e-6, nan_ok=True)
    assert optimizer.iterations == own_optimizer.iterations == 12
    for one, other in zip(variables, own_variables, strict=True):
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=2e-3, atol=2e-4)
    assert "a plan" in compiled.report() and len(compiled.report().splitlines()) == 1


def test_steps_continue_from_saved_state_and_mix_with_steps_op_by_op(rng):
    x, labels = batch(rng)
    step, variables, optimizer = make_step("adam")
    own, own_variables, own_optimizer = make_step("adam")
    compiled = core.compile(own)
    for call in (compiled, own, compiled, compiled, own):
        assert call(x, labels).item() == pytest.approx(step(x, labels).item(), rel=1e-4)
    state = own_optimizer.get_weights()
    expected = [step(x, labels).item() for _ in range(2)]
    values = [v.numpy() for v in own_variables]
    found = [compiled(x, labels).item() for _ in range(2)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    for variable, value in zip(own_variables, values, strict=True):
        variable.assign(value)
    own_optimizer.set_weights(state)
    np.testing.assert_allclose([compiled(x, labels).item() for _ in range(2)], found, rtol=1e-5)


def test_a_function_may_make_two_steps(rng):
    x, labels = batch(rng)
    step, _, optimizer = make_step("adam")
    own, _, own_optimizer = make_step("adam")

    @core.compile
    def twice(x, labels):
        return own(x, labels), own(x, labels)

    for _ in range(3):
        expected = [step(x, labels).item(), step(x, labels).item()]
        assert [t.item() for t in twice(x, labels)] == pytest.approx(expected, rel=1e-4)
    assert optimizer.iterations == own_optimizer.iterations == 6


def test_threads_take_turns_with_the_variables():
    total = core.variable(np.zeros(1000, np.float32))

    @core.compile
    def add(x):
        total.assign(total + x)

    ones = core.ones((1000,))
    add.warmup(ones)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: add(ones), range(400)))
    assert (total.numpy() == 400.0).all()


def test_slots_lose_denormal_numbers():
    w = core.variable(np.ones(64, np.float32))
    optimizer = core.train.momentum(0.1, 0.5)

    @core.compile
    def step(scale):
        optimizer.minimize(lambda: core.sum(w * scale))

    step(core.tensor(1e-20))
    for _ in range(160):
        step(core.tensor(0.0))
    (slot,) = [v for name, v in optimizer.get_weights().items() if name != "iter"]
    assert (slot == 0).all()


def test_batch_norm_and_pooling_in_training(rng):
    def made():
        rng = np.random.default_rng(4)
        f, w = (core.variable(rng.standard_normal(s).astype(np.float32) * 0.2) for s in
                ((3, 3, 3, 12), (12 * 16, 5)))  # fmt: skip
        scale, offset = core.variable(np.ones(12)), core.variable(np.zeros(12))
        mean = core.variable(np.zeros(12), trainable=False)
        optimizer = core.train.momentum(0.05, 0.9)

        def step(x, labels):
            def loss():
                y = core.conv2d(x, f, 1, "same")
                found = core.moments(y, axis=(0, 1, 2))
                mean.assign(mean * 0.9 + found.mean * 0.1)
                y = core.batch_norm(y, found.mean, found.variance, offset, scale, 1e-3)
                y = core.avg_pool(core.max_pool(core.relu(y), 3, 1, "same"), 2, 2, "valid")
                logits = core.matmul(core.reshape(y, (4, -1)), w)
                return core.mean(core.square(core.softmax(logits) - labels))

            return optimizer.minimize(loss, return_cost=True)

        return step, (f, w, scale, offset, mean)

    (step, variables), (own, own_variables) = made(), made()
    compiled = core.compile(own)
    for _ in range(5):
        x = core.tensor(rng.standard_normal((4, 8, 8, 3)).astype(np.float32))
        labels = core.tensor(np.eye(5, dtype=np.float32)[rng.integers(0, 5, 4)])
        assert compiled(x, labels).item() == pytest.approx(step(x, labels).item(), rel=1e-4)
    for one, other in zip(own_variables, variables, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-3, atol=1e-4)
    if core.get_tier() == 2:
        kernels = {s.op: s.kernel for s in compiled.plan(x, labels).steps}
        assert kernels["max_pool_grad"] == "generated max pool gradient"
        assert not [
            k for op, k in kernels.items() if k.startswith("kernel") and "softmax" not in op
        ]

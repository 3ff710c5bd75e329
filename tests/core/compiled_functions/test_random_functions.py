"""Functions that are made at random run as plans like op by op: groups, updates, gradients."""

import numpy as np
import pytest

import core

pytestmark = pytest.mark.usefixtures("tier")

UNARY = (core.relu, core.neg, core.abs, core.tanh, core.sigmoid, core.square, core.relu6, core.elu)
BINARY = (core.add, core.sub, core.mul, core.maximum, core.minimum, core.squared_difference)
COMPARISONS = (core.less, core.greater_equal, core.equal, core.not_equal)
LOGICAL = (core.logical_and, core.logical_or)

SHAPES = ((), (7,), (3, 7), (40, 7))


def random_function(seed):
    """Return a function of two tensors that reads and assigns variables, and the variables."""
    rng = np.random.default_rng(seed)
    variables = [core.variable(rng.uniform(-1, 1, s).astype(np.float32)) for s in SHAPES * 2]
    count = int(rng.integers(3, 25))
    choices = rng.integers(0, 1 << 30, (count, 4))

    def function(x, y):
        values = [x, y]
        for kind, first, second, op in choices:
            a, b = values[first % len(values)], values[second % len(values)]
            if kind % 4 == 0:
                a = values[-1]
            if kind % 7 == 0:
                b = variables[second % len(variables)]
            values.append(applied(int(kind), int(op), a, b))
            target = variables[(first + second) % len(variables)]
            if kind % 5 == 0 and target.shape == values[-1].shape:
                target.assign(values[-1] * 0.5 + target * 0.25)
        return values[-3:], core.sum(values[-1]), variables[2] + 1.0

    return function, variables


def applied(kind, op, a, b):
    """Return the result of one or some ops on two values."""
    if kind % 11 == 0 and a.shape == b.shape:
        flags = COMPARISONS[op % 4](a, b)
        if kind % 2:
            flags = LOGICAL[op % 2](flags, core.logical_not(core.less(b, 0.25)))
        return core.where(flags, a, b) if kind % 3 else core.cast(flags, "float32")
    if {len(a.shape), len(b.shape)} == {2} and a.shape != b.shape:
        a = core.mean(a, axis=0)
    if kind % 13 == 0:
        return core.sum(a, axis=0, keep_dims=True) * b if len(a.shape) == 2 else a * b
    if kind % 3:
        return core.clip_by_value(BINARY[op % len(BINARY)](a, b), -3.0, 3.0)
    return UNARY[op % len(UNARY)](a)


@pytest.mark.parametrize("seed", range(60))
def test_results_and_variables(seed):
    rng = np.random.default_rng(1000 + seed)
    function, variables = random_function(seed)
    own, own_variables = random_function(seed)
    compiled = core.compile(own)
    for _ in range(3):
        x, y = (core.tensor(rng.uniform(-1, 1, (40, 7)).astype(np.float32)) for _ in range(2))
        expected, total, last = function(x, y)
        found, own_total, own_last = compiled(x, y)
        pairs = [*zip(found, expected, strict=True), (own_last, last), (own_total, total)]
        pairs += zip(own_variables, variables, strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-4)
    assert "a plan" in compiled.report()


@pytest.mark.parametrize("seed", range(20))
def test_gradients(seed):
    rng = np.random.default_rng(2000 + seed)
    function, _ = random_function(seed)
    x, y = (core.tensor(rng.uniform(-1, 1, (40, 7)).astype(np.float32)) for _ in range(2))

    def gradients(x, y):
        def total(x, y):
            values, _, _ = function(x, y)
            return sum(map(core.sum, values)) + core.sum(x * y)

        return core.grads(total)(x, y)

    states = [v.numpy() for v in random_function(seed)[1]]
    expected = gradients(x, y)
    for variable, state in zip(function.__closure__[1].cell_contents, states, strict=True):
        variable.assign(state)
    for one, other in zip(core.compile(gradients)(x, y), expected, strict=True):
        scale = max(1.0, float(np.abs(other.numpy()).max()))
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-4 * scale)

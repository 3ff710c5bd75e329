"""What gradients keep in memory, and that reference counts alone free it: no cycles."""

import gc
import os
import sys

import numpy as np
import pytest

import core
from tests.helpers import skip_or_fail

SIZE = 10_000
BYTES = 4 * SIZE


@pytest.fixture(autouse=True)
def _no_collector():
    """What is in a cycle stays, and is counted."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def x():
    return core.tensor(np.linspace(-1, 1, SIZE, dtype=np.float32))


def arrays_at_once(function):
    """The most arrays of SIZE floats that a function had beside those before, after any kernel."""
    before = core.memory()["num_bytes"]
    return (core.profile(function).peak_bytes - before) / BYTES


def chain(step, times=50):
    def function(t):
        for _ in range(times):
            t = step(t)
        return core.sum(t)

    return function


@pytest.mark.parametrize(
    "step, kept",
    [
        (lambda t: t + 1.0, 0),
        (lambda t: 1.0 - t, 0),
        (lambda t: core.reverse(t, axis=0), 0),
        (lambda t: core.reshape(t, (SIZE, 1)).reshape(SIZE), 0),
        (lambda t: t * 2.0, 0),
        (core.custom_grad(lambda t: (core.tanh(core.tanh(t)), lambda dy: dy * 2.0)), 0),
        (core.tanh, 1),
        (core.sin, 1),
        (lambda t: t * t * 0.5, 1),
        (lambda t: core.tanh(t + 1.0) - 1.0, 1),
    ],
)
def test_a_deep_chain_keeps_what_its_gradients_need(step, kept, x):
    """Beside what is kept there are a few arrays: the values and gradients at work."""
    shallow, deep = (arrays_at_once(lambda n=n: core.grad(chain(step, n))(x)) for n in (10, 50))
    assert deep - shallow == pytest.approx(40 * kept, abs=0.5)
    assert shallow <= 10 * kept + 4.01


def test_a_chain_gives_its_values_back_while_it_is_walked(x):
    rows = core.profile(lambda: core.grad(chain(core.tanh))(x)).kernels
    before = core.memory()["num_bytes"]
    totals = [(row["total_bytes"] - before) / BYTES for row in rows]
    top = max(totals)
    at_top = totals.index(top)
    walked = totals[at_top:]
    assert top >= 50
    for later in range(0, len(walked), 10):  # each node on the way back lets go of one array
        share_left = 1 - later / len(walked)
        assert walked[later] <= 50 * share_left + 4


def test_nothing_is_kept_off_the_path(x):
    other = core.tensor(np.ones(SIZE, np.float32))

    def function(t):
        aside = other
        for _ in range(50):
            aside = core.tanh(aside)
        return core.sum(t * aside)

    assert arrays_at_once(lambda: core.grad(function)(x)) <= 4.01


@pytest.mark.parametrize("branch", [chain(core.tanh), lambda t: [core.tanh(t) for _ in range(50)]])
def test_a_branch_that_is_dropped_costs_no_time_and_goes_with_the_tape(branch, x):
    def function(t):
        branch(t)
        return core.sum(t + 1.0)

    before = core.memory()["num_bytes"]
    found = core.profile(lambda: core.grad(function)(x))
    ran = [row["op"] for row in found.kernels]
    assert ran[-1] != "tanh" and len(ran[len(ran) - ran[::-1].index("tanh") :]) <= 5
    assert found.result.tolist() == [1.0] * SIZE
    assert core.memory()["num_bytes"] - before == BYTES


def use_grads(x):
    return core.grads(lambda a, b: core.sum(core.tanh(a) * core.sin(b)))(x, x)


def use_second(x):
    return core.grad(lambda t: core.sum(core.grad(chain(core.tanh, 3))(t)))(x)


def use_variables(x):
    w = core.variable(x)
    found = core.variable_grads(lambda: core.sum(core.tanh(w) * w) + core.sum(w.read()))
    w.assign(w - found.grads[w.name])
    w.update(lambda array: np.multiply(array, 2, out=array))
    return found


def use_custom(x):
    @core.custom_grad
    def swish(t):
        s = core.sigmoid(t)
        return t * s, lambda dy: dy * (s + t * s * (1.0 - s))

    return core.grad(lambda t: core.sum(core.grad(lambda u: core.sum(swish(u)))(t)))(x)


def use_a_layer(x):
    t = core.reshape(x, (1, 100, 100, 1))
    f, b = core.variable(np.ones((3, 3, 1, 2)), name="f"), core.variable(np.zeros(2), name="b")

    def loss():
        y = core.fused_conv2d(t, f, b, strides=2, activation="relu")
        return core.mean(core.square(core.max_pool(y, 2, 2, "same")))

    return core.variable_grads(loss)


USES = [use_grads, use_second, use_variables, use_custom, use_a_layer]


@pytest.mark.parametrize("use", USES)
def test_nothing_survives_but_the_results(use, x):
    use(x)  # what is made once for all
    before = core.memory()
    results = use(x)
    assert core.memory()["num_tensors"] > before["num_tensors"]
    del results
    assert core.memory() == before


@core.custom_grad
def fails_in_gradient(t):
    def gradient(dy):
        raise ZeroDivisionError("in the gradient")

    return core.tanh(t), gradient


def fails(t):
    kept = core.tanh(t)
    raise ZeroDivisionError(f"in the function, of {kept.shape}")


def fails_inside(t):
    return core.sum(core.grad(chain(fails_in_gradient, 3))(core.tanh(t)))


FAILURES = {
    "in the function": lambda x: core.grad(fails)(x),
    "in the gradient": lambda x: core.grad(chain(fails_in_gradient, 3))(x),
    "in an inner gradient": lambda x: core.grad(fails_inside)(x),
    "in a custom gradient": lambda x: core.custom_grad(fails)(x),
    "in variable_grads": lambda x: core.variable_grads(lambda: fails(core.variable(x))),
    "in an update": lambda x: core.variable(x).update(lambda array: fails(x)),
    "after ops": lambda x: core.grad(lambda t: core.tanh(t) + [1.0, 2.0])(x),
    "no path": lambda x: core.grad(lambda t: core.tanh(core.stop_gradient(t)))(x),
    "no number": lambda x: core.variable_grads(lambda: core.tanh(core.variable(x))),
    "in a scope": lambda x: core.grad(lambda t: core.tidy(lambda: fails(t)))(x),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_nothing_survives_an_exception(failure, x):
    def caught():
        try:
            failure(x)
        except (ZeroDivisionError, core.CoreError):
            return True
        return False

    assert caught()
    before = core.memory()
    assert caught() and core.memory() == before


def step(weights, x, y):
    """Forward, backward and descent, with a second derivative and a custom gradient in it."""

    def loss():
        hidden = core.tanh(x @ weights[0] + weights[1])
        slope = core.grad(lambda t: core.sum(fixed_relu(t) * t))(hidden)
        return core.mean(core.square(hidden @ weights[2] - y)) + 0.01 * core.mean(slope * slope)

    value, grads = core.variable_grads(loss)
    for name, variable in grads.variables.items():
        change = np.asarray(grads[name]) * np.float32(0.01)
        variable.update(lambda array, change=change: np.subtract(array, change, out=array))
    return value


@core.custom_grad
def fixed_relu(t):
    positive = core.cast(t > 0.0, "float32")
    return t * positive, lambda dy: dy * positive


def resident_bytes():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        skip_or_fail(f"{sys.platform} does not tell the memory of a process in /proc")
        raise


@pytest.mark.parametrize("steps", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_memory_stays_flat_over_steps(steps, rng):
    shapes = (32, 8), (8, 64), (64,), (64, 1), (32, 1)
    x, *weights, y = (rng.normal(size=s).astype(np.float32) * 0.3 for s in shapes)
    variables = [core.variable(w) for w in weights]
    given = core.tensor(x), core.tensor(y)
    first = step(variables, *given).item()
    for _ in range(50):
        step(variables, *given)
    before, resident = core.memory(), resident_bytes()
    for _ in range(steps):
        step(variables, *given)
    assert core.memory() == before
    if steps > 1000:  # beside which what other threads of the process take is little
        # The allocator takes some more in the first thousand steps, and nothing afterwards.
        assert resident_bytes() - resident < 2**20
    assert step(variables, *given).item() < first

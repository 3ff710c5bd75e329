"""Optimizers: TensorFlow.js's numbers, steps in place and by ops, saved state, training."""

import copy
import gc
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

import core
from core.autodiff.tape import Tape
from core.backends.cpu import CpuBackend
from core.backends.cpu.optimizers import BLOCK, UPDATES
from core.engine.backends import BACKENDS
from core.engine.observers import observing
from core.optimizers.formulas import ELEMENTWISE
from tests.helpers import ROOT
from weights_cache import load_weights, write_weights

FILE = Path(__file__).with_name("optimizer_trajectories.json")
GOLDEN = json.loads(FILE.read_text())
TRAJECTORIES = GOLDEN["trajectories"]

#: Each optimizer with rates that train a small model.
OPTIMIZERS = {
    "sgd": lambda: core.train.sgd(0.1),
    "momentum": lambda: core.train.momentum(0.02, 0.9),
    "nesterov": lambda: core.train.momentum(0.02, 0.9, use_nesterov=True),
    "rmsprop": lambda: core.train.rmsprop(0.01, momentum=0.5),
    "centered_rmsprop": lambda: core.train.rmsprop(0.01, epsilon=0.0, centered=True),
    "adam": lambda: core.train.adam(0.05),
    "adadelta": lambda: core.train.adadelta(0.1, epsilon=1e-3),
    "adamax": lambda: core.train.adamax(0.05, decay=0.001),
    "adagrad": lambda: core.train.adagrad(0.5),
}
each_optimizer = pytest.mark.parametrize("name", OPTIMIZERS)


def label(trajectory):
    return "-".join([trajectory["name"], *map(str, trajectory["config"].values())])


each_trajectory = pytest.mark.parametrize("trajectory", TRAJECTORIES, ids=label)


def optimizer_of(trajectory):
    return getattr(core.train, trajectory["name"])(**trajectory["config"])


def floats(values):
    return np.array(values, np.float32)


class OpsBackend(CpuBackend):
    """A backend of other data that makes no step in place."""

    def update_of(self, formula):
        return None

    def owns(self, handle):
        return False


@pytest.fixture
def ops_backend(monkeypatch):
    """The active backend is another one than that of the data made before."""
    monkeypatch.setitem(BACKENDS, "cpu", OpsBackend())
    with core.backend("cpu"):
        yield


@pytest.fixture(params=["in place", "by ops"])
def either_way(request):
    if request.param == "by ops":
        request.getfixturevalue("ops_backend")


# --- TensorFlow.js's numbers -----------------------------------------------------------------


def check_trajectory(trajectory):
    w = core.variable(GOLDEN["start"], name="w")
    optimizer = optimizer_of(trajectory)
    for gradient, expected in zip(GOLDEN["gradients"], trajectory["values"], strict=True):
        optimizer.apply_gradients([(floats(gradient), w)])
        np.testing.assert_allclose(w.numpy(), floats(expected), rtol=1e-6)
    assert optimizer.iterations == len(GOLDEN["gradients"])
    if trajectory["weights"] is not None:
        weights = optimizer.get_weights()
        assert list(weights) == [name for name, _ in trajectory["weights"]]
        for name, expected in trajectory["weights"]:
            np.testing.assert_allclose(np.ravel(weights[name]), floats(expected), rtol=1e-6)


@each_trajectory
def test_the_values_are_those_of_tensorflow_js(trajectory):
    check_trajectory(trajectory)


@each_trajectory
def test_steps_made_of_ops_have_them_too(trajectory, ops_backend):
    check_trajectory(trajectory)


@pytest.mark.parametrize("name", ["adam", "adamax"])
def test_the_correction_of_the_bias_is_a_product_of_float32(name):
    """Also late, when it is near one: each step alone, from zero."""
    w, optimizer = core.variable(0.0), getattr(core.train, name)(1.0, 0.9, 0.99)
    m, v, product1, product2 = floats(0), floats(0), floats(1), floats(1)
    beta1, beta2 = floats(0.9), floats(0.99)
    for step in range(200):
        w.assign(0.0)
        optimizer.apply_gradients([(floats(1.0), w)])
        product1, product2 = product1 * beta1, product2 * beta2
        m = m * beta1 + floats(1 - 0.9)
        v = v * beta2 + floats(1 - 0.99) if name == "adam" else floats(1)
        root = np.sqrt(v / (1 - product2)) if name == "adam" else v
        expected = -m / (1 - product1) / (root + floats(1e-7))
        np.testing.assert_allclose(w.numpy(), expected, rtol=2e-6, err_msg=f"step {step}")


def test_the_trajectories_cover_every_optimizer():
    assert GOLDEN["version"] == "4.22.0"
    assert {type(optimizer_of(t)) for t in TRAJECTORIES} == set(core.train.CLASSES)


# --- In place and by ops ---------------------------------------------------------------------


def test_every_formula_has_its_step_in_place():
    assert set(UPDATES) == set(ELEMENTWISE)


def gradients_like(rng, shape):
    """Gradients of all sizes, also zeros."""
    g = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 3, shape)
    return np.where(rng.random(shape) < 0.1, 0, g).astype(np.float32)


def trained(trajectory, value, gradients):
    optimizer = optimizer_of(trajectory)
    w = core.variable(value, name="w")
    for gradient in gradients:
        optimizer.apply_gradients([(core.tensor(gradient), w)])
    return {"value": w.numpy(), **optimizer.get_weights()}


@each_trajectory
@pytest.mark.parametrize("shape", [(), (0,), (3, 4), (2, BLOCK + 3)], ids=str)
def test_a_step_in_place_gives_the_bits_of_the_ops(trajectory, shape, rng, monkeypatch):
    value = rng.normal(size=shape).astype(np.float32)
    gradients = [gradients_like(rng, shape) for _ in range(4)]
    ours = trained(trajectory, value, gradients)
    monkeypatch.setitem(BACKENDS, "cpu", OpsBackend())
    with core.backend("cpu"):
        by_ops = trained(trajectory, value, gradients)
    assert list(ours) == list(by_ops)
    for name, array in ours.items():
        np.testing.assert_array_equal(array, by_ops[name], err_msg=name)


@each_optimizer
@pytest.mark.parametrize("order", ["value", "gradient", "both"])
def test_arrays_may_lie_in_any_order(name, order, rng):
    value, gradient = rng.normal(size=(2, 30, 20)).astype(np.float32)
    expected = core.variable(value)
    OPTIMIZERS[name]().apply_gradients([(gradient, expected)])
    columns = {k: np.asfortranarray if order in (k, "both") else np.array for k in ("value", "g")}
    w = core.variable(0.0 * value)
    w.assign(
        core.engine.dispatch.wrap(
            core.engine.settings.active_backend(), columns["value"](value), w.spec
        )
    )
    assert w.handle.flags.c_contiguous is (order == "gradient")
    strided = columns["g"](gradient) if order == "value" else np.repeat(gradient, 2, 1)[:, ::2]
    g = core.engine.dispatch.wrap(core.engine.settings.active_backend(), strided, w.spec)
    OPTIMIZERS[name]().apply_gradients([(g, w)])
    np.testing.assert_array_equal(w.numpy(), expected.numpy())


@each_optimizer
def test_steps_write_into_the_same_arrays(name):
    w = core.variable(np.ones((50, 4)), name="w")
    optimizer = OPTIMIZERS[name]()
    optimizer.minimize(lambda: core.mean(core.square(w)))

    def places():
        slots = optimizer._state.kept["w"].slots
        return [v.handle.ctypes.data for v in (w, *slots)]

    before, value = places(), w.numpy()
    optimizer.minimize(lambda: core.mean(core.square(w)))
    assert places() == before
    assert (w.numpy() < value).all()


@each_optimizer
def test_a_tensor_that_someone_holds_stays_as_it_is(name):
    w = core.variable([1.0, 2.0])
    held, shared = w.read(), w.reshape(2, 1)
    optimizer = OPTIMIZERS[name]()
    for _ in range(3):
        optimizer.minimize(lambda: core.sum(core.square(w)))
    assert held.tolist() == [1.0, 2.0]
    assert shared.tolist() == [[1.0], [2.0]]
    assert (w.numpy() < [1.0, 2.0]).all()


def test_the_gradient_may_be_the_variable_itself():
    """Weight decay by hand."""
    w = core.variable([1.0, 2.0])
    core.train.sgd(0.5).apply_gradients([(w, w)])
    assert w.tolist() == [0.5, 1.0]
    core.train.sgd(0.5).apply_gradients([(w.read(), w)])
    assert w.tolist() == [0.25, 0.5]


@each_optimizer
def test_data_of_another_backend_come_to_the_active_one(name, monkeypatch):
    w, g = core.variable([1.0, -2.0], name="w"), core.tensor([0.5, -0.25])
    expected = core.variable([1.0, -2.0], name="w")
    optimizer, other = OPTIMIZERS[name](), OPTIMIZERS[name]()
    here = w.container.backend
    for _ in range(3):
        other.apply_gradients([(g, expected)])
    optimizer.apply_gradients([(g, w)])
    with monkeypatch.context() as patch:
        patch.setitem(BACKENDS, "cpu", OpsBackend())
        with core.backend("cpu"):
            optimizer.apply_gradients([(g, w)])
            assert w.container.backend is not here
    w.assign(w.numpy())  # then the step is in place, and just what is kept is elsewhere
    optimizer.apply_gradients([(g, w)])
    kept = optimizer._state.kept["w"].slots
    assert all(v.container.backend is here for v in (w, *kept))
    np.testing.assert_array_equal(w.numpy(), expected.numpy())
    for key, array in other.get_weights().items():
        np.testing.assert_array_equal(optimizer.get_weights()[key], array)


def test_means_of_no_gradients_fade_to_zero_and_not_to_denormal_numbers():
    w = core.variable(np.ones(5), name="w")
    optimizer = core.train.adam(beta1=0.5, beta2=0.6)
    optimizer.apply_gradients([(floats([1, 1, 1, 1, 0]), w)])
    for _ in range(250):
        optimizer.apply_gradients([(floats([1, 0, 0, 0, 0]), w)])
    for slot in ("m", "v"):
        kept = optimizer.get_weights()[f"w/{slot}"]
        assert kept[0] > 0.99
        assert (kept[1:] == 0).all()


def test_what_overflows_does_so_in_silence():
    w = core.variable([1.0])
    with np.errstate(all="raise"):
        core.train.adam().apply_gradients([(floats([1e30]), w)])
        core.train.rmsprop(0.1, epsilon=0.0).apply_gradients([(floats([0.0]), w)])
    assert np.isnan(w.item())


# --- What is given ---------------------------------------------------------------------------


def test_gradients_come_as_a_dict_or_pairs():
    w, b = core.variable([1.0, 1.0], name="w"), core.variable(1.0, name="b")
    optimizer = core.train.sgd(1.0)
    gradients = optimizer.compute_gradients(lambda: core.sum(w * 0.5) + b * 0.25).grads
    optimizer.apply_gradients(gradients)
    assert (w.tolist(), b.item()) == ([0.5, 0.5], 0.75)
    optimizer.apply_gradients({name: g * 0.5 for name, g in gradients.items()})
    assert (w.tolist(), b.item()) == ([0.25, 0.25], 0.625)
    optimizer.apply_gradients((g, v) for g, v in [(np.float32(0.5), b), (None, w)])
    assert (w.tolist(), b.item()) == ([0.25, 0.25], 0.125)
    assert optimizer.iterations == 3


def test_only_the_variables_asked_for_change():
    w, b = core.variable(1.0), core.variable(1.0)
    optimizer = core.train.adam()
    cost = optimizer.minimize(lambda: w * b, return_cost=True, variables=[b])
    assert cost.item() == 1.0
    assert w.item() == 1.0
    assert b.item() == pytest.approx(0.999)
    assert optimizer.minimize(lambda: w * b) is None


def wrong_gradients():
    w = core.variable([1.0, 2.0], name="w")
    b = core.variable(1.0, name="b")
    gone = core.tensor([1.0, 1.0])
    gone.dispose()
    good, one = core.tensor([1.0, 1.0]), np.float32(1)
    return [w, b], {
        r"'w' is float32 \(2,\), its gradient is float32 \(3,\)": [(one, b), (np.ones(3), w)],
        r"'w' is float32 \(2,\), its gradient is int32 \(2,\)": [(one, b), ([1, 1], w)],
        "gradient of variable 'w' was disposed": [(one, b), (gone, w)],
        "two gradients are given for the variable 'w'": [(one, b), (good, w), (good, w)],
        "is not a variable": [(one, b), (w, good)],
        "the variable 'other' is unknown to the optimizer: give pairs": {"b": one, "other": good},
        "or pairs of a gradient and its variable": [(one, b), (good, w, 1)],
        "must be the `grads` of compute_gradients": good,
        "must be the `grads` of compute_gradients, or pairs": 1.0,
        "'n' is int32: only float32 variables can be trained": [
            (one, b),
            ([1], core.variable([1], name="n")),
        ],
        "slots for another variable named 'w'": [(one, b), (good, core.variable(good, name="w"))],
    }


@pytest.mark.parametrize("message", wrong_gradients()[1])
def test_a_call_that_fails_changes_nothing(message):
    variables, cases = wrong_gradients()
    optimizer = core.train.adam()
    optimizer.apply_gradients([(v.numpy(), v) for v in variables])
    values, weights = [v.numpy() for v in variables], optimizer.get_weights()
    with pytest.raises(core.CoreError, match=message):
        optimizer.apply_gradients(cases[message])
    for variable, value in zip(variables, values, strict=True):
        np.testing.assert_array_equal(variable.numpy(), value)
    for name, array in optimizer.get_weights().items():
        np.testing.assert_array_equal(array, weights[name])


def test_gradients_and_value_together_are_not_gradients():
    w = core.variable(1.0)
    optimizer = core.train.sgd(0.1)
    with pytest.raises(core.CoreError, match="`grads`"):
        optimizer.apply_gradients(optimizer.compute_gradients(lambda: w * w))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: core.train.sgd(float("nan")), "learning_rate=nan must be a finite number"),
        (lambda: core.train.sgd("fast"), "learning_rate='fast'"),
        (lambda: core.train.sgd(1e39), "learning_rate=1e.39"),
        (lambda: core.train.momentum(0.1, None), "momentum=None"),
        (lambda: core.train.rmsprop(0.1, decay=1.5), "decay=1.5 must be .* from 0 to 1"),
        (lambda: core.train.adam(epsilon=-1), "epsilon=-1 must be a finite number from 0"),
        (lambda: core.train.adam(beta1=1), "beta1 must be below 1"),
        (lambda: core.train.adamax(beta2=0.999999999), "beta2 must be below 1"),
        (lambda: core.train.adadelta(rho=-0.1), "rho=-0.1"),
        (lambda: core.train.adagrad(0.1, -1), "initial_accumulator_value=-1"),
        (
            lambda: core.train.adam.from_config({"learningRate": 1}),
            "Adam has no argument 'learningRate'; its arguments are learning_rate, beta1",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(make, message):
    with pytest.raises(core.CoreError, match=message):
        make()


def test_the_learning_rate_can_be_set():
    w = core.variable(1.0)
    optimizer = core.train.sgd(0.5)
    optimizer.minimize(lambda: w * 1.0)
    optimizer.learning_rate = np.float32(0.25)
    optimizer.minimize(lambda: w * 1.0)
    assert w.item() == 0.25
    with pytest.raises(core.CoreError, match="learning_rate=inf"):
        optimizer.learning_rate = float("inf")
    assert optimizer.learning_rate == 0.25
    assert repr(optimizer) == "SGD(learning_rate=0.25)"


def test_there_is_one_table_of_names():
    for name in ("sgd", "momentum", "rmsprop", "adam", "adadelta", "adamax", "adagrad"):
        kind = getattr(core.train, name)
        assert issubclass(kind, core.optimizers.Optimizer)
        assert getattr(core.train, kind.__name__) is kind
        assert kind.__doc__


# --- State -----------------------------------------------------------------------------------


def small_model(names=("dense/kernel", "dense/bias")):
    """Two variables, and a loss of them that has no end."""
    w = core.variable(np.linspace(-1, 1, 6).reshape(3, 2), name=names and names[0])
    b = core.variable([0.5, -0.5], name=names and names[1])
    x = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 3.0]], np.float32)
    return [w, b], lambda: core.mean(core.sin(core.matmul(x, w) + b))


def values_of(variables):
    return [v.numpy() for v in variables]


def check_that_it_goes_on(first, steps, expected, weights):
    """Whether another optimizer with the saved state makes the same steps with new variables."""
    variables, loss = small_model(None)
    for variable, value in zip(variables, first, strict=True):
        variable.assign(value)
    for _ in range(2):
        steps.minimize(loss)
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_array_equal(variable.numpy(), value)
    for array, saved in zip(steps.get_weights().values(), weights.values(), strict=True):
        np.testing.assert_array_equal(array, saved)


@each_optimizer
def test_saved_state_goes_on_as_if_nothing_had_happened(name, tmp_path):
    variables, loss = small_model()
    optimizer = OPTIMIZERS[name]()
    for _ in range(20):
        optimizer.minimize(loss)
    middle = values_of(variables)
    write_weights(tmp_path, optimizer.get_weights())
    copies = [copy.copy(optimizer), copy.deepcopy(optimizer)]
    copies += [pickle.loads(pickle.dumps(optimizer)), OPTIMIZERS[name]()]
    copies[-1].set_weights(load_weights(tmp_path))
    assert [repr(c) for c in copies] == [repr(optimizer)] * 4
    for _ in range(2):
        optimizer.minimize(loss)
    for each in copies:
        assert each.iterations == 20
        check_that_it_goes_on(middle, each, values_of(variables), optimizer.get_weights())


PROCESS = """
import sys, core
from tests.core.optimizers.test_optimizers import OPTIMIZERS, small_model
from weights_cache import load_weights, write_weights
folder = sys.argv[1]
optimizer = OPTIMIZERS["adam"]()
optimizer.set_weights(load_weights(folder + "/optimizer"))
variables, loss = small_model()
for variable, value in zip(variables, load_weights(folder + "/model").values()):
    variable.assign(value)
optimizer.minimize(loss)
write_weights(folder + "/model", {v.name: v.numpy() for v in variables})
"""


def test_training_goes_on_in_another_process(tmp_path):
    variables, loss = small_model()
    optimizer = OPTIMIZERS["adam"]()
    for _ in range(3):
        optimizer.minimize(loss)
    write_weights(tmp_path / "optimizer", optimizer.get_weights())
    write_weights(tmp_path / "model", {v.name: v.numpy() for v in variables})
    command = [sys.executable, "-c", PROCESS, str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT)
    optimizer.minimize(loss)
    for name, array in load_weights(tmp_path / "model").items():
        np.testing.assert_array_equal(array, next(v for v in variables if v.name == name).numpy())


def test_state_is_named_and_ordered_as_in_tensorflow_js():
    variables, loss = small_model()
    optimizer = core.train.adamax()
    assert list(optimizer.get_weights()) == ["iter"]
    optimizer.minimize(loss)
    owners = ("dense/kernel", "dense/bias")
    assert list(optimizer.get_weights()) == ["iter", *(f"{o}/{s}" for s in "mv" for o in owners)]
    assert optimizer.get_weights()["iter"].dtype == np.int32
    optimizer.get_weights()["dense/bias/m"][:] = 7  # a copy
    assert (optimizer.get_weights()["dense/bias/m"] != 7).all()


def test_variables_come_one_by_one():
    (w, b), _ = small_model()
    optimizer = core.train.momentum(1.0, 0.5)
    optimizer.apply_gradients([(b.numpy(), b)])
    optimizer.apply_gradients([(w.numpy(), w)])
    saved = optimizer.get_weights()
    assert list(saved) == ["iter", "dense/bias/momentum", "dense/kernel/momentum"]
    restored = core.train.momentum(1.0, 0.5)
    restored.set_weights(saved)
    restored.apply_gradients([(0 * w, w)])
    restored.set_weights(restored.get_weights())  # of one that is there and one that is not
    restored.apply_gradients([(0 * b, b)])
    for name in saved:
        factor = 1 if name == "iter" else 0.5
        expected = saved[name] * factor + (2 if name == "iter" else 0)
        np.testing.assert_array_equal(restored.get_weights()[name], expected)


def test_the_state_before_the_first_step_can_be_set_again():
    variables, loss = small_model()
    optimizer = core.train.adam()
    fresh, start = optimizer.get_weights(), values_of(variables)
    for _ in range(3):
        optimizer.minimize(loss)
    optimizer.set_weights(fresh)
    assert optimizer.iterations == 0
    assert list(optimizer.get_weights()) == ["iter"]
    for variable, value in zip(variables, start, strict=True):
        variable.assign(value)
    for _ in range(2):
        optimizer.minimize(loss)
    again = core.train.adam()
    again.set_weights(fresh)
    check_that_it_goes_on(start, again, values_of(variables), optimizer.get_weights())


def state(**arrays):
    return {"iter": 1, **{n.replace("_", "/"): np.ones(a, np.float32) for n, a in arrays.items()}}


def counted(*numbers_and_shapes):
    """Adam's state of variables without names of their own."""
    pairs = zip(numbers_and_shapes[::2], numbers_and_shapes[1::2], strict=True)
    arrays = {f"variable_{n}/{s}": floats(np.ones(a)) for n, a in pairs for s in "mv"}
    return {"iter": 1, **arrays}


@pytest.mark.parametrize(
    "weights, message",
    [
        ({"w/m": np.ones(2)}, "'iter', the number of steps, is missing"),
        ({"iter": 1.5}, "iter=1.5"),
        ({"iter": -1}, "iter=-1"),
        ([1], "weights must be a dict"),
        (state(w_m=2, w_v=2, b_m=(), b_v=(), w_x=2), "no slot 'w/x'.*'<variable>/v'"),
        (state(w_m=2, w_v=2, b_m=()), "'b/v'. is missing"),
        (state(w_m=2, w_v=3, b_m=(), b_v=()), r"have the shapes \(3,\), \(3,\), got"),
        (state(w_m=3, w_v=3, b_m=(), b_v=()), r"'w' has shape \(2,\), .* has \(3,\)"),
        (counted(8, [2], 9, [1]), r"'b' has shape \(\), .* saved for 'variable_9' has \(1,\)"),
        (counted(8, [2]), r"\['w', 'b'\] do not match those of the saved state, \['variable_8'\]"),
        (state(p_m=2, p_v=2, q_m=(), q_v=()), r"saved state, \['p', 'q'\]"),
        (state(), "do not match"),
        ({"iter": 2**31}, "iter=2147483648 is above 2147483647"),
        ({"iter": 1e30}, "iter"),
        ({**state(w_m=2, w_v=2), "b/m": np.ones(()), "b/v": np.ones(())}, "float32, got float64"),
    ],
)
def test_state_that_does_not_fit_is_refused_and_changes_nothing(weights, message):
    w, b = core.variable([1.0, 2.0], name="w"), core.variable(1.0, name="b")
    optimizer = core.train.adam()
    optimizer.minimize(lambda: core.sum(w) * b)
    before = optimizer.get_weights()
    with pytest.raises(core.CoreError, match=message):
        optimizer.set_weights(weights)
    assert {n: a.tolist() for n, a in optimizer.get_weights().items()} == {
        n: a.tolist() for n, a in before.items()
    }


def test_loaded_state_that_does_not_fit_is_told_when_the_variables_come():
    w, b = core.variable([1.0, 2.0], name="w"), core.variable(1.0)
    optimizer = core.train.adam()
    optimizer.set_weights(counted(1_000_001, 2, 1_000_002, (), 1_000_003, ()))
    with pytest.raises(core.CoreError, match=r"'w', 'variable_.*do not match.*_1000003"):
        optimizer.minimize(lambda: core.sum(w) * b)
    assert w.tolist() == [1.0, 2.0]
    assert optimizer.iterations == 1
    optimizer.set_weights(counted(1_000_001, 2, 1_000_002, ()))
    optimizer.minimize(lambda: core.sum(w) * b)
    np.testing.assert_allclose(optimizer.get_weights()["w/m"], 0.9 + 0.1)


@pytest.mark.parametrize("order", ["abc", "cab", "acb", "all"])
def test_variables_that_are_not_among_the_saved_ones_start_fresh(order):
    trained = {n: core.variable(1.0, name=n) for n in "abc"}
    optimizer = core.train.momentum(1.0, 0.5)
    optimizer.set_weights({"iter": 5, **{f"{n}/momentum": floats(8.0) for n in "ab"}})
    for names in ["abc"] if order == "all" else order:
        variables = [trained[n] for n in names]
        optimizer.minimize(lambda several=variables: sum(several[1:], several[0] * 1.0))
    found = {n: a.item() for n, a in optimizer.get_weights().items()}
    assert found.pop("iter") == (6 if order == "all" else 8)
    assert found == {"a/momentum": 5.0, "b/momentum": 5.0, "c/momentum": 1.0}


def test_state_of_some_variables_is_set_while_all_are_there():
    w, b = core.variable([1.0, 2.0], name="w"), core.variable(1.0, name="b")
    optimizer = core.train.momentum(1.0, 0.5)
    optimizer.minimize(lambda: core.sum(w) + b)
    optimizer.set_weights(state(w_momentum=2, q_momentum=3))
    found = optimizer.get_weights()
    assert (found["w/momentum"].tolist(), found["b/momentum"], found["q/momentum"].size) == (
        [1.0, 1.0],
        0.0,
        3,
    )


@each_optimizer
def test_the_configuration_makes_the_same_optimizer(name):
    optimizer = OPTIMIZERS[name]()
    optimizer.learning_rate = 0.125
    config = json.loads(json.dumps(optimizer.get_config()))
    again = type(optimizer).from_config(config)
    assert again.get_config() == config
    assert config["learning_rate"] == 0.125
    assert again.formula == name


# --- Training --------------------------------------------------------------------------------


@each_optimizer
def test_a_regression_is_learned(name, rng):
    x = rng.normal(size=(64, 3)).astype(np.float32)
    y = x @ floats([[1.0], [-2.0], [0.5]]) + 0.25
    w, b = core.variable(np.zeros((3, 1))), core.variable(0.0)
    optimizer = OPTIMIZERS[name]()
    for _ in range(400):
        optimizer.minimize(lambda: core.mean(core.square(core.matmul(x, w) + b - y)))
    assert np.square(x @ w.numpy() + b.numpy() - y).mean() < 1e-3


def test_exclusive_or_is_learned(rng):
    x, y = floats([[0, 0], [0, 1], [1, 0], [1, 1]]), floats([[0], [1], [1], [0]])
    w1, b1 = core.variable(rng.normal(size=(2, 8))), core.variable(np.zeros(8))
    w2, b2 = core.variable(rng.normal(size=(8, 1))), core.variable(np.zeros(1))

    def predicted():
        return core.sigmoid(core.matmul(core.tanh(core.matmul(x, w1) + b1), w2) + b2)

    optimizer = core.train.adam(0.1)
    for _ in range(200):
        optimizer.minimize(lambda: core.mean(core.square(predicted() - y)))
    np.testing.assert_allclose(predicted().numpy(), y, atol=0.1)


def test_memory_stays_flat_and_counts_what_is_kept():
    w = core.variable(np.ones((25, 4)))
    optimizer = core.train.adam()
    before = core.memory()
    optimizer.minimize(lambda: core.mean(core.square(w)))
    after = core.memory()
    assert after["num_bytes"] - before["num_bytes"] == 2 * 400
    assert after["num_tensors"] - before["num_tensors"] == 2
    for _ in range(1000):
        optimizer.minimize(lambda: core.mean(core.square(w)))
    assert core.memory() == after
    del optimizer
    assert core.memory() == before


@each_optimizer
def test_variables_that_are_gone_leave_nothing(name, either_way):
    optimizer, kept = OPTIMIZERS[name](), core.variable([1.0], name="kept")
    optimizer.minimize(lambda: core.sum(kept * kept))
    gc.collect()
    before, weights = core.memory(), list(optimizer.get_weights())
    for number in range(20):
        w = core.variable(np.ones(50), name=f"w{number % 2}")
        optimizer.minimize(lambda several=(w, kept): core.sum(several[0] * several[1]))
        assert ([n for n in optimizer.get_weights() if n.startswith("w")] != []) is (name != "sgd")
        del w
        assert core.memory() == before
    gc.collect()
    assert core.memory() == before
    assert list(optimizer.get_weights()) == weights
    with pytest.raises(core.CoreError, match="the variable 'w0' is unknown"):
        optimizer.apply_gradients({"w0": floats([1.0])})


def test_a_tidy_scope_takes_nothing_of_what_is_kept(either_way):
    w = core.variable([1.0, 2.0])
    optimizer, expected = core.train.adam(), core.variable([1.0, 2.0])
    other = core.train.adam()
    for _ in range(3):
        with core.tidy():
            optimizer.minimize(lambda: core.sum(core.square(w)))
        other.minimize(lambda: core.sum(core.square(expected)))
    assert w.tolist() == expected.tolist()


def test_a_step_inside_of_a_gradient_leaves_the_values_that_it_needs(either_way):
    w, v = core.variable([2.0, 3.0]), core.variable(1.0)
    optimizer = core.train.momentum(1.0, 0.9)

    def loss(x):
        y = core.sum(w * x)
        for _ in range(2):
            optimizer.minimize(lambda: core.sum(w) + v, variables=[w, v])
        return y + core.sum(w) * core.sum(x)

    gradient = core.grad(loss)([1.0, 1.0])
    after = w.numpy()
    assert (after < [1.0, 2.0]).all()
    np.testing.assert_allclose(gradient.numpy(), [2.0 + after.sum(), 3.0 + after.sum()])


@each_optimizer
def test_a_step_is_in_no_tape(name, either_way):
    g, w = core.tensor([1.0, 2.0]), core.variable([1.0, 2.0])
    tape = Tape([g])
    with observing(tape):
        OPTIMIZERS[name]().apply_gradients([(g, w)])
    assert not tape.nodes


def test_threads_may_share_an_optimizer(either_way):
    """NumPy lets other threads run while it works on arrays of this size."""
    w = core.variable(np.zeros(100_000), name="w")
    optimizer = core.train.momentum(1.0, 1.0)
    gradient = core.tensor(np.full(100_000, -1.0))

    def work():
        for _ in range(20):
            optimizer.apply_gradients([(gradient, w)])

    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(copy_context().run, work) for _ in range(8)]
    assert [r.result() for r in running] == [None] * 8
    np.testing.assert_array_equal(w.numpy(), 160 * 161 / 2)
    assert optimizer.iterations == 160


def test_debug_mode_names_the_optimizer():
    w, b = core.variable([1.0, 2.0]), core.variable(1.0)
    optimizer = core.train.rmsprop(0.1, centered=True)
    with core.debug_mode(), pytest.raises(core.NotFiniteError) as raised:
        optimizer.apply_gradients([(floats(1), b), (floats([1, 0]), w)])
    assert raised.value.op == "RMSProp"
    assert "test_optimizers.py" in raised.value.line
    assert b.item() < 1 and np.isnan(w.numpy()[1]) and optimizer.iterations == 0


def test_debug_mode_checks_all_gradients_before_the_first_change(either_way):
    w, b = core.variable([1.0, 2.0], name="w"), core.variable(1.0)
    wrong, optimizer = core.tensor([1.0, np.inf]), core.train.adam()
    with (
        core.debug_mode(),
        pytest.raises(core.NotFiniteError, match=r"gradient of 'w' gave inf at \[1\]"),
    ):
        optimizer.apply_gradients([(floats(1), b), (wrong, w)])
    assert (w.tolist(), b.item()) == ([1.0, 2.0], 1.0)
    assert list(optimizer.get_weights()) == ["iter"]


# --- Subclasses ------------------------------------------------------------------------------


def test_the_base_makes_no_steps():
    with pytest.raises(core.CoreError, match="Optimizer has no formula.*core.train.sgd"):
        core.optimizers.Optimizer(0.1)

    class Unfinished(core.optimizers.Optimizer):
        formula = "sgd"

    w = core.variable(1.0)
    with pytest.raises(core.CoreError, match="Unfinished must define _constants"):
        Unfinished(0.1).minimize(lambda: w * w)
    assert w.item() == 1.0


def test_a_subclass_that_hides_its_arguments():
    class Hidden(core.train.SGD):
        def __init__(self, learning_rate, *args, **options):
            super().__init__(learning_rate)

    assert repr(Hidden(0.5)).endswith("Hidden(learning_rate=0.5)")
    with pytest.raises(core.CoreError, match="Hidden does not store its argument 'args'"):
        Hidden(0.5).get_config()

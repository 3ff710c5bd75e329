"""Options that all of Keras's optimizers share, configs, names, and steps in place."""

import copy
import gc
import inspect
import json
import pickle

import numpy as np
import pytest

import core
from core.backends.cpu.optimizers import BLOCK
from core.optimizers import schedules
from tests.core.optimizers.test_keras_numbers import CASES, label, made
from tests.core.optimizers.test_optimizers import OpsBackend, gradients_like

each_case = pytest.mark.parametrize("case", CASES, ids=label)
NAMES = [name for name in core.optimizers.__all__ if name[0].isupper() and "Opti" not in name]


# --- Configs and names -----------------------------------------------------------------------


@each_case
def test_configs_are_those_of_keras(case):
    optimizer = made(case)
    config = optimizer.get_config()
    assert config == json.loads(json.dumps(config))
    assert config == {**case["config"], **{n: config[n] for n in rounded(config, case["config"])}}
    assert type(optimizer).from_config(config).get_config() == config
    assert core.optimizers.get(optimizer) is optimizer


def rounded(ours, keras):
    """The names of numbers that are equal in float32."""
    return [n for n in keras if isinstance(keras[n], float) and np.float32(ours[n]) == keras[n]]


@pytest.mark.parametrize("name", NAMES)
def test_an_optimizer_is_found_by_its_name(name):
    kind = getattr(core.optimizers, name)
    for spelled in (name, name.lower(), kind):
        found = core.optimizers.get(spelled)
        assert type(found) is kind
        assert found.get_config() == kind().get_config()
    parameters = [*inspect.signature(kind).parameters]
    assert parameters[0] == "learning_rate" and parameters[-1] in ("name", "weight_decay")
    assert {"clipnorm", "use_ema", "weight_decay"} < {*parameters}


@pytest.mark.parametrize(
    "identifier, expected",
    [
        (
            {"class_name": "Adam", "config": {"learningRate": 0.5, "beta1": 0.8, "epsilon": None}},
            core.train.Adam(0.5, beta1=0.8),
        ),
        (
            {"class_name": "Momentum", "config": {"learning_rate": 0.5, "momentum": 0.5}},
            core.train.Momentum(0.5, 0.5),
        ),
        (
            {"class_name": "RMSProp", "config": {"learning_rate": 0.5, "decay": 0.8}},
            core.train.RMSProp(0.5, 0.8),
        ),
        (
            {"class_name": "SGD", "config": {"lr": 0.5, "decay": 0.0, "momentum": 0.5}},
            core.optimizers.SGD(0.5, 0.5),
        ),
        (
            {"class_name": "SGD", "config": {"learning_rate": 0.5, "decay": 0.25}},
            core.optimizers.SGD(schedules.InverseTimeDecay(0.5, 1, 0.25)),
        ),
        (
            {
                "class_name": "Custom>AdamW",
                "config": {"name": "AdamW", "jit_compile": True, "is_legacy_optimizer": False},
            },
            core.optimizers.AdamW(name="AdamW"),
        ),
        (
            {
                "module": "keras.optimizers",
                "class_name": "Adam",
                "config": {
                    "learning_rate": {
                        "module": "keras.optimizers.schedules",
                        "class_name": "CosineDecay",
                        "config": {"initial_learning_rate": 0.5, "decay_steps": 10},
                        "registered_name": None,
                    }
                },
                "registered_name": None,
            },
            core.optimizers.Adam(schedules.CosineDecay(0.5, 10)),
        ),
    ],
    ids=repr,
)
def test_configs_in_all_spellings(identifier, expected):
    given = copy.deepcopy(identifier)
    found = core.optimizers.get(identifier)
    assert type(found) is type(expected)
    assert found.get_config() == expected.get_config()
    assert identifier == given


@pytest.mark.parametrize(
    "identifier, message",
    [
        ("adamm", "no optimizer 'adamm'; the names are adadelta, adafactor, adagrad, adam, adam_w"),
        ({"class_name": "Adam", "config": {"beta_3": 1}}, "no argument 'beta_3'; its .*beta_2, "),
        ({"class_name": "Adam", "config": 3}, "config of the optimizer 'Adam' must be a dict"),
        ({"config": {}}, "is no optimizer"),
        (
            {"class_name": "SGD", "config": {"learning_rate": {"class_name": "Rise"}}},
            "no learning-rate schedule 'Rise'; the names are cosine_decay",
        ),
    ],
)
def test_wrong_names_list_the_valid_ones(identifier, message):
    with pytest.raises(core.CoreError, match=message):
        core.optimizers.get(identifier)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda o: o.SGD("fast"), "learning_rate='fast' must be a finite number"),
        (lambda o: o.SGD(momentum=2), "momentum=2 must be .* from 0 to 1"),
        (lambda o: o.SGD(clipnorm=1.0, clipvalue=1.0), "one way only, got clipnorm=1.0, clipvalue"),
        (lambda o: o.SGD(clipnorm=0.0), "clipnorm=0.0 must be above 0"),
        (lambda o: o.SGD(gradient_accumulation_steps=1), "gradient_accumulation_steps=1"),
        (lambda o: o.SGD(use_ema=True, ema_overwrite_frequency=0), "ema_overwrite_frequency=0"),
        (lambda o: o.Adam(beta_2=1), "beta_2 must be below 1"),
        (lambda o: o.AdamW(weight_decay=None), "AdamW needs a number as weight_decay"),
        (lambda o: o.Lion(beta_1=0), "beta_1 must be above 0"),
        (lambda o: o.Ftrl(learning_rate_power=1.0), "learning_rate_power=-1.0 must be"),
        (lambda o: o.schedules.CosineDecay(0.1, 0), "decay_steps=0 must be above 0"),
        (lambda o: o.schedules.PiecewiseConstantDecay([1], [0.1]), "got 1 boundaries and 1 values"),
        (lambda o: o.schedules.PiecewiseConstantDecay([2, 1], [1, 2, 3]), "in rising order"),
        (lambda o: o.schedules.LearningRateSchedule()(1), "LearningRateSchedule must define"),
        (lambda o: o.Adam().exclude_from_weight_decay(var_names=["("]), "is no regular expression"),
    ],
)
def test_invalid_options_are_refused(make, message):
    with pytest.raises(core.CoreError, match=message):
        make(core.optimizers)


def test_an_optimizer_shows_what_was_chosen():
    optimizer = core.optimizers.SGD(0.5, clipnorm=1.0)
    assert repr(optimizer) == "SGD(learning_rate=0.5, momentum=0.0, nesterov=False, clipnorm=1.0)"
    optimizer.learning_rate = schedules.InverseTimeDecay(0.5, 1, 0.25)
    assert "learning_rate=InverseTimeDecay(initial_learning_rate=0.5" in repr(optimizer)


# --- Learning rates --------------------------------------------------------------------------


def test_a_schedule_sets_the_rate_of_each_step():
    w = core.variable(0.0)
    optimizer = core.optimizers.SGD(schedules.PiecewiseConstantDecay([0, 1], [1.0, 10.0, 100.0]))
    found = []
    for _ in range(3):
        optimizer.apply_gradients([(-1.0, w)])
        found.append(w.item())
    assert found == [1.0, 11.0, 111.0]
    with pytest.raises(core.CoreError, match="follows the schedule PiecewiseConstantDecay"):
        optimizer.learning_rate = 0.5
    optimizer.learning_rate = schedules.ExponentialDecay(8.0, 1, 0.5)
    assert optimizer.learning_rate == 1.0


@pytest.mark.parametrize("make", [core.optimizers.Adam, core.train.adam])
def test_a_rate_is_assigned_as_in_keras(make):
    optimizer = make(0.5)
    rate = optimizer.learning_rate
    rate.assign(0.25)
    assert optimizer.learning_rate == 0.25 and rate == 0.5  # numbers do not change
    assert isinstance(rate, float) and repr(rate) == "0.5" and json.dumps(rate) == "0.5"
    assert type(optimizer.get_config()["learning_rate"]) is float
    assert type(pickle.loads(pickle.dumps(rate))) is type(copy.deepcopy(rate)) is float
    with pytest.raises(core.CoreError, match="learning_rate='fast' must be a finite number"):
        rate.assign("fast")


def test_a_rate_of_a_schedule_is_not_assigned():
    optimizer = core.optimizers.SGD(schedules.ExponentialDecay(8.0, 1, 0.5))
    with pytest.raises(core.CoreError, match="follows the schedule ExponentialDecay"):
        optimizer.learning_rate.assign(0.5)


def test_a_compiled_step_takes_the_rate_of_each_call():
    w, optimizer = core.variable(0.0), core.optimizers.SGD(1.0)

    @core.compile
    def step(g):
        optimizer.apply_gradients([(g, w)])

    step(core.tensor(-1.0))
    optimizer.learning_rate = 0.5
    step(core.tensor(-1.0))
    optimizer.learning_rate = schedules.PiecewiseConstantDecay([2], [0.25, 8.0])
    step(core.tensor(-1.0))
    step(core.tensor(-1.0))
    assert w.item() == 1.0 + 0.5 + 0.25 + 8.0


# --- What the options do ---------------------------------------------------------------------


def test_a_scaled_loss_gives_the_same_steps():
    found = []
    for scale in (None, 1024.0):
        w = core.variable([1.0, -2.0])
        optimizer = core.optimizers.SGD(0.25, loss_scale_factor=scale)
        loss = optimizer.minimize(lambda w=w: core.sum(core.square(w)), return_cost=True)
        found.append((loss.item(), w.tolist()))
    assert found[0] == found[1] == (5.0, [0.5, -1.0])


def test_weights_that_do_not_decay():
    several = [core.variable(1.0, name=n) for n in ("dense/kernel", "dense/bias", "gamma")]
    optimizer = core.optimizers.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[several[2]], var_names=["bias$"])
    optimizer.apply_gradients([(0.0, v) for v in several])
    assert [v.item() for v in several] == [0.75, 1.0, 1.0]
    copied = pickle.loads(pickle.dumps(optimizer))
    copied.apply_gradients([(0.0, v) for v in several])
    assert [v.item() for v in several] == [0.5625, 1.0, 1.0]
    with pytest.raises(core.CoreError, match="before the first step"):
        optimizer.exclude_from_weight_decay(var_names=["kernel"])


def test_averages_count_variables_without_a_gradient():
    w, b = core.variable(1.0, name="w"), core.variable(4.0, name="b")
    optimizer = core.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    optimizer.build([w, b])
    optimizer.apply_gradients([(1.0, w), (None, b)])
    b.assign(8.0)
    optimizer.apply_gradients([(1.0, w), (None, b)])
    optimizer.finalize_variable_values([w, b])
    assert (w.item(), b.item()) == (-0.5, 6.0)


def test_infinite_gradients_make_all_of_them_nan_when_clipped_together():
    w, b = core.variable(1.0), core.variable(1.0)
    core.optimizers.SGD(0.1, global_clipnorm=1.0).apply_gradients([(np.inf, w), (1.0, b)])
    assert np.isnan([w.item(), b.item()]).all()


# --- In place, by ops, saved -----------------------------------------------------------------


def trained(case, value, given):
    optimizer, w = made(case), core.variable(value, name="w")
    for gradient in given:
        optimizer.apply_gradients([(core.tensor(gradient), w)])
    return {"value": w.numpy(), **optimizer.get_weights()}


@each_case
@pytest.mark.parametrize("shape", [(), (3, 4), (2, BLOCK + 3)], ids=str)
def test_a_step_in_place_gives_the_bits_of_the_ops(case, shape, rng, monkeypatch):
    value = rng.normal(size=shape).astype(np.float32)
    given = [gradients_like(rng, shape) for _ in range(3)]
    ours = trained(case, value, given)
    monkeypatch.setitem(core.engine.backends.BACKENDS, "cpu", OpsBackend())
    with core.backend("cpu"):
        by_ops = trained(case, value, given)
    assert list(ours) == list(by_ops)
    for name, array in ours.items():
        np.testing.assert_array_equal(array, by_ops[name], err_msg=name)


@each_case
def test_a_copy_goes_on_as_if_nothing_had_happened(case):
    first, w = made(case), core.variable([[1.0, -2.0], [0.5, 3.0]], name="kernel")
    for scale in (0.5, 1.0, 0.25):
        first.apply_gradients([(w * scale, w)])
    other, v = pickle.loads(pickle.dumps(first)), core.variable(w.numpy(), name="kernel")
    assert repr(other) == repr(first)
    for scale in (0.5, 2.0):
        first.apply_gradients([(w * scale, w)])
        other.apply_gradients([(v * scale, v)])
    np.testing.assert_array_equal(v.numpy(), w.numpy())


@pytest.mark.parametrize("name", NAMES)
def test_steps_leave_nothing_behind(name):
    w = core.variable(np.ones((5, 4)))
    optimizer = core.optimizers.get(name)
    gc.collect()
    before = core.memory()
    optimizer.minimize(lambda: core.mean(core.square(w)))
    after = core.memory()
    for _ in range(20):
        optimizer.minimize(lambda: core.mean(core.square(w)))
    assert core.memory() == after
    del optimizer
    assert core.memory() == before

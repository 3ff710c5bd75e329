"""Recurrent layers over long series: one loop in compiled functions, with what Keras gives."""

import numpy as np
import pytest

import core
from core.compiled_functions.compiled_function import CompiledFunction
from core.layers.built_in import time_steps
from tests.core.models.keras_layers import listed, projections, start, unpacked
from tests.core.models.layer_cases import CASES, classes_in, models_of, values_of
from tests.core.models.test_layers_beside_keras import arrays, compare, given, recorded
from tests.helpers import require_llvmlite

LAYERS = core.layers
RECURRENT = {"SimpleRNN", "LSTM", "GRU", "RNN", "Bidirectional"}
RECURRENT |= {f"ConvLSTM{rank}D" for rank in (1, 2, 3)}
LOOPED = [name for name, case in CASES.items() if RECURRENT & set(classes_in(case))]

FEATURES = 3


@pytest.fixture
def looped(monkeypatch):
    """Loops also for series of a few steps."""
    monkeypatch.setattr(time_steps, "MOST_UNROLLED", 0)


def ops_of(plan):
    return [step.op for step in plan.steps]


def series_model(steps, *layers, batch=None):
    return core.Sequential([LAYERS.Input((steps, FEATURES), batch_size=batch), *layers])


def series(rng, batch, steps):
    return rng.normal(size=(batch, steps, FEATURES)).astype(np.float32)


def loops_in(compiled, *inputs):
    return ops_of(compiled.plan(*inputs)).count("loop")


def predict_plan(model, x):
    return model._steps_for().predict.plan([core.tensor(x)])


def train_plan(model, x, y):
    return model._steps_for().train.plan([core.tensor(x)], [core.tensor(y)], [None])


@pytest.mark.parametrize("name", LOOPED)
def test_results_and_gradients_beside_keras(looped, name):
    case, expected = CASES[name], recorded()[name]
    model, _ = models_of(core, case)
    start(model)
    inputs = [values_of(data, i) for i, data in enumerate(case.inputs)]
    fed = [core.variable(x) if x.dtype == np.float32 else core.tensor(x) for x in inputs]
    sources = [*model.trainable_variables, *(x for x in fed if isinstance(x, core.Variable))]

    @core.compile
    def alone():
        return listed(model(given(fed)))

    @core.compile
    def with_gradients():
        seen = []

        def total():
            read = [x.read() if isinstance(x, core.Variable) else x for x in fed]
            seen[:] = outputs = listed(model(given(read), training=True))
            pairs = zip(projections(outputs), outputs, strict=True)
            return sum(core.sum(o * p) for p, o in pairs)

        found = core.variable_grads(total, sources).grads
        return seen, [found[v.name] for v in sources]

    compare(arrays(alone()), unpacked(expected["output"]), "result")
    outputs, gradients = with_gradients()
    compare(arrays(outputs), unpacked(expected["training"]), "result in training")
    compare(arrays(gradients), unpacked(expected["gradients"]), "gradient")
    assert loops_in(with_gradients) == 2 * loops_in(alone) > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: [LAYERS.LSTM(4)],
        lambda: [LAYERS.Masking(), LAYERS.Bidirectional(LAYERS.GRU(3, return_sequences=True))],
        lambda: [LAYERS.RNN([LAYERS.LSTMCell(3), LAYERS.GRUCell(2)], go_backwards=True)],
    ],
    ids=["lstm", "masked both ways", "cells"],
)
def test_plans_are_as_long_for_more_steps(rng, make):
    found = set()
    for steps in (100, 1000):
        model = series_model(steps, *make())
        model.compile("sgd", "mse")
        x = series(rng, 2, steps)
        y = np.zeros(model.predict(x).shape, np.float32)
        found.add((len(predict_plan(model, x).steps), len(train_plan(model, x, y).steps)))
    ((predicting, training),) = found
    assert predicting < 30 and training < 80


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_a_thousand_steps_give_what_ops_give(rng, tier, kind):
    """Predicting, evaluating and a training step, beside a run op by op."""
    x, y = series(rng, 2, 1000), series(rng, 2, 1)[:, 0, :1]
    compiled = series_model(1000, getattr(LAYERS, kind)(5), LAYERS.Dense(1))
    by_ops = series_model(1000, getattr(LAYERS, kind)(5), LAYERS.Dense(1))
    by_ops.set_weights(compiled.get_weights())
    for model in (compiled, by_ops):
        model.compile(core.optimizers.SGD(0.1), "mse", run_eagerly=model is by_ops)
    expected = by_ops(x).numpy()
    np.testing.assert_allclose(compiled.predict(x), expected, rtol=1e-5, atol=1e-6)
    losses = [model.evaluate(x, y) for model in (compiled, by_ops)]
    losses += [model.train_on_batch(x, y) for model in (compiled, by_ops)]
    np.testing.assert_allclose(losses, np.mean((expected - y) ** 2), rtol=1e-5)
    for mine, right in zip(compiled.get_weights(), by_ops.get_weights(), strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-5, atol=1e-6)
    assert "loop" in ops_of(predict_plan(compiled, x))
    assert "loop" in ops_of(train_plan(compiled, x, y))


def test_a_state_is_kept_from_call_to_call(rng, tier):
    x = series(rng, 2, 160)
    whole = series_model(160, LAYERS.GRU(4, return_sequences=True))
    halves = series_model(80, LAYERS.GRU(4, return_sequences=True, stateful=True), batch=2)
    halves.set_weights(whole.get_weights())
    found = [halves.predict(part) for part in (x[:, :80], x[:, 80:])]
    np.testing.assert_allclose(np.concatenate(found, 1), whole.predict(x), rtol=1e-5, atol=1e-6)
    assert "loop" in ops_of(predict_plan(halves, x[:, :80]))


def test_dropout_has_one_mask_for_all_steps(rng, monkeypatch):
    """As unrolled steps have, which take the same random numbers."""
    x, y = series(rng, 2, 9), np.ones((2, 3), np.float32)
    weights = series_model(9, LAYERS.LSTM(3)).get_weights()
    found = []
    for most in (0, 64):
        monkeypatch.setattr(time_steps, "MOST_UNROLLED", most)
        model = series_model(9, LAYERS.LSTM(3, dropout=0.2, recurrent_dropout=0.5, seed=3))
        model.set_weights(weights)
        model.compile(core.optimizers.SGD(0.5), "mse")
        found.append([model.train_on_batch(x, y) for _ in range(3)])
        assert ("loop" in ops_of(train_plan(model, x, y))) == (most == 0)
    assert len(set(found[0])) == 3
    np.testing.assert_allclose(*found, rtol=1e-6)


@core.custom_grad
def straight(x):
    """Round, with the gradient of no rounding."""
    return core.round(x), lambda dy: dy


@pytest.mark.parametrize(
    "activation",
    [
        lambda x: core.tanh(x) * core.stop_gradient(x),
        lambda x: core.tanh(x) + straight(core.tanh(x)),
    ],
    ids=["stopped", "own"],
)
def test_gradients_that_users_define_are_theirs(rng, looped, activation):
    """A loop would take the gradients of the ops: training has none, predicting has."""
    x, y = series(rng, 2, 6), np.ones((2, 3), np.float32)
    models = [series_model(6, LAYERS.SimpleRNN(3, activation=activation)) for _ in range(2)]
    models[1].set_weights(models[0].get_weights())
    for model, eagerly in zip(models, (False, True), strict=True):
        model.compile(core.optimizers.SGD(0.1), "mse", run_eagerly=eagerly)
    losses = [[model.train_on_batch(x, y) for _ in range(3)] for model in models]
    np.testing.assert_allclose(*losses, rtol=1e-5)
    models[0].predict(x)
    assert "loop" in ops_of(predict_plan(models[0], x))
    assert "loop" not in ops_of(train_plan(models[0], x, y))


def test_variables_that_a_step_reads_have_gradients(rng, looped):
    slope = core.variable(0.5, name="slope")
    layer, x = LAYERS.SimpleRNN(3, activation=lambda x: core.tanh(x * slope)), series(rng, 2, 6)
    layer(x)

    def gradients(x):
        found = core.variable_grads(lambda: core.sum(layer(x) ** 2)).grads
        return [found[v.name] for v in (slope, *layer.trainable_variables)]

    compiled, x = core.compile(gradients), core.tensor(x)
    assert loops_in(compiled, x) == 2
    for mine, right in zip(compiled(x), gradients(x), strict=True):
        np.testing.assert_allclose(mine.numpy(), right.numpy(), rtol=1e-5, atol=1e-6)


def test_gradients_of_gradients(rng, looped):
    cell = series_model(7, LAYERS.LSTM(3))
    x = core.tensor(series(rng, 2, 7))

    def steepness(x):
        slope = core.grad(lambda a: core.sum(cell(a) ** 2))
        return core.grad(lambda a: core.sum(slope(a) ** 2))(x)

    compiled = core.compile(steepness)
    found = compiled(x).numpy()
    assert loops_in(compiled, x) >= 3
    np.testing.assert_allclose(found, steepness(x).numpy(), rtol=1e-4, atol=1e-6)


def test_warmup_compiles_the_loop(rng, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("CORE_TIER", "")
    monkeypatch.setenv("ZOO_CODE_CACHE", "0")
    model, x = series_model(70, LAYERS.LSTM(5)), core.tensor(series(rng, 1, 70))
    compiled = CompiledFunction(lambda x: model(x))
    (loop,) = (s.attributes["plan"] for s in compiled.plan(x).program.steps if s.op.name == "loop")
    assert loop.tier == "numpy"
    compiled.warmup(x)
    assert loop.tier == "generated"


def test_the_memory_of_a_run_has_that_of_its_loop(rng):
    model, x = series_model(100, LAYERS.LSTM(64)), series(rng, 8, 100)
    plan = predict_plan(model, x)
    (loop,) = (s.attributes["plan"] for s in plan.program.steps if s.op.name == "loop")
    own = plan.run_bytes - loop.run_bytes
    assert own >= plan.arena_bytes and loop.run_bytes > 8 * 64 * 4

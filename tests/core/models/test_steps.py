"""Compiled steps of models: made anew where other variables train, and after predictions."""

import numpy as np
import pytest

import core
from core.layers.function_layer import function_layer

X, Y = np.ones((4, 2), np.float32), np.ones((4, 3), np.float32)


def changed(model, before):
    pairs = zip(model.get_weights(), before, strict=True)
    return [not np.array_equal(one, other) for one, other in pairs]


def test_steps_follow_what_is_trainable():
    layers = [core.layers.Dense(3, input_shape=(2,)), core.layers.Dense(3)]
    model = core.Sequential(layers)
    model.compile("sgd", "mse")
    model.train_on_batch(X, Y)
    for step in (lambda: model.train_on_batch(X, Y), lambda: model.fit(X, Y, verbose=0)):
        layers[0].trainable = False
        before = model.get_weights()
        step()
        assert changed(model, before) == [False, False, True, True]
        layers[0].trainable = True
        layers[1].variables[1].trainable = False
        before = model.get_weights()
        step()
        assert changed(model, before) == [True, True, True, False]
        layers[1].variables[1].trainable = True
        before = model.get_weights()
        step()
        assert all(changed(model, before))


class OneLayer(core.Model):
    def __init__(self):
        super().__init__()
        self.dense = core.layers.Dense(3)

    def call(self, x):
        return self.dense(x)


def test_a_model_that_predicted_is_trained():
    """The steps of a subclass that has predicted know no losses yet."""
    model = OneLayer()
    model.compile("sgd", "mse")
    first = model.predict(X)
    loss = model.train_on_batch(X, Y)
    assert loss == pytest.approx(np.mean(np.square(first.numpy() - Y)), rel=1e-6)
    assert all(changed(model, [np.zeros((2, 3)), np.zeros(3)]))


def test_a_stopped_gradient_reaches_no_layer_before():
    """``x * stop(x)`` of layers: the factor that is stopped has no gradient, also in a plan."""
    inputs = core.layers.Input((2,))
    hidden = core.layers.Dense(2, name="hidden")(inputs)
    stopped = function_layer("StopGradient")(hidden)
    model = core.Model(inputs, stopped * core.layers.Dense(2, name="last")(stopped))
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.train_on_batch(X, Y[:, :2])
    assert changed(model, before) == [False, False, True, True]


def test_statistics_of_a_batch_have_the_gradients_of_their_formula(rng):
    """Batch norm leaves sums out that are 0; the plain formula has them."""
    layer = core.layers.BatchNormalization(epsilon=0.01)
    x = core.tensor(rng.normal(3, 2, (6, 4, 5)).astype(np.float32))
    weights = core.tensor(rng.normal(size=x.shape).astype(np.float32))
    layer(x)
    gamma, beta = (rng.normal(size=5).astype(np.float32) for _ in range(2))
    layer.set_weights([gamma, beta, np.zeros(5), np.ones(5)])

    def plain(x):
        mean = core.mean(x, axis=(0, 1), keep_dims=True)
        variance = core.mean(core.square(x - mean), axis=(0, 1), keep_dims=True)
        return (x - mean) * core.rsqrt(variance + 0.01) * gamma + beta

    def own(x):
        return layer(x, training=True)

    expected, found = (core.value_and_grad(lambda x, f=f: core.sum(f(x) * weights))(x)
                       for f in (plain, own))  # fmt: skip
    np.testing.assert_allclose(found[0].item(), expected[0].item(), rtol=1e-5)
    np.testing.assert_allclose(found[1].numpy(), expected[1].numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("eagerly", [False, True])
def test_metrics_leave_out_masked_steps(rng, eagerly):
    """Steps of word 0 are hidden, as in Keras 3, which refuses weights [batch] here."""
    model = core.Sequential(
        [core.layers.Embedding(5, 3, mask_zero=True, input_shape=(4,)), core.layers.Dense(1)]
    )
    counts = ["mae", core.metrics.TruePositives(thresholds=0.0)]
    model.compile("sgd", "mse", metrics=counts, weighted_metrics=["mse"], run_eagerly=eagerly)
    words = np.array([[1, 2, 0, 0], [3, 4, 1, 0]])
    labels = rng.integers(0, 2, (2, 4, 1)).astype(np.float32)
    found = model.predict(words).numpy()
    errors, known = (found - labels)[..., 0], words > 0
    samples, steps = np.float32([0.5, 2.0]), np.float32(rng.uniform(size=(2, 4)))
    for weights, shares in (
        (None, known),
        (samples, known * samples[:, None]),
        (samples[:, None], known * samples[:, None]),
        (steps, known * steps),
        (steps[..., None], known * steps),
    ):
        logs = model.evaluate(words, labels, sample_weight=weights, verbose=0, return_dict=True)
        assert logs["mae"] == pytest.approx(np.abs(errors)[known].mean(), rel=1e-5)
        assert logs["mse"] == pytest.approx((errors**2 * shares).sum() / shares.sum(), rel=1e-5)
        assert logs["true_positives"] == ((found > 0) & (labels > 0))[known].sum()

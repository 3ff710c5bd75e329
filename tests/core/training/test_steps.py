"""Compiled steps of models: made anew where other variables train, and after predictions."""

import numpy as np
import pytest

import core

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

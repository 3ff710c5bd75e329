"""Layers that adapt to data; numbers beside Keras's: tests/core/converter."""

import numpy as np
import pytest

import core
from core.errors import CoreError

DATA = np.array([[0.0, 7.0], [2.0, 9.0], [4.0, 5.0]])


def normalized(**options) -> core.layers.Normalization:
    layer = core.layers.Normalization(**options)
    layer.adapt(DATA)
    return layer


def test_standardised_data():
    found = normalized()(DATA).numpy()
    np.testing.assert_allclose(found.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(found.std(0), 1, rtol=1e-6)
    np.testing.assert_allclose(normalized(invert=True)(found).numpy(), DATA, rtol=1e-6)


def test_new_data_replace_the_old_ones():
    layer = normalized()
    layer.adapt(core.tensor(DATA + 1))
    np.testing.assert_allclose(layer.get_weights()[0], DATA.mean(0) + 1, rtol=1e-6)
    assert layer.trainable_variables == []
    assert [v.dtype for v in layer.variables] == ["float32", "float32", "int32"]


def test_a_model_computes_with_what_its_layer_adapted_to():
    layer = core.layers.Normalization(axis=None)
    model = core.Sequential([core.layers.Input((2,)), layer])
    before = model.predict(DATA).numpy()
    np.testing.assert_array_equal(before, DATA)
    layer.adapt(DATA)
    found = model.predict(DATA).numpy()
    np.testing.assert_allclose(found, (DATA - DATA.mean()) / DATA.std(), rtol=1e-6)


def test_weights_do_not_train_but_their_neighbours_do(rng):
    model = core.Sequential([core.layers.Input((2,)), normalized(), core.layers.Dense(1)])
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(DATA, rng.normal(size=(3, 1)), verbose=0)
    changed = [bool((a != b).any()) for a, b in zip(before, model.get_weights(), strict=True)]
    assert changed == [False, False, False, True, True]


def test_tensorflow_js_has_no_normalization(tmp_path):
    model = core.Sequential([core.layers.Input((2,)), normalized()])
    with pytest.raises(CoreError, match="TensorFlow.js cannot express these layers: .*Normaliz"):
        model.save(tmp_path / "web")
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (np.zeros((0, 2)), "one sample or more"),
        ([], "one sample or more"),
        (iter(()), "no data"),
        (["a", "b"], "arrays of numbers"),
        ("text", "an array or to batches"),
        (3.0, "an array or to batches"),
        ([[1.0], [2.0, 3.0]], "are no array"),
        (np.array([[np.nan, 1.0]]), "NaN or infinite"),
        (np.zeros((4, 3)), r"statistics of shape \(2,\), the data of shape \(4, 3\) have \(3,\)"),
        ([np.zeros((4, 2)), np.zeros((4, 3))], r"have \(3,\) along its axes"),
    ],
)
def test_data_that_do_not_fit(data, match):
    layer = normalized()
    weights = layer.get_weights()
    with pytest.raises(CoreError, match=match):
        layer.adapt(data)
    for array, before in zip(layer.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(array, before)


def test_a_given_mean_is_not_replaced():
    layer = core.layers.Normalization(mean=1.0, variance=4.0)
    with pytest.raises(CoreError, match="has a mean and variance already"):
        layer.adapt(DATA)

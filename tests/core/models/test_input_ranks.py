"""Inputs of functional models with an axis of length 1 more or less, as Keras takes them."""

import numpy as np
import pytest

import core
from core.errors import CoreError

L = core.layers


@pytest.fixture
def model():
    return core.Sequential([L.Input((3, 1)), L.Flatten(), L.Dense(2)])


def test_a_last_axis_of_length_1_may_be_absent(model, rng):
    x = rng.normal(size=(4, 3, 1)).astype(np.float32)
    expected = model.predict(x).numpy()
    np.testing.assert_array_equal(model.predict(x[:, :, 0]).numpy(), expected)
    np.testing.assert_array_equal(model.predict(x[..., None]).numpy(), expected)
    np.testing.assert_array_equal(model(core.tensor(x[:, :, 0])).numpy(), expected)


def test_a_vector_is_a_column():
    column = core.Sequential([L.Input((1,), dtype="int32"), L.Embedding(3, 2)])
    x = np.array([2, 0, 1, 1])
    found = column.predict(x).numpy()
    assert found.shape == (4, 1, 2)
    np.testing.assert_array_equal(found, column.predict(x[:, None]).numpy())


def test_a_vector_trains_as_a_column(rng):
    x, y = rng.normal(size=6).astype(np.float32), rng.normal(size=(6, 1)).astype(np.float32)
    found = []
    for given in (x, x[:, None]):
        model = core.Sequential([L.Input((1,)), L.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse")
        model.fit(given, y, shuffle=False, verbose=0)
        found.append(model.get_weights()[0])
    np.testing.assert_array_equal(*found)


def test_other_ranks_stay_errors(model):
    with pytest.raises(CoreError):
        model.predict(np.zeros((4, 3, 2), np.float32))

"""User-defined layers in files of models: their configs by custom_objects, and their weights."""

import json

import numpy as np
import pytest

import core
from core.errors import CoreError
from tests.helpers import require


class Affine(core.layers.Layer):
    def __init__(self, power=1, **options):
        super().__init__(**options)
        self.power = power

    def build(self, input_shape):
        self.factor = self.add_weight((input_shape[-1],), "ones", name="factor")
        self.offset = self.add_weight((input_shape[-1],), "zeros", name="offset")

    def call(self, x):
        return x**self.power * self.factor + self.offset

    def get_config(self):
        return {**super().get_config(), "power": self.power}


@pytest.fixture
def trained():
    core.set_random_seed(3)
    model = core.Sequential([core.layers.Input((3,)), Affine(2), core.layers.Dense(1)])
    model.compile("adam", "mse")
    x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    model.fit(x, x[:, :1], epochs=2, verbose=0)
    return model, x


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_files_keep_their_weights_and_configs(trained, name, tmp_path):
    require("h5py")
    model, x = trained
    model.save(tmp_path / name)
    again = core.load_layers_model(tmp_path / name, custom_objects={"Affine": Affine})
    assert again.layers[-2].power == 2
    for ours, theirs in zip(again.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    losses = [each.train_on_batch(x, x[:, :1]) for each in (model, again)]
    assert losses[0] == losses[1]
    assert again.train_on_batch(x, x[:, :1]) == model.train_on_batch(x, x[:, :1])


def test_a_class_that_is_not_given_is_named(trained, tmp_path):
    require("h5py")
    trained[0].save(tmp_path / "model.keras")
    with pytest.raises(NotImplementedError, match="Affine"):
        core.load_layers_model(tmp_path / "model.keras")


def test_tensorflow_js_has_no_such_layers(trained, tmp_path):
    with pytest.raises(CoreError, match="Affine"):
        trained[0].save(tmp_path / "model")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (
            core.layers.Layer,
            "the class Layer, cannot make the layer 'affine.*' of the arguments .*po",
        ),
        (Affine(), r"custom_objects\['Affine'\] must be a class of layers, got <"),
        (lambda x: x, r"custom_objects\['Affine'\] must be a class of layers, got <function"),
    ],
)
def test_custom_objects_that_are_no_such_class(given, match, trained):
    topology = {"class_name": "Sequential", "config": trained[0].get_config()}
    with pytest.raises(CoreError, match=match):
        core.model_from_json(json.dumps(topology), custom_objects={"Affine": given})


def test_a_class_with_the_name_of_a_function_is_no_function(tmp_path):
    class Square(core.layers.Layer):
        def call(self, x):
            return x * 3

    model = core.Sequential([core.layers.Input((3,)), Square()])
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(model.predict(x).numpy(), 3 * x)
    for name in ("model.keras", "model.h5"):
        model.save(tmp_path / name)
        with pytest.raises(NotImplementedError, match="Square"):
            core.load_layers_model(tmp_path / name)
        again = core.load_layers_model(tmp_path / name, custom_objects={"Square": Square})
        np.testing.assert_array_equal(again.predict(x).numpy(), 3 * x)
        with pytest.raises(NotImplementedError, match="Square"):
            core.load_model(tmp_path / name)

"""Clones, copies and pickles of models: equal layers, weights and states, and nothing shared."""

import copy
import pickle

import numpy as np
import pytest

import core
from core.converter.layer_files import LayersDocument
from core.errors import CoreError
from core.layers.weight_slots import bind_by_names, weight_slots
from core.models.documents import fill
from core.models.sequential import model_from_document
from tests.core.layers.recorded import documents, recorded
from tests.core.models.composites import NETWORKS, batch_of, model_of
from tests.core.models.keras_layers import listed, start

COPIES = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
}


class Scale(core.layers.Layer):
    """A user-defined layer."""

    def build(self, input_shape):
        self.factor = self.add_weight((input_shape[-1],), "ones", name="factor")

    def call(self, x):
        return x * self.factor


def trained() -> core.Model:
    """A model with a nested one that is called twice, operators, and outputs by name."""
    layers = core.layers
    x = layers.Input((5,))
    inner = core.Sequential(
        [layers.Dense(4, input_shape=(5,)), layers.BatchNormalization()], name="inner"
    )
    y = layers.Dense(5, name="first")(x)
    kind = layers.Dense(3, activation="softmax", name="kind")(inner(y) + inner(x))
    model = core.Model(x, {"kind": kind, "size": layers.Dense(1, name="size")(y)}, name="m")
    losses = {"kind": "sparse_categorical_crossentropy", "size": "mse"}
    model.compile("adam", losses, metrics={"kind": ["accuracy"]})
    step(model)
    return model


def step(model: core.Model) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(6, 5)).astype(np.float32)
    model.train_on_batch(x, {"kind": np.arange(6) % 3, "size": x[:, :1]})


@pytest.mark.parametrize("name", COPIES)
def test_copies_go_on_alike_and_apart(name):
    model = trained()
    made = COPIES[name](model)
    before = model.get_weights()
    step(made)
    assert_equal(model.get_weights(), before)
    step(model)
    assert_equal(model.get_weights(), made.get_weights())
    assert made.optimizer is not model.optimizer
    x = np.ones((1, 5), np.float32)
    assert sorted(made.predict(x)) == ["kind", "size"]
    assert made.metrics_names == model.metrics_names


def assert_equal(found: list, expected: list) -> None:
    for mine, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, right)


@pytest.mark.parametrize("name", NETWORKS)
def test_pickles_of_composite_networks(name):
    model = model_of(core, name)
    start(model)
    made = COPIES["pickle"](model)
    inputs = batch_of(name)
    inputs = inputs if len(inputs) > 1 else inputs[0]
    for mine, right in zip(listed(made(inputs)), listed(model(inputs)), strict=True):
        np.testing.assert_array_equal(mine.numpy(), right.numpy())


@pytest.mark.parametrize("file, dialect", [("keras2", "keras2"), ("tensorflow_js", "tfjs")])
def test_copies_of_models_from_files_keep_their_dialect(file, dialect):
    count = 0
    for name in documents(file):
        topology, weights, inputs, *_ = recorded(file, name)
        document = LayersDocument(topology, bind_by_names(weight_slots(topology), weights))
        model = model_from_document(topology)
        fill(model, document)
        made = COPIES["pickle"](model)
        assert {getattr(layer, "dialect", dialect) for layer in made.layers} == {dialect}
        given = inputs if len(inputs) > 1 else inputs[0]
        for mine, right in zip(listed(made(given)), listed(model(given)), strict=True):
            np.testing.assert_array_equal(mine.numpy(), right.numpy(), err_msg=name)
        count += 1
    assert count > 10


def test_user_defined_layers_and_unbuilt_models():
    model = core.Sequential([core.layers.Input((3,)), Scale(name="scale"), core.layers.Dense(2)])
    model.set_weights([weight + 1 for weight in model.get_weights()])
    made = copy.deepcopy(model)
    assert_equal(made.get_weights(), model.get_weights())
    assert isinstance(made.layers[0], Scale)
    unbuilt = copy.deepcopy(core.Sequential([core.layers.Dense(3, name="d")]))
    assert not unbuilt.built
    assert unbuilt(np.ones((1, 2), np.float32)).shape == (1, 3)


def test_clones_have_new_weights():
    model = trained()
    made = core.clone_model(model)
    assert [layer.name for layer in made.layers] == [layer.name for layer in model.layers]
    assert not made.is_compiled
    kernels = [each.get_layer("first").get_weights()[0] for each in (made, model)]
    assert not np.array_equal(*kernels)
    made.set_weights(model.get_weights())
    x = np.ones((1, 5), np.float32)
    assert_equal(*([y.numpy() for y in each.predict(x).values()] for each in (made, model)))


def test_clones_with_other_layers():
    model = core.Sequential([core.layers.Dense(4, input_shape=(3,)), core.layers.Dropout(0.5)])

    def without_dropout(layer):
        kind = core.layers.Identity if isinstance(layer, core.layers.Dropout) else type(layer)
        return kind.from_config(
            {"name": layer.name} if kind is core.layers.Identity else layer.get_config()
        )

    made = core.clone_model(model, without_dropout)
    assert [type(layer).__name__ for layer in made.layers] == ["Dense", "Identity"]
    with pytest.raises(CoreError, match="clone_function must return a layer for .* got None"):
        core.clone_model(model, lambda layer: None)


class Subclass(core.Model):
    def __init__(self):
        super().__init__()
        self.dense = core.layers.Dense(2)

    def call(self, x):
        return self.dense(x)


@pytest.mark.parametrize("make", [*COPIES.values(), core.clone_model])
def test_a_subclass_is_not_described(make):
    with pytest.raises(CoreError, match="is a subclass, whose layers nothing describes"):
        make(Subclass())

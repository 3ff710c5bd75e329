"""Classes that derive from built-in ones: they compute as they say, and no file has the parent."""

import copy
import json
import pickle
import zipfile

import numpy as np
import pytest

import core
from core.errors import CoreError

X = np.random.default_rng(4).normal(size=(2, 4, 3)).astype(np.float32)


class Doubled(core.layers.Dense):
    def call(self, x):
        return super().call(x) * 2


class Scaled(core.layers.LSTM):
    """With a weight of its own, and an argument."""

    def __init__(self, units, power=1, **options):
        super().__init__(units, **options)
        self.power = power

    def build(self, input_shape):
        super().build(input_shape)
        self.factor = self.add_weight((1,), "ones", name="factor")

    def call(self, x, training=None):
        return super().call(x, training=training) * self.factor**self.power

    def get_config(self):
        return {**super().get_config(), "power": self.power}


class Cell(core.layers.LSTMCell):
    pass


class Both(core.layers.Bidirectional):
    pass


class Small(core.layers.Dense):
    """With a constructor of its own, and nothing else."""

    def __init__(self, units=2, **options):
        super().__init__(units, **{"activation": "relu", **options})


class Fours(core.initializers.Ones):
    def __call__(self, shape, dtype="float32"):
        return super().__call__(shape, dtype) * 4


class Weak(core.regularizers.L2):
    def __call__(self, x):
        return super().__call__(x) * 0.5


class Short(core.constraints.MaxNorm):
    pass


class Squares(core.losses.MeanSquaredError):
    def call(self, y_true, y_pred):
        return super().call(y_true, y_pred) * 3


class Far(core.metrics.MeanAbsoluteError):
    pass


class Slow(core.optimizers.Adam):
    pass


class Steps(core.optimizers.schedules.ExponentialDecay):
    pass


CLASSES = {
    made.__name__: made
    for made in (
        *(Doubled, Scaled, Both, Small, Fours, Weak, Short, Squares, Far, Slow, Steps),
        core.layers.Layer,
    )
}


def recurrent():
    """Layers with inner layers, in a wrapper and alone."""
    layers = [
        core.layers.Input((4, 3)),
        Both(core.layers.GRU(2, return_sequences=True, name="gru"), name="both"),
        core.layers.TimeDistributed(Doubled(3, kernel_initializer=Fours(), name="d"), name="t"),
        Scaled(2, power=2, name="scaled"),
    ]
    return core.Sequential(layers)


def trained():
    """A model that is compiled with derived classes."""
    core.set_random_seed(2)
    options = {"kernel_regularizer": Weak(0.1), "kernel_constraint": Short(2.0)}
    dense = core.layers.Dense(1, kernel_initializer=Fours(), **options)
    model = core.Sequential([core.layers.Input((3,)), dense])
    model.compile(Slow(Steps(0.1, 2, 0.5)), Squares(), metrics=[Far()])
    model.fit(X[0], X[0, :, :1], epochs=2, verbose=0)
    return model


# --- what they compute ---------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["call", "predict", "symbols", "wrapped"])
def test_a_call_of_a_derived_layer_may_call_that_of_its_parent(run):
    layer = Doubled(2, kernel_initializer="ones")
    x = X[:, 0]
    expected = 2 * x.sum(-1, keepdims=True).repeat(2, -1)
    if run == "call":
        found = layer(x)
    elif run == "wrapped":
        found = core.layers.TimeDistributed(layer)(x[:, None])[:, 0]
    elif run == "symbols":
        symbol = core.layers.Input((3,))
        found = core.Model(symbol, layer(symbol))(x)
    else:
        found = core.Sequential([core.layers.Input((3,)), layer]).predict(x)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


def test_a_built_in_call_is_the_layer_without_its_penalty():
    layer = core.layers.Dense(2, kernel_initializer="ones", activity_regularizer="l2")
    np.testing.assert_array_equal(layer.call(X).numpy(), layer(X).numpy())
    dropout = core.layers.Dropout(0.5, seed=1)
    assert (dropout.call(X, training=True).numpy() == 0).any()
    np.testing.assert_array_equal(dropout.call(X).numpy(), X)


def test_a_build_of_a_derived_layer_runs():
    class Halves(core.layers.Dense):
        def build(self, input_shape):
            super().build(input_shape)
            self.set_weights([np.full_like(each, 0.5) for each in self.get_weights()])

    layer = Halves(2)
    np.testing.assert_allclose(layer(np.ones((1, 3), np.float32)).numpy(), [[2, 2]])
    assert core.Sequential([core.layers.Input((3,)), Halves(2)]).get_weights()[0].sum() == 3


def test_the_shape_of_a_derived_layer_is_that_of_its_result():
    class Pairs(core.layers.Dense):
        def call(self, x):
            found = super().call(x)
            return core.concat([found, found], -1)

    class Told(Pairs):
        def compute_output_shape(self, input_shape):
            return (*super().compute_output_shape(input_shape)[:-1], 4)

    for made in (Pairs, Told):
        model = core.Sequential([core.layers.Input((3,)), made(2)])
        assert model.output_shape == (None, 4)
        assert model.predict(X[0]).shape == (4, 4)


def test_a_model_computes_by_its_own_call():
    class Tripled(core.Sequential):
        def call(self, x):
            return super().call(x) * 3

    class Functional(core.Model):
        def __init__(self):
            x = core.layers.Input((3,))
            super().__init__(x, core.layers.Dense(2, kernel_initializer="ones")(x))

        def call(self, x):
            return super().call(x) * 3

    dense = core.layers.Dense(2, kernel_initializer="ones")
    expected = 3 * X[0].sum(-1, keepdims=True).repeat(2, -1)
    for model in (Tripled([core.layers.Input((3,)), dense]), Tripled([Small(2)]), Functional()):
        if isinstance(model.layers[0], Small):
            model.layers[0].config.update(activation=None, kernel_initializer="ones")
        outer = core.Sequential([core.layers.Input((3,)), model])
        for found in (model(X[0]), model.predict(X[0]), outer.predict(X[0])):
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "keras2.h5"])
def test_files_have_derived_layers_by_their_own_names(name, tmp_path):
    model = recurrent()
    model.set_weights([each + 0.1 for each in model.get_weights()])
    if name == "keras2.h5":
        model.save(tmp_path / name, keras_version=2)
    else:
        model.save(tmp_path / name)
    with pytest.raises(NotImplementedError, match=r"unknown: Both .*Scaled .*custom_objects="):
        core.load_layers_model(tmp_path / name)
    again = core.load_layers_model(tmp_path / name, custom_objects=CLASSES)
    kinds = [type(each) for each in (*again.layers, again.layers[1].inner_layers()[0][1])]
    assert kinds == [Both, core.layers.TimeDistributed, Scaled, Doubled]
    assert again.layers[-1].power == 2
    np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())
    with pytest.raises(NotImplementedError, match="Scaled"):
        core.load_model(tmp_path / name)


@pytest.mark.parametrize(
    "layer", [lambda: core.layers.TimeDistributed(Doubled(2)), lambda: core.layers.RNN(Cell(2))]
)
@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_classes_inside_of_other_layers_are_named(layer, name, tmp_path):
    model = core.Sequential([core.layers.Input((4, 3)), layer()])
    model.save(tmp_path / name)
    with pytest.raises(NotImplementedError, match=r"unknown: (Doubled|Cell) .*custom_objects="):
        core.load_layers_model(tmp_path / name)
    custom = {**CLASSES, "Cell": Cell}
    again = core.load_layers_model(tmp_path / name, custom_objects=custom)
    np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())


def test_a_weight_of_a_name_that_the_parent_has_is_not_lost(tmp_path):
    class Shifted(core.layers.Dense):
        def build(self, input_shape):
            super().build(input_shape)
            self.shift = self.add_weight((1,), "ones", name="bias")

    model = core.Sequential([core.layers.Input((3,)), Shifted(2, name="s")])
    for name in ("model.keras", "model.h5", "model.weights.h5"):
        save = model.save_weights if "weights" in name else model.save
        with pytest.raises(CoreError, match="two (weights of layer 's'|of one name)"):
            save(tmp_path / name)


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
@pytest.mark.parametrize("kernel", ["Doubled", "my>Doubled"])
def test_graphs_take_kernels_by_both_names(name, kernel, tmp_path):
    model = core.Sequential([core.layers.Input((3,)), Doubled(2)])
    model.layers[-1]._registered_name = "my>Doubled"
    model.save(tmp_path / name)

    def doubled(x, kernel, bias, **options):
        return (core.matmul(x, kernel) + bias) * 2

    graph = core.load_model(tmp_path / name, kernels={kernel: doubled})
    (found,) = graph.predict(X[0]).values()
    np.testing.assert_allclose(found.numpy(), model.predict(X[0]).numpy(), rtol=1e-6)


def test_weights_alone_have_those_of_derived_layers(tmp_path):
    model = recurrent()
    model.set_weights([each + 0.1 for each in model.get_weights()])
    other = recurrent()
    for name in ("model.weights.h5", "model.npz"):
        model.save_weights(tmp_path / name)
        other.set_weights([0 * each for each in other.get_weights()])
        other.load_weights(tmp_path / name)
        for ours, theirs in zip(other.get_weights(), model.get_weights(), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_of_the_same_classes(copied):
    model = recurrent()
    again = copied(model)
    assert [type(each) for each in again.layers] == [type(each) for each in model.layers]
    np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())
    dense = copied(trained()).layers[-1]
    kinds = (
        dense.config[f"kernel_{each}"] for each in ("initializer", "regularizer", "constraint")
    )
    assert [type(each) for each in kinds] == [Fours, Weak, Short]


def test_clones_are_of_the_same_classes():
    assert [type(each) for each in core.clone_model(recurrent()).layers][::2] == [Both, Scaled]


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_files_have_all_derived_classes(name, tmp_path):
    model = trained()
    model.save(tmp_path / name)
    with pytest.raises(CoreError, match=r"'Fours' in the file is user-defined.*custom_objects="):
        core.load_layers_model(tmp_path / name)
    layers = {each.__name__: each for each in (Fours, Weak, Short)}
    with pytest.raises(CoreError, match=r"Steps.*Give user-defined classes as custom_objects="):
        core.load_layers_model(tmp_path / name, custom_objects=layers)
    core.load_layers_model(tmp_path / name, custom_objects=layers, compile=False)
    again = core.load_layers_model(tmp_path / name, custom_objects=CLASSES)
    assert (type(again.optimizer), type(again.optimizer.schedule)) == (Slow, Steps)
    x, y = X[1], X[1, :, :1]
    assert again.train_on_batch(x, y) == model.train_on_batch(x, y)
    assert [type(each) for each in again.metrics] == [Far]
    again.save(tmp_path / f"again {name}")
    once_more = core.load_layers_model(tmp_path / f"again {name}", custom_objects=CLASSES)
    assert once_more.train_on_batch(x, y) == model.train_on_batch(x, y)


def registered(path):
    """The registered names of the classes in an archive."""
    with zipfile.ZipFile(path) as archive:
        text = archive.read("config.json").decode()
    return {part.split('"')[1] for part in text.split('"registered_name": ')[1:] if part[0] == '"'}


def test_registered_names_are_kept(tmp_path):
    path = tmp_path / "model.keras"
    trained().save(path)
    assert registered(path) == {"Fours", "Weak", "Short", "Slow", "Squares", "Far", "Steps"}
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["config.json"].decode()
    for name in registered(path):
        text = text.replace(f'"registered_name": "{name}"', f'"registered_name": "my>{name}"')
    members["config.json"] = text.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    names = registered(path)
    assert {name.partition(">")[0] for name in names} == {"my"}
    for custom in (CLASSES, {f"my>{name}": made for name, made in CLASSES.items()}):
        again = core.load_layers_model(path, custom_objects=custom)
        again.save(tmp_path / "again.keras")
        assert registered(tmp_path / "again.keras") == names
        again.save(tmp_path / "again.h5")
        again = core.load_layers_model(tmp_path / "again.h5", custom_objects=custom)
        again.save(tmp_path / "again.keras")
        assert registered(tmp_path / "again.keras") == names


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_functions_of_a_file_are_custom_objects(name, tmp_path):
    """But no other text of the file is one, such as the name of a layer."""
    model = core.Sequential([core.layers.Dense(1, input_shape=(3,), name="sevens")])
    model.compile("sgd", "mse", metrics=["sevens"] if name == "model.h5" else ["mae"])
    model.save(tmp_path / name)

    def sevens(y_true, y_pred):
        return core.mean(y_true * 0 + 7, -1)

    custom = {"sevens": sevens, "mae": sevens}
    again = core.load_layers_model(tmp_path / name, custom_objects=custom)
    assert again.layers[-1].name == "sevens"
    assert again.test_on_batch(X[0], X[0, :, :1])[1] == 7


def test_a_derived_class_of_a_built_in_name_is_not_the_built_in_one(tmp_path):
    made = type("Dense", (Doubled,), {"__module__": __name__})
    model = core.Sequential([core.layers.Input((3,)), made(2)])
    model.save(tmp_path / "model.keras")
    with pytest.raises(NotImplementedError, match="unknown: Dense"):
        core.load_layers_model(tmp_path / "model.keras")
    with pytest.raises(NotImplementedError, match="Dense"):
        core.load_model(tmp_path / "model.keras")
    again = core.load_layers_model(tmp_path / "model.keras", custom_objects={"Dense": made})
    np.testing.assert_array_equal(again.predict(X[0]).numpy(), model.predict(X[0]).numpy())
    with pytest.raises(CoreError, match="has the name of a class of Keras: rename the class"):
        model.save(tmp_path / "model.h5")


# --- targets without such classes ----------------------------------------------------------------


@pytest.mark.parametrize(
    "make, reason",
    [
        (
            lambda: core.Sequential([core.layers.Input((3,)), Doubled(2)]),
            "is of a user-defined class",
        ),
        (trained, "kernel_initializer=Fours, a user-defined class"),
    ],
)
def test_tensorflow_js_gets_no_parents(make, reason, tmp_path):
    with pytest.raises(CoreError, match=reason):
        make().save(tmp_path / "web")
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize(
    "compiled", [{"optimizer": Slow()}, {"loss": Squares()}, {"metrics": [Far()]}]
)
def test_tensorflow_js_gets_no_parents_of_what_trains(compiled, tmp_path):
    model = core.Sequential([core.layers.Dense(2, input_shape=(3,))])
    model.compile(**{"optimizer": "adam", "loss": "mse", **compiled})
    with pytest.raises(CoreError, match=r"TensorFlow\.js has no (optimizer|loss|metric) "):
        model.save(tmp_path / "web")
    model.save(tmp_path / "web", include_optimizer=False)


def test_a_class_with_a_constructor_alone_is_the_built_in_one_for_tensorflow_js(tmp_path):
    model = core.Sequential(
        [core.layers.Input((4, 3)), Small(3), core.layers.TimeDistributed(Small())]
    )
    model.save(tmp_path / "web")
    document = json.loads((tmp_path / "web" / "model.json").read_text())
    layers = document["modelTopology"]["config"]["layers"]
    assert [each["class_name"] for each in layers] == ["InputLayer", "Dense", "TimeDistributed"]
    assert layers[1]["config"]["activation"] == "relu"
    again = core.load_layers_model(tmp_path / "web")
    np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())


def test_models_with_a_call_of_their_own_are_refused(tmp_path):
    class Tripled(core.Sequential):
        def call(self, x):
            return super().call(x) * 3

    model = Tripled([core.layers.Dense(2, input_shape=(3,))])
    for name in ("model.keras", "model.h5", "web", "model.weights.h5"):
        save = model.save_weights if "weights" in name else model.save
        with pytest.raises(CoreError, match="is a subclass, which files cannot describe"):
            save(tmp_path / name)
    outer = core.Sequential([core.layers.Input((3,)), model])
    for name in ("model.keras", "model.h5", "web"):
        with pytest.raises(CoreError, match="tripled|Tripled"):
            outer.save(tmp_path / name)
    with pytest.raises(CoreError, match="is a subclass"):
        core.clone_model(model)
    model.save_weights(tmp_path / "model.npz")


def test_a_class_that_cannot_take_the_arguments_of_a_file(tmp_path):
    trained().save(tmp_path / "model.keras")

    class Other(core.initializers.Initializer):
        def __init__(self, size):
            self.size = size

    with pytest.raises(CoreError, match=r"custom_objects\['Fours'\].*Other.*needs.*size"):
        core.load_layers_model(tmp_path / "model.keras", custom_objects={**CLASSES, "Fours": Other})

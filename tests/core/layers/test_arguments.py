"""Fields of layers' classes are their arguments, and what they are set to."""

import inspect
from typing import ClassVar

import pytest

import core
from core.data import augmentation
from core.layers.lookup import built_in_classes
from core.layers.symbolic import SymbolicTensor
from core.models.sequential import model_from_document
from tests.rules.public_stubs import stubs


class Tempered(core.layers.Dense):
    """A dense layer with an argument of its own."""

    limit: ClassVar[float] = 10.0
    temperature: float = 1.0

    def call(self, x):
        return super().call(x) / self.temperature


class Halved(core.layers.Dense):
    """A dense layer whose constructor is its own, and whose annotations are no arguments."""

    factor: float

    def __init__(self, units):
        super().__init__(units, kernel_initializer="ones")
        self.factor = 0.5


def test_a_layer_has_the_values_and_its_class_the_defaults():
    layer = core.layers.Dense(3, activation="relu", bias_initializer="ones")
    assert (layer.units, layer.activation, layer.use_bias) == (3, "relu", True)
    assert isinstance(layer.bias_initializer, core.initializers.Ones)
    assert core.layers.Dense.use_bias is True and core.layers.Dense.activation is None
    with pytest.raises(AttributeError, match="Dense has no default for 'units'"):
        core.layers.Dense.units  # noqa: B018
    with pytest.raises(AttributeError, match="unit"):
        layer.unit  # noqa: B018


def test_an_attribute_that_is_set_is_kept():
    layer = core.layers.Dropout(0.5)
    layer.rate = 0.25
    assert layer.rate == 0.25 and core.layers.Dropout(0.5).rate == 0.5


def test_layers_of_files_have_the_arguments_of_keras():
    config = {"name": "a", "alpha": 0.5, "batch_input_shape": [None, 2]}
    topology = {"class_name": "LeakyReLU", "config": config}
    model = {"class_name": "Sequential", "config": {"name": "s", "layers": [topology]}}
    document = {"keras_version": "tfjs-layers 1", "model_config": model}
    layer = model_from_document(document).layers[-1]
    assert layer.negative_slope == 0.5


def test_the_shape_of_the_result_is_no_argument():
    layer = core.layers.EinsumDense("ab,bc->ac", output_shape=4)
    y = layer(core.layers.Input((3,)))
    assert isinstance(y, SymbolicTensor)
    assert layer.partial_output_shape == 4 and layer.output_shape == (None, 4)


def test_subclasses_add_arguments():
    layer = Tempered(2, temperature=4.0, kernel_initializer="ones")
    assert layer([[1.0, 3.0]]).numpy().tolist() == [[1.0, 1.0]]
    assert list(inspect.signature(Tempered).parameters)[-8] == "temperature"
    assert "limit" not in Tempered.arguments and "temperature" not in core.layers.Dense.arguments
    config = layer.get_config()
    assert config["temperature"] == 4.0 and config["units"] == 2
    assert Tempered.from_config(config).temperature == 4.0
    with pytest.raises(core.CoreError, match="no argument 'temp'.*temperature"):
        Tempered(2, temp=1.0)


def test_annotations_beside_a_constructor_are_no_arguments():
    layer = Halved(2)
    assert layer.factor == 0.5 and "factor" not in layer.get_config()
    assert list(inspect.signature(Halved).parameters) == ["units"]


def test_files_keep_added_arguments(tmp_path):
    model = core.Sequential([Tempered(2, temperature=4.0, input_shape=(3,))])
    model.save(tmp_path / "model.keras")
    custom = {"Tempered": Tempered}
    loaded = core.load_layers_model(tmp_path / "model.keras", custom_objects=custom)
    assert loaded.layers[-1].temperature == 4.0
    x = [[1.0, 2.0, 3.0]]
    assert (loaded(x).numpy() == model(x).numpy()).all()


@pytest.mark.parametrize(
    "name", [n for n, c in built_in_classes().items() if "transform" in dir(c)]
)
def test_random_layers_have_the_arguments_of_what_computes_them(name):
    layer = getattr(core.layers, name)
    theirs = inspect.signature(getattr(augmentation, name)).parameters.values()
    ours = inspect.signature(layer).parameters.values()
    positional = [p for p in ours if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [(p.name, p.default) for p in positional] == [(p.name, p.default) for p in theirs]


def test_the_stub_of_the_package_names_all_classes():
    stub = stubs()["layers/__init__.pyi"]
    assert "from core.layers.built_in.basic import Dense as Dense\n" in stub
    assert "max_pool2d = MaxPooling2D\n" in stub and '"""Multiply' not in stub


@pytest.mark.parametrize("name", sorted(built_in_classes()))
def test_classes_stand_in_source_files(name):
    made = built_in_classes()[name]
    assert f"class {made.__name__}(" in inspect.getsource(made)
    assert inspect.getsourcefile(made).endswith(f"{made.__module__.replace('.', '/')}.py")

"""A layer is one class in one file: the one of the how-to is added, and used in all ways."""

import re
import sys
from types import ModuleType

import numpy as np
import pytest

import core
from core.layers import lookup
from core.layers.inference import layers_graph
from tests.rules.sources import ROOT

NAME = "core.layers.built_in.scaling"


@pytest.fixture
def scaling(monkeypatch):
    """The class of the how-to, in a module of the folder of families."""
    page = (ROOT / "core/docs/how_to/layer.md").read_text()
    (source,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    module = ModuleType(NAME)
    exec(compile(source, "layer.md", "exec"), vars(module))
    modules = lookup._modules
    monkeypatch.setitem(sys.modules, NAME, module)
    monkeypatch.setattr(lookup, "_modules", lambda f: (*modules(f), *[NAME] * (f == "built_in")))
    yield core.layers.Scaling
    for name in ("Scaling", "scaling"):
        vars(core.layers).pop(name, None)
    lookup._classes.cache_clear()


def test_the_layer_of_the_how_to_computes_and_trains(scaling):
    assert core.layers.scaling is scaling
    model = core.Sequential([scaling(input_shape=(2,))])
    model.compile("sgd", "mse")
    x = np.array([[1.0, 2.0]], np.float32)
    np.testing.assert_array_equal(model.predict(x).numpy(), x)
    before = model.evaluate(x, 3 * x, verbose=0)
    model.fit(x, 3 * x, epochs=2, verbose=0)
    assert model.evaluate(x, 3 * x, verbose=0) < before


def test_the_layer_of_the_how_to_is_saved_and_becomes_a_graph(scaling, tmp_path):
    model = core.Sequential([scaling(factor_initializer="zeros", name="s", input_shape=(2,))])
    model.layers[-1].set_weights([np.array([2.0, 3.0], np.float32)])
    model.save(tmp_path / "model.keras")
    loaded = core.load_layers_model(tmp_path / "model.keras")
    assert type(loaded.layers[-1]) is scaling
    assert loaded([[1.0, 1.0]]).numpy().tolist() == [[2.0, 3.0]]
    config = {"name": "s", "batch_input_shape": [None, 2]}
    layers = [{"class_name": "Scaling", "config": config}]
    topology = {"class_name": "Sequential", "config": {"name": "m", "layers": layers}}
    graph = layers_graph(topology, {"s/factor": np.ones(2)})
    assert graph.nodes[-1].type == "Mul"


def test_the_documentation_of_the_how_to_is_complete(scaling):
    text = scaling.__doc__
    assert all(f"    {name}: " in text for name in scaling.arguments)

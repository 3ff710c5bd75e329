"""How often readers look at things: many layers, names and nodes take no time of their square."""

import numpy as np
import pytest

import core
from core.converter import load_model
from core.converter.inlining import Sources
from core.graph.nodes import Node
from core.graph.unique_names import free_name
from core.layers import weight_slots
from core.layers.inference import layers_graph
from tests.core.converter.fuzz.files import write_model
from weights_cache.common.errors import WeightsError


def dense_layers(count):
    layers = [
        {"class_name": "Dense", "config": {"name": f"d{i}", "units": 1, "use_bias": False}}
        for i in range(count)
    ]
    layers[0]["config"]["batch_input_shape"] = [None, 1]
    return {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}


def test_a_weight_is_compared_with_its_own_layer_alone(monkeypatch):
    compared = []
    likeness = weight_slots._likeness
    monkeypatch.setattr(
        weight_slots,
        "_likeness",
        lambda slot, parts: compared.append(parts) or likeness(slot, parts),
    )
    kernels = {f"d{i}/kernel": np.ones((1, 1), np.float32) for i in range(200)}
    assert len(layers_graph(dense_layers(200), kernels).weights) == 200
    assert len(compared) == 200


class Looked(set):
    """A set that counts how often something is looked for in it."""

    count = 0

    def __contains__(self, name):
        self.count += 1
        return super().__contains__(name)


def test_equal_names_get_their_numbers_at_once():
    taken, counts = Looked(), {}
    names = []
    for _ in range(500):
        names.append(free_name("relu", taken, counts))
        taken.add(names[-1])
    assert names[:3] == ["relu", "relu_1", "relu_2"] and len(set(names)) == 500
    assert taken.count < 1500


class Counted(tuple):
    """Inputs that count how often they are gone through."""

    count = 0

    def __iter__(self):
        Counted.count += 1
        return super().__iter__()


def test_the_inputs_of_a_node_are_gone_through_once():
    many = Node("many", "IdentityN", Counted(f"x{i}" for i in range(10)))
    sources = Sources({"many": many})
    Counted.count = 0
    assert [sources.source(f"many:{i}") for i in range(1, 50)][-1] == "many:49"
    assert Counted.count == 1


@pytest.mark.parametrize("kind", ["graph", "layers", "h5", "keras"])
def test_a_limit_that_is_too_low_is_raised_by_an_argument(tmp_path, kind):
    path = write_model(kind, tmp_path)
    with core.limits(file_bytes=1), pytest.raises(core.LimitError, match="file_bytes=") as low:
        load_model(path)
    assert isinstance(low.value, WeightsError) and low.value.name == "file_bytes"
    assert low.value.most == 1
    with core.limits(file_bytes=10_000_000):
        load_model(path)

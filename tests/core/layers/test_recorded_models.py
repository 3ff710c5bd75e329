"""Layer models give what Keras 3, Keras 2 and TensorFlow.js gave, however their weights come."""

import json
import re
from collections import Counter

import numpy as np
import pytest

import core
from core.graph_model.graph_model import GraphModel
from core.layers.built_in import time_steps
from core.layers.inference import graph_of_layer_weights, layers_graph
from core.layers.weight_slots import weight_slots
from core.models.model_files import model_from_json
from core.plan import loop_plans
from tests.core.layers.recorded import names, recorded


@pytest.mark.parametrize("file, name", names())
def test_outputs(file, name):
    model = recorded(file, name)
    graph = layers_graph(model.topology, model.weights)
    found = GraphModel(graph).predict(dict(zip(graph.inputs, model.inputs, strict=True)))
    pairs = zip(found.values(), model.outputs, graph.outputs.values(), strict=True)
    for output, expected, endpoint in pairs:
        assert output.shape == expected.shape
        assert endpoint.spec.accepts(output.spec)
        span = float(np.ptp(expected)) or 1.0
        np.testing.assert_allclose(output.numpy(), expected, rtol=0, atol=1e-5 * span)


@pytest.mark.parametrize("file, name", names("lists"))
def test_weights_in_lists_find_the_same_layers(file, name):
    """As groups of .h5 files have them."""
    model = recorded(file, name)
    lists = {key: [model.weights[n] for n in found] for key, found in model.lists.items()}
    assert_same_weights(
        graph_of_layer_weights(model.topology, lists), layers_graph(model.topology, model.weights)
    )


@pytest.mark.parametrize("file, name", names("paths"))
def test_weight_slots_are_where_keras_files_have_them(file, name):
    model = recorded(file, name)
    keys = dict(keys_of_list(weight_slots(model.topology), "layers"))
    expected = {f"{key}/vars/{i}" for key, slots in keys.items() for i in range(len(slots.weights))}
    assert set(model.paths) <= expected  # what is in two models is there once
    lists = {
        "/".join(slots.path): [
            model.weights[model.paths[f"{key}/vars/{i}"]] for i in range(len(slots.weights))
        ]
        for key, slots in keys.items()
        if f"{key}/vars/0" in model.paths
    }
    assert_same_weights(
        graph_of_layer_weights(model.topology, lists), layers_graph(model.topology, model.weights)
    )


def keys_of_list(slots, where):
    """Where a .keras file has the layers of a list, with their slots."""
    counts = Counter()
    for child in slots:
        class_name = child.class_name.replace("GroupQuery", "GroupedQuery")
        name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", class_name)
        name = re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
        yield from keys_of(child, f"{where}/{name}_{counts[name]}".removesuffix("_0"))
        counts[name] += 1


def keys_of(slots, key):
    """Where it has a layer and those in it."""
    yield key, slots
    for holder in dict.fromkeys(child.holder for child in slots.children):
        held = [child for child in slots.children if child.holder == holder]
        if holder in ("layers", "cells"):
            yield from keys_of_list(held, f"{key}/{holder}")
        else:
            yield from keys_of(held[0], f"{key}/{holder}")


def assert_same_weights(graph, other):
    assert set(graph.weights) == set(other.weights)
    for name, array in graph.weights.items():
        np.testing.assert_array_equal(array, other.weights[name], err_msg=name)


@pytest.mark.parametrize(
    "file, name", [("keras3", "nested"), ("keras2", "nested"), ("tensorflow_js", "nested")]
)
def test_names_of_nodes_inputs_and_outputs(file, name):
    """Nodes bear the names of layers, later calls of one a number."""
    model = recorded(file, name)
    graph = layers_graph({"modelTopology": {"model_config": model.topology}}, model.weights)
    nodes = {node.name for node in graph.nodes}
    assert list(graph.inputs) == ["a", "b"]
    assert {"shared", "shared_1", "inner"} <= nodes
    assert any(name.startswith("inner/") and "Identity" not in name for name in nodes)
    assert all(endpoint.spec.shape == (None, 4) for endpoint in graph.inputs.values())
    between = GraphModel(graph).execute(dict(zip("ab", model.inputs, strict=True)), ["shared_1"])
    assert between["shared_1"].shape[0] == 2


def with_numbers(value, number):
    """Configs with 0 and 1 in place of flags; the calls of layers stay as they are."""
    if isinstance(value, bool):
        return number(value)
    if isinstance(value, dict):
        kept = ("inbound_nodes", "input_layers", "output_layers")
        return {k: v if k in kept else with_numbers(v, number) for k, v in value.items()}
    return [with_numbers(v, number) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("file, name", names())
def test_flags_may_be_numbers(file, name, number):
    """Keras takes any truth value, and keeps it in the file."""
    model = recorded(file, name)
    changed = with_numbers(model.topology, number)
    assert json.dumps(changed) != json.dumps(model.topology)
    graph, expected = (layers_graph(t, model.weights) for t in (changed, model.topology))
    assert graph.nodes == expected.nodes
    assert_same_weights(graph, expected)


@pytest.mark.parametrize("flag", [False, 0, 0.0, True, 1, 1.0])
def test_numbers_say_whether_layers_train(flag):
    dense = {"class_name": "Dense", "config": {"name": "d", "units": 1, "trainable": flag}}
    dense["config"]["batch_input_shape"] = [None, 1]
    inner = {"name": "inner", "trainable": flag, "layers": [dense]}
    layers = [dense, {"class_name": "Sequential", "config": inner}]
    topology = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    model = model_from_json(json.dumps(topology))
    assert [layer.trainable for layer in model.layers] == [bool(flag)] * 2
    assert [slots.trainable for slots in weight_slots(topology)][1:] == [bool(flag)] * 2


def test_flags_of_numpy_are_arguments():
    layer = core.layers.Dense(1, use_bias=np.False_)
    assert layer.get_config()["use_bias"] is False
    layer.build((None, 2))
    assert [variable.shape for variable in layer.weights] == [(2, 1)]


def test_names_may_have_models_around_and_the_ends_of_tensorflow():
    model = recorded("keras3", "nested")
    changed = {f"model/{name}:0": array for name, array in model.weights.items()}
    graph = layers_graph(model.topology, changed)
    assert_same_weights(graph, layers_graph(model.topology, model.weights))


def test_the_topology_is_not_changed():
    model = recorded("keras3", "nested")
    before = json.dumps(model.topology)
    layers_graph(model.topology, model.weights)
    assert json.dumps(model.topology) == before


def test_arithmetic_where_its_module_is_not_written():
    """Keras 3's h5 files call both the function and the layer "Multiply"."""
    model = recorded("keras3", "operators")
    topology = json.loads(json.dumps(model.topology))
    for layer in topology["config"]["layers"]:
        layer.pop("module", None)
    graph = layers_graph(topology, model.weights)
    found = list(GraphModel(graph).predict(model.inputs[0]).values())
    np.testing.assert_allclose(found[0].numpy(), model.outputs[0], atol=1e-5)


def test_the_version_around_a_topology_tells_the_dialect():
    """The slope of hard_sigmoid is 0.2 in TensorFlow.js and Keras 2, and 1/6 in Keras 3."""
    layers = [{"class_name": "Activation", "config": {"name": "a", "activation": "hard_sigmoid"}}]
    layers[0]["config"]["batch_input_shape"] = [None, 1]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    slopes = {}
    for version in ("tfjs-layers 4.22.0", "2.15.0", "3.5.0"):
        document = {"modelTopology": {"keras_version": version, "model_config": config}}
        found = GraphModel(layers_graph(document, {})).predict(np.ones((1, 1)))
        slopes[version[0]] = round(found["a"].item() - 0.5, 6)
    assert slopes == {"t": 0.2, "2": 0.2, "3": round(1 / 6, 6)}


@pytest.mark.parametrize("first_iterations", [0, 1, 100], ids=["plan", "later plan", "calls"])
def test_a_loop_gives_what_unrolled_steps_give(monkeypatch, first_iterations):
    monkeypatch.setattr(time_steps, "MOST_UNROLLED", 0)
    monkeypatch.setattr(loop_plans, "FIRST_ITERATIONS", first_iterations)
    for name in (
        "lstm",
        "stacked",
        "masking",
        "masking_sequences",
        "bidirectional_concat",
        "conv_lstm",
    ):
        model = recorded("keras3", name)
        graph = layers_graph(model.topology, model.weights)
        assert any(node.type == "StatelessWhile" for node in graph.nodes)
        looped = GraphModel(graph)
        looped.predict(model.inputs[0])  # the second call finds what the first one made
        found = list(looped.predict(model.inputs[0]).values())
        np.testing.assert_allclose(found[0].numpy(), model.outputs[0], atol=1e-5, err_msg=name)

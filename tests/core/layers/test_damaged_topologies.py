"""Topologies and weights that make no sense are refused in words, before memory is taken."""

import copy
import json

import numpy as np
import pytest

import core
from core.graph_model.graph_model import GraphModel
from core.layers import builder
from core.layers.inference import graph_of_layer_weights, layers_graph
from core.layers.weight_slots import weight_slots
from tests.core.layers.recorded import FILES, documents, names, recorded


def sequential(*layers, shape=(None, 4)):
    """A Sequential of (class, config) pairs."""
    found = [
        {"class_name": kind, "config": {"name": f"{kind.lower()}_{i}", **config}}
        for i, (kind, config) in enumerate(layers)
    ]
    if shape is not None:
        found[0]["config"]["batch_input_shape"] = list(shape)
    return {"class_name": "Sequential", "config": {"name": "s", "layers": found}}


def functional(*layers, inputs=("x",), outputs=("y",)):
    """A functional model of (class, name, config, inbound nodes)."""
    found = [
        {
            "class_name": kind,
            "name": name,
            "config": {"name": name, **config},
            "inbound_nodes": nodes,
        }
        for kind, name, config, nodes in layers
    ]
    ends = {
        "input_layers": [[name, 0, 0] for name in inputs],
        "output_layers": [[name, 0, 0] for name in outputs],
    }
    return {"class_name": "Functional", "config": {"name": "f", "layers": found, **ends}}


INPUT = ("InputLayer", "x", {"batch_input_shape": [None, 4]}, [])
DENSE = {"dense_0/kernel": np.ones((4, 3)), "dense_0/bias": np.zeros(3)}


@pytest.mark.parametrize(
    "topology, message",
    [
        (None, "the topology should be an object"),
        ([], "should be an object"),
        ({"class_name": "Model"}, "config"),
        ({"class_name": "MyModel", "config": {}}, "'MyModel'.*subclass"),
        ({"class_name": "Sequential", "config": {"layers": []}}, "no layers"),
        (sequential(("Dense", {"units": 3}), shape=None), "lacks the shape of its input"),
        (sequential(("Dense", {"units": 3}), shape=(None, -4)), "lengths from 0"),
        (sequential(("Dense", {"units": -3})), "'dense_0'.*units must be an integer"),
        (sequential(("Dense", {"units": 10**12})), "units must be an integer"),
        (sequential(("Dense", {"units": "3"})), "units must be"),
        (sequential(("Dense", {"units": 3, "use_bias": 2})), "use_bias must be true or false"),
        (sequential(("Dense", {"units": 3, "activation": "magic"})), "no activation 'magic'"),
        (sequential(("Dense", {"units": 3}), ("Reshape", {"target_shape": [2, 2]})), "reshape"),
        (sequential(("Dense", {"units": 3}), ("Conv2D", {})), "takes tensors of 4 axes"),
        (sequential(("Dense", {"units": 3}), ("Dot", {"axes": 1})), "does not take 1 tensors"),
        (sequential(("Dense", {"units": 3}), ("Flatten", {"name": "dense_0"})), "twice: dense_0"),
        (functional(INPUT, inputs=("z",), outputs=("x",)), "no input layer 'z'"),
        (functional(INPUT), "no call 0 of a layer 'y'"),
        (functional(INPUT, ("ReLU", "y", {}, [[["q", 0, 0]]])), "no call 0 of a layer 'q'"),
        (functional(INPUT, ("ReLU", "y", {}, [[["x", 0, 3]]])), "'x' has no output 3"),
        (functional(INPUT, ("ReLU", "y", {}, [[["x", 0]]])), "expected a tensor"),
        (functional(INPUT, ("ReLU", "y", {}, [[["y", 0, 0]]])), "circle"),
        (
            functional(
                INPUT, ("ReLU", "y", {}, [[["z", 0, 0]]]), ("ReLU", "z", {}, [[["y", 0, 0]]])
            ),
            "circle",
        ),
        (sequential(("LSTM", {"units": 2}), shape=(None, 3)), r"takes \[batch, time"),
        (
            sequential(("LSTM", {"units": 2, "stateful": True}), shape=(None, 3, 2)),
            "state between calls",
        ),
        (
            sequential(("MaxPooling2D", {"pool_size": 5}), shape=(None, 4, 4, 1)),
            r"window \(5, 5\) is larger",
        ),
        (sequential(("Cropping1D", {"cropping": 2}), shape=(None, 4, 1)), "leaves no values"),
        (sequential(("Bidirectional", {}), shape=(None, 4, 1)), "lacks its inner layer"),
        (sequential(("RNN", {}), shape=(None, 4, 1)), "lacks its cell"),
        (
            sequential(("Softmax", {"axis": 7})),
            "axis must be axes of a tensor of 2 axes",
        ),
    ],
)
def test_topologies_that_make_no_sense(topology, message):
    with pytest.raises(core.CoreError, match=message):
        layers_graph(topology, dict(DENSE) if "dense_0" in json.dumps(topology) else {})


@pytest.mark.parametrize(
    "weights, message",
    [
        ({}, r"layer 'dense_0' \(Dense\): lacks the weight 'kernel' of shape \(4, 3\)"),
        ({"dense_0/kernel": np.ones((4, 3))}, r"lacks the weight 'bias' .*'kernel': \(4, 3\)"),
        ({**DENSE, "dense_0/kernel": np.ones((3, 4))}, r"must have shape \(4, 3\), .* \(3, 4\)"),
        ({**DENSE, "other/kernel": np.ones((2, 2))}, r"no layer for .*: other/kernel \(2, 2\)"),
        ({**DENSE, "dense_0/kernel": np.array(["a"])}, "has dtype <U1: expected numbers"),
    ],
)
def test_weights_that_do_not_fit(weights, message):
    with pytest.raises(core.CoreError, match=message):
        layers_graph(sequential(("Dense", {"units": 3})), weights)


@pytest.mark.parametrize(
    "weights, message",
    [
        ({"dense_0": [np.ones((4, 3))]}, r"has 2 weights \['kernel', 'bias'\], .* has 1"),
        ({"dense_1": [np.ones(1)]}, "no layer for these weights: dense_1"),
    ],
)
def test_lists_of_weights_that_do_not_fit(weights, message):
    with pytest.raises(core.CoreError, match=message):
        graph_of_layer_weights(sequential(("Dense", {"units": 3})), weights)


def test_a_name_that_could_be_two_layers():
    """Two models with a layer of one name need the models' names in those of the weights."""
    parts = [sequential(("Dense", {"units": 4})) for _ in range(2)]
    for part, name in zip(parts, "ab", strict=True):
        part["config"]["name"] = name
    topology = {"class_name": "Sequential", "config": {"name": "s", "layers": parts}}
    kernel, bias = np.ones((4, 4)), np.ones(4)
    with pytest.raises(core.CoreError, match="fits the layers 'a/dense_0' and 'b/dense_0'"):
        layers_graph(topology, {"dense_0/kernel": kernel, "dense_0/bias": bias})
    weights = {
        f"{model}/dense_0/{name}": value * (model == "b")
        for model in "ab"
        for name, value in (("kernel", kernel), ("bias", bias))
    }
    graph = layers_graph(topology, weights)
    assert graph.weights["b/dense_0/kernel"].sum() == 16
    assert graph.weights["a/dense_0/kernel"].sum() == 0


def test_code_is_refused_by_name():
    topology = sequential(
        ("Dense", {"units": 3}), ("Lambda", {"function": ["gANjYnVpbHRpbnM=", None]})
    )
    with pytest.raises(core.CoreError, match=r"'lambda_1' is a Lambda with code.*kernels="):
        layers_graph(topology, DENSE)
    graph = layers_graph(topology, DENSE, kernels={"Lambda"})
    model = GraphModel(graph, kernels={"Lambda": lambda x, **config: x * 2.0})
    assert model.predict(np.ones((1, 4)))["lambda_1"].tolist() == [[8.0] * 3]


def test_all_unknown_classes_are_listed():
    topology = sequential(("Magic", {}), ("Dense", {"units": 3}), ("Wand", {}), ("Magic", {}))
    message = r"Magic \(magic_0, magic_3\); Wand \(wand_2\)"
    with pytest.raises(core.KernelNotFound, match=message):
        layers_graph(topology, {})


@pytest.mark.parametrize("share", [1e300, -2.0, float("nan")])
def test_shares_that_are_dropped_are_from_0_to_1(share):
    x = core.ones((1, 2, 4))
    for layer in (core.layers.lstm(3, dropout=share), core.layers.gru(3, recurrent_dropout=share)):
        with pytest.raises(core.CoreError, match="dropout must be a number from 0 to 1"):
            layer(x, training=True)
    with pytest.raises(core.CoreError, match="dropout must be a number from 0 to 1"):
        core.layers.attention(dropout=share)([x, x], training=True)


def test_a_number_that_float32_does_not_hold_is_infinite():
    topology = sequential(("Rescaling", {"scale": 1e300}))
    found = GraphModel(layers_graph(topology, {})).predict(np.float32([[1, 2, 3, 4]]))
    assert np.isinf(next(iter(found.values())).numpy()).all()


def test_layers_of_the_user():
    """They get tensors, weights and the plain values of the config."""
    seen = {}

    def scale(x, weight, **config):
        seen.update(config)
        return x * weight

    topology = sequential(("Scale", {"power": 2, "more": {"a": 1}}), ("ReLU", {}))
    weights = {"scale_0/factors": np.array([1.0, -2.0, 3.0, 4.0])}
    graph = layers_graph(topology, weights, kernels={"Scale": scale})
    model = GraphModel(graph, kernels={"Scale": scale})
    assert model.predict(np.ones((1, 4)))["relu_1"].tolist() == [[1.0, 0.0, 3.0, 4.0]]
    assert seen["power"] == 2 and seen["name"] == "scale_0" and "more" not in seen
    listed = graph_of_layer_weights(topology, {"scale_0": list(weights.values())}, {"Scale"})
    assert [array.tolist() for array in listed.weights.values()] == [[1.0, -2.0, 3.0, 4.0]]
    with pytest.raises(core.CoreError, match="shape of its input must be known"):
        layers_graph(sequential(("Scale", {}), ("Flatten", {})), weights, {"Scale"})


def test_models_in_models_without_end():
    topology = sequential(("Dense", {"units": 4}))
    for i in range(40):
        topology["config"]["name"] = f"s{i}"
        topology = {"class_name": "Sequential", "config": {"name": "s", "layers": [topology]}}
    with pytest.raises(core.CoreError, match="deep"):
        layers_graph(topology, {})


def test_models_that_grow_without_end(monkeypatch):
    """Each model calls the one in it four times."""
    monkeypatch.setattr(builder, "MOST_NODES", 2000)
    inner = functional(INPUT, ("ReLU", "y", {}, [[["x", 0, 0]]]))
    for _ in range(12):
        calls = [[["x", 0, 0]], *([["inner", i, 0]] for i in range(3))]
        nested = ("Functional", "inner", {**inner["config"], "name": "inner"}, calls)
        inner = functional(INPUT, nested, ("ReLU", "y", {}, [[["inner", 3, 0]]]))
    with pytest.raises(core.CoreError, match="becomes more than 2000 nodes"):
        layers_graph(inner, {})


@pytest.mark.parametrize("cases", [200, pytest.param(5000, marks=pytest.mark.long)])
def test_damage_anywhere_leads_to_our_errors(cases, rng):
    """One value of a topology is another: it loads, or our error says what is wrong."""
    every = names()
    refused = 0
    for _ in range(cases):
        model = recorded(*every[rng.integers(len(every))])
        topology = damaged(model.topology, rng)
        try:
            layers_graph(topology, model.weights)
            weight_slots(topology)
        except core.CoreError as error:
            refused += 1
            assert str(error)
    assert refused > cases // 4


def damaged(topology, rng):
    """A copy with another value at one place."""
    changed = copy.deepcopy(topology)
    places = list(containers(changed))
    container = places[rng.integers(len(places))]
    keys = list(container) if isinstance(container, dict) else list(range(len(container)))
    values = (
        None,
        -1,
        0,
        2**40,
        3.5,
        "x",
        [],
        {},
        [1, [2]],
        True,
        float("nan"),
        [None] * 9,
        ["x", 0, 0],
    )
    container[keys[rng.integers(len(keys))]] = values[rng.integers(len(values))]
    return changed


def containers(document):
    """All objects and lists that hold something."""
    if isinstance(document, (dict, list)) and document:
        yield document
        for value in document.values() if isinstance(document, dict) else document:
            yield from containers(value)


def test_the_records_are_all_there():
    assert {file: len(documents(file)) for file in FILES} == {
        "keras3": 136,
        "keras3_attention": 30,
        "keras2": 43,
        "tensorflow_js": 27,
    }

"""Attention layers that programs make: values, masks, gradients, dropout, and what they refuse."""

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.layers.inference import layers_graph
from core.layers.weight_slots import weight_slots

LAYERS = {
    "heads": (lambda: core.layers.MultiHeadAttention(2, 3), False),
    "causal": (lambda: core.layers.MultiHeadAttention(2, 3, value_dim=2, use_gate=True), False),
    "groups": (lambda: core.layers.GroupQueryAttention(3, 4, 2), False),
    "dot": (lambda: core.layers.Attention(use_scale=True), True),
    "concat": (lambda: core.layers.Attention(use_scale=True, score_mode="concat"), True),
    "additive": (lambda: core.layers.AdditiveAttention(), True),
}


def tensors(rng, *lengths, size=6):
    return [core.tensor(np.float32(rng.normal(size=(2, n, size)))) for n in lengths]


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_heads_are_those_of_the_formula(rng):
    layer = core.layers.MultiHeadAttention(2, 3, value_dim=4)
    query, value = tensors(rng, 4, 5)
    y, scores = layer(query, value, return_attention_scores=True, use_causal_mask=True)
    weights = {v.name.partition("/")[2]: v.numpy() for v in layer.weights}
    q, k, v = (
        np.einsum("btm,mhd->bthd", x.numpy(), weights[f"{name}/kernel"]) + weights[f"{name}/bias"]
        for x, name in ((query, "query"), (value, "key"), (value, "value"))
    )
    logits = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(3)
    expected = softmax(np.where(np.tri(4, 5, dtype=bool), logits, -1e9))
    np.testing.assert_allclose(scores.numpy(), expected, atol=1e-5)
    mixed = np.einsum("bhqk,bkhd->bqhd", expected, v)
    last = "attention_output"
    result = np.einsum("bqhd,hdm->bqm", mixed, weights[f"{last}/kernel"]) + weights[f"{last}/bias"]
    np.testing.assert_allclose(y.numpy(), result, atol=1e-5)


def test_a_causal_mask_hides_what_comes_later(rng):
    layer = core.layers.MultiHeadAttention(2, 3)
    (x,) = tensors(rng, 5)
    changed = x.numpy().copy()
    changed[:, 3:] += 1
    before = layer(x, x, use_causal_mask=True).numpy()
    after = layer(core.tensor(changed), core.tensor(changed), use_causal_mask=True).numpy()
    np.testing.assert_array_equal(before[:, :3], after[:, :3])
    assert np.abs(before[:, 3:] - after[:, 3:]).max() > 1e-3


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_are_those_of_differences(rng, name):
    make, is_list = LAYERS[name]
    layer, (query, value) = make(), tensors(rng, 3, 4)
    given = {} if is_list else {"use_causal_mask": name == "causal"}

    def loss():
        y = layer([query, value]) if is_list else layer(query, value, **given)
        return core.sum(core.square(y))

    loss()
    for variable in layer.trainable_variables:
        variable.assign(np.float32(rng.uniform(-0.7, 0.7, variable.shape)))
    _, gradients = core.variable_grads(loss, layer.trainable_variables)
    assert set(gradients) == {v.name for v in layer.trainable_variables}
    for variable in layer.trainable_variables:
        start, direction = variable.numpy().copy(), np.float32(rng.normal(size=variable.shape))
        found = []
        for step in (-1e-2, 1e-2):
            variable.assign(start + np.float32(step) * direction)
            found.append(loss().item())
        variable.assign(start)
        slope = (found[1] - found[0]) / 2e-2
        exact = float(np.sum(gradients[variable.name].numpy() * direction))
        assert exact == pytest.approx(slope, rel=2e-2, abs=2e-2), variable.name


def test_weights_are_dropped_in_training_only(rng):
    layer = core.layers.MultiHeadAttention(2, 3, dropout=0.5, seed=1)
    (x,) = tensors(rng, 4)
    calm = [layer(x, x).numpy() for _ in range(2)]
    np.testing.assert_array_equal(*calm)
    dropped = [layer(x, x, training=True).numpy() for _ in range(2)]
    assert np.abs(dropped[0] - dropped[1]).max() > 1e-3


@pytest.mark.parametrize(
    "make, shapes, message",
    [
        (LAYERS["heads"][0], [(2, 6), (2, 6)], "at least 3 axes"),
        (LAYERS["heads"][0], [(2, 3, 6)], "takes a query, a value and perhaps a key, got 1"),
        (LAYERS["groups"][0], [(2, 6), (2, 6)], "takes tensors of 3 axes"),
        (lambda: core.layers.GroupQueryAttention(3, 4, 3), [(2, 3, 6)] * 2, "a multiple of num_k"),
    ],
)
def test_what_is_refused(make, shapes, message):
    with pytest.raises(CoreError, match=message):
        make()(*(core.ones(shape) for shape in shapes))


def topology(class_name, module, config, *arguments):
    """A model of one call on an input "x" of shape [batch, 3]."""
    source = {"class_name": "__keras_tensor__", "config": {"keras_history": ["x", 0, 0]}}
    given = [source if argument == "x" else argument for argument in arguments]
    layers = [
        {"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "name": "x"}},
        {
            "class_name": class_name,
            "module": module,
            "config": {"name": "y", **config},
            "name": "y",
            "inbound_nodes": [{"args": given, "kwargs": {}}],
        },
    ]
    layers[0] |= {"name": "x", "inbound_nodes": []}
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [["y", 0, 0]]}
    config = {"name": "model", "layers": layers, **ends}
    return {"class_name": "Functional", "config": config}


SLICE = {"class_name": "__slice__", "config": {"start": None, "stop": None, "step": 0}}


@pytest.mark.parametrize(
    "class_name, config, arguments, message",
    [
        ("GetItem", {}, ["x", [0, 1, 2]], "does not fit a tensor of shape"),
        ("GetItem", {}, ["x", [SLICE]], "expected an integer or a slice"),
        ("GetItem", {}, ["x", [0, 3]], "index 3 is outside"),
        ("Reshape", {"newshape": [-1, -1]}, ["x"], "newshape must be lengths"),
        ("Transpose", {"axes": [0, 0]}, ["x"], "axes must be the axes"),
        ("Split", {"indices_or_sections": 2, "axis": 1}, ["x"], "a divisor of 3"),
        ("Einsum", {"subscripts": "ab,bc->ac"}, ["x"], "is for 2 tensors"),
        ("Matmul", {}, ["x", [[1.0], [2.0]]], "cannot multiply matrices"),
        ("Sum", {"axis": 2}, ["x"], "axis must be axes of a tensor of 2 axes"),
        ("Where", {}, ["x", "x"], "takes a condition and two tensors"),
        ("Greater", {}, ["x", "text"], "neither a tensor nor a number"),
        ("Cast", {"dtype": "string"}, ["x"], "a dtype of numbers"),
    ],
)
def test_functions_that_are_refused(class_name, config, arguments, message):
    document = topology(class_name, "keras.src.ops.numpy", config, *arguments)
    with pytest.raises(CoreError, match=message):
        layers_graph(document, {})


def test_inner_layers_of_heads_have_the_holders_of_keras():
    config = {"num_heads": 2, "key_dim": 3, "use_bias": False, "use_gate": True}
    (_, slots) = weight_slots(topology("MultiHeadAttention", "keras.layers", config, "x", "x"))
    assert [(child.path[-1], child.holder, child.weights) for child in slots.children] == [
        ("query", "query_dense", ("kernel",)),
        ("key", "key_dense", ("kernel",)),
        ("gate", "_gate_dense", ("kernel",)),
        ("value", "value_dense", ("kernel",)),
        ("attention_output", "output_dense", ("kernel",)),
    ]

"""Errors of layers: one sentence that names the layer, the value and the limit."""

import json
import re

import numpy as np
import pytest

import core
from core import layers
from core.errors import CoreError

BUILT = {
    "Dense": ({"units": 2}, (2, 3), (2, 4)),
    "Conv2D": ({"filters": 2, "kernel_size": 3}, (1, 5, 5, 3), (1, 5, 5, 4)),
    "SeparableConv2D": ({"filters": 2, "kernel_size": 3}, (1, 5, 5, 3), (1, 5, 5, 4)),
    "Conv2DTranspose": ({"filters": 2, "kernel_size": 3}, (1, 5, 5, 3), (1, 5, 5, 4)),
    "DepthwiseConv1D": ({"kernel_size": 3}, (1, 5, 3), (1, 5, 4)),
    "LSTM": ({"units": 2}, (1, 5, 3), (1, 5, 4)),
    "GRU": ({"units": 2}, (1, 5, 3), (1, 5, 4)),
    "ConvLSTM2D": ({"filters": 2, "kernel_size": 2}, (1, 2, 4, 4, 2), (1, 2, 4, 4, 3)),
    "BatchNormalization": ({}, (2, 3), (2, 4)),
    "LayerNormalization": ({}, (2, 3), (2, 4)),
    "GroupNormalization": ({"groups": 1}, (2, 3), (2, 4)),
    "PReLU": ({}, (2, 3), (2, 4)),
}


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("training", [False, True])
def test_other_channels(name, training):
    options, first, other = BUILT[name]
    layer = getattr(layers, name)(**options, name="mine")
    layer(core.ones(first))
    with pytest.raises(CoreError, match="layer 'mine.*was built with the weight") as caught:
        layer(core.ones(other), training=training)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(set(layers.class_names().values())))
def test_a_wrong_argument_lists_the_valid_ones(name):
    made = getattr(layers, name)
    with pytest.raises(CoreError, match="has no argument 'wrong'") as caught:
        made(wrong=1)
    listed = str(caught.value).partition("its arguments are ")[2].split(", ")
    assert listed[: len(made.kind.arguments)] == list(made.kind.arguments)
    assert "name" in listed and "trainable" in listed


@pytest.mark.parametrize(
    "layer, shapes, message",
    [
        (lambda: layers.Conv2D(2, 3), [(2, 3)], "takes tensors of 4 axes, got shape (2, 3)"),
        (lambda: layers.Conv2D(2, 9), [(1, 5, 5, 1)], "window of 9 (dilation 1) is larger than 5"),
        (lambda: layers.Conv1D(3, 2, groups=2), [(2, 6, 3)], "2 groups do not divide 3 channels"),
        (lambda: layers.LSTM(2), [(2, 2)], "takes [batch, time, ...], got shape (2, 2)"),
        (lambda: layers.Reshape((5,)), [(2, 6)], "cannot reshape (6,) to (5,)"),
        (lambda: layers.Dense(-2), [(2, 2)], "units must be an integer from 1"),
        (lambda: layers.BatchNormalization(axis=5), [(2, 6)], "axis must be axes of a tensor of 2"),
        (lambda: layers.Conv2D(2, 3, padding="some"), [(1, 5, 5, 3)], "got 'some'"),
        (lambda: layers.Dense(2, activation="rellu"), [(1, 2)], "no activation 'rellu'; known are"),
        (lambda: layers.Add(), [(2, 3), (2, 4)], "shapes (2, 3) and (2, 4) do not broadcast"),
        (lambda: layers.Concatenate(), [(2, 3), (3, 3)], "cannot concatenate shapes"),
        (lambda: layers.Dropout(1.5), [(2, 3)], "rate must be a number from 0 to 1, got 1.5"),
    ],
)
def test_wrong_shapes_and_values(layer, shapes, message):
    inputs = [core.ones(shape) for shape in shapes]
    with pytest.raises(CoreError, match=re.escape(message)) as caught:
        made = layer()
        made(inputs if len(inputs) > 1 else inputs[0])
    assert str(caught.value).startswith("layer '") and "\n" not in str(caught.value)


def test_a_model_on_other_shapes():
    model = core.Sequential([layers.Input((3,)), layers.Dense(2, name="mine")])
    model.compile("sgd", "mse")
    with pytest.raises(CoreError, match="'mine'.*was built with the weight 'kernel'"):
        model.predict(np.ones((2, 4), np.float32))
    with pytest.raises(CoreError, match="x has 2, y has 3"):
        model.fit(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(CoreError, match=r"labels of the shape of the outputs, \(2, 2\)"):
        model.fit(np.ones((2, 3)), np.ones((2, 5)), verbose=0)


def test_a_stack_of_no_cells_is_refused():
    stack = core.layers.StackedRNNCells([])
    with pytest.raises(CoreError, match="has no cells: give one or more"):
        core.layers.RNN(stack)(core.ones((1, 3, 5)))


@pytest.mark.parametrize("class_name", ["TimeDistributed", "Bidirectional"])
def test_an_input_in_the_place_of_an_inner_layer_is_refused(class_name):
    inner = {"class_name": "InputLayer", "config": {"name": "inner"}}
    config = {"name": "outer", "layer": inner, "batch_input_shape": [None, 3, 2]}
    layers = [{"class_name": class_name, "config": config}]
    document = {"class_name": "Sequential", "config": {"name": "model", "layers": layers}}
    with pytest.raises(CoreError, match=r"'outer/.*inner' \(InputLayer\): computes nothing"):
        core.model_from_json(json.dumps(document))


@pytest.mark.parametrize("dtype", [[], ["int32"], {}, 5, "x" * 1000])
def test_inputs_of_files_have_a_known_dtype(dtype):
    with pytest.raises(CoreError, match="of an input must be 'float32'") as caught:
        core.layers.Input((3,), dtype=dtype)
    assert len(str(caught.value)) < 200


def test_steps_that_are_too_few_or_too_many_to_unroll():
    with pytest.raises(CoreError, match=r"'few' \(LSTM\): got no steps"):
        layers.LSTM(2, name="few")(core.ones((1, 0, 3)))
    many = core.Sequential([layers.Input((10**12, 3)), layers.GRU(2, return_sequences=True)])
    assert many.output_shape == (None, 10**12, 2)


def test_time_distributed_takes_steps():
    with pytest.raises(CoreError, match=r"takes \[batch, steps, ...\], got shape \(4,\)"):
        layers.TimeDistributed(layers.Dense(2))(core.ones((4,)))


def test_a_soft_cap_is_above_zero():
    layer = layers.ReversibleEmbedding(3, 2, logit_soft_cap=0)
    layer(np.ones((1, 2), np.int32))
    with pytest.raises(CoreError, match="logit_soft_cap must be above 0, got 0"):
        layer(core.ones((1, 2)), reverse=True)


@pytest.mark.parametrize("noise_shape", ["ab", 5, [[]], [2, 4, 1], [2**40, 1], ["x", 1]])
def test_shapes_of_noise_that_do_not_broadcast(noise_shape):
    layer = layers.AlphaDropout(0.5, noise_shape=noise_shape)
    with pytest.raises(CoreError, match=r"noise_shape=.* does not broadcast to \(2, 4\)"):
        layer(core.ones((2, 4)), training=True)

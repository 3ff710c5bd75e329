"""Written files train as what they were written from: the same weights, with the same losses."""

from collections import Counter

import numpy as np
import pytest

import core
from core import Endpoint, Graph, Node, PartialSpec
from core.converter import convert
from core.converter.onnx import read_onnx
from core.converter.onnx_writer import write_onnx
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.core.converter.onnx_writer.test_layers import saved
from tests.core.models.keras_layers import start
from tests.core.models.layer_cases import CASES, models_of
from tests.packages import require_weights

#: Largest difference of losses.
MOST_APART = 1e-5

STEPS = 5


def sizes(weights):
    """How many weights have how many values."""
    return Counter(int(np.prod(weight.shape)) for weight in weights)


def losses(model, x, training=False):
    """The losses of steps towards random outputs."""
    trained, rng = model.trainable("*"), np.random.default_rng(5)
    wanted = rng.uniform(0, 1, trained(x).shape).astype(np.float32)
    optimizer = core.train.momentum(0.1, 0.9)

    def loss():
        return core.mean(core.square(trained(x, training) - wanted))

    return [optimizer.minimize(loss, return_cost=True).item() for _ in range(STEPS)]


@pytest.fixture
def network():
    """Layers of which batch norm follows no convolution, so that it stays a node of its own."""
    layers = core.layers
    model = core.Sequential(
        [
            layers.BatchNormalization(input_shape=(8, 8, 3)),
            layers.Conv2D(4, 3, strides=2, activation="relu"),
            layers.BatchNormalization(epsilon=0.01),
            layers.DepthwiseConv2D(2, activation="elu"),
            layers.GroupNormalization(2),
            layers.GlobalAveragePooling2D(),
            layers.BatchNormalization(scale=False),
            layers.Dense(5, "gelu"),
            layers.UnitNormalization(),
            layers.Dense(2, "softmax"),
        ]
    )
    start(model)
    return model


@pytest.mark.parametrize("training", [False, True])
def test_losses_of_layers(network, training, rng, tmp_path):
    """Batch norm also takes the statistics of batches, which move."""
    models = []
    for name in ("model.keras", "model.onnx"):
        network.save(tmp_path / name)
        models.append(core.load_model(tmp_path / name))
    weights = [model.trainable("*").trainable_variables.values() for model in models]
    assert sizes(weights[1]) == sizes(weights[0]) == sizes(network.trainable_weights)
    x = rng.normal(size=(4, 8, 8, 3)).astype(np.float32)
    expected, found = (losses(model, x, training) for model in models)
    assert expected[-1] < expected[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=MOST_APART)


def test_losses_of_mobilenet(shared, rng, tmp_path):
    """Batch norm is part of its weights in the source, too."""
    require_weights("mobilenet-v1-025-224-float-tflite")
    folder = shared / "weights" / "mobilenet-v1-025-224-float-tflite"
    source = folder / "mobilenet_v1_0.25_224_1_default_1.tflite"
    models = [core.load_model(each) for each in (source, convert(source, tmp_path / "m.onnx"))]
    weights = [model.trainable("*").trainable_variables.values() for model in models]
    assert sizes(weights[1]) == sizes(weights[0])
    x = rng.uniform(-1, 1, (1, 224, 224, 3)).astype(np.float32)
    expected, found = (losses(model, x) for model in models)
    assert expected[-1] < expected[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=MOST_APART)


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(
    "name",
    [
        "ELU: alpha",
        "BatchNormalization: images",
        "Discretization: one_hot",
        "GroupNormalization: axis",
        "LSTM: masked",
        "LayerNormalization: plain",
        "Masking",
        "MultiHeadAttention",
        "Normalization",
        "Rescaling",
        "SeparableConv2D",
        "SimpleRNN: unrolled",
    ],
)
def test_weights_of_layers(name, tmp_path):
    """No epsilon, slope, edge or state of zeros trains, also where there is no weight at all."""
    case = name if name in CASES else next(each for each in CASES if each.startswith(name))
    model, _ = models_of(core, CASES[case])
    saved(case, tmp_path / "model.onnx")
    file = GraphModel(read_onnx(tmp_path / "model.onnx"))
    if model.trainable_weights:
        found = file.trainable("*").trainable_variables.values()
        assert sizes(found) == sizes(model.trainable_weights)
        return
    with pytest.raises(CoreError, match="'\\*'"):
        file.trainable("*")


def graph_of(weights):
    """The sum of x times each weight, of which the last one is taken twice."""
    nodes = [Node("x", "Placeholder"), *(Node(name, "Const") for name in weights)]
    terms = [*weights, [*weights][-1]]
    nodes += [Node(f"term{i}", "MatMul", ("x", name)) for i, name in enumerate(terms)]
    nodes.append(Node("y", "AddN", tuple(f"term{i}" for i, _ in enumerate(terms))))
    ends = [Endpoint(name, PartialSpec((None, n))) for name, n in (("x", 3), ("y", 2))]
    return Graph(nodes, weights, {"x": ends[0]}, {"y": ends[1]})


def test_equal_weights_train_apart_and_a_shared_one_together(rng, tmp_path):
    graph = graph_of({name: np.ones((3, 2), np.float32) for name in "abc"})
    written = read_onnx(write_onnx(graph, tmp_path / "m.onnx").path)
    assert written.weights.keys() == graph.weights.keys()
    x = rng.normal(size=(4, 3)).astype(np.float32)
    expected, found = (losses(GraphModel(each), x) for each in (graph, written))
    np.testing.assert_allclose(found, expected, rtol=0, atol=MOST_APART)


def test_numbers_of_a_file_stay_numbers_in_another(network, tmp_path):
    network.save(tmp_path / "one.onnx")
    one = read_onnx(tmp_path / "one.onnx")
    write_onnx(one, tmp_path / "two.onnx")
    ours, theirs = (
        GraphModel(graph).trainable("*").trainable_variables.values()
        for graph in (read_onnx(tmp_path / "two.onnx"), one)
    )
    assert sum(sizes(ours).elements()) <= sum(sizes(theirs).elements())
    assert 1 not in sizes(ours)

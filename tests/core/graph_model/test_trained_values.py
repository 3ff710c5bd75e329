"""Gradients of graphs beside PyTorch and finite differences; batch norm beside Keras."""

import json

import numpy as np
import pytest

import core
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.graph_model.keras_batch_norm import EPSILON, FILE, MOMENTUM
from tests.core.graph_model.networks import convolutions, images
from tests.helpers import require

NORMS = json.loads(FILE.read_text())


def dense(rng) -> Graph:
    """y = tanh(x w + b) v."""
    nodes = [
        *(Node(name, "Const") for name in ("w", "b", "v")),
        Node("x", "Placeholder"),
        Node("xw", "MatMul", ("x", "w")),
        Node("hidden", "AddV2", ("xw", "b")),
        Node("bent", "Tanh", ("hidden",)),
        Node("y", "MatMul", ("bent", "v")),
    ]
    shapes = {"w": (3, 4), "b": (4,), "v": (4, 2)}
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    x, y = Endpoint("x", PartialSpec((None, 3))), Endpoint("y", PartialSpec((None, 2)))
    return Graph(nodes, weights, {"x": x}, {"y": y})


def test_gradients_are_those_of_finite_differences(rng):
    graph = dense(rng)
    model = GraphModel(graph).trainable("*")
    x = rng.normal(size=(5, 3)).astype(np.float32)
    values = {name: array.astype(np.float64) for name, array in graph.weights.items()}
    values["x"] = x.astype(np.float64)

    def loss(v):
        return np.sum((np.tanh(v["x"] @ v["w"] + v["b"]) @ v["v"]) ** 2)

    _, found = core.variable_grads(lambda: core.sum(core.square(model(x))))
    of_input = core.grad(lambda given: core.sum(core.square(model(given))))(x)
    for name, gradient in {**found, "x": of_input}.items():
        expected = np.empty(values[name].shape)
        for place in np.ndindex(expected.shape):
            step = np.zeros(expected.shape)
            step[place] = 1e-5
            change = loss({**values, name: values[name] + step})
            expected[place] = (change - loss({**values, name: values[name] - step})) / 2e-5
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=2e-4, atol=2e-4)
    assert [*found] == ["w", "b", "v"]


def of_torch(graph: Graph, x: np.ndarray, training: bool):
    """The outputs of `convolutions` in PyTorch, and the gradients of the sum of their squares."""
    torch = require("torch")
    w = {n: torch.tensor(a, dtype=torch.float64) for n, a in graph.weights.items() if n != "axes"}
    for value in w.values():
        value.requires_grad_()

    def normalised(value, name):
        parts = [w[f"{name}/{part}"] for part in ("mean", "variance")]
        statistics = [part.detach().clone() for part in parts]
        scale, offset = w[f"{name}/gamma"], w[f"{name}/beta"]
        batch_norm = torch.nn.functional.batch_norm
        return batch_norm(value, *statistics, scale, offset, training=training, eps=0.01)

    value = torch.tensor(x, dtype=torch.float64).permute(0, 3, 1, 2)
    conv = torch.nn.functional.conv2d
    value = conv(value, w["conv/kernel"].permute(3, 2, 0, 1), padding=1)
    value = torch.nn.functional.relu6(normalised(value, "conv_bn"))
    value = conv(value, w["deep/kernel"].permute(2, 3, 0, 1), padding=1, groups=4)
    value = torch.relu(normalised(value, "deep_bn"))
    y = value.mean((2, 3)) @ w["head/kernel"] + w["head/bias"]
    (y**2).sum().backward()
    return y.detach().numpy(), {n: v.grad for n, v in w.items() if v.grad is not None}


@pytest.mark.parametrize("training", [False, True])
def test_convolutions_and_batch_norm_have_the_gradients_of_pytorch(training):
    graph, x = convolutions(), images()
    model = GraphModel(graph).trainable("*")
    y, expected = of_torch(graph, x, training)
    np.testing.assert_allclose(model(x, training).numpy(), y, rtol=1e-4, atol=1e-5)
    _, found = core.variable_grads(lambda: core.sum(core.square(model(x, training))))
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        scale = np.abs(expected[name].numpy()).max()
        np.testing.assert_allclose(gradient.numpy() / scale, expected[name] / scale, atol=2e-5)


def norm_model(weights: dict[str, list], rank: int) -> GraphModel:
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    attributes = {"epsilon": EPSILON, "data_format": "NHWC"}
    nodes = [
        Node("x", "Placeholder"),
        *(Node(name, "Const") for name in names),
        Node("norm", "FusedBatchNormV3", ("x", *names), attributes),
    ]
    arrays = {name: np.float32(weights[name]) for name in names}
    spec = PartialSpec((None,) * rank)
    ends = {name: Endpoint(name, spec) for name in ("x", "norm")}
    return GraphModel(Graph(nodes, arrays, {"x": ends["x"]}, {"y": ends["norm"]}))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", NORMS)
def test_statistics_move_as_those_of_keras(case, compiled):
    recorded = NORMS[case]
    batches = np.float32(recorded["batches"])
    model = norm_model(recorded["weights"], batches[0].ndim)
    trained = model.trainable("*", momentum=MOMENTUM)
    train = core.compile(lambda x: trained(x, training=True))
    for x, expected in zip(batches, recorded["trained"], strict=False):
        y = train(x) if compiled else trained(x, training=True)
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4, atol=1e-5)
    moved = [trained.variables[f"moving_{part}"].numpy() for part in ("mean", "variance")]
    for found, expected in zip(moved, recorded["moved"], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    for y in (trained(batches[2]), trained.predict(batches[2])["y"]):
        np.testing.assert_allclose(y.numpy(), recorded["inferred"], rtol=1e-4, atol=1e-5)
    assert [*trained.trainable_variables] == ["gamma", "beta"]
    assert "a plan" in train.report() or not compiled


def test_statistics_stay_where_nothing_names_them():
    model = GraphModel(convolutions())
    x = images()
    trained = model.trainable("*/gamma", "head/*")
    np.testing.assert_array_equal(trained(x, training=True).numpy(), trained(x).numpy())
    by_node = model.trainable("deep_bn")  # the node alone
    assert [*by_node.variables] == ["deep_bn/mean", "deep_bn/variance"]
    before = {name: value.numpy() for name, value in by_node.variables.items()}
    by_node(x, training=True)
    assert all(np.any(v.numpy() != before[name]) for name, v in by_node.variables.items())
    assert not by_node.trainable_variables

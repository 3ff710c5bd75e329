"""Graphs of every kind of file train; what does not train stays; patterns, saving, errors."""

import re

import numpy as np
import pytest

import core
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.fixtures.models import FOLDER
from tests.core.graph.control_graphs import recorded
from tests.core.graph_model.networks import FILES, convolutions, images
from weights_cache.common.errors import WeightsError


def loaded(kind, folder):
    """The model of a kind of file, a trainable graph of it, and a function of its loss."""
    load, patterns, output = FILES[kind]
    model = load(folder)
    rng = np.random.default_rng(11)
    inputs = {
        name: rng.normal(size=[3 if n is None else n for n in spec.shape]).astype(np.float32)
        for name, spec in model.inputs.items()
    }
    trained = model.trainable(*patterns, outputs=output)
    fed = inputs if output is None else {"x": inputs["x"]}
    target = core.tensor(rng.normal(size=trained(fed).shape).astype(np.float32))

    def loss():
        return core.mean(core.square(trained(fed) - target))

    return model, trained, inputs, loss


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_trains_and_is_saved(kind, tmp_path):
    model, trained, inputs, loss = loaded(kind, tmp_path)
    before = {name: array.copy() for name, array in model.graph.weights.items()}
    optimizer = core.train.adam(0.02)
    losses = [optimizer.minimize(loss, return_cost=True).item() for _ in range(15)]
    assert losses[-1] < 0.8 * losses[0] and np.all(np.diff(losses[:5]) < 0)

    frozen = trained.freeze()
    for name, array in before.items():
        np.testing.assert_array_equal(model.graph.weights[name], array)
        is_changed = np.any(frozen.graph.weights[name] != array)
        assert is_changed == (name in trained.trainable_variables), name
    again = core.load_model(trained.save(tmp_path / "saved"))
    for name, array in again.graph.weights.items():
        if name in trained.variables:
            np.testing.assert_array_equal(array, trained.variables[name].numpy())
    expected = frozen.predict(inputs)
    found = again.predict(inputs)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name].numpy(), value.numpy())
    for name, value in trained.predict(inputs).items():
        np.testing.assert_array_equal(found[name].numpy(), value.numpy())


@pytest.mark.parametrize("kind", FILES)
def test_compiled_steps_are_those_op_by_op(kind, tmp_path):
    _, trained, _, loss = loaded(kind, tmp_path)
    _, other, _, own_loss = loaded(kind, tmp_path)
    step, adam = core.train.adam(0.01), core.train.adam(0.01)
    compiled = core.compile(lambda: adam.minimize(own_loss, return_cost=True))
    for _ in range(5):
        expected = step.minimize(loss, return_cost=True).item()
        assert compiled().item() == pytest.approx(expected, rel=1e-4)
    for name, variable in trained.variables.items():
        np.testing.assert_allclose(other.variables[name].numpy(), variable.numpy(), atol=1e-4)
    assert "a plan" in compiled.report()


def test_training_mode_is_compiled_with_its_statistics():
    x, model = images(), GraphModel(convolutions())
    one, other = model.trainable("*"), model.trainable("*")
    sgd, own = core.train.sgd(0.05), core.train.sgd(0.05)

    @core.compile
    def step(x):
        return own.minimize(lambda: core.mean(core.square(other(x, True))), return_cost=True)

    for _ in range(4):
        loss = sgd.minimize(lambda: core.mean(core.square(one(x, True))), return_cost=True)
        assert step(x).item() == pytest.approx(loss.item(), rel=1e-4)
    for name, variable in one.variables.items():
        np.testing.assert_allclose(other.variables[name].numpy(), variable.numpy(), atol=1e-5)
    assert "a plan" in step.report()


def test_frozen_parts_have_no_gradients_and_are_folded():
    x, trained = images(), GraphModel(convolutions()).trainable("head/*", "deep/*")
    sgd = core.train.sgd(0.05)
    step = core.compile(lambda x: sgd.minimize(lambda: core.mean(core.square(trained(x)))))
    names = [step.op for step in step.plan(x).steps]
    assert names.count("depthwise_conv2d_backprop_filter") == 1
    assert not [n for n in names if n.startswith("conv2d_backprop") or "backprop_input" in n]
    assert names.count("batch_norm") == 1  # that of the trained convolution


def test_features_with_layers_of_ones_own():
    x, model = images(), GraphModel(convolutions())
    features = model.trainable("deep*", outputs="features")
    w = core.variable(np.zeros((4, 2), np.float32), name="w")
    labels = core.tensor(np.eye(2, dtype=np.float32)[[0, 1, 1, 0]])

    def loss():
        logits = features(x) @ w
        return -core.mean(core.sum(labels * core.log_softmax(logits), axis=1))

    optimizer = core.train.adam(0.05)
    losses = [optimizer.minimize(loss, return_cost=True).item() for _ in range(30)]
    assert losses[-1] < 0.5 * losses[0]
    assert "head/kernel" not in features.variables and features.output_names == ["features"]
    assert features.predict(x)["features"].shape == (4, 4)


def test_values_of_inner_nodes_replace_frozen_layers():
    x, model = images(), GraphModel(convolutions())
    trained = model.trainable("head/*", outputs=["y", "features"])
    once = model.execute(x, ["conv_relu"])["conv_relu"]
    found, expected = trained({"conv_relu": once}), trained(x)
    assert [*found] == ["y", "features"]
    for name in found:
        np.testing.assert_allclose(found[name].numpy(), expected[name].numpy(), atol=1e-5)
    _, grads = core.variable_grads(lambda: core.sum(trained({"features": found["features"]})["y"]))
    assert grads.keys() == {"head/kernel", "head/bias"}


def test_without_patterns_a_graph_only_computes():
    x, model = images(), GraphModel(convolutions())
    features = model.trainable(outputs="features")
    expected = model.execute(x, ["features"])["features"].numpy()
    assert not features.variables
    compiled = core.compile(lambda x: features(x) * 2.0)
    np.testing.assert_allclose(compiled(x).numpy(), 2 * expected, rtol=1e-5, atol=1e-6)


def test_a_prediction_prepares_nothing_until_values_change():
    x, trained = images(), GraphModel(convolutions()).trainable("head/bias")
    first = trained.freeze()
    before = trained.predict(x)["y"].numpy()
    assert trained.freeze() is first
    trained.variables["head/bias"].assign(trained.variables["head/bias"] + 1.0)
    np.testing.assert_allclose(trained.predict(x)["y"].numpy(), before + 1, rtol=1e-5, atol=1e-5)
    assert trained.freeze() is not first
    np.testing.assert_array_equal(first.predict(x)["y"].numpy(), before)


def test_patterns_are_names_with_wildcards_and_functions():
    model = GraphModel(convolutions())
    names = [*model.trainable("head/*", "conv/kernel").variables]
    assert names == ["conv/kernel", "head/kernel", "head/bias"]  # in the order of the graph
    by_function = model.trainable(lambda name: name.endswith("/bias"))
    assert [*by_function.trainable_variables] == ["head/bias"]
    assert repr(by_function) == "TrainableGraph(1 trainable variables of 1, 3 trainable parameters)"


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        (["haed/*"], "the pattern 'haed/*' matches none of the 12 constants that can train; near "),
        (["head/*", "axes"], "no constant that 'axes' matches can train: 'axes' (int32: no grad"),
        ([3], "a pattern is a string such as 'head/*', or a function of a name, got 3"),
    ],
)
def test_patterns_that_match_nothing(patterns, message):
    with pytest.raises(core.CoreError, match=re.escape(message)):
        GraphModel(convolutions()).trainable(*patterns)


def test_near_names_are_listed():
    with pytest.raises(core.CoreError, match="near names are 'head/kernel'"):
        GraphModel(convolutions()).trainable("head/kernal")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "featurs"}, "no output or node 'featurs': did you mean 'features'"),
        ({"outputs": []}, "give the name of at least one output"),
        ({"momentum": 1.5}, "momentum must be a number from 0 to 1, got 1.5"),
    ],
)
def test_other_mistakes(options, message):
    with pytest.raises(core.CoreError, match=message):
        GraphModel(convolutions()).trainable("head/*", **options)


def test_what_is_quantised_or_an_attribute_does_not_train():
    model = core.load_model(FOLDER / "quanta.tflite")
    with pytest.raises(core.CoreError, match="'constant_2/HWIO', .*quantised: train a float model"):
        model.trainable("*")
    model = core.load_model(FOLDER / "convolutions.tflite")
    with pytest.raises(core.CoreError, match=r"'valid/value' \(an attribute of a node\)"):
        model.trainable("valid/value")
    assert "valid/value" not in model.trainable("*").variables


def test_functions_of_loops_and_constants_that_lead_nowhere():
    nodes = [Node("x", "Placeholder"), Node("a", "Const"), Node("b", "Const")]
    nodes += [Node("y", "Mul", ("x", "a")), Node("z", "Mul", ("x", "b"))]
    weights = {"a": np.float32([2]), "b": np.float32([3])}
    ends = {name: Endpoint(name, PartialSpec((1,))) for name in ("x", "y")}
    model = GraphModel(Graph(nodes, weights, {"x": ends["x"]}, {"y": ends["y"]}))
    with pytest.raises(core.CoreError, match=r"'b' \(not needed for the outputs\)"):
        model.trainable("b")
    assert [*model.trainable("*", outputs="z").variables] == ["b"]


def test_loops_run_op_by_op_with_a_reason():
    model, runs = recorded("a_loop_v1")
    trained = model.trainable()
    given = {name: np.array(x, np.float32) for name, x in runs[0]["inputs"].items()}
    compiled = core.compile(lambda given: trained(given))
    for name, value in model.predict(given).items():
        np.testing.assert_array_equal(compiled(given)[name].numpy(), value.numpy())
    assert "op by op, as it reads the values of" in compiled.report()
    assert "core/graph/" not in compiled.report()  # the line is the user's


def test_saving_never_replaces_a_model_by_mistake(tmp_path):
    trained = GraphModel(convolutions()).trainable("head/*")
    path = trained.save(tmp_path / "model")
    with pytest.raises(WeightsError, match="give another folder, or overwrite=True"):
        trained.save(tmp_path / "model")
    trained.variables["head/bias"].assign(np.float32([7, 8, 9]))
    assert trained.save(tmp_path / "model", overwrite=True) == path
    assert core.load_model(path).graph.weights["head/bias"].tolist() == [7, 8, 9]
    with pytest.raises(WeightsError, match="the result is not a .h5 file but a folder"):
        trained.save(tmp_path / "model.h5")

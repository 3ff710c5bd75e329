"""Losses: Keras's values and gradients, TensorFlow.js's nine, names, compiled steps, messages."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import core
from core.keras.configured import snake_case
from core.losses.fitting import loss_of_logits

FOLDER = Path(__file__).parent
CASES = json.loads((FOLDER / "keras_losses.json").read_text())
INTEGERS = ("SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy", "Circle", "CTC")


def label(case):
    options = "-".join(f"{k}={v}" for k, v in case["config"].items())
    return f"{case['name']}-{np.shape(case['y_pred'])}-{options}"


def arrays(case):
    """Labels, outputs and weights of a case."""
    kind = np.int32 if case["name"] in INTEGERS else np.float32
    weights = case["weights"]
    return (
        np.array(case["y_true"], kind),
        np.array(case["y_pred"], np.float32),
        None if weights is None else np.array(weights, np.float32),
    )


def loss_of(case):
    config = {k: tuple(v) if isinstance(v, list) else v for k, v in case["config"].items()}
    return getattr(core.losses, case["name"])(**config)


each_case = pytest.mark.parametrize("case", CASES, ids=label)


@each_case
def test_values_and_gradients_are_those_of_keras(case):
    loss = loss_of(case)
    y_true, y_pred, weights = arrays(case)
    x = core.variable(y_pred, name="x")
    value, grads = core.variable_grads(lambda: core.sum(loss(y_true, x, weights)), [x])
    unreduced = type(loss)(**{**loss.get_config(), "reduction": "none"})
    np.testing.assert_allclose(unreduced(y_true, y_pred).numpy(), case["values"], 2e-5, 3e-7)
    np.testing.assert_allclose(value.numpy(), np.sum(case["loss"]), 2e-5, 3e-7)
    expected = np.array(case["gradient"])
    np.testing.assert_allclose(
        grads["x"].numpy(), expected, 1e-4, 1e-6 * max(1, abs(expected).max())
    )


WEIGHTED = json.loads((FOLDER / "weighted_losses.json").read_text())


def weighted_label(case):
    weights = np.shape(case["weights"] if case["weights"] is not None else ["none"])
    return f"{case['name']}-{case['options']}-{weights}-{case['reduction']}"


@pytest.mark.parametrize("case", WEIGHTED, ids=weighted_label)
def test_weighted_losses_are_those_of_tensorflow_js(case):
    function = getattr(core.losses.weighted, snake_case(case["name"]))
    reduction = core.losses.Reduction[case["reduction"]]

    def value(predictions):
        labels, weights, options = case["labels"], case["weights"], case["options"]
        return function(labels, predictions, weights=weights, reduction=reduction, **options)

    found = value(case["predictions"])
    gradient = core.grad(lambda x: core.sum(value(x)))(case["predictions"])
    np.testing.assert_allclose(found.numpy(), case["value"], 1e-5, 1e-6)
    np.testing.assert_allclose(gradient.numpy(), case["gradient"], 1e-5, 1e-6)


def test_the_eight_names_without_a_clash_are_also_in_the_package():
    names = {snake_case(case["name"]) for case in WEIGHTED}
    assert len(names) == 8 and "compute_weighted_loss" not in names
    for name in {*names, "compute_weighted_loss"} - {"mean_squared_error"}:
        assert getattr(core.losses, name) is getattr(core.losses.weighted, name)
    assert core.losses.mean_squared_error is not core.losses.weighted.mean_squared_error


def test_a_reduction_of_keras_is_refused_by_weighted_losses():
    with pytest.raises(core.CoreError, match=r"one of Reduction\.NONE, .* got 'sum'"):
        core.losses.absolute_difference([1.0], [2.0], reduction="sum")


SATURATED = np.array([[3e4, -3e4, 0.0], [-3e4, 3e4, 0.0], [0.0, 0.0, 3e4]], np.float32)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("BinaryCrossentropy", np.eye(3)),
        ("BinaryFocalCrossentropy", np.eye(3)),
        ("CategoricalCrossentropy", np.eye(3)),
        ("CategoricalFocalCrossentropy", np.eye(3)),
        ("SparseCategoricalCrossentropy", np.arange(3)),
    ],
)
@pytest.mark.parametrize("logits", [SATURATED, -SATURATED, 0 * SATURATED], ids=["+", "-", "0"])
def test_gradients_of_saturated_logits_are_finite(name, labels, logits):
    loss = getattr(core.losses, name)(from_logits=True)
    value, gradient = core.value_and_grad(lambda x: loss(labels, x))(logits)
    assert np.isfinite(value.numpy()) and np.isfinite(gradient.numpy()).all()


def kind(case):
    config = case["config"]
    return case["name"], *config, len(np.shape(case["y_pred"])), case["weights"] is None


#: A case of each loss for each set of options, with and without weights.
KINDS = {kind(case): case for case in CASES}


@pytest.mark.parametrize("case", KINDS.values(), ids=label)
def test_a_compiled_step_computes_what_ops_compute(case):
    loss = loss_of(case)
    y_true, y_pred, weights = arrays(case)
    x = core.variable(y_pred, name="x")

    def step(y_true, weights):
        return core.variable_grads(lambda: core.sum(loss(y_true, x, weights)), [x])

    compiled = core.compile(step)
    value, grads = compiled(y_true, weights)
    expected, expected_grads = step(y_true, weights)
    assert "plan" in compiled.report()
    np.testing.assert_allclose(value.numpy(), expected.numpy(), 1e-5, 1e-6)
    expected_gradient = expected_grads["x"].numpy()
    scale = max(1.0, abs(expected_gradient).max())
    np.testing.assert_allclose(grads["x"].numpy(), expected_gradient, 1e-4, 1e-6 * scale)


def test_second_derivatives_of_the_binary_cross_entropy():
    def first(x):
        return core.sum(core.grad(lambda z: core.sum(LOGITS([[1.0, 0.0]], z)))(x))

    x = np.array([[0.0, 2.0]], np.float32)
    p = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(core.grad(first)(x).numpy(), p * (1 - p) / 2, 1e-5)


LOGITS = core.losses.BinaryCrossentropy(from_logits=True)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("mse", "MeanSquaredError"),
        ("MSE", "MeanSquaredError"),
        ("mean_squared_error", "MeanSquaredError"),
        ("meanSquaredError", "MeanSquaredError"),
        ("MeanSquaredError", "MeanSquaredError"),
        ("mae", "MeanAbsoluteError"),
        ("mape", "MeanAbsolutePercentageError"),
        ("msle", "MeanSquaredLogarithmicError"),
        ("bce", "BinaryCrossentropy"),
        ("binaryCrossentropy", "BinaryCrossentropy"),
        ("sparseCategoricalCrossentropy", "SparseCategoricalCrossentropy"),
        ("kld", "KLDivergence"),
        ("kullbackLeiblerDivergence", "KLDivergence"),
        ("kl_divergence", "KLDivergence"),
        ("cosineProximity", "CosineSimilarity"),
        ("logcosh", "LogCosh"),
        ("huber_loss", "Huber"),
        ("ctc", "CTC"),
        (core.losses.squared_hinge, "SquaredHinge"),
        (core.losses.Poisson, "Poisson"),
        ({"class_name": "Huber", "config": {"delta": 2.0}}, "Huber"),
        ({"class_name": "function", "config": "mean_absolute_error"}, "MeanAbsoluteError"),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_losses_are_found_by_every_spelling(identifier, name):
    assert type(core.losses.get(identifier)) is getattr(core.losses, name)


def test_every_loss_is_made_again_from_its_config():
    for case in CASES:
        loss = loss_of(case)
        again = core.losses.get({"class_name": case["name"], "config": loss.get_config()})
        assert again.get_config() == loss.get_config()


def test_a_function_becomes_a_loss_of_its_name():
    def cubed(y_true, y_pred):
        return core.mean(core.abs(y_true - y_pred) ** 3, axis=-1)

    loss = core.losses.get(cubed)
    assert (loss.name, loss([1.0, 3.0], [[2.0], [1.0]]).item()) == ("cubed", 4.5)


@pytest.mark.parametrize(
    ("labels", "outputs", "name"),
    [
        ((None,), (None, 1), "binary_crossentropy"),
        ((None, 1), (None, 10), "sparse_categorical_crossentropy"),
        ((None, 7), (None, 7, 10), "sparse_categorical_crossentropy"),
        ((None, 10), (None, 10), "categorical_crossentropy"),
    ],
)
def test_crossentropy_is_chosen_by_labels_and_outputs(labels, outputs, name):
    assert core.losses.resolve("crossentropy", labels, outputs).name == name
    assert core.losses.resolve("mse", labels, outputs).name == "mean_squared_error"


def test_a_mask_leaves_samples_out_of_means():
    loss = core.losses.MeanSquaredError()
    y_true, y_pred = [[[0.0], [0.0]], [[0.0], [0.0]]], [[[1.0], [2.0]], [[3.0], [9.0]]]
    assert loss(y_true, y_pred, mask=[[True, True], [True, False]]).item() == pytest.approx(14 / 3)
    assert loss(y_true, y_pred, [3.0, 0.0], [[True, False]] * 2).item() == pytest.approx(3 / 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: core.losses.get("mqe"), r"there is no loss 'mqe'; the names are bce, .*tversky"),
        (lambda: core.losses.Huber(delta=0), "delta of Huber must be positive, got 0"),
        (lambda: core.losses.Hinge("total"), "no reduction 'total'; the names are sum_over_batch"),
        (lambda: core.losses.BinaryCrossentropy(label_smoothing=2), "from 0 to 1, got 2"),
        (lambda: core.losses.Hinge()([1.0, 2.0], [[1.0, 2.0]]), r"\(1, 2\), got \(2,\)"),
        (
            lambda: core.losses.Hinge()([[1.0]] * 3, [[1.0]] * 3, [1.0, 2.0]),
            r"weights of shape \(2,\) do not fit values of shape \(3,\): give one for each sample",
        ),
        (
            lambda: core.losses.SparseCategoricalCrossentropy()([[1, 0]], [[0.5, 0.5]]),
            "for one-hot labels use categorical_crossentropy",
        ),
        (lambda: core.losses.get({"class_name": "Huber", "config": {"d": 1}}), "no argument 'd'"),
    ],
)
def test_mistakes_are_explained(make, message):
    with pytest.raises(core.CoreError, match=message):
        make()


@pytest.mark.parametrize("from_logits", [False, True])
def test_a_label_that_is_no_class_gives_nan(from_logits):
    values = core.losses.sparse_categorical_crossentropy(
        [0, 2, -1, 1], [[0.5, 0.5]] * 4, from_logits=from_logits
    )
    assert np.isnan(values.numpy()).tolist() == [False, True, True, False]


FITS = [
    ("CategoricalCrossentropy", {}, "softmax", 10, None),
    ("CategoricalCrossentropy", {}, "linear", 10, "outputs that sum to 1.*'softmax', or from_log"),
    ("CategoricalCrossentropy", {}, "relu", 10, "outputs that sum to 1"),
    ("CategoricalCrossentropy", {}, "sigmoid", 10, "outputs that sum to 1"),
    ("CategoricalCrossentropy", {"from_logits": True}, "softmax", 10, "use from_logits=False"),
    ("CategoricalCrossentropy", {"from_logits": True}, "linear", 10, None),
    ("CategoricalCrossentropy", {}, None, 10, None),
    ("CategoricalCrossentropy", {}, "softmax", 1, "the model has one: use binary_crossentropy"),
    ("SparseCategoricalCrossentropy", {}, "softmax", 1, "use binary_crossentropy"),
    ("SparseCategoricalCrossentropy", {}, "Softmax", 3, None),
    ("BinaryCrossentropy", {}, "sigmoid", 3, None),
    ("BinaryCrossentropy", {}, "hardSigmoid", 1, None),
    ("BinaryCrossentropy", {}, "softmax", 3, "judges each output by itself"),
    ("BinaryCrossentropy", {}, "softmax", 1, "'softmax' of one output is always 1"),
    ("BinaryCrossentropy", {}, "linear", 1, "use 'sigmoid', or from_logits=True"),
    ("BinaryCrossentropy", {"from_logits": True}, "sigmoid", 1, "use from_logits=False"),
    ("BinaryCrossentropy", {"from_logits": True}, "linear", 1, None),
    ("Hinge", {}, "sigmoid", 1, "scores of either sign"),
    ("CategoricalHinge", {}, "softmax", 4, "scores of either sign"),
    ("Hinge", {}, "relu", 1, "scores of either sign"),
    ("SquaredHinge", {}, "tanh", 1, None),
    ("KLDivergence", {}, "linear", 4, "may be negative: use 'softmax'"),
    ("KLDivergence", {}, "softmax", 4, None),
    ("Poisson", {}, "tanh", 1, "may be negative: use 'softplus'"),
    ("Poisson", {}, "exponential", 1, None),
    ("Dice", {}, "linear", 1, "outputs from 0 to 1"),
    ("CTC", {}, "softmax", 9, "needs logits"),
    ("MeanSquaredError", {}, "softmax", 1, "always 1"),
    ("MeanSquaredError", {}, "relu", 3, None),
    ("CategoricalCrossentropy", {}, "my_activation", 3, None),
]


@pytest.mark.parametrize(("name", "config", "activation", "units", "message"), FITS)
def test_a_loss_that_does_not_fit_the_outputs(name, config, activation, units, message):
    loss = getattr(core.losses, name)(**config)
    found = core.losses.output_mismatch(loss, activation, units)
    if message is None:
        assert found is None
    else:
        assert found is not None and re.search(message, found), found


LABELS = [
    ("SparseCategoricalCrossentropy", [0, 3, 9], 10, None),
    (
        "SparseCategoricalCrossentropy",
        [[0], [10]],
        10,
        r"label 10 at position \(1, 0\) is outside of",
    ),
    ("SparseCategoricalCrossentropy", [0, -1], 10, r"label -1 at position 1 .* has 10 outputs"),
    ("SparseCategoricalCrossentropy", [0, 0.5], 10, "label 0.5 at position 1 is not the number"),
    ("SparseCategoricalCrossentropy", [0, np.nan], 10, "label nan at position 1"),
    ("SparseCategoricalCrossentropy", np.eye(3), 3, "one-hot labels.*use categorical_crossentropy"),
    ("CategoricalCrossentropy", np.eye(3), 3, None),
    ("CategoricalCrossentropy", [0, 1, 2], 3, "use sparse_categorical_crossentropy"),
    ("CategoricalCrossentropy", [[0], [1]], 3, "use sparse_categorical_crossentropy"),
    ("CategoricalCrossentropy", np.eye(4), 3, "give 3 for each sample"),
    ("CategoricalCrossentropy", [[0.0, 2.0]], 2, r"label 2.0 at position \(0, 1\): .* from 0 to 1"),
    ("BinaryCrossentropy", [0, 1, 2], 1, "label 2 at position 2: binary_crossentropy needs labels"),
    ("BinaryCrossentropy", [0, 4, 2, 1], 3, "3 labels of 0 or 1.*sparse_categorical_crossentropy"),
    ("Poisson", [1.0, -2.0], 1, "label -2.0 at position 1: poisson needs labels of 0 or more"),
    ("MeanSquaredError", [1.0, -2.0], 1, None),
]


@pytest.mark.parametrize(("name", "labels", "outputs", "message"), LABELS)
def test_labels_that_a_loss_cannot_take(name, labels, outputs, message):
    loss = getattr(core.losses, name)()
    if message is None:
        core.losses.check_labels(loss, np.array(labels), outputs)
    else:
        with pytest.raises(core.CoreError, match=message):
            core.losses.check_labels(loss, np.array(labels), outputs)


def test_ignored_labels_are_no_mistake():
    loss = core.losses.SparseCategoricalCrossentropy(ignore_class=255)
    core.losses.check_labels(loss, np.array([[0, 255], [2, 1]]), 3)


@pytest.mark.parametrize(
    ("name", "activation", "labels"),
    [
        ("CategoricalCrossentropy", "softmax", np.eye(3, dtype=np.float32)),
        ("SparseCategoricalCrossentropy", "softmax", np.arange(3)),
        ("BinaryCrossentropy", "sigmoid", np.eye(3, dtype=np.float32)),
        ("BinaryFocalCrossentropy", "sigmoid", np.eye(3, dtype=np.float32)),
    ],
)
def test_a_loss_of_logits_is_that_of_the_activated_outputs(name, activation, labels):
    loss = getattr(core.losses, name)(reduction="none", name="mine")
    other = loss_of_logits(loss, activation)
    logits = np.random.default_rng(3).normal(size=(3, 3)).astype(np.float32)
    outputs = getattr(core, activation)(logits)
    np.testing.assert_allclose(other(labels, logits).numpy(), loss(labels, outputs).numpy(), 1e-5)
    assert (type(other), other.name) == (type(loss), "mine")
    assert loss_of_logits(other, activation) is None
    assert loss_of_logits(loss, "linear") is None and loss_of_logits(loss, None) is None


def test_no_loss_of_logits_along_another_axis():
    assert loss_of_logits(core.losses.CategoricalCrossentropy(axis=1), "softmax") is None

"""Heads and their solvers, beside scikit-learn and central differences."""

import numpy as np
import pytest

from tests.helpers import require
from weights_cache.common.errors import ZooError
from zoo.transfer.heads import EPSILON, Head, fit_path
from zoo.transfer.solvers import (
    fit_classes,
    fit_labels,
    fit_values,
    minimised,
    rotated,
    softmax,
    temperature_of,
)


def clusters(rng, count=60, size=20, classes=3, apart=1.2):
    """Rows [count, size] around a middle for each class, and their classes."""
    middles = rng.normal(size=(classes, size)) * apart
    truth = np.arange(count) % classes
    return middles[truth] + rng.normal(size=(count, size)), truth


def texts(truth):
    return [f"class {i}" for i in truth]


def standardised(rows):
    return (rows - rows.mean(0)) / rows.std(0)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("shape", [(60, 20), (40, 90)], ids=["more rows", "more features"])
@pytest.mark.parametrize("penalty", [0.01, 0.3, 10.0])
def test_classes_have_the_probabilities_of_scikit_learn(classes, shape, penalty, rng):
    linear = require("sklearn.linear_model")
    rows, truth = clusters(rng, *shape, classes)
    others, _ = clusters(rng, 30, shape[1], classes)
    head = Head(penalty=penalty).fit(rows, texts(truth))
    peer = linear.LogisticRegression(C=penalty, max_iter=5000, tol=1e-8)
    peer.fit(standardised(rows), truth)
    expected = peer.predict_proba((others - rows.mean(0)) / rows.std(0))
    assert np.abs(head.predict(others) - expected).max() < 1e-3
    assert head.labels == tuple(sorted(set(texts(truth))))


def test_labels_that_exclude_none_have_the_probabilities_of_scikit_learn(rng):
    linear = require("sklearn.linear_model")
    rows = rng.normal(size=(80, 12))
    truth = rows @ rng.normal(size=(12, 3)) + rng.normal(size=(80, 3)) > 0
    targets = [[name for name, has in zip("abc", row, strict=True) if has] for row in truth]
    head = Head("multi_label", penalty=1.0).fit(rows, targets)
    for column in range(3):
        peer = linear.LogisticRegression(C=1.0, max_iter=5000, tol=1e-8)
        peer.fit(standardised(rows), truth[:, column])
        expected = peer.predict_proba(standardised(rows))[:, 1]
        assert np.abs(head.predict(rows)[:, column] - expected).max() < 1e-3


def test_values_are_those_of_ridge_regression(rng):
    linear = require("sklearn.linear_model")
    rows = rng.normal(size=(50, 8)) * rng.uniform(0.1, 9, 8) + 3
    targets = rows @ rng.normal(size=(8, 2)) + rng.normal(size=(50, 2)) + [40, -2]
    head = Head("regression", penalty=0.5).fit(rows, targets.tolist())
    peer = linear.Ridge(alpha=2.0).fit(standardised(rows), standardised(targets))
    expected = peer.predict(standardised(rows)) * targets.std(0) + targets.mean(0)
    assert np.abs(head.predict(rows) - expected).max() < 1e-3
    assert head.labels == ("value_1", "value_2")


def test_a_normalized_head_takes_rows_of_any_scale_and_offset(rng):
    rows, truth = clusters(rng)
    head = Head(normalize=True).fit(rows, texts(truth))
    scaled = rows * rng.uniform(0.5, 2, (len(rows), 1)) + rng.normal(size=(len(rows), 1))
    assert np.abs(head.predict(rows) - head.predict(scaled)).max() < 1e-3
    centred = rows - rows.mean(1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(1, keepdims=True) + EPSILON)
    assert np.allclose(head.scores(rows), normal @ head.kernel + head.bias, atol=1e-4)


def test_a_path_of_penalties_gives_the_heads_of_single_fits(rng):
    rows, truth = clusters(rng)
    penalties = [0.003, 0.3, 3.0]
    for head, penalty in zip(
        fit_path(Head(), rows, texts(truth), penalties), penalties, strict=True
    ):
        alone = Head(penalty=penalty).fit(rows, texts(truth))
        assert head.penalty == penalty
        assert np.abs(head.predict(rows) - alone.predict(rows)).max() < 1e-3


def test_constant_features_and_features_of_equal_rows_get_no_weight(rng):
    rows, truth = clusters(rng)
    rows[:, 3] = 7.5
    head = Head().fit(rows, texts(truth))
    assert not head.kernel[3].any()
    same = Head().fit(np.ones((4, 3)), ["a", "a", "a", "b"])
    assert not same.kernel.any()
    assert same.predict([[1, 1, 1]])[0, 0] == pytest.approx(0.75, abs=1e-3)


@pytest.mark.parametrize("fit", [fit_classes, fit_labels], ids=["classes", "labels"])
def test_the_gradient_vanishes_at_what_the_solver_returns(fit, rng):
    rows, truth = clusters(rng, 40, 6, 3)
    hot = np.eye(3)[truth]
    found = fit(rows, truth if fit is fit_classes else hot, 0.7)

    def loss(weights):
        logits = rows @ weights[:-1] + weights[-1]
        if fit is fit_classes:
            losses = -np.log((softmax(logits) * hot).sum(1))
        else:
            losses = np.logaddexp(0, logits) - hot * logits
        return 0.7 * losses.sum() + 0.5 * (weights[:-1] ** 2).sum()

    for place in np.ndindex(found.shape):
        step = np.zeros_like(found)
        step[place] = 1e-5
        assert abs(loss(found + step) - loss(found - step)) / 2e-5 < 2e-3


def test_the_minimum_of_a_badly_scaled_quadratic_is_found(rng):
    scales = np.logspace(0, 3, 30)
    middle = rng.normal(size=30)

    def objective(x):
        return 0.5 * float((scales * (x - middle) ** 2).sum()), scales * (x - middle)

    assert np.abs(minimised(objective, np.zeros(30), 1e-9) - middle).max() < 1e-6


def test_rotated_rows_keep_their_products_and_give_weights_back(rng):
    rows = rng.normal(size=(5, 40))
    rows[4] = rows[0] + rows[1]  # of rank 4
    turned = rotated(rows, fits=4)
    assert turned.rows.shape == (5, 4)
    weights = rng.normal(size=(4, 2))
    assert np.allclose(rows @ turned.weights_of(weights), turned.rows @ weights)
    assert rotated(rng.normal(size=(40, 41)), fits=1).basis is None  # not worth it


def test_a_temperature_makes_confident_mistakes_less_sure(rng):
    logits = rng.normal(size=(400, 3))
    truth = np.array([rng.choice(3, p=row) for row in softmax(logits)])
    assert temperature_of(logits * 5, truth) == pytest.approx(5, rel=0.3)
    assert temperature_of(logits, truth) == pytest.approx(1, rel=0.3)


def test_values_of_one_feature_by_hand():
    found = fit_values(np.array([[0.0], [1.0]]), np.array([[1.0], [3.0]]), 2.0)
    # centred: x = -+0.5, y = -+1; w = sum(xy) / (sum(xx) + 1/2) = 1 / (0.5 + 0.5)
    assert found.ravel().tolist() == pytest.approx([1.0, 1.5])


@pytest.mark.parametrize("kind", ["classification", "multi_label", "regression"])
def test_files_give_heads_back_exactly(kind, tmp_path, rng):
    rows, truth = clusters(rng, 30, 7)
    targets = {
        "classification": ["a/b", "ü", "c"],
        "multi_label": [["a/b"], [], ["ü", "a/b"]],
        "regression": [1.5, -2.0, 7.25],
    }[kind]
    head = Head(kind, penalty=0.1, normalize=True).fit(rows, [targets[i] for i in truth])
    head.save(tmp_path / "head.npz")
    read = Head.load(tmp_path / "head.npz")
    assert (read.kind, read.labels, read.penalty, read.normalize) == (
        kind,
        head.labels,
        0.1,
        True,
    )
    assert np.array_equal(read.predict(rows), head.predict(rows))


def test_damaged_files_give_one_error(tmp_path, rng):
    rows, truth = clusters(rng, 30, 7)
    path = tmp_path / "head.npz"
    Head().fit(rows, texts(truth)).save(path)
    data = path.read_bytes()
    for count in (0, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:count])
        with pytest.raises(ZooError, match="head.npz"):
            Head.load(path)
    with pytest.raises(ZooError, match=r"nothing\.npz.* cannot be read: No such file"):
        Head.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize(
    ("features", "targets", "message"),
    [
        ([[0.0, 1.0]], ["a", "b"], "1 rows of features have 2 targets"),
        ([[0.0, 1.0], [1.0, np.nan]], ["a", "b"], "row 1 of the features has values"),
        ([[0.0, 1.0], [1.0]], ["a", "b"], r"numbers \[n, size\]"),
        ([0.0, 1.0], ["a", "b"], r"shape \(2,\)"),
        ([[0.0], [1.0]], ["a", "a"], "one class only, 'a'"),
        ([[0.0], [1.0]], ["a", ""], "'' is no label"),
        ([[0.0], [1.0]], ["a", 3], "3 is no label"),
        ([], [], "shape"),
    ],
)
def test_bad_examples_are_refused(features, targets, message):
    with pytest.raises(ZooError, match=message):
        Head().fit(features, targets)


@pytest.mark.parametrize("penalty", [0, -1, np.inf, np.nan, "1", True])
def test_a_penalty_is_a_number_above_0(penalty):
    with pytest.raises(ZooError, match="must be a number above 0"):
        Head(penalty=penalty)


def test_an_unknown_kind_is_answered_with_the_nearest_one():
    with pytest.raises(ZooError, match="did you mean 'regression'"):
        Head("regresion")


def test_untrained_heads_and_rows_of_another_size_are_refused():
    with pytest.raises(ZooError, match="not trained: call fit"):
        Head().predict([[0.0]])
    head = Head().fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    with pytest.raises(ZooError, match="3 features, the head was trained with 2"):
        head.predict([[1.0, 2.0, 3.0]])
    with pytest.raises(ZooError, match="row 0 is not a finite"):
        Head("regression").fit([[0.0], [1.0]], [np.inf, 1.0])

"""Honest scores: folds, intervals, confusions, warnings, doubtful and damaging images."""

import json
import math

import numpy as np
import pytest

from weights_cache.common.errors import ZooError
from zoo.transfer.folds import NEVER_HELD_OUT, stratified_folds
from zoo.transfer.heads import Head
from zoo.transfer.scores.class_scores import score_classes
from zoo.transfer.scores.other_scores import score_labels, score_values
from zoo.transfer.scores.review_list import harm_of, margins_of
from zoo.transfer.scores.scores import score_held_out, scores_from
from zoo.transfer.scores.statistics import (
    average_precision,
    bootstrap_interval,
    calibration_error,
    log_loss,
    percent,
    wilson_interval,
)
from zoo.transfer.scores.texts import confusion_lines, few_images


def clusters(rng, per_class=50, classes=2, apart=2.5, size=10):
    """Gaussian clusters: features and class indices."""
    centres = rng.normal(size=(classes, size))
    centres *= apart / np.linalg.norm(centres, axis=1, keepdims=True)
    truth = np.repeat(np.arange(classes), per_class)
    return rng.normal(size=(len(truth), size)) + 2 * centres[truth], truth


def held_out(features, truth, folds, labels):
    """Predictions of heads that did not see the image."""
    likely = np.full((len(truth), len(labels)), np.nan)
    for fold in range(folds.max() + 1):
        seen = folds != fold
        head = Head().fit(features[seen], [labels[i] for i in truth[seen]], labels=labels)
        likely[~seen] = head.predict(features[~seen])
    return likely


def sure(truth, classes=2, score=0.9):
    """Right predictions."""
    rest = (1 - score) / (classes - 1)
    return np.where(np.arange(classes) == np.asarray(truth)[:, None], score, rest)


# --- folds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_folds_have_their_share_of_each_class(k):
    targets = ["ants"] * 124 + ["bees"] * 31
    folds = stratified_folds(targets, k)
    for count, of_class in ((124, folds[:124]), (31, folds[124:])):
        shares = np.bincount(of_class, minlength=k)
        assert shares.min() >= count // k - 1 and shares.max() <= -(-count // k) + 1
    assert np.ptp(np.bincount(folds)) <= 2


def test_groups_are_never_split(rng):
    groups = rng.integers(0, 60, 200)
    folds = stratified_folds(rng.choice(["a", "b", "c"], 200), 5, groups=groups)
    assert folds.min() == 0 and folds.max() == 4
    assert all(len(set(folds[groups == group])) == 1 for group in set(groups.tolist()))
    assert np.bincount(folds).max() - np.bincount(folds).min() < 20


def test_as_many_folds_as_images_hold_out_one_at_a_time():
    folds = stratified_folds(["a"] * 7 + ["b"] * 5, 100)
    assert sorted(folds.tolist()) == list(range(12))


def test_a_class_of_one_image_or_of_copies_alone_is_never_held_out():
    targets = ["a"] * 5 + ["b"] * 3 + ["c"]
    folds = stratified_folds(targets, 3, groups=[0, 1, 2, 3, 4, 5, 5, 5, 6])
    assert (folds[5:] == NEVER_HELD_OUT).all() and (folds[:5] >= 0).all()


def test_every_class_is_trained_on_in_every_fold(rng):
    targets = np.array(["a"] * 40 + ["b"] * 2 + ["c"] * 3)
    folds = stratified_folds(targets, 5)
    for fold in range(5):
        assert set(targets[folds != fold]) == {"a", "b", "c"}


def test_folds_of_numbers_have_small_and_large_ones(rng):
    values = rng.normal(size=100)
    folds = stratified_folds(values, 5)
    means = [values[folds == fold].mean() for fold in range(5)]
    assert np.bincount(folds).tolist() == [20] * 5 and np.ptp(means) < 0.2


def test_folds_of_several_labels_balance_each(rng):
    targets = [
        [label for label, p in (("x", 0.5), ("y", 0.2)) if rng.random() < p] for _ in range(100)
    ]
    folds = stratified_folds(targets, 4)
    for label in "xy":
        counts = [sum(label in targets[i] for i in np.flatnonzero(folds == f)) for f in range(4)]
        assert max(counts) - min(counts) <= 2


def test_folds_depend_on_the_seed_alone():
    targets = ["a"] * 20 + ["b"] * 20
    first = stratified_folds(targets, 4, seed=1)
    assert np.array_equal(first, stratified_folds(targets, 4, seed=1))
    assert not np.array_equal(first, stratified_folds(targets, 4, seed=2))


def test_folds_check_their_arguments():
    with pytest.raises(ZooError, match="1 folds leave no images"):
        stratified_folds(["a", "b"], 1)
    with pytest.raises(ZooError, match="2 images have 1 groups"):
        stratified_folds(["a", "b"], 2, groups=[0])
    assert stratified_folds([], 3).shape == (0,)


# --- statistics -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "count"), [(228, 245), (5, 5), (0, 10), (50, 100)])
def test_ends_of_wilson_intervals_are_two_standard_errors_away(right, count):
    for end in wilson_interval(right, count):
        error = math.sqrt(end * (1 - end) / count)
        assert abs(right / count - end) == pytest.approx(1.959964 * error, abs=1e-9)
    assert wilson_interval(0, 0) == (0, 1)


def test_intervals_hold_the_true_share_about_95_times_in_100(rng):
    drawn = rng.binomial(40, 0.85, 2000)
    held = [low <= 0.85 <= high for low, high in (wilson_interval(int(n), 40) for n in drawn)]
    assert 0.93 < np.mean(held) < 0.98


def test_a_bootstrap_interval_is_that_of_the_normal_distribution(rng):
    values = rng.normal(3, 2, 400)
    low, high = bootstrap_interval(values, lambda part: float(part.mean()))
    half = 1.96 * values.std() / math.sqrt(400)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.03)
    assert (low, high) == bootstrap_interval(values, lambda part: float(part.mean()))


def test_calibration_error_is_that_of_a_loop(rng):
    likely = rng.dirichlet([1, 1, 1], 200)
    truth = rng.integers(0, 3, 200)
    best, right = likely.max(axis=1), likely.argmax(axis=1) == truth
    error = 0.0
    for low in range(10):
        inside = (best >= low / 10) & (best < (low + 1) / 10)
        if inside.any():
            error += inside.sum() / 200 * abs(right[inside].mean() - best[inside].mean())
    assert calibration_error(likely, truth) == pytest.approx(error)
    assert calibration_error(np.eye(2)[[0, 1]], np.array([0, 1])) == 0


def test_average_precision_is_the_mean_of_precisions_at_hits(rng):
    truth, scores = rng.random(50) < 0.3, rng.permutation(50) / 50
    order = np.argsort(-scores)
    hits = truth[order]
    expected = np.mean([hits[: i + 1].mean() for i in np.flatnonzero(hits)])
    assert average_precision(truth, scores) == pytest.approx(expected)
    assert average_precision(truth, np.zeros(50)) == pytest.approx(truth.mean())
    assert average_precision(np.zeros(3, bool), np.zeros(3)) is None


def test_log_loss_of_an_impossible_class_is_limited():
    assert log_loss(np.array([[1.0, 0.0]]), np.array([1])) == pytest.approx(-math.log(1e-7))


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.0001, "0.1 %"), (0.99999, "99.9 %"), (0.123, "12 %")]
)
def test_shares_as_text(share, text):
    assert percent(share) == text


# --- scores of classes ----------------------------------------------------------------------------


def test_scores_of_a_small_example():
    likely = np.array([[0.9, 0.1], [0.45, 0.55], [0.2, 0.8], [0.3, 0.7], [0.51, 0.49]])
    scores = score_classes(
        likely, [0, 0, 1, 1, 1], ["ants", "bees"], [0, 1, 0, 1, 0], names="abcde"
    )
    assert (scores.images, scores.folds, scores.accuracy) == (5, 2, 0.6)
    assert scores.interval == wilson_interval(3, 5) and scores.majority == 0.6
    assert scores.confusion == {"ants": {"ants": 1, "bees": 1}, "bees": {"ants": 1, "bees": 2}}
    assert scores.classes["bees"].recall == scores.classes["bees"].precision == 2 / 3
    assert [image.name for image in scores.doubtful] == ["e", "b", "d", "c", "a"]
    worst = scores.doubtful[0]
    assert (worst.label, worst.predicted, worst.score) == ("bees", "ants", 0.51)
    assert worst.margin == pytest.approx(0.02) and scores.damaging == ()


def test_scores_of_clusters_are_right_and_fit_into_a_terminal(rng):
    features, truth = clusters(rng, 30, 4)
    labels = ["ants", "bees", "wasps", "flies"]
    folds = stratified_folds(truth, 5)
    likely = held_out(features, truth, folds, labels)
    harm = harm_of(features, likely, truth, folds)
    scores = score_classes(likely, truth, labels, folds, harm=harm)
    assert scores.accuracy > 0.9 and scores.interval[0] > scores.majority == 0.25
    assert scores.warnings == () and scores.calibration < 0.2
    lines = str(scores).splitlines()
    assert len(lines) <= 20 and "of 120 images right, 5 folds; guessing: 25 %" in lines[0]
    assert lines[1].split() == ["label", "/", "predicted", *labels]


def test_images_that_were_never_held_out_are_not_scored():
    likely = np.vstack([sure([0] * 6 + [1] * 6), [[np.nan, np.nan]]])
    folds = np.array([0, 1] * 6 + [-1])
    likely = np.column_stack([likely, np.zeros(13)])
    scores = score_classes(likely, [0] * 6 + [1] * 6 + [2], ["a", "b", "wasps"], folds)
    assert scores.images == 12 and scores.accuracy == 1
    assert scores.classes["wasps"].recall is None
    assert any("wasps cannot be scored" in sentence for sentence in scores.warnings)
    assert "no images" in str(scores)


def test_nothing_held_out_gives_no_scores_but_a_reason():
    scores = score_classes(np.full((2, 2), np.nan), [0, 1], ["a", "b"], [-1, -1])
    assert scores.images == 0 and scores.interval == (0, 1)
    assert str(scores).startswith("unknown (0 to 100 %) of 0 images")
    assert "a and b cannot be scored" in scores.warnings[0]
    json.dumps(scores.as_dict(), allow_nan=False)


def test_warnings_of_few_and_uneven_images_and_guessing():
    truth = np.array([0] * 30 + [1] * 5)
    likely = np.tile([0.6, 0.4], (35, 1))
    scores = score_classes(likely, truth, ["ants", "bees"], np.arange(35) % 5, warnings=["First."])
    assert scores.warnings[0] == "First."
    few, uneven, guessing = scores.warnings[1:]
    assert few.startswith("fewer than 6 images of bees (5)") and "as low as 57 %" in few
    assert uneven.startswith("ants has 30 images, bees 5: accuracy mostly")
    assert guessing.startswith("always guessing ants would reach 86 %")


def test_many_small_classes_are_one_sentence():
    (sentence,) = few_images({f"class {i}": i for i in range(1, 9)})
    assert "class 1 (1), class 2 (2), class 3 (3) and 2 more" in sentence


def test_many_classes_are_shown_as_their_commonest_confusions():
    labels = [f"a long name of class {i}" for i in range(30)]
    confusion = {a: {b: 5 if a == b else 0 for b in labels} for a in labels}
    confusion[labels[3]][labels[4]] = 2
    assert confusion_lines(confusion) == ["a long name of.. taken for a long name of..: 2 of 7"]


def test_scores_check_lengths_and_numbers():
    with pytest.raises(ZooError, match="need 3 columns"):
        score_classes(sure([0, 1]), [0, 1], ["a", "b", "c"], [0, 1])
    with pytest.raises(ZooError, match=r"differ in length: \[2, 2, 1, 2\]"):
        score_classes(sure([0, 1]), [0, 1], ["a", "b"], [0])
    with pytest.raises(ZooError, match="predictions of 1 held-out images are not finite"):
        score_classes(np.array([[0.5, 0.5], [np.nan, 0]]), [0, 1], ["a", "b"], [0, 1])


# --- doubtful and damaging images -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_wrong_labels_are_among_the_ten_most_damaging_images(seed):
    rng = np.random.default_rng(seed)
    features, truth = clusters(rng)
    wrong = rng.choice(100, 5, replace=False)
    truth[wrong] = 1 - truth[wrong]
    folds = stratified_folds(truth, 5)
    likely = held_out(features, truth, folds, ["a", "b"])
    harm = harm_of(features, likely, truth, folds)
    found = {i.position for i in score_classes(likely, truth, "ab", folds, harm=harm).damaging}
    assert len(found & set(wrong.tolist())) >= 4


def test_harm_is_the_sum_over_the_images_of_other_folds(rng):
    features, truth = clusters(rng, 6, 3, size=4)
    folds = np.arange(18) % 3
    folds[5] = -1
    likely = rng.dirichlet([1, 1, 1], 18)
    used = np.flatnonzero(folds >= 0)
    x = (features - features[used].mean(axis=0)) / features[used].std(axis=0)
    wanted = np.eye(3)[truth]
    early = wanted[used].mean(axis=0) - wanted
    harm = harm_of(features, likely, truth, folds)
    for i in used:
        others = [j for j in used if folds[j] != folds[i]]
        products = [((likely[i] - wanted[i]) @ early[j]) * (x[i] @ x[j] + 1) for j in others]
        assert harm[i] == pytest.approx(-sum(products), rel=1e-3, abs=1e-3)
    assert harm[5] == 0


def test_harm_of_nothing_and_of_wrong_lengths():
    nothing = harm_of(np.ones((2, 3)), np.ones((2, 2)), np.array([0, 1]), np.array([-1, -1]))
    assert nothing.tolist() == [0, 0]
    with pytest.raises(ZooError, match="differ in length"):
        harm_of(np.ones((2, 3)), np.ones((3, 2)), np.array([0, 1]), np.array([0, 1]))


def test_margins_of_one_class_are_whole():
    assert margins_of(np.ones((3, 1))).tolist() == [1, 1, 1]


# --- other kinds ----------------------------------------------------------------------------------


def test_scores_of_several_labels():
    truth = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    likely = np.array([[0.9, 0.1], [0.4, 0.8], [0.2, 0.7], [0.1, 0.6]])
    scores = score_labels(likely, truth, ["red", "large"], [0, 1, 0, 1], names="wxyz")
    red, large = scores.labels["red"], scores.labels["large"]
    assert (red.precision, red.recall, red.f1) == (1, 0.5, pytest.approx(2 / 3))
    assert (large.accuracy, large.precision, large.recall) == (0.75, pytest.approx(2 / 3), 1)
    assert red.average_precision == large.average_precision == scores.mean_average_precision == 1
    assert scores.accuracy == 0.5 and scores.interval == wilson_interval(2, 4)
    nearest = scores.doubtful[0]
    assert (nearest.name, nearest.label, nearest.predicted) in {
        ("x", "red, large", "red"),
        ("z", "", "large"),
    }
    assert "all labels right in 50 %" in str(scores)


def test_scores_of_values(rng):
    truth = np.linspace(0, 10, 40)[:, None]
    guessed = truth + rng.normal(0, 0.5, (40, 1))
    guessed[7] += 6
    scores = score_values(guessed, truth, ["age"], np.arange(40) % 4)
    age = scores.values["age"]
    missed = np.abs(guessed - truth)
    assert age.mean_absolute_error == pytest.approx(missed.mean())
    assert age.interval[0] < missed.mean() < age.interval[1] < age.guessing
    assert age.r2 == pytest.approx(1 - (missed**2).sum() / ((truth - 5) ** 2).sum())
    assert scores.doubtful[0].position == 7 and scores.warnings == ()
    assert "age: mean absolute error" in str(scores)


def test_values_no_better_than_guessing_are_warned_about(rng):
    truth = rng.normal(size=(10, 1))
    scores = score_values(rng.normal(size=(10, 1)), truth, ["age"], np.arange(10) % 2)
    assert "errors of 10 images are of little value" in scores.warnings[0]
    assert "always guessing the median" in scores.warnings[1]
    constant = score_values(np.ones((25, 1)), np.ones((25, 1)), ["age"], np.arange(25) % 5)
    assert constant.values["age"].r2 is None


# --- stored scores --------------------------------------------------------------------------------


def scores_of_kinds():
    folds = np.arange(6) % 2
    truth = np.array([0, 1] * 3)
    several = np.eye(2)[truth]
    harm = np.linspace(-1, 1, 6)
    return [
        score_held_out("classification", sure(truth), truth, ["ä", "b/c"], folds, harm=harm),
        score_held_out("multi_label", several * 0.8, several, ["x", "y"], folds, harm=harm),
        score_held_out("regression", several + 1, several, ["x", "y"], folds, harm=harm),
    ]


@pytest.mark.parametrize("number", range(3))
def test_scores_return_from_json(number):
    scores = scores_of_kinds()[number]
    assert len(scores.damaging) == 3
    text = json.dumps(scores.as_dict(), allow_nan=False)
    assert scores_from(json.loads(text)) == scores


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"images": -1},
        {"accuracy": "1"},
        {"interval": [0]},
        {"interval": [0, math.nan]},
        {"confusion": {"a": {"b": 1}}},
        {"doubtful": [{"position": 0}]},
        {"warnings": None},
        {"classes": []},
    ],
    ids=str,
)
def test_damaged_scores_are_one_clear_error(change):
    stored = scores_of_kinds()[0].as_dict() | change
    with pytest.raises(ZooError, match="stored scores are damaged"):
        scores_from(stored)

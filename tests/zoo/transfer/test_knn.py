"""Classifiers by the nearest examples: recorded answers of knn-classifier, a plain reference."""

import json
from pathlib import Path

import numpy as np
import pytest

import core
from weights_cache.common.errors import ZooError
from zoo.transfer.knn.classifier import KNNClassifier

RECORDED = json.loads(Path(__file__).with_name("knn_answers.json").read_text())
SCENARIOS = RECORDED["scenarios"]


def replay(classifier, call, given):
    """Return what a call of knn-classifier answers here, with labels as text."""
    if call == "add":
        return classifier.add_example(np.array(given[0], np.float32), given[1])
    if call == "clear":
        return classifier.clear_class(*given)
    if call == "clear_all":
        return classifier.clear_all_classes()
    if call == "classes":
        return classifier.get_num_classes()
    if call == "counts":
        return [[str(k), n] for k, n in classifier.get_class_example_count().items()]
    if call == "dataset":
        return [[str(k), rows.tolist()] for k, rows in classifier.get_classifier_dataset().items()]
    answer = dict(classifier.predict_class(np.array(given[0], np.float32), given[1]))
    answer["label"] = str(answer["label"])
    answer["confidences"] = [[str(k), share] for k, share in answer["confidences"].items()]
    return answer


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers_are_those_of_knn_classifier(name):
    classifier, compared = KNNClassifier(), 0
    for step in SCENARIOS[name]:
        answer = replay(classifier, step["call"], step["given"])
        if step["call"] == "dataset":
            for (label, rows), (expected, others) in zip(answer, step["answer"], strict=True):
                assert label == expected
                np.testing.assert_allclose(rows, others, atol=2e-7)
        else:
            assert answer == step.get("answer")
        compared += "answer" in step
    assert compared >= 3


def vote(examples, features, k):
    """The plain reference: one cosine after the other, sorted; examples by class, no ties."""
    unit = [float(value) for value in features]
    ranked = []
    for label, row in examples:
        dot = sum(a * b for a, b in zip(unit, row, strict=True))
        lengths = sum(a * a for a in unit) * sum(b * b for b in row)
        ranked.append((dot / lengths**0.5, label))
    near = [label for _, label in sorted(ranked, reverse=True)[:k]]
    return {label: near.count(label) / len(near) for label, _ in examples}


@pytest.mark.parametrize("k", [1, 3, 7, 100])
def test_votes_are_those_of_the_plain_reference(k):
    random = np.random.default_rng(k)
    centers = random.normal(size=(4, 12))
    examples = [(f"class {i % 4}", centers[i % 4] + random.normal(size=12)) for i in range(50)]
    classifier = KNNClassifier()
    for label, row in examples:
        classifier.add_example(row * random.uniform(0.01, 100), label)  # the length is no matter
    for _ in range(20):
        features = centers[random.integers(4)] + random.normal(size=12)
        prediction = classifier.predict_class(features, k)
        expected = vote(examples, features, k)
        assert prediction["confidences"] == pytest.approx(expected)
        assert expected[prediction["label"]] == max(expected.values())
        assert prediction["label"] == f"class {prediction['class_index']}"


def test_equal_examples_tie_wherever_they_are():
    # Matrix products of BLAS may differ in the last bit between equal rows.
    random = np.random.default_rng(0)
    row, other = random.normal(size=(2, 1279)).astype(np.float32)
    classifier = KNNClassifier()
    for i in range(37):
        classifier.add_example(row, f"class {i}")
    features = row + 0.3 * other
    assert classifier.predict_class(features, 1)["label"] == "class 0"
    found = classifier.predict_class(features, 5)["confidences"]
    assert [label for label, share in found.items() if share] == [f"class {i}" for i in range(5)]


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int32, np.uint8])
def test_features_are_arrays_of_any_kind_and_shape(kind):
    classifier = KNNClassifier()
    classifier.add_example(np.array([[3], [4]], kind), "a")
    np.testing.assert_array_equal(
        classifier.get_classifier_dataset()["a"], np.array([[0.6, 0.8]], np.float32)
    )


def test_features_are_tensors():
    classifier = KNNClassifier()
    classifier.add_example(core.tensor([[0.0, 1.0, 0.0]]), "a")
    classifier.add_example(core.tensor([[1.0, 0.0, 0.0]]), "b")
    classifier.set_classifier_dataset(
        {label: core.tensor(rows) for label, rows in classifier.get_classifier_dataset().items()}
    )
    assert classifier.predict_class(core.tensor([2.0, 1.0, 0.0]), 1)["label"] == "b"


def test_huge_and_tiny_features_have_a_direction():
    classifier = KNNClassifier()
    classifier.add_example([3e300, 4e300], "a")
    classifier.add_example([-3e-300, 4e-300], "b")
    found = classifier.get_classifier_dataset()
    np.testing.assert_allclose(found["a"], [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(found["b"], [[-0.6, 0.8]], rtol=1e-6)


def filled():
    """A classifier whose classes were added, cleared and added again."""
    classifier, random = KNNClassifier(), np.random.default_rng(5)
    for label in ["pen", 10, "cup", "pen", 9, "cup", 10]:
        classifier.add_example(random.normal(size=6), label)
    classifier.clear_class("pen")
    classifier.add_example(random.normal(size=6), "pen")
    classifier.add_example(random.normal(size=6), "Größe 🙂")
    return classifier


PROBES = np.random.default_rng(6).normal(size=(20, 6))


def state(classifier):
    """What two classifiers that are the same agree on, down to the last bit."""
    data = {label: rows.tobytes() for label, rows in classifier.get_classifier_dataset().items()}
    return [*data.items()], [classifier.predict_class(probe, k) for probe in PROBES for k in (1, 4)]


def undone(classifier):
    """The labels of all examples, the one that was added last first."""
    return [classifier.undo() for _ in range(sum(classifier.get_class_example_count().values()))]


def test_undo_goes_back_example_by_example():
    classifier = filled()
    before, probe = state(classifier), PROBES[0]
    classifier.add_example(probe, "pen")
    classifier.add_example(probe, "new")
    assert classifier.predict_class(probe, 1)["label"] == "pen"
    assert (classifier.undo(), classifier.undo()) == ("new", "pen")
    assert state(classifier) == before
    assert undone(classifier) == ["Größe 🙂", "pen", 10, "cup", 9, "cup", 10]
    assert classifier.get_num_classes() == 0
    with pytest.raises(ZooError, match="no example to undo"):
        classifier.undo()
    classifier.add_example([1, 2], "of another length")
    assert classifier.predict_class([1, 2])["confidences"] == {"of another length": 1}


def test_a_new_class_that_is_undone_leaves_its_number_to_the_next():
    classifier = KNNClassifier()
    classifier.add_example([1, 0], "cup")
    classifier.add_example([0, 1], "pne")
    classifier.undo()
    classifier.add_example([0, 1], "pen")
    assert classifier.predict_class([0, 1], 1)["class_index"] == 1


def test_class_indexes_are_right_after_a_dataset_was_set():
    dataset = filled().get_classifier_dataset()
    classifier = KNNClassifier()
    classifier.set_classifier_dataset(dataset)
    for index, (label, rows) in enumerate(dataset.items()):
        prediction = classifier.predict_class(rows[0], 1)
        assert (prediction["label"], prediction["class_index"]) == (label, index)
    classifier.add_example([1, 2, 3, 4, 5, 6], "more")
    assert classifier.predict_class([1, 2, 3, 4, 5, 6], 1)["class_index"] == len(dataset)
    classifier.set_classifier_dataset({"more": [[1, 2]]})  # a known class keeps its number
    assert classifier.predict_class([1, 2])["class_index"] == len(dataset)
    classifier.set_classifier_dataset({})
    assert classifier.get_num_classes() == 0


def test_a_dataset_is_a_copy_at_unit_length():
    classifier = filled()
    dataset, before = classifier.get_classifier_dataset(), state(classifier)
    copy = KNNClassifier()
    copy.set_classifier_dataset(dataset)
    assert state(copy)[0] == before[0]  # rows of unit length stay, bit by bit
    for rows in dataset.values():
        rows[:] = 0
    assert state(classifier) == before
    copy.set_classifier_dataset({"a": [[3, 4], [0, 5]]})
    np.testing.assert_allclose(copy.get_classifier_dataset()["a"], [[0.6, 0.8], [0, 1]], rtol=1e-6)


def test_many_examples_are_kept():
    random, classifier = np.random.default_rng(2), KNNClassifier()
    rows = random.normal(size=(5000, 8)).astype(np.float32)
    for i, row in enumerate(rows):
        classifier.add_example(row, i % 10)
    for i in (0, 17, 4999):
        assert classifier.predict_class(rows[i], 1)["label"] == i % 10
    classifier.clear_class(3)
    assert classifier.get_class_example_count() == {i: 500 for i in range(10) if i != 3}


def test_a_disposed_classifier_is_as_a_new_one():
    classifier = filled()
    classifier.dispose()
    with pytest.raises(ZooError, match="no examples: add some"):
        classifier.predict_class(PROBES[0])
    classifier.add_example([1, 0], "a")
    assert classifier.predict_class([1, 0])["class_index"] == 0
    assert repr(classifier) == "KNNClassifier(1 class, 1 example of 2 values)"


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([1, np.nan, 0, 0, 0, 0], "not finite"),
        ([1, np.inf, 0, 0, 0, 0], "not finite"),
        ([0] * 6, "all 0"),
        ([], "empty"),
        ([[1, 2], [3]], "no array of numbers"),
        (["1", "2"], "no numbers but <U1"),
        (None, "no numbers but object"),
        ([1j] * 6, "no numbers but complex128"),
        ([1, 2, 3], "3 values, those of the examples 6"),
    ],
)
def test_bad_features_are_refused(features, message):
    classifier = filled()
    before = state(classifier)
    for call in (classifier.predict_class, lambda given: classifier.add_example(given, "new")):
        with pytest.raises(ZooError, match=message):
            call(features)
    assert state(classifier) == before


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        (None, "a text or an integer"),
        (True, "a text or an integer"),
        (1.5, "a text or an integer"),
        (2**60, "out of range"),
        ("x" * 1001, "1,001 characters, the limit is 1,000"),
        ("\ud83d", "half a character"),
        ("10", "class 10 already"),
    ],
)
def test_bad_labels_are_refused(label, message):
    classifier = filled()
    before = state(classifier)
    with pytest.raises(ZooError, match=message):
        classifier.add_example(PROBES[0], label)
    assert state(classifier) == before


@pytest.mark.parametrize(
    ("k", "message"), [(0, "1 or more, not 0"), (-3, "not -3"), (2.5, "integer"), ("3", "integer")]
)
def test_bad_numbers_of_voters_are_refused(k, message):
    with pytest.raises(ZooError, match=message):
        filled().predict_class(PROBES[0], k)


@pytest.mark.parametrize(
    ("label", "message"),
    [("cups", "did you mean 'cup'"), ("10", "classes are 9, 10, 'cup', 'pen'"), ("zzz", "classes")],
)
def test_unknown_classes_cannot_be_cleared(label, message):
    with pytest.raises(ZooError, match=message):
        filled().clear_class(label)


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ({"a": [1, 2]}, r"'a' have the shape \[2\]"),
        ({"a": np.empty((0, 3))}, r"shape \[0, 3\]"),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, r"equally many values, not \[2, 3\]"),
        ({"a": [[1, np.nan]]}, "'a' have values that are not finite"),
        ({"a": [[1, 2], [0, 0]]}, "a row of zeros"),
        ({"": [[1, 2]]}, "is empty"),
        ({"5": [[1, 2]], 5: [[1, 2]]}, "as text and as integer"),
    ],
)
def test_bad_datasets_are_refused(dataset, message):
    classifier = filled()
    before = state(classifier)
    with pytest.raises(ZooError, match=message):
        classifier.set_classifier_dataset(dataset)
    assert state(classifier) == before

"""Networks of ml5 give what ml5 gives: values in the units of its users."""

import json

import numpy as np
import pytest

import zoo
from tests.core.converter.ml5_models import CLASSES, NUMBERS, outputs_of, write_ml5
from weights_cache.common.errors import ZooError

VALUES = {"r": 51, "g": 130, "shade": "dark"}


@pytest.fixture
def classifier(tmp_path):
    return zoo.load(write_ml5(tmp_path / "colours", CLASSES))


@pytest.fixture
def regressor(tmp_path):
    return zoo.load(write_ml5(tmp_path / "prices", NUMBERS, activation="sigmoid"))


def test_classes(classifier, tmp_path):
    expected = outputs_of([51 / 255, (130 - 10) / 240, 0, 1])
    assert classifier.labels == ("red-ish", "blue-ish")
    result = classifier.classify(VALUES)
    found = {row["label"]: row["score"] for row in result}
    assert [found[label] for label in classifier.labels] == pytest.approx(expected, abs=1e-6)
    assert result == sorted(result, key=lambda row: -row["score"])
    for values in (
        [51, 130, "dark"],
        (51.0, np.int64(130), "dark"),
        dict(reversed(VALUES.items())),
    ):
        assert classifier.classify(values) == result
    assert classifier.classify(VALUES, top_k=1) == result[:1]
    assert zoo.classify(VALUES, model=str(tmp_path / "colours")) == result
    (raw,) = classifier.predict(np.float32([[0.2, 0.5, 0, 1]])).values()
    assert raw.numpy()[0] == pytest.approx(expected, abs=1e-6)


def test_values_that_are_not_normalized(tmp_path):
    model = zoo.load(write_ml5(tmp_path, {**CLASSES, "isNormalized": False}))
    expected = outputs_of([0.5, 0.25, 1, 0])
    found = {row["index"]: row["score"] for row in model.classify([0.5, 0.25, "light"])}
    assert [found[0], found[1]] == pytest.approx(expected, abs=1e-6)


def test_numbers(regressor):
    scaled = outputs_of([(3 - 1) / 8, (95 - 20) / 300], "sigmoid")
    for values in ({"rooms": 3, "area": 95}, [3, 95], np.float64([3, 95])):
        found = regressor.predict(values)
        assert list(found) == ["price", "days"]
        assert found["price"].numpy() == pytest.approx(scaled[0] * 800 + 100, rel=1e-6)
        assert found["days"].numpy() == pytest.approx(scaled[1] * 59 + 1, rel=1e-6)
    raw = regressor.predict([3, 95], raw=True)
    assert [raw[name].numpy()[0] for name in raw] == pytest.approx(scaled, abs=1e-6)
    assert not hasattr(regressor, "classify")


@pytest.mark.parametrize(
    "values, words",
    [
        ({"r": 1, "g": 2}, "takes 3 values, in this order or by name, not"),
        ({**VALUES, "blue": 3}, "has no input 'blue': 'r', 'g', 'shade'"),
        ({"r": 1, "g": 2, "shad": "dark"}, "has no input 'shad': did you mean 'shade'"),
        ([1, 2], "takes 3 values"),
        ("dark", "takes 3 values"),
        (5, "takes 3 values"),
        ([1, 2, "grey"], "shade='grey' must be one of 'light', 'dark'"),
        ([1, 2, 3], "shade=3 must be one of"),
        ([1, 2, []], r"shade=\[\] must be one of"),
        (["1", 2, "dark"], "r='1' must be a number"),
        ([True, 2, "dark"], "r=True must be a number"),
        ([float("nan"), 2, "dark"], "r=nan must be a number"),
        ([None, 2, "dark"], "r=None must be a number"),
        (np.zeros((3, 2)), "must be a number"),
    ],
)
def test_wrong_values(values, words, classifier):
    with pytest.raises(ZooError, match=words):
        classifier.classify(values)


def test_wrong_options(classifier):
    with pytest.raises(ZooError, match="top_k=0 must be an integer"):
        classifier.classify(VALUES, top_k=0)
    with pytest.raises(ZooError, match="mirror=True is for images"):
        classifier.classify(VALUES, mirror=True)


def test_an_input_without_a_range(tmp_path):
    document = json.loads(json.dumps(CLASSES))
    document["inputs"]["r"]["max"] = 0
    model = zoo.load(write_ml5(tmp_path, document))
    with pytest.raises(ZooError, match="its input r was 0 in all examples, so ml5 divides by 0"):
        model.classify(VALUES)

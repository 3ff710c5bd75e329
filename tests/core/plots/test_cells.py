"""Heat maps and confusion matrices: colours of cells, and scores beside counts by hand."""

from collections import Counter

import numpy as np
import pytest

import core
from core.plots import (
    accuracy,
    confusion_matrix,
    confusion_matrix_values,
    heat_map,
    per_class_accuracy,
    per_class_accuracy_values,
)
from core.plots.colours import colours_of_values, text_colour_on
from tests.core.plots.pixels import are_near, inside, of_series, pixels_of, place, runs

LABELS = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
PREDICTIONS = [0, 1, 1, 1, 0, 2, 2, 2, 0, 1]
BY_HAND = [[1, 1, 0], [1, 2, 0], [1, 1, 3]]


def lightness(pixels):
    return pixels.astype(float) @ [0.299, 0.587, 0.114]


def colours(name, shares):
    return 255 * np.array(colours_of_values(name)(shares))[..., :3]


@pytest.mark.parametrize("name", ["viridis", "blues", "greys"])
def test_colours_are_monotonic(name):
    light = lightness(colours(name, np.linspace(0, 1, 200)))
    steps = np.diff(light) * (1 if name == "viridis" else -1)
    assert (steps >= -0.6).all() and abs(light[-1] - light[0]) > 150
    plot = heat_map([np.arange(8.0)], color_map=name, scale=1)
    light = [lightness(pixels_of(plot)[place(plot, x - 0.3, 0)]) for x in range(8)]
    assert light == sorted(light, reverse=name != "viridis") and light[0] != light[-1]


def test_texts_on_cells_are_readable():
    for name in ("viridis", "blues", "greys"):
        for colour in colours(name, np.linspace(0, 1, 50)):
            text = {"black": 0.0, "white": 255.0}[text_colour_on(colour / 255)]
            assert abs(text - lightness(colour)) > 85


def test_cells_lie_as_the_matrix_does():
    plot = heat_map([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], color_map="greys", scale=1)
    light = lightness(pixels_of(plot))
    found = [[light[place(plot, column - 0.3, row)] < 128 for column in range(3)] for row in (0, 1)]
    assert found == [[False, False, True], [True, False, False]]
    (upper, left), (lower, right) = place(plot, 0, 0), place(plot, 2, 1)
    assert right - left > 250 and lower - upper > 150


def test_non_finite_cells_are_grey():
    plot = heat_map([[0.0, np.nan], [np.inf, 1.0]], scale=1)
    assert plot.notes == ("2 cells are NaN or infinite.",)
    assert are_near(pixels_of(plot), (205, 207, 211), 1).sum() > 20_000
    assert heat_map(np.zeros((0, 3)), scale=1).data["value"] == []
    assert heat_map(np.full((2, 2), 7.0), scale=1).data["value"] == [7.0] * 4


def test_a_value_range_holds_the_colours():
    a, b = (heat_map([[v, 0.0]], value_range=(0, 10), scale=1) for v in (5.0, 10.0))
    for plot, share in ((a, 0.5), (b, 1.0)):
        found = pixels_of(plot)[place(plot, -0.3, 0.3)]
        np.testing.assert_allclose(found, colours("viridis", share), atol=1)


def test_counts_by_hand():
    found = confusion_matrix_values(LABELS, PREDICTIONS)
    assert found.dtype == np.int64 and found.tolist() == BY_HAND
    assert confusion_matrix_values(LABELS, PREDICTIONS, 4).shape == (4, 4)
    shares = confusion_matrix_values(LABELS, PREDICTIONS, 4, normalize=True)
    np.testing.assert_allclose(shares[2], [0.2, 0.2, 0.6, 0])
    assert np.isnan(shares[3]).all()
    assert accuracy(LABELS, PREDICTIONS) == 0.6
    assert accuracy(core.tensor(LABELS), np.array(PREDICTIONS, np.uint8)) == 0.6
    assert np.isnan(accuracy([], []))
    classes = per_class_accuracy_values(LABELS, PREDICTIONS, 4)
    np.testing.assert_allclose(classes.accuracy, [0.5, 2 / 3, 0.6, np.nan])
    assert classes.counts.tolist() == [2, 3, 5, 0]


def test_as_counted_one_by_one():
    rng = np.random.default_rng(5)
    labels, predictions = rng.integers(0, 7, (2, 500))
    counts = Counter(zip(labels.tolist(), predictions.tolist(), strict=True))
    found = confusion_matrix_values(labels, predictions)
    assert all(found[i, j] == counts[i, j] for i in range(7) for j in range(7))
    assert accuracy(labels, predictions) == sum(counts[i, i] for i in range(7)) / 500
    shares = [counts[i, i] / sum(counts[i, j] for j in range(7)) for i in range(7)]
    np.testing.assert_allclose(per_class_accuracy_values(labels, predictions).accuracy, shares)


def test_the_matrix_as_an_image():
    plot = confusion_matrix(LABELS, PREDICTIONS, ["ant", "bee", "wasp"], scale=1)
    assert plot.data["label"][:4] == ["ant", "ant", "ant", "bee"]
    assert plot.data["prediction"][:4] == ["ant", "bee", "wasp", "ant"]
    assert plot.data["count"] == sum(BY_HAND, [])
    light = lightness(pixels_of(plot))
    found = [[light[place(plot, j - 0.3, i)] for j in range(3)] for i in range(3)]
    assert np.argsort(np.ravel(found))[0] == 8  # 3 of wasp, at the lower right
    assert [text.get_text() for text in plot.figure.axes[0].texts] == [*"110120113"]
    shares = confusion_matrix(LABELS, PREDICTIONS, normalize=True, scale=1)
    assert shares.data["share"][:3] == [0.5, 0.5, 0.0]


def test_a_thousand_classes_have_no_texts_on_cells():
    classes = np.arange(1000)
    plot = confusion_matrix(classes, classes[::-1], scale=1)
    assert len(plot.data["count"]) == 1_000_000
    light = lightness(pixels_of(plot)[inside(plot)])[5:-5, 5:-5]
    at = np.argmin(light, axis=1)
    assert np.corrcoef(np.arange(len(at)), at)[0, 1] < -0.9  # the other diagonal


def test_long_names_and_no_examples():
    names = [f"a class with a name of many words, number {i}" for i in range(3)]
    assert confusion_matrix(LABELS, PREDICTIONS, names, scale=1).data["label"][0] == names[0]
    assert confusion_matrix([], [], scale=1).data["count"] == []
    assert confusion_matrix([], [], names, scale=1).data["count"] == [0] * 9
    assert per_class_accuracy([], [], scale=1).data["class"] == []


def test_accuracy_of_each_class_as_bars():
    plot = per_class_accuracy(LABELS, PREDICTIONS, ["ant", "bee", "wasp", "fly"], scale=1)
    has = of_series(plot)
    high = np.array([has[:, a:b].sum(axis=0).max() for a, b in runs(has.any(axis=0))])
    np.testing.assert_allclose(high / high[1], [0.75, 1.0, 0.9], atol=0.02)
    assert plot.data["count"] == [2, 3, 5, 0]
    assert plot.notes == ("1 class has no examples.",)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accuracy([0, 1], [0]), "2 labels and 1 predictions: give one prediction"),
        (lambda: confusion_matrix([0, 3], [0, 1], ["a", "b"]), r"labels\[1\] is 3, .* 0..1"),
        (lambda: confusion_matrix_values([0], [-1]), r"predictions\[0\] is -1"),
        (lambda: accuracy([0.5], [0]), "labels must be integers"),
        (lambda: accuracy(["a"], [0]), "labels must be integers"),
        (lambda: accuracy([0], [[0.1, 0.9]]), r"core.argmax\(predictions, axis=1\)"),
        (lambda: confusion_matrix_values([0], [0], 0), "num_classes is 0"),
        (lambda: heat_map([[1.0]], color_map="jet"), "'viridis', 'blues', 'greys'"),
        (lambda: heat_map([1.0]), "values must have 2 axes"),
        (lambda: heat_map([[1.0]], row_names=["a", "b"]), "row_names has 2 names, where 1 are"),
        (lambda: heat_map([[1.0]], value_range=(1, 1)), "value_range is"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()

"""Charts: pixels of lines, discs and bars where the data are; notes, legends and faults."""

import numpy as np
import pytest

import core
from core.plots import bar_chart, histogram, line_chart, scatter_plot
from tests.core.plots.pixels import inside, of_series, pixels_of, place, runs


def test_a_line_passes_where_its_points_are():
    xs = np.array([0.0, 3.0, 10.0])
    ys = np.array([2.0, 8.0, 4.0])
    plot = line_chart(np.stack([xs, ys], 1), scale=1)
    assert plot.size == plot.image.size == (720, 420) and plot.image.mode == "RGB"
    has = of_series(plot)
    between = [0.5, 1.5, 2.9, 5.0, 9.5]
    for x, y in zip([*xs, *between], [*ys, *np.interp(between, xs, ys)], strict=True):
        row, column = place(plot, x, y)
        assert has[row - 1 : row + 2, column - 1 : column + 2].any(), (x, y)
        assert not has[: row - 12, column].any() and not has[row + 12 :, column].any()


def test_scale_multiplies_all():
    one, two = (line_chart([1.0, 3.0, 2.0], title="t", scale=s) for s in (1, 2))
    assert two.size == two.image.size == (2 * one.size[0], 2 * one.size[1])
    halved = np.asarray(two.image.reduce(2)).astype(int)
    assert np.abs(halved - pixels_of(one)).mean() < 3.0


@pytest.mark.parametrize("width", [115, 507, 960])  # in inches of 100 pixels, some round down
def test_images_have_the_size_that_is_asked_for(width):
    plot = line_chart([1.0], width=max(width, 120), height=width + 100, scale=1.5)
    assert (
        plot.size == plot.image.size == (round(1.5 * max(width, 120)), round(1.5 * (width + 100)))
    )


def test_non_finite_values_make_gaps_and_notes():
    values = np.arange(101.0)
    values[40:60], values[80] = np.nan, np.inf
    plot = line_chart(values, scale=1)
    assert plot.notes == ("21 values are NaN or infinite.",)
    assert len(runs(of_series(plot)[:370].any(axis=0))) == 3
    assert np.isnan(plot.data["y"][40]) and plot.data["y"][80] == np.inf


def test_one_point_no_point_and_no_finite_point():
    one = of_series(line_chart([5.0], scale=1))
    assert 10 < one.sum() < 60 and runs(one.any(axis=0)) and len(runs(one.any(axis=1))) == 1
    for values in ([], [np.nan, np.nan], {}):
        plot = line_chart(values, scale=1)
        assert not of_series(plot).any() and (pixels_of(plot) < 128).any()


@pytest.mark.parametrize(
    "values",
    [[0.0, 1e300], [-3e38, 3e38], [1e-300, 2e-300], [1e9, 1e9 + 1], [0.0, 0.0], [5e-324, 0.0]],
)
def test_huge_and_tiny_ranges(values):
    assert of_series(line_chart(values, scale=1)).any()
    assert of_series(scatter_plot([(0.0, v) for v in values], scale=1)).any()


def test_a_log_scale_makes_powers_a_straight_line():
    plot = line_chart([(i, 10.0**i) for i in range(9)], y_scale="log", scale=1)
    rows, columns = np.nonzero(of_series(plot))
    fitted = np.polyval(np.polyfit(columns, rows, 1), columns)
    assert np.abs(rows - fitted).max() < 6
    cut = line_chart([-1.0, 0.0, 1.0, 10.0], y_scale="log", scale=1)
    assert cut.notes == ("2 values are not above 0, and so not on a log scale.",)


def test_ranges_that_are_given_cut_the_line():
    plot = line_chart([(0, 0), (10, 10)], x_range=(0, 5), y_range=(0, 2), scale=1)
    has = of_series(plot)
    assert has[:, place(plot, 1, 1)[1]].any() and not has[:, place(plot, 3, 1)[1]].any()
    has[inside(plot)] = False
    assert not has.any()


def test_the_legend_has_each_series_above_the_data():
    names = ["loss", "val_loss", "a third one"]
    plot = line_chart({name: [1.0, 2.0] for name in names}, title="Loss", scale=1)
    top = inside(plot)[0].start
    for index in (0, 1, 2):  # lines lie on each other, those of the legend do not
        assert of_series(plot, index)[20:top].sum() > 20, index
    alone = line_chart([1.0, 2.0], scale=1)
    assert alone.figure.axes[0].get_legend() is None  # a series without a name has no entry
    private = line_chart({"_loss": [1.0]}).figure.axes[0].get_legend()
    assert [text.get_text() for text in private.get_texts()] == [" _loss"]
    many = line_chart({f"series {i}": [i] for i in range(40)})
    assert len(many.figure.axes[0].get_legend().get_texts()) == 16


def test_the_eighth_line_is_dashed():
    series = {f"series {i}": [i + 0.0, i + 0.0] for i in range(8)}
    plot = line_chart(series, y_range=(-1, 9), scale=1)
    rows = [place(plot, 0, y)[0] for y in (0, 7)]
    first, last = (of_series(plot)[row - 2 : row + 3].any(axis=0) for row in rows)
    assert len(runs(first)) == 1 and len(runs(last)) > 20


def test_many_points_keep_their_peaks():
    values = np.zeros(100_000)
    values[50_123] = 1.0
    plot = line_chart(values, scale=1)
    row, column = place(plot, 50_123, 1.0)
    assert of_series(plot)[row + 2, column - 2 : column + 3].any()


def test_discs_are_at_their_points():
    plot = scatter_plot({"a": [(0, 0), (4, 8)], "b": [(2, 6)]}, scale=1)
    for index, x, y in ((0, 0, 0), (0, 4, 8), (1, 2, 6)):
        assert of_series(plot, index)[place(plot, x, y)]
    assert plot.data == {"series": ["a", "a", "b"], "x": [0, 4, 2], "y": [0, 8, 6]}


def heights(plot) -> list[int]:
    """How high each bar is, from left to right."""
    has = of_series(plot)
    return [int(has[:, start:end].sum(axis=0).max()) for start, end in runs(has.any(axis=0))]


def test_bars_have_proportional_heights():
    found = heights(bar_chart({"a": 1.0, "b": 2.0, "c": 4.0, "d": 0.5}, scale=1))
    np.testing.assert_allclose(np.array(found) / found[2], [0.25, 0.5, 1, 0.125], atol=0.01)


def test_negative_bars_hang_below_the_line():
    has = of_series(bar_chart([2.0, -1.0], scale=1))
    up, down = (has[:, start:end].any(axis=1) for start, end in runs(has.any(axis=0)))
    assert abs(runs(up)[-1][1] - runs(down)[0][0]) <= 2
    assert up.sum() == pytest.approx(2 * down.sum(), abs=4)


def test_bars_without_values_and_many_bars():
    assert len(heights(bar_chart([1.0, np.nan, 3.0], scale=1))) == 2
    assert bar_chart([1.0, np.nan], scale=1).notes == ("1 value is NaN or infinite.",)
    assert bar_chart({}, scale=1).data == {"name": [], "value": []}
    assert heights(bar_chart(np.ones(300), scale=1))
    assert len(heights(bar_chart({"a very " * 20: 1.0, "b": 2.0}, scale=1))) == 2


def test_the_histogram_counts_as_numpy_does():
    values = np.random.default_rng(3).normal(size=2000)
    plot = histogram(values, bins=20, scale=1)
    counts, edges = np.histogram(values, 20)
    assert plot.data["count"] == counts.tolist()
    np.testing.assert_allclose(plot.data["from"], edges[:-1])
    usual = histogram(core.tensor(values.reshape(40, 50)), scale=1).data
    assert sum(usual["count"]) == 2000 and 8 <= len(usual["count"]) <= 60
    assert usual["from"][0] <= values.min() and usual["to"][-1] >= values.max()
    assert usual["to"][:-1] == usual["from"][1:]


def test_the_histogram_of_few_and_of_strange_values():
    assert histogram([], scale=1).data == {"from": [], "to": [], "count": []}
    assert sum(histogram([7.0] * 5, scale=1).data["count"]) == 5
    odd = histogram([1.0, 2.0, np.nan, -np.inf], scale=1)
    assert sum(odd.data["count"]) == 2 and odd.notes == ("2 values are NaN or infinite.",)
    assert sum(histogram([0.0, 1.0, 1e38], scale=1).data["count"]) == 3
    found = heights(histogram([0.0] * 100 + [9.0], bins=2, y_scale="log", scale=1))
    assert found[0] > 1  # both bars touch: one stretch, or two
    assert len(histogram([1, 2, 2, 3], bins=np.int64(3), scale=1).data["count"]) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: line_chart([1.0], y_scale="cubic"), r"y_scale is 'cubic'; .* 'linear', 'log'"),
        (lambda: line_chart([1.0], x_range=(2, 1)), r"x_range is \(2, 1\): give two numbers"),
        (lambda: line_chart([1.0], y_range=(0, 1), y_scale="log"), "positive numbers alone"),
        (lambda: line_chart([[1.0, 2.0, 3.0]]), r"pairs of x and y \[n, 2\]; got shape \(1, 3\)"),
        (lambda: line_chart({"a": [1.0], "b": ["x"]}), "series 'b' must be numbers"),
        (lambda: line_chart([[1.0], [1.0, 2.0]]), "lists of equal lengths"),
        (lambda: line_chart([1.0], width=20), "width is 20: it must be 120 to 10000"),
        (lambda: line_chart([1.0], scale=0), "scale is 0: it must be 0.5 to 8"),
        (lambda: bar_chart([[1.0]]), r"values must have 1 axes, got shape \(1, 1\)"),
        (lambda: histogram([1.0], bins=0), r"bins is 0: it must be an integer 1..1000"),
        (lambda: bar_chart([1.0], y_range=(0, np.nan)), "y_range is"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_texts_are_not_formulas():
    plot = line_chart({"$x^2$": [1.0]}, title=r"$\undefined$ costs $5", x_label="a\nb")
    axes = plot.figure.axes[0]
    assert pixels_of(plot)[:60].min() < 80 and axes.get_xlabel() == "a b"
    assert axes.get_legend().get_texts()[0].get_text() == r"\$x^2\$"


def test_pyplot_knows_no_figure_of_plots():
    from matplotlib import pyplot

    line_chart([1.0, 2.0])
    assert pyplot.get_fignums() == []

"""Charts: pixels of lines, discs and bars where the data are; notes, legends and faults."""

import numpy as np
import pytest

import core
from core.plots import bar_chart, histogram, line_chart, scatter_plot
from core.plots.axes import Axis, Entry, Texts, open_frame
from core.plots.charts import _HEIGHT, _WIDTH
from core.plots.surface import Surface
from tests.core.plots.pixels import are_near, of_series, pixels_of, runs


def frame_of(x, y, legend=(), title=None):
    """The frame that a chart of 720 x 420 draws."""
    surface = Surface(_WIDTH, _HEIGHT, 1)
    return open_frame(surface, surface.box, Texts(title, legend=legend), x, y)


def test_a_line_passes_where_its_points_are():
    xs = np.array([0.0, 3.0, 10.0])
    ys = np.array([2.0, 8.0, 4.0])
    plot = line_chart(np.stack([xs, ys], 1), scale=1)
    assert plot.size == (720, 420) and plot.image.mode == "RGB"
    frame = frame_of(Axis(0, 10, is_exact=True, is_whole=True), Axis(2, 8))
    has = of_series(plot)
    between = [0.5, 1.5, 2.9, 5.0, 9.5]
    for x, y in zip([*xs, *between], [*ys, *np.interp(between, xs, ys)], strict=True):
        column, row = int(frame.x.at(x)), int(frame.y.at(y))
        assert has[row - 1 : row + 2, column - 1 : column + 2].any(), (x, y)
        assert not has[: row - 12, column].any() and not has[row + 12 :, column].any()


def test_lines_are_smooth():
    """Edges have colours between that of the line and the paper."""
    plot = line_chart([0.0, 1.0], scale=1)
    blue = pixels_of(plot)[60:300, 100:600]
    levels = {tuple(p) for p in blue.reshape(-1, 3).tolist() if p[0] < p[2] - 20}
    assert len(levels) > 8


def test_scale_multiplies_all():
    one, two = (line_chart([1.0, 3.0, 2.0], title="t", scale=s) for s in (1, 2))
    assert two.size == (2 * one.size[0], 2 * one.size[1])
    halved = np.asarray(two.image.reduce(2)).astype(int)
    assert np.abs(halved - pixels_of(one)).mean() < 1.0


def test_non_finite_values_make_gaps_and_notes():
    values = np.arange(101.0)
    values[40:60], values[80] = np.nan, np.inf
    plot = line_chart(values, scale=1)
    assert plot.notes == ("21 values are NaN or infinite.",)
    assert len(runs(of_series(plot)[:370].any(axis=0))) == 3
    assert np.isnan(plot.data["y"][40]) and plot.data["y"][80] == np.inf


def test_one_point_no_point_and_no_finite_point():
    one = of_series(line_chart([5.0], scale=1))
    assert 20 < one.sum() < 60 and runs(one.any(axis=0)) and len(runs(one.any(axis=1))) == 1
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
    frame = frame_of(Axis(0, 5, is_exact=True, is_whole=True), Axis(0, 2, is_exact=True))
    left, top, right, bottom = frame.box
    assert has[:, int(frame.x.at(1))].any() and not has[:, int(frame.x.at(3))].any()
    assert not has[: int(top) - 6].any() and not has[int(bottom) + 6 :].any()


def test_the_legend_has_each_series_above_the_data():
    names = ["loss", "val_loss", "a third one"]
    plot = line_chart({name: [1.0, 2.0] for name in names}, title="Loss", scale=1)
    entries = [Entry(name, (0, 0, 0)) for name in names]
    frame = frame_of(Axis(), Axis(1, 2), entries, "Loss")
    top = int(frame.box.top) - 8
    for index in (0, 1, 2):  # lines lie on each other, their swatches do not
        assert of_series(plot, index)[20:top].sum() > 20, index
    alone = of_series(line_chart([1.0, 2.0], scale=1))
    assert not alone[:, :100][:300].any()  # a series without a name has no entry


def test_the_eighth_line_is_dashed():
    series = {f"series {i}": [i + 0.0, i + 0.0] for i in range(8)}
    plot = line_chart(series, y_range=(-1, 9), scale=1)
    has = of_series(plot, 0)[60:]
    first, last = (half[half.sum(axis=1).argmax()] for half in (has[200:], has[:200]))
    assert len(runs(first)) == 1 and len(runs(last)) > 20


def test_many_points_keep_their_peaks():
    values = np.zeros(100_000)
    values[50_123] = 1.0
    top = runs(of_series(line_chart(values, scale=1)).any(axis=1))
    assert top[0][0] < 30 and top[-1][1] > 370


def test_discs_are_at_their_points():
    plot = scatter_plot({"a": [(0, 0), (4, 8)], "b": [(2, 6)]}, scale=1)
    entries = [Entry(n, (0, 0, 0), is_line=False) for n in "ab"]
    frame = frame_of(Axis(0, 4, is_whole=True), Axis(0, 8), entries)
    for index, x, y in ((0, 0, 0), (0, 4, 8), (1, 2, 6)):
        assert of_series(plot, index)[int(frame.y.at(y)), int(frame.x.at(x))]
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
    assert heights(bar_chart(np.ones(3000), scale=1))
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


def test_text_is_dark_on_white():
    pixels = pixels_of(line_chart([], title="A title", y_label="y", x_label="x", scale=1))
    assert tuple(pixels[0, 0]) == (255, 255, 255)
    assert are_near(pixels[14:34, 14:90], (32, 33, 36)).sum() > 30

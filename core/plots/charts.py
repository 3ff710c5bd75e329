"""Charts of numbers: lines, points, bars and histograms."""

from collections.abc import Mapping, Sequence

from core.plots.bins import check_bins
from core.plots.drawings import Ranges, draw_bars, draw_histogram, draw_series
from core.plots.figures import Look, add_panels, write_labels, write_notes
from core.plots.plot import Plot
from core.plots.scales import Range, ScaleKind, check_range, check_scale
from core.plots.values import Numbers, Points, Series, array_of, names_for, series_of

_WIDTH, _HEIGHT, _SCALE = 720, 420, 2.0


def line_chart(
    series: Series,
    *,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    x_scale: ScaleKind = "linear",
    y_scale: ScaleKind = "linear",
    x_range: Range | None = None,
    y_range: Range | None = None,
    width: int = _WIDTH,
    height: int = _HEIGHT,
    scale: float = _SCALE,
) -> Plot:
    """Draw lines through the points of one or several series.

    Args:
        series: numbers [n], for x of 0, 1, 2...; pairs of x and y [n, 2]; or a dict of such series
            by their names, which the legend shows. A line has a gap where a value is NaN.
        title: written above.
        x_label: written below the x axis.
        y_label: written beside the y axis.
        x_scale: ``"linear"`` or ``"log"``.
        y_scale: likewise.
        x_range: least and largest x of the image; by default those of the data.
        y_range: likewise.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8; 2 is sharp on dense screens.

    Returns:
        A `Plot` with the columns ``series``, ``x`` and ``y``.

    Raises:
        CoreError: an argument is out of range, or a series is not of numbers.

    >>> import core
    >>> plot = core.plots.line_chart({"loss": [3.0, 1.5, 1.0]}, title="Training", scale=1)
    >>> plot.size, plot.data["y"]
    ((720, 420), [3.0, 1.5, 1.0])
    """
    points = series_of(series)
    ranges = Ranges(x_scale, y_scale, x_range, y_range)
    ranges.check()
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    notes = draw_series(axes, points, ranges)
    write_labels(axes, x_label, y_label)
    write_notes(figure, notes)
    return Plot(figure, _columns(points), notes, scale)


def scatter_plot(
    series: Series,
    *,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    x_scale: ScaleKind = "linear",
    y_scale: ScaleKind = "linear",
    x_range: Range | None = None,
    y_range: Range | None = None,
    width: int = _WIDTH,
    height: int = _HEIGHT,
    scale: float = _SCALE,
) -> Plot:
    """Draw a disc at each point of one or several series.

    Args:
        series: pairs of x and y [n, 2], or a dict of such series by their names.
        title: written above.
        x_label: written below the x axis.
        y_label: written beside the y axis.
        x_scale: ``"linear"`` or ``"log"``.
        y_scale: likewise.
        x_range: least and largest x of the image; by default those of the data.
        y_range: likewise.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``series``, ``x`` and ``y``.

    Raises:
        CoreError: an argument is out of range, or a series is not of numbers.

    >>> import core
    >>> core.plots.scatter_plot([[1.0, 2.0], [3.0, 4.0]], scale=1).data["x"]
    [1.0, 3.0]
    """
    points = series_of(series)
    ranges = Ranges(x_scale, y_scale, x_range, y_range)
    ranges.check()
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    notes = draw_series(axes, points, ranges, are_lines=False)
    write_labels(axes, x_label, y_label)
    write_notes(figure, notes)
    return Plot(figure, _columns(points), notes, scale)


def bar_chart(
    values: Mapping[str, float] | Numbers,
    *,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    y_range: Range | None = None,
    width: int = _WIDTH,
    height: int = _HEIGHT,
    scale: float = _SCALE,
) -> Plot:
    """Draw a bar for each of some names.

    Args:
        values: numbers by their names, or numbers [n], whose names are 0, 1, 2...; NaN has no bar.
        title: written above.
        x_label: written below the x axis.
        y_label: written beside the y axis.
        y_range: least and largest value of the image; by default from 0 to the largest.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``name`` and ``value``.

    Raises:
        CoreError: an argument is out of range, or a value is not a number.

    >>> import core
    >>> core.plots.bar_chart({"cat": 3, "dog": 5}, scale=1).data["name"]
    ['cat', 'dog']
    """
    check_range("y_range", y_range, "linear")
    is_named = isinstance(values, Mapping)
    given: Numbers = list(values.values()) if isinstance(values, Mapping) else values
    numbers = array_of(given, "values", 1)
    names = names_for([*values] if is_named else None, len(numbers), "values")
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    notes = draw_bars(axes, names, numbers, y_range)
    write_labels(axes, x_label, y_label)
    write_notes(figure, notes)
    return Plot(figure, {"name": names, "value": numbers.tolist()}, notes, scale)


def histogram(
    values: Numbers,
    *,
    bins: int | None = None,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = "count",
    y_scale: ScaleKind = "linear",
    width: int = _WIDTH,
    height: int = _HEIGHT,
    scale: float = _SCALE,
) -> Plot:
    """Draw how many values lie in each of equal intervals.

    Args:
        values: numbers of any shape. NaN and infinite ones are left out, and counted in a note.
        bins: how many intervals, 1..1000; by default 8..60, as many as fit the values.
        title: written above.
        x_label: written below the x axis.
        y_label: written beside the y axis.
        y_scale: of the counts, ``"linear"`` or ``"log"``.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``from``, ``to`` and ``count``.

    Raises:
        CoreError: an argument is out of range, or the values are not numbers.

    >>> import core
    >>> core.plots.histogram([1.0, 2.0, 2.5, 9.0], bins=4, scale=1).data["count"]
    [3, 0, 0, 1]
    """
    check_scale("y_scale", y_scale)
    check_bins(bins)
    numbers = array_of(values, "values").ravel()
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    data, notes = draw_histogram(axes, numbers, bins, y_scale)
    write_labels(axes, x_label, y_label)
    write_notes(figure, notes)
    return Plot(figure, data, notes, scale)


def _columns(points: Sequence[Points]) -> dict[str, list[object]]:
    return {
        "series": [each.name for each in points for _ in each.y],
        "x": [x for each in points for x in each.x.tolist()],
        "y": [y for each in points for y in each.y.tolist()],
    }

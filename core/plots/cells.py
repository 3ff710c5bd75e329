"""Plots of cells: heat maps and confusion matrices."""

from collections.abc import Sequence

import numpy as np

from core.plots.axes import (
    TICK,
    Axis,
    Frame,
    Look,
    Texts,
    open_frame,
    write_empty,
)
from core.plots.colours import INK, ColorMap, shades, text_colour_on
from core.plots.plot import Plot
from core.plots.scales import Range, check_range, scale_for, short_number
from core.plots.scores import Classes, class_count, confusion_matrix_values, pairs_of
from core.plots.surface import Box, Surface, widest
from core.plots.values import Numbers, are_finite, array_of, counted, names_for

_BAR, _GAP = 14.0, 14.0  # widths of the strip of colours, and of the space beside it
_MOST_VALUES = 1600  # cells that have texts


def heat_map(
    values: Numbers,
    *,
    row_names: Sequence[str] | None = None,
    column_names: Sequence[str] | None = None,
    color_map: ColorMap = "viridis",
    value_range: Range | None = None,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
    width: int = 640,
    height: int = 480,
    scale: float = 2.0,
) -> Plot:
    """Draw a matrix as cells of colours, with their values where there is space.

    Args:
        values: numbers [rows, columns]; the first row is on top. NaN and infinite values are grey.
        row_names: of the rows; by default their indices.
        column_names: of the columns; likewise.
        color_map: ``"viridis"``, ``"blues"`` or ``"greys"``.
        value_range: values of the first and the last colour; by default the least and the largest.
        title: written above.
        x_label: written below the columns.
        y_label: written beside the rows.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``row``, ``column`` and ``value``.

    Raises:
        CoreError: an argument is out of range, or names and values differ in number.

    >>> import core
    >>> core.plots.heat_map([[1.0, 2.0], [3.0, 4.0]], scale=1).data["value"]
    [1.0, 2.0, 3.0, 4.0]
    """
    look = Look(title, x_label, y_label, width, height, scale)
    matrix = array_of(values, "values", 2)
    rows = names_for(row_names, matrix.shape[0], "row_names")
    columns = names_for(column_names, matrix.shape[1], "column_names")
    check_range("value_range", value_range, "linear")
    surface = look.surface()
    notes = _draw_cells(surface, matrix, rows, columns, look, color_map, value_range)
    return Plot(surface.image(), _cell_columns(matrix, rows, columns), notes, scale)


def confusion_matrix(
    labels: Classes,
    predictions: Classes,
    class_names: Sequence[str] | None = None,
    normalize: bool = False,
    *,
    color_map: ColorMap = "blues",
    title: str | None = "Confusion matrix",
    width: int = 640,
    height: int = 560,
    scale: float = 2.0,
) -> Plot:
    """Draw how many examples of each class are predicted as each class.

    Args:
        labels: the class of each example, integers [n].
        predictions: the predicted class of each, integers [n].
        class_names: of all classes; by default their indices, up to the largest class.
        normalize: whether to show shares of the examples of a class instead of counts.
        color_map: ``"viridis"``, ``"blues"`` or ``"greys"``.
        title: written above.
        width: of the image, 120..10000.
        height: likewise.
        scale: pixels for a unit of width and height, 0.5..8.

    Returns:
        A `Plot` with the columns ``label``, ``prediction`` and ``count``, or ``share``.

    Raises:
        CoreError: labels and predictions differ in length, or a class is out of range.

    >>> import core
    >>> names = ["ant", "bee"]
    >>> plot = core.plots.confusion_matrix([0, 1, 1, 1], [0, 1, 0, 1], names, scale=1)
    >>> plot.data["prediction"], plot.data["count"]
    (['ant', 'bee', 'ant', 'bee'], [1, 0, 1, 2])
    """
    look = Look(title, "prediction", "label", width, height, scale)
    given = None if class_names is None else len(class_names)
    count = class_count(*pairs_of(labels, predictions), given)
    names = names_for(class_names, count, "class_names")
    matrix = confusion_matrix_values(labels, predictions, count or 1, normalize=normalize)
    matrix = matrix[:count, :count]
    surface = look.surface()
    limits = (0.0, 1.0) if normalize else (0.0, float(max(matrix.max(initial=0), 1)))
    shown = matrix.astype(np.float64)
    notes = _draw_cells(surface, shown, names, names, look, color_map, limits, is_square=True)
    found = _cell_columns(matrix, names, names)
    kind = "share" if normalize else "count"
    data = {"label": found["row"], "prediction": found["column"], kind: found["value"]}
    return Plot(surface.image(), data, notes, scale)


def _cell_columns(
    matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]
) -> dict[str, list[object]]:
    return {
        "row": [name for name in rows for _ in columns],
        "column": [name for _ in rows for name in columns],
        "value": matrix.ravel().tolist(),
    }


def _draw_cells(
    surface: Surface,
    matrix: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    look: Look,
    color_map: ColorMap,
    value_range: Range | None,
    *,
    is_square: bool = False,
) -> tuple[str, ...]:
    ok = are_finite(matrix)
    low, high = value_range or _ends(matrix[ok])
    colours = shades(np.where(ok, (matrix - low) / (high - low or 1.0), np.nan), color_map)
    missing = int((~ok).sum())
    notes = (f"{counted(missing, 'cell is', 'cells are')} NaN or infinite.",) if missing else ()
    bar = scale_for(low, high, "linear", 6, True)
    beside = _GAP + _BAR + 8 + widest(bar.texts, TICK)
    texts = Texts(look.title, look.x_label, look.y_label, (), notes, beside)
    box = _square(surface, beside) if is_square else surface.box
    y_axis = Axis(names=rows, is_downward=True)
    frame = open_frame(surface, box, texts, Axis(names=columns), y_axis)
    if not matrix.size:
        write_empty(surface, frame.box)
        return notes
    surface.cells(frame.box, colours)
    _write_values(surface, frame, matrix, colours)
    left = frame.box.right + _GAP
    strip = Box(left, frame.box.top, left + _BAR, frame.box.bottom)
    surface.cells(strip, shades(np.linspace(1, 0, 256)[:, np.newaxis], color_map))
    ticks = bar.over(strip.bottom, strip.top)
    for text, y in zip(ticks.texts, ticks.at(np.array(ticks.ticks)), strict=True):
        surface.text(strip.right + 8, float(y), text, TICK, INK)
    return notes


def _square(surface: Surface, beside: float) -> Box:
    """A box that is about as wide as high without the strip of colours."""
    box = surface.box
    width = min(box.width, box.height + beside + 40)
    return Box(box.left, box.top, box.left + width, box.bottom)


def _ends(values: np.ndarray) -> Range:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _write_values(surface: Surface, frame: Frame, matrix: np.ndarray, colours: np.ndarray) -> None:
    """Write the value of each cell, if all have space."""
    rows, columns = matrix.shape
    across, down = frame.box.width / columns, frame.box.height / rows
    size = min(13.0, down * 0.6)
    if matrix.size > _MOST_VALUES or size < 8:
        return
    decimals = _decimals(matrix)
    texts = [[_cell_text(float(value), decimals) for value in row] for row in matrix]
    if widest([text for row in texts for text in row], size) > across - 4:
        return
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            red, green, blue = colours[i, j].tolist()
            x, y = float(frame.x.at(j)), float(frame.y.at(i))
            surface.text(x, y, text, size, text_colour_on((red, green, blue)), "middle")


def _decimals(matrix: np.ndarray) -> int | None:
    """Return how many decimals all cells have; None where each has its own."""
    known = matrix[are_finite(matrix)]
    if (known % 1 == 0).all():
        return 0
    return 2 if 0.05 <= np.abs(known).max(initial=0) < 1000 else None


def _cell_text(value: float, decimals: int | None) -> str:
    if decimals is None or not np.isfinite(value):
        return short_number(value, 3)
    return f"{value:,.{decimals}f}"

"""Plots of cells: heat maps and confusion matrices."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.plots.colours import ColorMap, check_color_map, colours_of_values, text_colour_on
from core.plots.figures import (
    LETTER,
    LINE,
    Look,
    add_panels,
    room_of,
    write_empty,
    write_labels,
    write_names,
    write_notes,
)
from core.plots.plot import Plot
from core.plots.scales import Range, check_range
from core.plots.scores import Classes, class_count, confusion_matrix_values, pairs_of
from core.plots.texts import counted, short_number
from core.plots.values import Numbers, are_finite, array_of, names_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

_MOST_VALUES = 400  # cells that have texts


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
    matrix = array_of(values, "values", 2)
    rows = names_for(row_names, matrix.shape[0], "row_names")
    columns = names_for(column_names, matrix.shape[1], "column_names")
    check_range("value_range", value_range, "linear")
    check_color_map(color_map)
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    notes = _draw_cells(axes, matrix, rows, columns, color_map, value_range)
    write_labels(axes, x_label, y_label)
    write_notes(figure, notes)
    return Plot(figure, _cell_columns(matrix, rows, columns), notes, scale)


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
    check_color_map(color_map)
    given = None if class_names is None else len(class_names)
    count = class_count(*pairs_of(labels, predictions), given)
    names = names_for(class_names, count, "class_names")
    matrix = confusion_matrix_values(labels, predictions, count or 1, normalize=normalize)
    matrix = matrix[:count, :count]
    limits = (0.0, 1.0) if normalize else (0.0, float(max(matrix.max(initial=0), 1)))
    figure = Look(title, width, height, scale).figure()
    (axes,) = add_panels(figure, 1)
    notes = _draw_cells(axes, matrix.astype(np.float64), names, names, color_map, limits)
    axes.set_aspect("equal")
    write_labels(axes, "prediction", "label")
    write_notes(figure, notes)
    found = _cell_columns(matrix, names, names)
    kind = "share" if normalize else "count"
    data = {"label": found["row"], "prediction": found["column"], kind: found["value"]}
    return Plot(figure, data, notes, scale)


def _cell_columns(
    matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]
) -> dict[str, list[object]]:
    return {
        "row": [name for name in rows for _ in columns],
        "column": [name for _ in rows for name in columns],
        "value": matrix.ravel().tolist(),
    }


def _draw_cells(
    axes: "Axes",
    matrix: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    color_map: ColorMap,
    value_range: Range | None,
) -> tuple[str, ...]:
    ok = are_finite(matrix)
    if matrix.size:
        low, high = value_range or _ends(matrix[ok])
        colours = colours_of_values(color_map)
        shown = np.where(ok, matrix, np.nan)
        image = axes.imshow(shown, colours, aspect="auto", vmin=low, vmax=high)
        axes.figure.colorbar(image, ax=axes)
        _write_values(axes, image, matrix)
    else:
        write_empty(axes)
    write_names(axes.xaxis, columns)
    write_names(axes.yaxis, rows)
    missing = int((~ok).sum())
    return (f"{counted(missing, 'cell is', 'cells are')} NaN or infinite.",) if missing else ()


def _ends(values: np.ndarray) -> Range:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _write_values(axes: "Axes", image: "AxesImage", matrix: np.ndarray) -> None:
    """Write the value of each cell, if all have space."""
    if matrix.size > _MOST_VALUES:
        return
    decimals = _decimals(matrix)
    texts = [[_cell_text(float(value), decimals) for value in row] for row in matrix]
    width, height = room_of(axes)
    letters = max(len(text) for row in texts for text in row)
    if letters * LETTER > width / matrix.shape[1] or height / len(matrix) < LINE:
        return
    colours = image.to_rgba(np.where(are_finite(matrix), matrix, np.nan))
    for (i, j), colour in zip(np.ndindex(matrix.shape), colours.reshape(-1, 4), strict=True):
        ink = text_colour_on(colour)
        axes.text(j, i, texts[i][j], color=ink, ha="center", va="center", fontsize="small")


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

"""Plots of text: tables, and the summary of a model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from core.errors import CoreError
from core.plots.colours import FAINT
from core.plots.figures import (
    LETTER,
    LINE,
    empty_figure,
    room_of,
    write_empty,
    write_notes,
    write_title,
)
from core.plots.library import matplotlib
from core.plots.plot import Plot
from core.plots.texts import counted, plain_text, short_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST = 40  # letters of a cell
_ROW, _MARGIN = 25.0, 20.0


class SummarizedLayer(Protocol):
    """A layer, by what a summary needs of it."""

    name: str

    @property
    def output_shape(self) -> object:
        """Shape of the result, or several of them."""

    def count_params(self) -> int:
        """Return the number of parameters."""


@runtime_checkable
class SummarizedModel(Protocol):
    """A model, by what a summary needs of it."""

    @property
    def layers(self) -> Sequence[SummarizedLayer]:
        """The layers, in order."""


def table(
    columns: Mapping[str, Sequence[object]],
    *,
    title: str | None = None,
    max_rows: int = 50,
    scale: float = 2.0,
) -> Plot:
    """Draw columns of numbers and texts as a table, as wide and high as they need.

    Args:
        columns: values by the names of columns, all of one length. Numbers are shown with four
            digits, and stand at the right of their column.
        title: written above.
        max_rows: how many rows the image has, 1..1000; `Plot.data` has all.
        scale: pixels for a unit, 0.5..8.

    Raises:
        CoreError: columns differ in length, or an argument is out of range.

    >>> import core
    >>> plot = core.plots.table({"class": ["ant", "bee"], "accuracy": [0.9, 0.95]}, scale=1)
    >>> plot.data["class"]
    ['ant', 'bee']
    """
    found = {str(name): _listed(values) for name, values in dict(columns).items()}
    lengths = {name: len(values) for name, values in found.items()}
    if len({*lengths.values()}) > 1:
        raise CoreError(f"columns must have one length, got {lengths!r:.200}")
    if not (isinstance(max_rows, int) and 1 <= max_rows <= 1000):
        raise CoreError(f"max_rows is {max_rows!r}: it must be an integer 1..1000")
    hidden = max([0, *lengths.values()]) - max_rows
    notes = (f"{counted(hidden, 'more row is', 'more rows are')} not shown.",) if hidden > 0 else ()
    shown = {name: values[:max_rows] for name, values in found.items()}
    return Plot(_drawn(shown, title, notes, scale), found, notes, scale)


def model_summary(
    model: SummarizedModel, *, title: str | None = None, max_rows: int = 200, scale: float = 2.0
) -> Plot:
    """Draw the layers of a model as a table: name, class, shape of the output, parameters.

    Args:
        model: has ``layers``, each with ``name``, ``output_shape`` and ``count_params()``.
        title: written above; by default the name of the model.
        max_rows: how many layers the image has, 1..1000.
        scale: pixels for a unit, 0.5..8.

    Returns:
        A `Plot` with the columns ``layer``, ``class``, ``output shape`` and ``parameters``.

    Raises:
        CoreError: the model has no layers.
    """
    if not isinstance(model, SummarizedModel):
        raise CoreError(f"{type(model).__name__} has no layers: give a model of core.layers")
    layers = list(model.layers)
    parameters = [_parameters(layer) for layer in layers]
    columns: dict[str, list[object]] = {
        "layer": [layer.name for layer in layers],
        "class": [type(layer).__name__ for layer in layers],
        "output shape": [_shape_text(layer) for layer in layers],
        "parameters": list(parameters),
    }
    head = title if title is not None else str(getattr(model, "name", type(model).__name__))
    total = f"{counted(sum(p or 0 for p in parameters), 'parameter', 'parameters')} in all"
    hidden = len(layers) - max_rows
    notes = (total + (f"; {hidden:,} more layers are not shown." if hidden > 0 else "."),)
    shown = {name: values[:max_rows] for name, values in columns.items()}
    return Plot(_drawn(shown, head, notes, scale), columns, notes, scale)


def _parameters(layer: SummarizedLayer) -> int | None:
    """The number of parameters, or None for a layer that is not built."""
    try:
        return int(layer.count_params())
    except CoreError:
        return None


def _shape_text(layer: SummarizedLayer) -> str:
    try:
        shape = layer.output_shape
    except (AttributeError, CoreError):
        return "?"
    return str(shape).replace("None", "n") if shape is not None else "?"


def _listed(values: Sequence[object]) -> list[object]:
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [each.item() if isinstance(each, np.generic) else each for each in listed]


def _drawn(
    columns: Mapping[str, Sequence[object]],
    title: str | None,
    notes: Sequence[str],
    scale: float,
) -> "Figure":
    """Draw a table on a figure that has about the size of its text."""
    texts = {n: [plain_text(_cell_text(v), _LONGEST) for v in c] for n, c in columns.items()}
    widths = [LETTER * (2 + max(map(len, [n, *t]))) for n, t in texts.items()]
    rows = 1 + max(map(len, texts.values()), default=1)
    outer = max([100.0, sum(widths), *(LETTER * len(text) for text in (*notes, title or ""))])
    height = _ROW * rows + LINE * (len(notes) + 2 * bool(title)) + _MARGIN
    figure = empty_figure(outer + _MARGIN, height, scale)
    write_title(figure, title)
    write_notes(figure, notes)
    axes = figure.subplots()
    axes.set_axis_off()
    if texts:
        numeric = [bool(c) and all(map(_is_number, c)) for c in columns.values()]
        _fill(axes, texts, [width / sum(widths) for width in widths], numeric)
    else:
        write_empty(axes)
    return figure


def _fill(
    axes: "Axes",
    texts: Mapping[str, Sequence[str]],
    shares: Sequence[float],
    numeric: Sequence[bool],
) -> None:
    """Fill axes with a table, whose columns have shares of the width."""
    cells = [[plain_text(name, _LONGEST) for name in texts], *zip(*texts.values(), strict=True)]
    table = axes.table(cells, colWidths=shares, edges="B", bbox=matplotlib().transforms.Bbox.unit())
    table.auto_set_font_size(False)
    table.set_fontsize(10)
    for (row, column), cell in table.get_celld().items():
        cell.PAD = LETTER / (shares[column] * room_of(axes)[0])
        cell.set_linewidth(0.5)
        cell.get_text().set(ha="right" if numeric[column] else "left")
        if not row:
            cell.get_text().set(color=FAINT)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return short_number(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

"""Plots of text: tables, and the summary of a model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from core.errors import CoreError
from core.plots.axes import LABEL, LINE, MARGIN, NOTE, TITLE
from core.plots.colours import FAINT, INK, PAPER, RULE
from core.plots.plot import Plot
from core.plots.scales import short_number
from core.plots.surface import Box, Surface, fitted, text_width, widest
from core.plots.values import counted

if TYPE_CHECKING:
    from PIL import Image

_ROW, _GAP, _WIDEST = 25.0, 26.0, 320.0
_STRIPE = (246, 247, 249)


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
) -> "Image.Image":
    texts = {name: [_cell_text(value) for value in values] for name, values in columns.items()}
    numeric = {n: bool(v) and all(_is_number(x) for x in v) for n, v in columns.items()}
    widths = {n: min(widest([n, *t], LABEL), _WIDEST) for n, t in texts.items()}
    rows = max(map(len, texts.values()), default=0)
    inner = max(sum(widths.values()) + _GAP * max(len(widths) - 1, 0), 100.0)
    outer = max([inner, widest(notes, NOTE), text_width(title or "", TITLE)])
    top = MARGIN + (TITLE * LINE + 4 if title else 0)
    height = top + _ROW * (rows + 1) + len(notes) * NOTE * LINE + MARGIN + 2
    surface = Surface(min(outer, 1600.0) + 2 * MARGIN, height, scale)
    if title:
        surface.text(MARGIN, MARGIN + TITLE / 2, fitted(title, TITLE, outer), TITLE)
    _draw_rows(surface, rows, top)
    x = MARGIN
    for name, values in texts.items():
        _draw_column(surface, x, top, name, values, widths[name], numeric[name])
        x += widths[name] + _GAP
    y = top + _ROW * (rows + 1) + 6
    for i, note in enumerate(notes):
        surface.text(MARGIN, y + NOTE / 2 + i * NOTE * LINE, note, NOTE, FAINT)
    return surface.image()


def _draw_rows(surface: Surface, rows: int, top: float) -> None:
    """Draw stripes, and the line below the names of columns."""
    left, right = MARGIN - 6, surface.box.right - MARGIN + 6
    for i in range(rows):
        y = top + _ROW * (i + 1)
        surface.rectangle(Box(left, y, right, y + _ROW), _STRIPE if i % 2 else PAPER)
    line = top + _ROW
    surface.rectangle(Box(left, line - 1, right, line), FAINT if rows else RULE)


def _draw_column(
    surface: Surface,
    x: float,
    top: float,
    name: str,
    values: Sequence[str],
    width: float,
    is_numeric: bool,
) -> None:
    at = x + width if is_numeric else x
    for i, text in enumerate([name, *values]):
        y = top + _ROW * (i + 0.5)
        colour = INK if i else FAINT
        shown = fitted(text, LABEL, width + 0.5)
        surface.text(at, y, shown, LABEL, colour, "right" if is_numeric else "left")


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return short_number(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

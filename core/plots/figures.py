"""Figures of Matplotlib in the sizes that all plots share, and what is written around the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import CoreError
from core.plots.colours import FAINT
from core.plots.library import matplotlib, whole_ticks
from core.plots.texts import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_UNITS = 100.0  # of width and height in an inch; Matplotlib's text is then 14 units high
LETTER, LINE = 8.0, 18.0  # about the width of a letter and the height of a line, in units
_SMALLEST, _LARGEST = 120, 10_000
LONGEST = 24  # letters of a name beside an axis or in a legend


@dataclass(frozen=True)
class Look:
    """Options that all plots have: the title, and the size of the image.

    Attributes:
        title: written above.
        width: of the image, in units.
        height: likewise.
        scale: pixels of a unit.
    """

    title: str | None
    width: float
    height: float
    scale: float

    def figure(self) -> "Figure":
        """Return an empty figure, which no window shows.

        Raises:
            CoreError: the size is out of range, or Matplotlib is not installed.
        """
        for name in ("width", "height"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and _SMALLEST <= value <= _LARGEST):
                raise CoreError(f"{name} is {value!r}: it must be {_SMALLEST} to {_LARGEST}")
        if not (isinstance(self.scale, (int, float)) and 0.5 <= self.scale <= 8):
            raise CoreError(f"scale is {self.scale!r}: it must be 0.5 to 8")
        figure = empty_figure(self.width, self.height, self.scale)
        write_title(figure, self.title)
        return figure


def empty_figure(width: float, height: float, scale: float) -> "Figure":
    """Return a figure of a size in units, of which one has ``scale`` pixels."""
    library = matplotlib()
    dpi = _UNITS * scale
    # Agg rounds down: the hundredth of a pixel keeps 959.9999 from becoming 959.
    inches = [(round(n * scale) + 0.01) / dpi for n in (width, height)]
    figure = library.figure.Figure((inches[0], inches[1]), dpi, layout="constrained")
    library.backends.backend_agg.FigureCanvasAgg(figure)
    return figure


def size_of(figure: "Figure") -> tuple[float, float]:
    """Return the width and the height of a figure in units."""
    width, height = figure.get_size_inches()
    return width * _UNITS, height * _UNITS


def room_of(axes: "Axes") -> tuple[float, float]:
    """Return about the width and height of axes in units, before the layout is made."""
    unit = axes.figure.dpi / _UNITS
    return axes.bbox.width / unit, axes.bbox.height / unit


def add_panels(figure: "Figure", count: int, columns: int = 1) -> "list[Axes]":
    """Return empty axes in rows, with a faint grid behind the data."""
    columns = min(columns, max(count, 1))
    grid = figure.subplots(-(-max(count, 1) // columns), columns, squeeze=False)
    panels = list(grid.flat)
    for axes in panels[count:]:
        axes.set_axis_off()
    for axes in panels[:count]:
        axes.set_axisbelow(True)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return panels[:count]


def write_title(figure: "Figure", title: str | None) -> None:
    """Write the title above all else."""
    if title:
        figure.suptitle(plain_text(title), x=0.01, ha="left", wrap=True)


def write_labels(axes: "Axes", x_label: str | None, y_label: str | None) -> None:
    """Write the names of both axes."""
    axes.set_xlabel(plain_text(x_label or ""))
    axes.set_ylabel(plain_text(y_label or ""))


def write_notes(figure: "Figure", notes: Sequence[str]) -> None:
    """Write sentences below the data."""
    if notes:
        text = "\n".join(map(plain_text, notes))
        figure.supxlabel(text, x=0.01, ha="left", fontsize="small", color=FAINT, wrap=True)


def write_names(axis: "Axis", names: Sequence[str]) -> None:
    """Write names at 0, 1, 2...: upright ones below the data where they are long, some of many."""
    shown = [plain_text(name, LONGEST) for name in names]
    is_below = axis is axis.axes.xaxis
    room = room_of(axis.axes)[0 if is_below else 1]
    flat = LETTER * max(map(len, shown), default=0) + LETTER
    is_upright = is_below and flat * len(shown) > room and not all(n.isdecimal() for n in names)
    most = max(int(room / (flat if is_below and not is_upright else LINE)), 1)
    ticks = list(range(len(shown)))
    if len(shown) > most:  # those at round indices
        ticks = [int(t) for t in whole_ticks(most).tick_values(0, len(shown) - 1)]
        ticks = [tick for tick in ticks if 0 <= tick < len(shown)]
    axis.set_ticks(ticks, [shown[i] for i in ticks], rotation=90 if is_upright else 0)
    axis.grid(False)


def write_empty(axes: "Axes", text: str = "no data") -> None:
    """Write in the middle of axes that there is nothing to draw."""
    axes.text(0.5, 0.5, text, color=FAINT, ha="center", va="center", transform=axes.transAxes)

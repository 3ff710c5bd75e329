"""Lines, discs, bars and histograms on the axes of a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.plots.bins import binned
from core.plots.colours import PALETTE, colour_of
from core.plots.figures import LETTER, LONGEST, room_of, write_empty, write_names
from core.plots.library import whole_ticks
from core.plots.scales import Range, ScaleKind, check_range, check_scale
from core.plots.texts import counted, plain_text, short_number
from core.plots.values import Points, are_finite

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 40  # points of a line that are marked
_MANY = 500  # discs that are small
_FEW_BARS = 12  # that have their values above
_ENTRIES = 16  # of a legend
_MISSING = ("value is NaN or infinite", "values are NaN or infinite")


@dataclass(frozen=True)
class Ranges:
    """Kinds of both scales, and what they are to show; None shows all."""

    x_scale: ScaleKind = "linear"
    y_scale: ScaleKind = "linear"
    x_range: Range | None = None
    y_range: Range | None = None

    def check(self) -> None:
        """Raise an error for unknown scales and for ranges that are empty."""
        for name in ("x", "y"):
            kind = getattr(self, f"{name}_scale")
            check_scale(f"{name}_scale", kind)
            check_range(f"{name}_range", getattr(self, f"{name}_range"), kind)


def draw_series(
    axes: "Axes",
    points: Sequence[Points],
    ranges: Ranges,
    *,
    are_lines: bool = True,
    dashed: Sequence[bool] | None = None,
) -> tuple[str, ...]:
    """Draw series as lines or discs, with a legend of their names; return the notes about them.

    Args:
        axes: what is drawn on.
        points: the series.
        ranges: of both axes, which were checked.
        are_lines: whether they are lines.
        dashed: which lines are; by default those whose colour is in use.
    """
    axes.set(xscale=ranges.x_scale, yscale=ranges.y_scale)
    if ranges.x_scale == "linear" and all(_are_whole(each.x) for each in points):  # epochs
        axes.xaxis.set_major_locator(whole_ticks("auto", 1))
    shown = [_drawable(each, ranges) for each in points]
    for i, (each, ok) in enumerate(zip(points, shown, strict=True)):
        is_dashed = i // len(PALETTE) % 2 == 1 if dashed is None else dashed[i]
        _draw_one(axes, each, ok, colour_of(i), ("--" if is_dashed else "-") if are_lines else "")
    if not any(ok.any() for ok in shown):
        write_empty(axes)
    axes.set_xlim(ranges.x_range)
    axes.set_ylim(ranges.y_range)
    _write_legend(axes)
    return _notes(points, ranges)


def _draw_one(axes: "Axes", points: Points, ok: np.ndarray, colour: str, line: str) -> None:
    """Draw the points of a series that are ok: as a line of a style, or without one as discs."""
    x, y = (np.where(ok, values, np.nan) for values in (points.x, points.y))
    label = plain_text(points.name, LONGEST)
    if label.startswith("_"):
        label = f" {label}"  # Matplotlib's legends leave out names that begin so
    if line:
        marker = "o" if ok.sum() <= _FEW else ""
        axes.plot(x, y, line, color=colour, marker=marker, markersize=4, label=label)
    else:
        axes.scatter(x, y, 25 if ok.sum() <= _MANY else 6, color=colour, label=label)


def _are_whole(values: np.ndarray) -> bool:
    return bool((values[are_finite(values)] % 1 == 0).all())


def _write_legend(axes: "Axes") -> None:
    """Write the names of series above the data."""
    handles, names = axes.get_legend_handles_labels()
    if not names:
        return
    width = room_of(axes)[0] / (LETTER * max(map(len, names)) + 40)  # of the axes, in entries
    title = f"{_ENTRIES} of {len(names)} series" if len(names) > _ENTRIES else None
    axes.legend(
        handles[:_ENTRIES],
        names[:_ENTRIES],
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=max(int(width), 1),
        frameon=False,
        fontsize="small",
        title=title,
    )


def _drawable(points: Points, ranges: Ranges) -> np.ndarray:
    """For each point, whether it can be drawn."""
    ok = are_finite(points.x) & are_finite(points.y)
    for values, kind in ((points.x, ranges.x_scale), (points.y, ranges.y_scale)):
        if kind == "log":
            ok &= np.nan_to_num(values) > 0
    return ok


def _notes(points: Sequence[Points], ranges: Ranges) -> tuple[str, ...]:
    infinite = sum(int((~(are_finite(p.x) & are_finite(p.y))).sum()) for p in points)
    hidden = sum(int((~_drawable(p, ranges)).sum()) for p in points) - infinite
    notes = []
    if infinite:
        notes.append(f"{counted(infinite, *_MISSING)}.")
    if hidden:
        notes.append(
            f"{counted(hidden, 'value is', 'values are')} not above 0, and so not on a log scale."
        )
    return tuple(notes)


def _missing_notes(ok: np.ndarray, texts: tuple[str, str]) -> tuple[str, ...]:
    missing = int((~ok).sum())
    return (f"{counted(missing, *texts)}.",) if missing else ()


def draw_bars(
    axes: "Axes",
    names: Sequence[str],
    numbers: np.ndarray,
    y_range: Range | None = None,
    missing: tuple[str, str] = _MISSING,
) -> tuple[str, ...]:
    """Draw a bar for each name; return the notes about them.

    Args:
        axes: what is drawn on.
        names: of the bars.
        numbers: their values; NaN has no bar.
        y_range: of the values; by default from 0 to the largest.
        missing: what the note says of a NaN, and of several.
    """
    ok = are_finite(numbers)
    places = np.flatnonzero(ok)
    bars = axes.bar(places, numbers[ok], color=colour_of(0))
    axes.axhline(0, color="black", linewidth=0.8)
    if len(names) <= _FEW_BARS:
        axes.bar_label(bars, [short_number(float(n), 3) for n in numbers[ok]], padding=2)
    if not len(numbers):
        write_empty(axes)
    axes.margins(y=0.12)  # for the values above and below
    axes.set_xlim(-0.6, max(len(names), 1) - 0.4)
    axes.set_ylim(y_range)
    write_names(axes.xaxis, names)
    return _missing_notes(ok, missing)


def draw_histogram(
    axes: "Axes", numbers: np.ndarray, bins: int | None = None, y_scale: ScaleKind = "linear"
) -> tuple[dict[str, list[object]], tuple[str, ...]]:
    """Draw a histogram; return its columns and the notes about it."""
    ok = are_finite(numbers)
    edges, counts = binned(numbers[ok], bins)
    axes.set_yscale(y_scale)
    if len(counts):
        low = 0 if y_scale == "linear" else 0.5
        axes.stairs(counts, edges, baseline=low, fill=True, color=colour_of(0))
    else:
        write_empty(axes)
    if y_scale == "linear":
        axes.yaxis.set_major_locator(whole_ticks("auto"))
    data = {"from": edges[:-1].tolist(), "to": edges[1:].tolist(), "count": counts.tolist()}
    return data if len(counts) else {name: [] for name in data}, _missing_notes(ok, _MISSING)

"""Lines, discs, bars and histograms, drawn within a box of a surface."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.plots.axes import (
    Axis,
    Entry,
    Frame,
    Texts,
    close_frame,
    open_frame,
    range_of,
    write_empty,
)
from core.plots.bins import binned
from core.plots.colours import PALETTE, PAPER, colour_of
from core.plots.scales import Range, ScaleKind, check_range, check_scale, short_number
from core.plots.surface import Box, Surface, text_width
from core.plots.values import Points, are_finite, counted

_FEW = 40  # points of a line that are marked
_MANY = 500  # discs that are small
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
    surface: Surface,
    box: Box,
    points: Sequence[Points],
    texts: Texts,
    ranges: Ranges,
    entries: Sequence[Entry] | None = None,
    *,
    are_lines: bool = True,
) -> tuple[str, ...]:
    """Draw series as lines or discs within a box, and return the notes about them.

    Args:
        surface: what is drawn on.
        box: where.
        points: the series.
        texts: around the data; notes are added.
        ranges: of both axes.
        entries: name, colour and dashes of each series; by default they follow the palette.
        are_lines: whether they are lines.
    """
    ranges.check()
    entries = entries or [_entry(each.name, i, are_lines) for i, each in enumerate(points)]
    shown = [_drawable(each, ranges) for each in points]
    notes = _notes(points, ranges)
    x = range_of([p.x[ok] for p, ok in zip(points, shown, strict=True)], ranges.x_scale)
    y = range_of([p.y[ok] for p, ok in zip(points, shown, strict=True)], ranges.y_scale)
    legend = [entry for entry in entries if entry.name]
    around = replace(texts, legend=legend, notes=notes)
    frame = open_frame(
        surface,
        box,
        around,
        _axis(x, ranges.x_scale, ranges.x_range, is_exact=are_lines, is_whole=_are_whole(points)),
        _axis(y, ranges.y_scale, ranges.y_range),
    )
    close_frame(surface, frame)
    if x is None:
        write_empty(surface, frame.box)
    with surface.clipped(_around(frame.box)):
        for each, ok, entry in zip(points, shown, entries, strict=True):
            draw = _draw_line if are_lines else _draw_discs
            draw(surface, frame, each, ok, entry)
    return notes


def _around(box: Box) -> Box:
    """A box in which discs at the edges of another one are whole."""
    return Box(box.left - 5, box.top - 5, box.right + 5, box.bottom + 5)


def _entry(name: str, index: int, is_line: bool) -> Entry:
    """The entry of a series in the legend; lines whose colour is in use are dashed."""
    is_dashed = is_line and index // len(PALETTE) % 2 == 1
    return Entry(name, colour_of(index), is_dashed, is_line)


def _are_whole(points: Sequence[Points]) -> bool:
    """Whether all x are integers, such as epochs: no tick is then between two of them."""
    return all((p.x[are_finite(p.x)] % 1 == 0).all() for p in points)


def _axis(
    found: Range | None,
    kind: ScaleKind,
    given: Range | None,
    *,
    is_exact: bool = False,
    is_whole: bool = False,
) -> Axis:
    if given is not None:
        return Axis(float(given[0]), float(given[1]), kind, is_exact=True, is_whole=is_whole)
    low, high = found or ((1.0, 10.0) if kind == "log" else (0.0, 1.0))
    return Axis(low, high, kind, is_exact=is_exact, is_whole=is_whole)


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


def _draw_line(
    surface: Surface, frame: Frame, points: Points, ok: np.ndarray, entry: Entry
) -> None:
    """Draw a line, in parts between its gaps."""
    at = np.stack([frame.x.at(points.x), frame.y.at(points.y)], axis=1)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], ok, [False]])))
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        part = _thinned(at[start:end])
        surface.line(part, entry.colour, 2.25, is_dashed=entry.is_dashed)
    if ok.sum() <= _FEW:
        for x, y in at[ok]:
            surface.disc(x, y, 3.25, entry.colour)


def _thinned(at: np.ndarray) -> np.ndarray:
    """Return at most four points of a line for each column of units: ends, lowest and highest."""
    if len(at) < 2000 or (np.diff(at[:, 0]) < 0).any():
        return at
    column = np.floor(at[:, 0]).astype(np.int64)
    order = np.lexsort((at[:, 1], column))
    bounds = np.flatnonzero(np.diff(column)) + 1
    first, last = np.r_[0, bounds], np.r_[bounds, len(at)] - 1
    kept = np.unique(np.concatenate([first, last, order[first], order[last]]))
    return at[kept]


def _draw_discs(
    surface: Surface, frame: Frame, points: Points, ok: np.ndarray, entry: Entry
) -> None:
    at = np.stack([frame.x.at(points.x[ok]), frame.y.at(points.y[ok])], axis=1)
    at = np.unique(np.rint(at * 2) / 2, axis=0) if len(at) > 2000 else at
    radius, rim = (3.75, 0.75) if len(at) <= _MANY else (2.25, 0.4)
    for x, y in at:
        surface.disc(x, y, radius + rim, PAPER)
        surface.disc(x, y, radius, entry.colour)


def draw_bars(
    surface: Surface,
    box: Box,
    names: Sequence[str],
    numbers: np.ndarray,
    texts: Texts,
    y_range: Range | None = None,
    missing: tuple[str, str] = _MISSING,
) -> tuple[str, ...]:
    """Draw bars with their names below, and their values above if there is space."""
    ok = are_finite(numbers)
    notes = _missing_notes(ok, missing)
    ends = range_of([np.append(numbers[ok], 0.0)] if len(numbers) else [], "linear")
    around = replace(texts, notes=notes)
    y = _axis((0.0, 1.0) if ends == (0.0, 0.0) else ends, "linear", y_range)
    frame = open_frame(surface, box, around, Axis(names=names), y)
    if not len(numbers):
        write_empty(surface, frame.box)
    slot = frame.box.width / max(len(numbers), 1)
    with surface.clipped(frame.box):
        _fill_bars(surface, frame, numbers, ok, slot)
    shown = [short_number(float(n), 3) for n in numbers]
    if max((text_width(text, 11) for text in shown), default=0) + 6 <= slot:
        _write_values(surface, frame, numbers, shown)
    _zero_line(surface, frame)
    return notes


def _fill_bars(
    surface: Surface, frame: Frame, numbers: np.ndarray, ok: np.ndarray, slot: float
) -> None:
    zero = float(frame.y.at(max(frame.y.low, min(0.0, frame.y.high))))
    half = min(slot * 0.38, 40.0)
    for i in np.flatnonzero(ok).tolist():
        x, y = float(frame.x.at(i)), float(frame.y.at(numbers[i]))
        surface.rectangle(Box(x - half, min(y, zero), x + half, max(y, zero)), colour_of(0))


def _write_values(
    surface: Surface, frame: Frame, numbers: np.ndarray, texts: Sequence[str]
) -> None:
    for i, (number, text) in enumerate(zip(numbers, texts, strict=True)):
        known = float(number) if are_finite(np.array(number)) else 0.0
        y = float(frame.y.at(known)) + (-8 if known >= 0 else 8)
        if frame.box.top - 9 <= y <= frame.box.bottom:
            surface.text(float(frame.x.at(i)), y, text, 11, across="middle")


def _zero_line(surface: Surface, frame: Frame) -> None:
    """Draw the line on which bars stand."""
    y = float(frame.y.at(max(frame.y.low, min(0.0, frame.y.high))))
    close_frame(surface, Frame(frame.box._replace(bottom=y), frame.x, frame.y))


def draw_histogram(
    surface: Surface,
    box: Box,
    numbers: np.ndarray,
    texts: Texts,
    bins: int | None = None,
    y_scale: ScaleKind = "linear",
) -> tuple[dict[str, list[object]], tuple[str, ...]]:
    """Draw a histogram within a box; return its columns and the notes about it."""
    ok = are_finite(numbers)
    notes = _missing_notes(ok, _MISSING)
    edges, counts = binned(numbers[ok], bins)
    low = 0.0 if y_scale == "linear" else 0.5
    around = replace(texts, notes=notes)
    x = Axis(float(edges[0]), float(edges[-1]), is_exact=True, has_grid=False)
    y = Axis(
        low, float(max(counts.max(initial=0), 1)), y_scale, is_exact=y_scale == "log", is_whole=True
    )
    frame = open_frame(surface, box, around, x, y)
    if not len(counts):
        write_empty(surface, frame.box)
    at, bottom = frame.x.at(edges), frame.box.bottom
    for i in np.flatnonzero(counts):
        top = float(frame.y.at(float(counts[i])))
        gap = 1.0 if at[i + 1] - at[i] > 4 else 0.0
        bar = Box(float(at[i]), min(top, bottom - 1), float(at[i + 1]) - gap, bottom)
        surface.rectangle(bar, colour_of(0))
    close_frame(surface, frame)
    data = {"from": edges[:-1].tolist(), "to": edges[1:].tolist(), "count": counts.tolist()}
    return data if len(counts) else {name: [] for name in data}, notes

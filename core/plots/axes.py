"""The frame of a plot around the data: title, legend, scales with ticks, and notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import NamedTuple

import numpy as np

from core.errors import CoreError
from core.plots.colours import FAINT, INK, RULE, Colour
from core.plots.scales import Scale, ScaleKind, scale_for
from core.plots.surface import Box, Surface, fitted, text_width, widest

TITLE, PANEL, LABEL, TICK, NOTE = 17.0, 14.5, 13.0, 12.0, 11.5  # sizes of fonts
MARGIN = 14.0
LINE = 1.45  # height of a line of text, in sizes of its font
_LONGEST = 130.0  # of names beside an axis
_WIDE = 64.0  # space for a name below the data in which it may be shortened
_SMALLEST, _LARGEST = 120, 10_000


@dataclass(frozen=True)
class Look:
    """Options that all plots have: texts, and the size of the image."""

    title: str | None
    x_label: str | None
    y_label: str | None
    width: int
    height: int
    scale: float

    def surface(self) -> Surface:
        """Return an empty surface of the size.

        Raises:
            CoreError: the size is out of range.
        """
        for name in ("width", "height"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and _SMALLEST <= value <= _LARGEST):
                raise CoreError(f"{name} is {value!r}: it must be {_SMALLEST} to {_LARGEST}")
        if not (isinstance(self.scale, (int, float)) and 0.5 <= self.scale <= 8):
            raise CoreError(f"scale is {self.scale!r}: it must be 0.5 to 8")
        return Surface(self.width, self.height, self.scale)


@dataclass(frozen=True)
class Axis:
    """An axis: a range of numbers, or names at equal distances.

    Attributes:
        low: the least value.
        high: the largest one.
        kind: of the scale.
        names: of categories, which are at 0, 1, 2...
        is_exact: whether it begins and ends at the values, and not at the ticks around them.
        is_downward: whether the first name is above the others.
        has_grid: whether ticks have lines.
        is_whole: whether ticks are integers.
    """

    low: float = 0.0
    high: float = 1.0
    kind: ScaleKind = "linear"
    names: Sequence[str] | None = None
    is_exact: bool = False
    is_downward: bool = False
    has_grid: bool = True
    is_whole: bool = False

    def scale(self, count: float) -> Scale:
        """Return the scale with about so many ticks."""
        if self.names is not None:
            return Scale(-0.5, max(len(self.names), 1) - 0.5, "linear", (), ())
        least = 1.0 if self.is_whole else 0.0
        return scale_for(self.low, self.high, self.kind, count, self.is_exact, least)


class Entry(NamedTuple):
    """A series in the legend."""

    name: str
    colour: Colour
    is_dashed: bool = False
    is_line: bool = True


@dataclass(frozen=True)
class Frame:
    """Box of the data, and the scales of their values."""

    box: Box
    x: Scale
    y: Scale


@dataclass(frozen=True)
class Texts:
    """Texts around the data."""

    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None
    legend: Sequence[Entry] = ()
    notes: Sequence[str] = ()
    right: float = 0.0  # space for what stands to the right of the data
    facts: Sequence[tuple[str, str]] = ()  # names and values, above the data
    title_size: float = TITLE


def open_frame(surface: Surface, box: Box, texts: Texts, x: Axis, y: Axis) -> Frame:
    """Draw a frame within a box, and return where the data go."""
    top = _head(surface, box, texts)
    bottom = _foot(surface, box, texts.notes)
    if texts.x_label:
        bottom -= LABEL * LINE
    y_scale = y.scale(max((bottom - top - 30) / 46, 2))
    y_texts = _side_names(y, bottom - top) if y.names is not None else y_scale.texts
    left = box.left + MARGIN + widest(y_texts, TICK) + 8
    left += LABEL * LINE + 2 if texts.y_label else 0
    right = box.right - MARGIN - texts.right
    x_scale = x.scale(max((right - left) / 85, 2))
    if x.names is not None:
        below = _Below.of(x.names, (right - left) / max(len(x.names), 1))
        bottom -= below.height
    else:
        below = None
        bottom -= TICK * LINE + 6
        right -= text_width(x_scale.texts[-1], TICK) / 2 - MARGIN / 2 if x_scale.texts else 0
    inner = Box(left, top, max(right, left + 10), max(bottom, top + 10))
    ends = (inner.top, inner.bottom) if y.is_downward else (inner.bottom, inner.top)
    frame = Frame(inner, x_scale.over(inner.left, inner.right), y_scale.over(*ends))
    _axis_labels(surface, box, texts, inner)
    _draw_y(surface, frame, y, y_texts)
    _draw_x(surface, frame, x, below)
    return frame


def close_frame(surface: Surface, frame: Frame, x: bool = True, y: bool = False) -> None:
    """Draw the lines of the axes, over the data."""
    left, top, right, bottom = frame.box
    if x:
        surface.rectangle(Box(left, bottom, right, bottom + 1), FAINT)
    if y:
        surface.rectangle(Box(left, top, left + 1, bottom), FAINT)


def _head(surface: Surface, box: Box, texts: Texts) -> float:
    """Write title, facts and legend; return where they end."""
    y = box.top + MARGIN
    room = box.width - 2 * MARGIN
    if texts.title:
        size = texts.title_size
        surface.text(box.left + MARGIN, y + size / 2, fitted(texts.title, size, room), size)
        y += size * LINE + 2
    if texts.facts:
        y = _facts(surface, box, texts.facts, y)
    return _legend(surface, box, texts.legend, y) + 8


def _facts(surface: Surface, box: Box, facts: Sequence[tuple[str, str]], y: float) -> float:
    """Write names with values in lines, and return where they end."""
    x = box.left + MARGIN
    for name, value in facts:
        name_width = text_width(f"{name} ", NOTE)
        width = name_width + text_width(value, NOTE)
        if x + width > box.right - MARGIN and x > box.left + MARGIN:
            x, y = box.left + MARGIN, y + NOTE * LINE
        surface.text(x, y + NOTE / 2, name, NOTE, FAINT)
        surface.text(x + name_width, y + NOTE / 2, value, NOTE)
        x += width + 14
    return y + NOTE * LINE + 2


def _legend(surface: Surface, box: Box, entries: Sequence[Entry], y: float) -> float:
    """Draw the legend in as many lines as it needs, at most five; return where it ends."""
    if not entries:
        return y
    x, middle, lines = box.left + MARGIN, y + LABEL / 2, 1
    for i, entry in enumerate(entries):
        name = fitted(entry.name, TICK, 220)
        width = 22 + text_width(name, TICK) + 18
        if x + width - 18 > box.right - MARGIN and x > box.left + MARGIN:
            x, middle, lines = box.left + MARGIN, middle + LABEL * LINE, lines + 1
        if lines == 5:
            surface.text(x, middle, f"and {len(entries) - i} more", TICK, FAINT)
            break
        _swatch(surface, x, middle, entry)
        surface.text(x + 22, middle, name, TICK)
        x += width
    return middle + LABEL


def _swatch(surface: Surface, x: float, y: float, entry: Entry) -> None:
    if not entry.is_line:
        surface.disc(x + 8, y, 4.5, entry.colour)
        return
    line = np.array([[x + 1.0, y], [x + 16.0, y]])
    surface.line(line, entry.colour, 3.0, is_dashed=entry.is_dashed)


def _foot(surface: Surface, box: Box, notes: Sequence[str]) -> float:
    """Write notes at the bottom, and return where they begin."""
    y = box.bottom - MARGIN
    for note in reversed(notes):
        text = fitted(note, NOTE, box.width - 2 * MARGIN)
        surface.text(box.left + MARGIN, y - NOTE / 2, text, NOTE, FAINT)
        y -= NOTE * LINE
    return y - (4 if notes else 0)


def _axis_labels(surface: Surface, box: Box, texts: Texts, inner: Box) -> None:
    if texts.x_label:
        y = box.bottom - MARGIN - (len(texts.notes) * NOTE * LINE + (4 if texts.notes else 0))
        label = fitted(texts.x_label, LABEL, inner.width)
        x = (inner.left + inner.right) / 2
        surface.text(x, y - LABEL / 2 + 2, label, LABEL, across="middle")
    if texts.y_label:
        label = fitted(texts.y_label, LABEL, inner.height)
        x, y = box.left + MARGIN + LABEL / 2, (inner.top + inner.bottom) / 2
        surface.text(x, y, label, LABEL, across="middle", is_upright=True)


def _side_names(axis: Axis, height: float) -> list[str]:
    """Names at the left; empty where they would be too close to each other."""
    names = list(axis.names or ())
    every = _every(height / max(len(names), 1), TICK * 1.15)
    return [fitted(n, TICK, _LONGEST) if i % every == 0 else "" for i, n in enumerate(names)]


def _every(slot: float, needed: float) -> int:
    """Return the step between labelled names: 1, 2 or 5 times a power of ten."""
    least, factor = ceil(needed / max(slot, 1e-9)), 1
    while True:
        for step in (1, 2, 5):
            if step * factor >= least:
                return step * factor
        factor *= 10


def _draw_y(surface: Surface, frame: Frame, axis: Axis, texts: Sequence[str]) -> None:
    box, is_named = frame.box, axis.names is not None
    ticks = np.arange(len(texts)) if is_named else np.array(frame.y.ticks)
    for text, y in zip(texts, frame.y.at(ticks), strict=True):
        if axis.has_grid and not is_named:
            surface.rule((box.left, float(y)), box.width, is_upright=False)
        surface.text(box.left - 8, float(y), text, TICK, INK, "right")


class _Below(NamedTuple):
    """Names below the data, and whether they are upright."""

    names: list[str]
    is_upright: bool
    height: float

    @classmethod
    def of(cls, names: Sequence[str], slot: float) -> "_Below":
        """Return names that fit: upright ones if they are long, each n-th if they are many."""
        flat = [fitted(n, TICK, max(slot - 8, 0) if slot >= _WIDE else _LONGEST) for n in names]
        longest = widest(flat, TICK)
        if longest + 8 <= slot or all(n.isdecimal() for n in names):
            every = _every(slot, longest + 8)
            kept = [n if i % every == 0 else "" for i, n in enumerate(flat)]
            return cls(kept, False, TICK * LINE + 6)
        every = _every(slot, TICK * 1.15)
        kept = [n if i % every == 0 else "" for i, n in enumerate(flat)]
        return cls(kept, True, widest(kept, TICK) + 12)


def _draw_x(surface: Surface, frame: Frame, axis: Axis, below: _Below | None) -> None:
    box = frame.box
    if below is None:
        for value, text in zip(frame.x.ticks, frame.x.texts, strict=True):
            x = float(frame.x.at(value))
            if axis.has_grid:
                surface.rectangle(Box(x, box.top, x + 1, box.bottom + 4), RULE)
            surface.text(x, box.bottom + 6 + TICK / 2, text, TICK, INK, "middle")
        return
    for i, text in enumerate(below.names):
        x = float(frame.x.at(i))
        if text and below.is_upright:
            surface.text(x, box.bottom + 7, text, TICK, INK, "right", is_upright=True)
        elif text:
            surface.text(x, box.bottom + 6 + TICK / 2, text, TICK, INK, "middle")


def range_of(arrays: Sequence[np.ndarray], kind: ScaleKind) -> tuple[float, float] | None:
    """Return the least and the largest value that a scale can show; None without values."""
    ends = [(float(a.min()), float(a.max())) for a in arrays if len(a)]
    if not ends:
        return None
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
    return (low, high) if isfinite(low) and isfinite(high) else None


def write_empty(surface: Surface, box: Box, text: str = "no data") -> None:
    """Write in the middle of a box that there is nothing to draw."""
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    surface.text(x, y, text, LABEL, FAINT, "middle")

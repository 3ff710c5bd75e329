"""Dark plates with text: the labels of an image, and the legend of its colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import PALETTE, PAPER, Colour, mix
from zoo.drawing.label_layout import XY, Area
from zoo.drawing.surface import Surface
from zoo.drawing.text_masks import fitted, text_mask, text_width

_ROW = 1.65  # height of a row, in sizes of the text
_SMALLEST = 8.0  # text that can be read, in pixels
_NAME = 12.0  # room that a long name should have, in sizes of the text
_QUIET = mix(PAPER, (0, 0, 0), 0.65)

_MOST_ROWS = 12  # of a legend
_LARGEST = 0.2  # legend, as a share of the image
_SMALL = 0.03  # legend that may hide anything
_MOST_HIDDEN = 0.15  # share of any region that a legend may hide
_SPECK = 0.005  # share of the image: smaller regions may be hidden

#: Sizes of the text of a list, and lengths of its bars in them, best first.
_LISTS = ((1.1, 5.0), (0.9, 5.0), (0.9, 2.5), (0.9, 0.0), (0.7, 0.0))


class _List(NamedTuple):
    """Layout of a list of labels, in pixels."""

    size: float  # of the text
    names: list[str]
    wide: float  # the widest of the names
    bar: float
    number: float

    @property
    def width(self) -> float:
        parts = [part for part in (self.wide, self.bar, self.number) if part]
        return sum(parts) + 0.6 * self.size * (len(parts) + 1)


def paint_labels(canvas: Surface, labels: Sequence[Mapping[str, Any]], _: float) -> None:
    """List labels at the upper left, with a bar for each score, as far as there is room."""
    scores = [_score(label) for label in labels]
    layout = _list(canvas, [str(label["label"]) for label in labels])
    margin = 0.6 * layout.size
    height = (len(layout.names) * _ROW + 0.5) * layout.size
    paint = partial(_paint_list, canvas, layout, scores)
    canvas.panel(layout.width, height, [(margin, margin)], paint)


def _list(canvas: Surface, names: Sequence[str]) -> _List:
    """Lay out a list with smaller text, then without bars and scores, until names can be read."""
    for scale, bars in _LISTS:
        size = max(_SMALLEST, scale * canvas.text_size)
        bar, number = bars * size, text_width("0.00", size)
        shown = _shortened(names, _rows_of(canvas, size))
        room = canvas.size[0] - 3 - _List(size, [], 1, bar, number).width
        wide = max(text_width(name, size) for name in shown)
        if min(wide, _NAME * size) <= room:
            break
    else:
        bar = number = 0.0
        room = canvas.size[0] - 3 - 1.2 * size
    fit = [fitted(name, size, room) for name in shown]
    return _List(size, fit, max(text_width(name, size) for name in fit), bar, number)


def _rows_of(canvas: Surface, size: float) -> int:
    """Return the number of rows of text that fit."""
    return max(1, int((0.9 * canvas.size[1] / size - 0.5) / _ROW))


def _shortened(texts: Sequence[str], rows: int) -> list[str]:
    """Return as many texts as there are rows; the last is the number of further ones."""
    if len(texts) <= rows or rows == 1:
        return list(texts[:rows])
    return [*texts[: rows - 1], f"and {len(texts) - rows + 1} more"]


def _paint_list(canvas: Surface, layout: _List, scores: Sequence[float], area: Area) -> None:
    size, names = layout.size, layout.names
    margin = 0.6 * size
    left = area.left + margin
    for index, name in enumerate(names):
        middle = area.top + size * (0.25 + _ROW * (index + 0.5))
        canvas.write(text_mask(name, size), left, middle, PAPER)
        counted = index == len(names) - 1 < len(scores) - 1 and index > 0  # "and N more"
        if layout.number and not counted:
            start = left + layout.wide + margin
            for share, colour in ((1.0, _QUIET), (min(scores[index], 1.0), PALETTE[0])):
                if share > 0 and layout.bar:
                    line = [(start, middle), (start + layout.bar * share, middle)]
                    canvas.stroke(line, colour, 0.2 * size)
            end = start + (layout.bar + margin if layout.bar else 0)
            canvas.write(text_mask(f"{scores[index]:.2f}", size), end, middle, PAPER)


def _score(label: Mapping[str, Any]) -> float:
    score = label["score"]
    if not isinstance(score, Real):
        raise ZooError(f"the score of {label['label']!r} is {score!r:.80}: it must be a number")
    return float(score)


def paint_legend(canvas: Surface, entries: Sequence[tuple[str, Colour]], busy: np.ndarray) -> None:
    """Paint a legend of colours and labels in a corner, as far as there is room.

    Entries are the labels with their colours, the most important first; ``busy`` is the smaller
    image as integers [height, width] of regions, 0 outside. The legend has fewer rows, or smaller
    text, rather than to hide much of any region.
    """
    labels = [label for label, _ in entries]
    for rows in range(min(_MOST_ROWS, len(entries)), 0, -1):
        for scale in (1.0, 0.8):
            size = max(_SMALLEST, scale * canvas.text_size)
            texts = _shortened(labels, rows)
            width = max(text_width(text, size) for text in texts) + 3 * size
            height = (rows * _ROW + 0.5) * size
            corners = _corners(canvas, busy, width, height, 0.6 * size)
            if corners:
                paint = partial(_paint_rows, canvas, texts, entries, size)
                return canvas.panel(width, height, corners, paint)
    return None


def _corners(
    canvas: Surface, busy: np.ndarray, width: float, height: float, margin: float
) -> list[XY]:
    """Return positions of a panel of that size in the corners, the one that hides least first."""
    share = width * height / canvas.scale**2
    if share > _LARGEST:
        return []
    right, bottom = canvas.size[0] - width - margin, canvas.size[1] - height - margin
    corners = [(margin, bottom), (right, bottom), (margin, margin), (right, margin)]
    ratio = busy.shape[1] / canvas.size[0]
    sizes = np.maximum(np.bincount(busy.ravel()), _SPECK * busy.size)

    def hidden(corner: XY) -> float:
        """Return the largest share of any region that is hidden at a corner."""
        left, top = (int(max(0.0, ratio * value)) for value in corner)
        part = busy[top : math.ceil(top + ratio * height), left : math.ceil(left + ratio * width)]
        counts = np.bincount(part.ravel(), minlength=sizes.size)
        return float((counts / sizes)[1:].max(initial=0.0))

    least_first = sorted(corners, key=hidden)
    return least_first if share <= _SMALL else [p for p in least_first if hidden(p) <= _MOST_HIDDEN]


def _paint_rows(
    canvas: Surface,
    texts: Sequence[str],
    entries: Sequence[tuple[str, Colour]],
    size: float,
    area: Area,
) -> None:
    for index, text in enumerate(texts):
        middle = area.top + size * (0.25 + _ROW * (index + 0.5))
        if text == entries[index][0]:  # not "and N more"
            left = area.left + 1.0 * size
            swatch = [(left, middle), (left + 0.5 * size, middle)]
            canvas.stroke(swatch, entries[index][1], 0.35 * size)
        canvas.write(text_mask(text, size), area.left + 2.3 * size, middle, PAPER)

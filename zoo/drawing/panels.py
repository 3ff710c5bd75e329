"""Dark plates with text: the labels of a picture, and the legend of its colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.drawing.canvas import Area, Canvas, Place, fitted, text_mask, text_width
from zoo.drawing.colours import PALETTE, PAPER, Colour, mix

_ROW = 1.65  # height of a row, in sizes of the text
_MOST_ROWS = 12  # of a legend, which else would hide the picture
_QUIET = mix(PAPER, (0, 0, 0), 0.65)


def paint_labels(canvas: Canvas, labels: Sequence[Mapping[str, Any]], _: float) -> None:
    """List labels at the upper left, with a bar for each score."""
    scores = [_score(label) for label in labels]
    size = 1.1 * canvas.text_size
    margin, bar, number = 0.6 * size, 5.0 * size, text_width("0.00", size)
    room = max(size, canvas.size[0] - 2 - 4 * margin - bar - number - size)
    names = [fitted(str(label["label"]), size, room) for label in labels]
    wide = max(text_width(name, size) for name in names)
    width = wide + bar + number + 4 * margin
    area = canvas.panel(width, (len(names) * _ROW + 0.5) * size, [(margin, margin)])
    left = area.left + margin
    for index, (name, score) in enumerate(zip(names, scores, strict=True)):
        middle = area.top + size * (0.25 + _ROW * (index + 0.5))
        start = left + wide + margin
        canvas.write(text_mask(name, size), left, middle, PAPER)
        canvas.stroke([(start, middle), (start + bar, middle)], _QUIET, 0.2 * size)
        if score > 0:
            tip = start + bar * min(score, 1.0)
            canvas.stroke([(start, middle), (tip, middle)], PALETTE[0], 0.2 * size)
        canvas.write(text_mask(f"{score:.2f}", size), start + bar + margin, middle, PAPER)


def _score(label: Mapping[str, Any]) -> float:
    score = label["score"]
    if not isinstance(score, Real):
        raise ZooError(f"the score of {label['label']!r} is {score!r:.80}: it must be a number")
    return float(score)


def paint_legend(canvas: Canvas, entries: Sequence[tuple[str, Colour]], busy: np.ndarray) -> None:
    """Say in a corner which colour stands for which label, as far as there is room.

    Args:
        canvas: to paint on.
        entries: labels with their colours, the most important first.
        busy: bool [height, width] of the picture: what should not be hidden.
    """
    size = canvas.text_size
    room = min(_MOST_ROWS, int((0.9 * canvas.size[1] / size - 0.5) / _ROW))
    shown = list(entries[: max(1, room - 1)] if len(entries) > room else entries)
    more = len(entries) - len(shown)
    texts = [label for label, _ in shown] + ([f"and {more} more"] if more else [])
    if not texts:
        return
    width = max(text_width(text, size) for text in texts) + 3 * size
    height = (len(texts) * _ROW + 0.5) * size
    area = canvas.panel(width, height, _corners(busy, width, height, 0.6 * size))
    for index, text in enumerate(texts):
        middle = area.top + size * (0.25 + _ROW * (index + 0.5))
        if index < len(shown):
            _paint_swatch(canvas, area, middle, shown[index][1], size)
        canvas.write(text_mask(text, size), area.left + 2.3 * size, middle, PAPER)


def _corners(busy: np.ndarray, width: float, height: float, margin: float) -> list[Place]:
    """Where a panel of that size would stand in the corners, the one that hides least first."""
    right, bottom = (
        max(margin, n - m - margin) for n, m in zip(busy.shape[::-1], (width, height), strict=True)
    )
    places = [(margin, bottom), (right, bottom), (margin, margin), (right, margin)]

    def hidden(place: Place) -> int:
        rows = slice(int(place[1]), int(place[1] + height))
        return int(np.count_nonzero(busy[rows, int(place[0]) : int(place[0] + width)]))

    return sorted(places, key=hidden)


def _paint_swatch(canvas: Canvas, area: Area, middle: float, colour: Colour, size: float) -> None:
    left = area.left + 1.0 * size
    canvas.stroke([(left, middle), (left + 0.5 * size, middle)], colour, 0.35 * size)

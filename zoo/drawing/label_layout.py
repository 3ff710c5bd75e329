"""Label layout: rectangles of an image where text hides no other text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

XY = tuple[float, float]

_ROWS_TRIED = 9  # how far text moves up or down to find a free position


class Area(NamedTuple):
    """A rectangle of the image, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Width from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Height from top to bottom."""
        return self.bottom - self.top

    def touches(self, other: Area) -> bool:
        """Return whether two areas have pixels in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Room:
    """Areas of an image that text takes, and areas that text should not hide."""

    def __init__(self, size: tuple[int, int]):
        self.size = size
        self.taken: list[Area] = []
        self.kept: list[Area] = []  # faces and heads

    def claim(
        self, width: float, height: float, corners: Sequence[XY], own: Area | None, strict: bool
    ) -> Area | None:
        """Take an area for text, at the first free corner; None where no corner is free.

        Corners are upper left ones, best first, moved inside the image; positions above and below
        the first are tried, too. The text may hide ``own``, the item that the text belongs to, and
        without ``strict`` also the areas to keep clear.
        """
        kept = [area for area in self.kept if area != own]
        chosen = None
        for position in _tried(corners, height):
            area = self._inside(*position, width, height)
            if area is None or any(area.touches(text) for text in self.taken):
                continue
            if not any(area.touches(other) for other in kept):
                chosen = area
                break
            if chosen is None and not strict:
                chosen = area  # unless a clear one follows
        if chosen:
            self.taken.append(chosen)
        return chosen

    def _inside(self, x: float, y: float, width: float, height: float) -> Area | None:
        right, bottom = self.size[0] - 1 - width, self.size[1] - 1 - height
        if right < 1 or bottom < 1 or not math.isfinite(x + y):
            return None
        left = min(max(round(x), 1), math.floor(right))
        top = min(max(round(y), 1), math.floor(bottom))
        return Area(left, top, left + width, top + height)


def _tried(corners: Iterable[XY], height: float) -> Iterator[XY]:
    """Yield the corners, then positions above and below the first."""
    given = list(corners)
    yield from given
    for row in sorted(range(-_ROWS_TRIED, _ROWS_TRIED + 1), key=abs):
        yield given[0][0], given[0][1] + row * (height + 1)

"""An image to paint on: lines, discs, boxes, regions, and text on top.

Painters of results take any surface. The kinds differ in how pixels are painted; sizes of lines,
and where texts stand, are the same. Text waits until all shapes are painted, so that no shape
crosses it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY, Area, Room
from zoo.drawing.text_masks import text_mask, text_width

#: Function that lists upper left corners for a text: (width, height) -> corners, best first.
CornersOf = Callable[[float, float], Sequence[XY]]


class Stroke(NamedTuple):
    """All pixels within ``radius`` of a line through points: a disc if there is one point."""

    points: Sequence[XY]
    colour: Colour
    radius: float
    opacity: float = 1.0


class Surface(ABC):
    """An image, the sizes that suit it, and the text that waits to be written on it."""

    def __init__(self, size: tuple[int, int]):
        self.size = size
        self.scale = math.sqrt(self.size[0] * self.size[1])
        self.text_size = max(11.0, 0.024 * self.scale)
        self.thin = max(0.9, 0.0024 * self.scale)  # half the width of the lines of boxes
        self.room = Room(self.size)
        self._panels: list[Callable[[], None]] = []
        self._captions: list[Callable[[], None]] = []

    @abstractmethod
    def stroke(
        self, points: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint all pixels within ``radius`` of a line through points: a disc if there is one."""

    @abstractmethod
    def regions(
        self, mask: np.ndarray, colours: Mapping[int, Colour], *, fill: float, edge: float
    ) -> None:
        """Colour regions of the image, smoothly, and draw along their edges.

        The mask is integers [height, width]; values without a colour are left as they are.
        ``fill`` is an opacity, ``edge`` half the width of the lines.
        """

    @abstractmethod
    def _tint(self, left: int, top: int, cover: np.ndarray, colour: Colour) -> None:
        """Paint a colour where a coverage, uint8 [height, width], is above 0."""

    def strokes(self, strokes: Iterable[Stroke]) -> None:
        """Paint several strokes, the last on top."""
        for stroke in strokes:
            self.stroke(*stroke)

    def discs(
        self, centres: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint a disc at each of many centres."""
        self.strokes(Stroke([centre], colour, radius, opacity) for centre in centres)

    def box(self, area: Area, colour: Colour, radius: float) -> None:
        """Outline a rectangle, as far as it lies in the image."""
        width, height = self.size
        left, right = (min(max(x, 0.0), width - 1.0) for x in (area.left, area.right))
        top, bottom = (min(max(y, 0.0), height - 1.0) for y in (area.top, area.bottom))
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        sides = list(zip(corners, corners[1:], strict=False))
        tones = (INK, radius + rim_of(radius)), (colour, radius)
        self.strokes(Stroke(side, tone, wide) for tone, wide in tones for side in sides)

    def holds(self, area: Area) -> bool:
        """Return whether an area lies within the image's height, and nearly within its width."""
        slack = 2 * self.thin + 1
        inside = area.left >= -slack and area.right <= self.size[0] + slack
        return inside and area.top >= 0 and area.bottom <= self.size[1]

    def caption(
        self,
        lines: Sequence[str],
        corners: CornersOf,
        colour: Colour,
        size: float,
        *,
        own: Area | None = None,
        shorten: bool = False,
    ) -> None:
        """Write lines of text on a pill, when all shapes are painted, where no other text stands.

        The caption is left out where no such corner is.

        Args:
            lines: the text.
            corners: gives upper left ones for the width and height of a pill, best first;
                a pill that would leave the image is moved inside.
            colour: of the pill.
            size: of the text, in pixels.
            own: the face or item that the text belongs to, which it may hide.
            shorten: whether to leave out the last lines rather than to hide a face of others.
        """

        def write() -> None:
            for count in range(len(lines), 0, -1) if shorten else [len(lines)]:
                width, height = self.caption_size(lines[:count], size)
                area = self.room.claim(width, height, corners(width, height), own, shorten)
                if area:
                    return self._paint_pill(lines[:count], area, colour, size)
            return None

        self._captions.append(write)

    def caption_size(self, lines: Sequence[str], size: float) -> tuple[float, float]:
        """Return the width and height of the pill of a caption."""
        rim = rim_of(size / 8)
        width = max(text_width(line, size) for line in lines)
        return width + 0.7 * size + 2 * rim, size * (1.15 * len(lines) + 0.4) + 2 * rim

    def panel(
        self, width: float, height: float, corners: Sequence[XY], paint: Callable[[Area], None]
    ) -> None:
        """Paint a dark plate, when all shapes are painted, then its content by ``paint``.

        Of the upper left corners the first free one is used, moved inside the image. The plate is
        left out where there is no room.
        """

        def paint_panel() -> None:
            area = self.room.claim(width, height, corners, None, strict=False)
            if area:
                self._plate(area, INK, 0.02 * self.scale, 0.78)
                paint(area)

        self._panels.append(paint_panel)

    def paint_texts(self) -> None:
        """Paint the panels and captions that wait, each clear of those before."""
        waiting = [*self._panels, *self._captions]  # captions find room beside panels
        self._panels, self._captions = [], []
        for paint in waiting:
            paint()

    def _paint_pill(self, lines: Sequence[str], area: Area, colour: Colour, size: float) -> None:
        rim = rim_of(size / 8)
        self._plate(area, INK, 0.4 * size + rim)
        inner = Area(area.left + rim, area.top + rim, area.right - rim, area.bottom - rim)
        self._plate(inner, colour, 0.4 * size)
        for number, line in enumerate(lines):
            middle = inner.top + (0.2 + 1.15 * (number + 0.5)) * size
            self.write(text_mask(line, size), inner.left + 0.35 * size, middle, INK)

    def write(self, text: np.ndarray, left: float, middle: float, colour: Colour) -> None:
        """Paint a line of text, from `text_mask`, by its left end and the middle of its height."""
        self._tint(round(left), round(middle - text.shape[0] / 2), text, colour)

    def _plate(self, area: Area, colour: Colour, corner: float, opacity: float = 1.0) -> None:
        """Paint a rectangle with round corners."""
        left, top = math.floor(area.left), math.floor(area.top)
        moved = Area(area.left - left, area.top - top, area.right - left, area.bottom - top)
        self._tint(left, top, _plate_cover(moved, corner, opacity), colour)


def rimmed(points: Sequence[XY], colour: Colour, radius: float) -> list[Stroke]:
    """Return the strokes of a line that stands out from any background."""
    return [Stroke(points, INK, radius + rim_of(radius)), Stroke(points, colour, radius)]


def rim_of(radius: float) -> float:
    """Return the width of the dark rim around a line of that radius."""
    return max(0.7, 0.35 * radius)


@lru_cache(maxsize=256)  # plates recur from frame to frame
def _plate_cover(area: Area, corner: float, opacity: float) -> np.ndarray:
    """Return the coverage of a rectangle with round corners, uint8 [height, width], read-only."""
    corner = min(corner, area.width / 2, area.height / 2)
    across = _outside(area.left, area.right, corner, area.width)
    down = _outside(area.top, area.bottom, corner, area.height)
    cover = np.clip(corner + 0.5 - np.hypot(across, down[:, np.newaxis]), 0, 1)
    rounded: np.ndarray = np.rint(cover * (255 * opacity)).astype(np.uint8)
    rounded.flags.writeable = False
    return rounded


def _outside(start: float, end: float, corner: float, length: float) -> np.ndarray:
    """Return the distance of pixels from a stretch whose ends lie one corner further inside."""
    pixels = np.arange(math.ceil(end) + 1) + 0.5
    middle = (start + end) / 2
    return np.maximum(np.abs(pixels - middle) - (length / 2 - corner), 0)

"""A picture to paint on: lines, discs, boxes, regions, and text that keeps clear of other text.

Shapes are painted from their distance fields, which makes edges smooth without enlarging the
picture: the coverage of a pixel is how far it lies inside the shape, clamped to 0..1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from weights_cache.dependencies import needed_for
from zoo.drawing.colours import INK, Colour

with needed_for("drawing"):
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

Place = tuple[float, float]

_ROWS_TRIED = 9  # how far text moves up or down to find a free place
_BLOCK = 2**18  # pixels painted at once, which bounds the memory of a large shape


class Area(NamedTuple):
    """A rectangle of the picture, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def touches(self, other: Area) -> bool:
        """Whether the two have pixels in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Canvas:
    """A picture, the sizes that suit it, and where text stands on it."""

    def __init__(self, pixels: np.ndarray):
        self.image = Image.fromarray(pixels)
        self.size = self.image.size
        self.scale = math.sqrt(self.size[0] * self.size[1])
        self.text_size = max(11.0, 0.024 * self.scale)
        self.thin = max(0.9, 0.0024 * self.scale)  # half the width of the lines of boxes
        self._texts: list[Area] = []

    def stroke(
        self, points: Sequence[Place], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint all pixels within ``radius`` of a line through points: a disc if there is one."""
        reach = radius + 1
        left, right = _span([x for x, _ in points], reach, self.size[0])
        top, bottom = _span([y for _, y in points], reach, self.size[1])
        if left >= right or top >= bottom:
            return
        cover = np.zeros((bottom - top, right - left), np.uint8)
        shifted = [(x - left, y - top) for x, y in points]
        for start, end in zip(shifted, shifted[1:] or shifted, strict=False):
            for piece in _pieces(start, end, 24 + 6 * reach):
                _cover_line(cover, *piece, radius, opacity)
        self.image.paste(colour, (left, top), Image.fromarray(cover))

    def rimmed(self, points: Sequence[Place], colour: Colour, radius: float) -> None:
        """Paint a line that stands out from any background."""
        self.stroke(points, INK, radius + rim_of(radius))
        self.stroke(points, colour, radius)

    def box(self, area: Area, colour: Colour, radius: float) -> None:
        """Outline a rectangle, as far as it lies in the picture."""
        width, height = self.size
        left, right = (min(max(x, 0.0), width - 1.0) for x in (area.left, area.right))
        top, bottom = (min(max(y, 0.0), height - 1.0) for y in (area.top, area.bottom))
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for tone, wide in ((INK, radius + rim_of(radius)), (colour, radius)):
            for start, end in zip(corners, corners[1:], strict=False):
                self.stroke([start, end], tone, wide)

    def region(self, inside: np.ndarray, colour: Colour, *, fill: float, edge: float = 0.0) -> None:
        """Colour a region of the picture, smoothly, and draw along its edge.

        Args:
            inside: bool [height, width] of the picture.
            colour: of the region.
            fill: opacity of the region.
            edge: half the width of the line along the edge; 0 for none.
        """
        margin = math.ceil(2 * edge) + 3
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        if not rows.size:
            return
        top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
        part = inside[top : int(rows[-1]) + margin + 1, left : int(columns[-1]) + margin + 1]
        shape = Image.fromarray(part.astype(np.uint8) * 255)
        self.image.paste(colour, (left, top), _soft(shape, 1).point(lambda v: v * fill))
        if edge:
            lines = _edge(shape, edge + rim_of(edge)), _edge(shape, edge)
            for tone, line in zip((INK, colour), lines, strict=True):
                self.image.paste(tone, (left, top), line)

    def holds(self, area: Area) -> bool:
        """Whether an area lies within the picture's height, and nearly within its width."""
        slack = 2 * self.thin + 1
        inside = area.left >= -slack and area.right <= self.size[0] + slack
        return inside and area.top >= 0 and area.bottom <= self.size[1]

    def caption(
        self, lines: Sequence[str], places: Iterable[Place], colour: Colour, size: float
    ) -> None:
        """Write lines of text on a pill, at the first of some places where no other text stands.

        Args:
            lines: what to write.
            places: upper left corners, best first; where the pill would leave the picture it is
                moved inside. With none that is free, the best place is taken.
            colour: of the pill.
            size: of the text, in pixels.
        """
        texts = [text_mask(line, size) for line in lines]
        rim, pad = rim_of(size / 8), 0.35 * size
        width = max(text.width for text in texts) + 2 * pad
        height = size * (1.15 * len(texts) + 0.4)
        area = self._free_area(width + 2 * rim, height + 2 * rim, places)
        if area is None:
            return
        self._plate(area, INK, 0.4 * size + rim)
        inner = Area(area.left + rim, area.top + rim, area.right - rim, area.bottom - rim)
        self._plate(inner, colour, 0.4 * size)
        for number, text in enumerate(texts):
            middle = inner.top + (0.2 + 1.15 * (number + 0.5)) * size
            self.write(text, inner.left + pad, middle, INK)

    def caption_size(self, lines: Sequence[str], size: float) -> tuple[float, float]:
        """Width and height of the pill that `caption` would paint."""
        rim = rim_of(size / 8)
        width = max(text_width(line, size) for line in lines)
        return width + 0.7 * size + 2 * rim, size * (1.15 * len(lines) + 0.4) + 2 * rim

    def panel(self, width: float, height: float, places: Sequence[Place]) -> Area:
        """Paint a dark plate to write on, moved inside the picture; its area."""
        area = self._free_area(width, height, places) or Area(0, 0, width, height)
        self._plate(area, INK, 0.02 * self.scale, 0.78)
        return area

    def write(self, text: Image.Image, left: float, middle: float, colour: Colour) -> None:
        """Paint a line of text, from `text_mask`, by its left end and the middle of its height."""
        corner = round(left), round(middle - text.height / 2)
        self.image.paste(colour, corner, text)

    def _free_area(self, width: float, height: float, places: Iterable[Place]) -> Area | None:
        """Claim the first place where nothing is written, or else the first; None if too large.

        When none of the places is free, what is above or below the first may be.
        """
        given = list(places)
        rows = sorted(range(-_ROWS_TRIED, _ROWS_TRIED + 1), key=abs)
        tried = [*given, *((given[0][0], given[0][1] + row * (height + 1)) for row in rows)]
        areas = [area for p in tried if (area := self._moved_inside(*p, width, height))]
        free = [area for area in areas if not any(area.touches(text) for text in self._texts)]
        if not areas:
            return None
        self._texts.append((free or areas)[0])
        return self._texts[-1]

    def _moved_inside(self, x: float, y: float, width: float, height: float) -> Area | None:
        right, bottom = self.size[0] - 1 - width, self.size[1] - 1 - height
        if right < 1 or bottom < 1 or not math.isfinite(x + y):
            return None
        left, top = round(min(max(x, 1), right)), round(min(max(y, 1), bottom))
        return Area(left, top, left + width, top + height)

    def _plate(self, area: Area, colour: Colour, corner: float, opacity: float = 1.0) -> None:
        """Paint a rectangle with round corners."""
        corner = min(corner, area.width / 2, area.height / 2)
        left, top = math.floor(area.left), math.floor(area.top)
        across = _outside(area.left - left, area.right - left, corner, area.width)
        down = _outside(area.top - top, area.bottom - top, corner, area.height)
        cover = np.clip(corner + 0.5 - np.hypot(across, down[:, np.newaxis]), 0, 1)
        mask = Image.fromarray(np.rint(cover * (255 * opacity)).astype(np.uint8))
        self.image.paste(colour, (left, top), mask)


def rim_of(radius: float) -> float:
    """How wide a dark rim around a line of that radius is."""
    return max(0.7, 0.35 * radius)


def text_mask(text: str, size: float) -> Image.Image:
    """Return the coverage of a line of text, drawn large: small digits would be spaced badly.

    The height is that of a capital letter, whatever the text, so that lines agree; descenders
    hang below it in a mask that grows by as much on both sides.
    """
    font = ImageFont.load_default(4 * size)
    top, bottom = font.getbbox("H")[1], font.getbbox("H")[3]
    left, high, right, low = font.getbbox(text)
    extra = max(top - high, low - bottom, 0)
    large = Image.new("L", (max(1, round(right - left)), max(1, round(bottom - top + 2 * extra))))
    ImageDraw.Draw(large).text((-left, extra - top), text, fill=255, font=font)
    small = (-(-large.width // 4), -(-large.height // 4))
    return large.resize(small, Image.Resampling.BOX)


def text_width(text: str, size: float) -> float:
    """Width of a line of text in pixels."""
    return ImageFont.load_default(4 * size).getlength(text) / 4


def fitted(text: str, size: float, width: float) -> str:
    """Return a text, shortened at its end where it is wider than that."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}...", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


def _span(values: Sequence[float], reach: float, size: int) -> tuple[int, int]:
    """Return the range of pixels within reach of values, end excluded, cut to 0..size."""
    first, last = math.floor(min(values) - reach), math.ceil(max(values) + reach)
    return max(0, first), min(size, last + 1)


def _pieces(start: Place, end: Place, longest: float) -> Iterator[tuple[Place, Place]]:
    """Cut a line: the box around a long one would be mostly empty."""
    count = max(1, math.ceil(math.dist(start, end) / longest))
    (x, y), (right, bottom) = start, end
    dx, dy = (right - x) / count, (bottom - y) / count
    for i in range(count):
        yield (x + i * dx, y + i * dy), (x + (i + 1) * dx, y + (i + 1) * dy)


def _cover_line(cover: np.ndarray, start: Place, end: Place, radius: float, opacity: float) -> None:
    """Raise the coverage where a line from start to end passes."""
    height, width = cover.shape
    left, right = _span([start[0], end[0]], radius + 1, width)
    top, bottom = _span([start[1], end[1]], radius + 1, height)
    if left >= right:
        return
    step = max(1, _BLOCK // (right - left))
    for row in range(top, bottom, step):
        rows = slice(row, min(row + step, bottom))
        below = np.arange(rows.start, rows.stop)[:, np.newaxis]
        distance = _distance(np.arange(left, right), below, start, end)
        value = np.rint(np.clip(radius + 0.5 - distance, 0, 1) * (255 * opacity))
        part = cover[rows, left:right]
        np.maximum(part, value.astype(np.uint8), out=part)


def _distance(x: np.ndarray, y: np.ndarray, start: Place, end: Place) -> np.ndarray:
    """Return the distances [rows, columns] of pixel centres from the line from start to end."""
    x, y = x - start[0], y - start[1]
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy or 1), 0, 1)
    return np.hypot(x - along * dx, y - along * dy)


def _outside(start: float, end: float, corner: float, length: float) -> np.ndarray:
    """How far pixels lie outside a stretch that begins and ends one corner further inside."""
    pixels = np.arange(math.ceil(end) + 1) + 0.5
    middle = (start + end) / 2
    return np.maximum(np.abs(pixels - middle) - (length / 2 - corner), 0)


def _soft(shape: Image.Image, radius: float) -> Image.Image:
    """Blur a shape where its edge is, which leaves its size."""
    return shape.filter(ImageFilter.BoxBlur(radius))


def _edge(shape: Image.Image, radius: float) -> Image.Image:
    """Return the coverage of a line along the edge: a blurred step is a ramp of known slope."""
    ramp = radius + 1.0
    blurred = _soft(shape, ramp)
    slope = 2 * ramp + 1  # pixels from 0 to 255
    table = [
        round(255 * min(max(radius + 0.5 - abs(v / 255 - 0.5) * slope, 0), 1)) for v in range(256)
    ]
    return blurred.point(table)

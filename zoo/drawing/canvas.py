"""An image to paint on: lines, discs, boxes, regions, and above all of them text.

Shapes are painted from their distance fields, which makes edges smooth without enlarging the
image: the coverage of a pixel is how far it lies inside the shape, clamped to 0..1. Text waits
until all shapes are painted, so that no shape crosses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from weights_cache.dependencies import needed_for
from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY, Area, Room

with needed_for("drawing"):
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

_BLOCK = 2**18  # pixels painted at once, which bounds the memory of a large shape

#: Where a text of some width and height may stand: upper left corners, best first.
CornersOf = Callable[[float, float], Sequence[XY]]


class Canvas:
    """An image, the sizes that suit it, and the text that waits to be written on it."""

    def __init__(self, pixels: np.ndarray):
        self.image = Image.fromarray(pixels)
        self.size = self.image.size
        self.scale = math.sqrt(self.size[0] * self.size[1])
        self.text_size = max(11.0, 0.024 * self.scale)
        self.thin = max(0.9, 0.0024 * self.scale)  # half the width of the lines of boxes
        self.room = Room(self.size)
        self._panels: list[Callable[[], None]] = []
        self._captions: list[Callable[[], None]] = []

    def stroke(
        self, points: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
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

    def discs(
        self, centres: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint a disc at each of many centres."""
        for centre in centres:
            self.stroke([centre], colour, radius, opacity)

    def rimmed(self, points: Sequence[XY], colour: Colour, radius: float) -> None:
        """Paint a line that stands out from any background."""
        self.stroke(points, INK, radius + rim_of(radius))
        self.stroke(points, colour, radius)

    def box(self, area: Area, colour: Colour, radius: float) -> None:
        """Outline a rectangle, as far as it lies in the image."""
        width, height = self.size
        left, right = (min(max(x, 0.0), width - 1.0) for x in (area.left, area.right))
        top, bottom = (min(max(y, 0.0), height - 1.0) for y in (area.top, area.bottom))
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for tone, wide in ((INK, radius + rim_of(radius)), (colour, radius)):
            for start, end in zip(corners, corners[1:], strict=False):
                self.stroke([start, end], tone, wide)

    def regions(
        self, mask: np.ndarray, colours: Mapping[int, Colour], *, fill: float, edge: float
    ) -> None:
        """Colour regions of the image, smoothly, and draw along their edges.

        The mask is integers [height, width]; values without a colour are left as they are.
        ``fill`` is an opacity, ``edge`` half the width of the lines.
        """
        largest = max(int(mask.max()), *colours, 0)
        kind = np.min_scalar_type(len(colours))
        table = np.zeros(largest + 1, kind)  # from the value to the colour's number
        table[list(colours)] = np.arange(len(colours)) + 1
        margin = math.ceil(2 * edge) + 3
        left, top, part = _cut_out(table[mask.astype(np.intp, copy=False)], margin)
        if not part.size:
            return
        wide = _grown(part, math.ceil(edge) + 1)  # the line lies on both sides of the edge
        tones = np.array([INK, *colours.values()], np.uint8)
        paint, inside = Image.fromarray(tones[wide]), _cover(part > 0)
        soft = inside.filter(ImageFilter.BoxBlur(1)).point(lambda v: v * fill)
        self.image.paste(paint, (left, top), soft)
        line = _cover(_borders(part))
        self.image.paste(INK, (left, top), _along(line, edge + rim_of(edge)))
        self.image.paste(paint, (left, top), _along(line, edge))

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
        corner = min(corner, area.width / 2, area.height / 2)
        left, top = math.floor(area.left), math.floor(area.top)
        across = _outside(area.left - left, area.right - left, corner, area.width)
        down = _outside(area.top - top, area.bottom - top, corner, area.height)
        cover = np.clip(corner + 0.5 - np.hypot(across, down[:, np.newaxis]), 0, 1)
        self._tint(left, top, np.rint(cover * (255 * opacity)).astype(np.uint8), colour)

    def _tint(self, left: int, top: int, cover: np.ndarray, colour: Colour) -> None:
        """Paint a colour where a coverage, uint8 [height, width], is above 0."""
        self.image.paste(colour, (left, top), Image.fromarray(cover))


def rim_of(radius: float) -> float:
    """Return the width of the dark rim around a line of that radius."""
    return max(0.7, 0.35 * radius)


@lru_cache(maxsize=2048)  # texts recur, and each takes a millisecond to draw
def text_mask(text: str, size: float) -> np.ndarray:
    """Return the coverage of a line of text, drawn large: small digits would be spaced badly.

    It is uint8 [height, width], read-only. The height is that of a capital letter, whatever the
    text, so that lines agree; descenders hang below it in a mask that grows by as much on both
    sides.
    """
    font = ImageFont.load_default(4 * size)
    top, bottom = font.getbbox("H")[1], font.getbbox("H")[3]
    left, high, right, low = font.getbbox(text)
    extra = max(top - high, low - bottom, 0)
    large = Image.new("L", (max(1, round(right - left)), max(1, round(bottom - top + 2 * extra))))
    ImageDraw.Draw(large).text((-left, extra - top), text, fill=255, font=font)
    small = (-(-large.width // 4), -(-large.height // 4))
    return np.asarray(large.resize(small, Image.Resampling.BOX))


@lru_cache(maxsize=2048)
def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in pixels."""
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


def _pieces(start: XY, end: XY, longest: float) -> Iterator[tuple[XY, XY]]:
    """Cut a line: the box around a long one would be mostly empty."""
    count = max(1, math.ceil(math.dist(start, end) / longest))
    (x, y), (right, bottom) = start, end
    dx, dy = (right - x) / count, (bottom - y) / count
    for i in range(count):
        yield (x + i * dx, y + i * dy), (x + (i + 1) * dx, y + (i + 1) * dy)


def _cover_line(cover: np.ndarray, start: XY, end: XY, radius: float, opacity: float) -> None:
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


def _distance(x: np.ndarray, y: np.ndarray, start: XY, end: XY) -> np.ndarray:
    """Return the distances [rows, columns] of pixel centres from the line from start to end."""
    x, y = x - start[0], y - start[1]
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy or 1), 0, 1)
    return np.hypot(x - along * dx, y - along * dy)


def _outside(start: float, end: float, corner: float, length: float) -> np.ndarray:
    """Return the distance of pixels from a stretch whose ends lie one corner further inside."""
    pixels = np.arange(math.ceil(end) + 1) + 0.5
    middle = (start + end) / 2
    return np.maximum(np.abs(pixels - middle) - (length / 2 - corner), 0)


def _cut_out(numbers: np.ndarray, margin: int) -> tuple[int, int, np.ndarray]:
    """Return left, top, and the part of [height, width] around the numbers above 0."""
    marked = numbers > 0
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    if not rows.size:
        return 0, 0, numbers[:0]
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    bottom, right = int(rows[-1]) + margin + 1, int(columns[-1]) + margin + 1
    return left, top, numbers[top:bottom, left:right]


def _grown(numbers: np.ndarray, steps: int) -> np.ndarray:
    """Return numbers with the 0 around them, at least so many pixels, replaced by one near."""
    spread, before = numbers.copy(), np.empty_like(numbers)
    for axis in (0, 1):
        values, old = np.moveaxis(spread, axis, 0), np.moveaxis(before, axis, 0)
        step = 1
        while step <= min(steps, len(values) - 1):
            np.copyto(old, values)
            np.copyto(values[step:], old[:-step], where=old[step:] == 0)
            np.copyto(values[:-step], old[step:], where=values[:-step] == 0)
            step *= 2
    return spread


def _borders(numbers: np.ndarray) -> np.ndarray:
    """Return a line two pixels wide, along where neighbours differ."""
    line = np.zeros(numbers.shape, bool)
    for axis in (0, 1):
        marked, values = np.moveaxis(line, axis, 0), np.moveaxis(numbers, axis, 0)
        differs = values[1:] != values[:-1]
        marked[1:] |= differs
        marked[:-1] |= differs
    return line


def _cover(inside: np.ndarray) -> Image.Image:
    return Image.fromarray(inside.astype(np.uint8) * 255)


def _along(strip: Image.Image, radius: float) -> Image.Image:
    """Return the coverage of a line of a radius: edges of a blurred strip are two pixels wide.

    Edges of a wide line are made steeper, around half the height of the strip.
    """
    if radius < 1:
        return strip.point(lambda v: v * radius)
    blurred = strip.filter(ImageFilter.BoxBlur(radius - 0.5))
    steep = min(max(1.0, radius - 1), 2.0)  # a thin line would show the steps of its pixels
    table = [steep * (v * radius - 127.5) + 127.5 for v in range(256)]
    return blurred.point([round(min(max(v, 0), 255)) for v in table])

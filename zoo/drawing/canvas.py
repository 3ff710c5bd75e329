"""The surface of `zoo.draw`: an image of Pillow, painted as exactly as possible.

Shapes are painted from their distance fields, which makes edges smooth without enlarging the
image: the coverage of a pixel is how far it lies inside the shape, clamped to 0..1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from weights_cache.common.dependencies import needed_for
from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY
from zoo.drawing.surface import Surface, rim_of

with needed_for("drawing"):
    from PIL import Image, ImageFilter

_BLOCK = 2**18  # pixels painted at once, which bounds the memory of a large shape


class Canvas(Surface):
    """An image of Pillow to paint on."""

    def __init__(self, pixels: np.ndarray):
        self.image = Image.fromarray(pixels)
        super().__init__(self.image.size)

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

    def _tint(self, left: int, top: int, cover: np.ndarray, colour: Colour) -> None:
        """Paint a colour where a coverage, uint8 [height, width], is above 0."""
        self.image.paste(colour, (left, top), Image.fromarray(cover))


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
    """Return numbers grown by at least some pixels: each 0 nearby is replaced by a neighbour."""
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

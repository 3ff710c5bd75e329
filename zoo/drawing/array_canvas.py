"""The surface of `zoo.paint`: a frame as an array, painted by OpenCV.

Lines and discs are polygons whose edges OpenCV makes smooth; small dots have the exact coverage of
`zoo.draw`, and so have the edges of regions, which alone are computed pixel by pixel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY
from zoo.drawing.surface import CornersOf, Stroke, Surface, rim_of
from zoo.images.opencv import cv2

_SHIFT = 8  # bits behind the point of OpenCV's positions
_SPREAD = 0.65  # pixels by which OpenCV's smooth edges lie outside of a polygon
_SMALL = 3.0  # radius of dots that are painted exactly

#: Directions of the corners of a line: a half circle around its start, then one around its end.
_TURNS = np.pi * np.concatenate([np.linspace(0.5, 1.5, 9), np.linspace(-0.5, 0.5, 9)])
_ALONG, _ACROSS = np.cos(_TURNS), np.sin(_TURNS)
_AT_END = (np.arange(18) >= 9).astype(np.float64)

_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)


class ArrayCanvas(Surface):
    """A uint8 array [height, width, 3], C-contiguous, that is painted on in place."""

    def __init__(self, pixels: np.ndarray):
        self.pixels = pixels
        super().__init__((pixels.shape[1], pixels.shape[0]))

    def stroke(
        self, points: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint all pixels within ``radius`` of a line through points: a disc if there is one."""
        self.strokes([Stroke(points, colour, radius, opacity)])

    def strokes(self, strokes: Iterable[Stroke]) -> None:
        """Paint several strokes, the last on top."""
        opaque: list[Stroke] = []
        for stroke in strokes:
            if stroke.opacity >= 1:
                opaque.append(stroke)
                continue
            _fill_lines(self.pixels, opaque)
            opaque = []
            self._paint_faint(stroke)
        _fill_lines(self.pixels, opaque)

    def discs(
        self, centres: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint a disc at each of many centres."""
        if radius > _SMALL:
            return super().discs(centres, colour, radius, opacity)
        at = np.array(centres, np.float32).reshape(-1, 2, 1, 1)
        steps = np.arange(-math.ceil(radius + 0.5), math.ceil(radius + 0.5) + 1)
        near = np.rint(at).astype(np.intp)
        x, y = near[:, 0] + steps, near[:, 1] + steps[:, np.newaxis]
        cover = np.clip(radius + 0.5 - np.hypot(x - at[:, 0], y - at[:, 1]), 0, 1)
        width, height = self.size
        seen = (cover > 0) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
        position, share = (y * width + x)[seen], opacity * cover[seen]
        order = np.argsort(share)  # where discs overlap, the larger coverage is written last
        self._mix(position[order], [(colour, share[order])])
        return None

    def caption(
        self, lines: Sequence[str], corners: CornersOf, colour: Colour, size: float, **how: Any
    ) -> None:
        """Write lines of text on a pill, as `Surface.caption`, in sizes that recur in a stream."""
        super().caption(lines, corners, colour, round(2 * size) / 2, **how)

    def regions(
        self, mask: np.ndarray, colours: Mapping[int, Colour], *, fill: float, edge: float
    ) -> None:
        """Colour regions of the image, smoothly, and draw along their edges."""
        numbers = _numbered(mask, colours)
        left, top, width, height = cv2.boundingRect(numbers)
        if not width:
            return
        margin = math.ceil(2 * edge) + 3
        x0, y0 = max(0, left - margin), max(0, top - margin)
        within = np.s_[y0 : top + height + margin, x0 : left + width + margin]
        part = np.ascontiguousarray(numbers[within])
        under = self.pixels[within]
        tones = np.zeros((256, 1, 3), np.uint8)
        tones[1 : len(colours) + 1, 0] = list(colours.values())[:255]
        soft = cv2.blur((part > 0) * np.uint8(255), (3, 3), borderType=cv2.BORDER_REPLICATE)
        strip = _borders(part)
        rim, line = _along(strip, edge + rim_of(edge)), _along(strip, edge)
        near = np.flatnonzero(cv2.max(rim, cv2.inRange(soft, 1, 254)))  # pixels along edges
        shares = [values.ravel()[near] * np.float32(1 / 255) for values in (soft, rim, line)]
        own = tones[_grown(part, math.ceil(edge) + 1).ravel()[near], 0]
        rows, columns = np.divmod(near, part.shape[1])
        position = (rows + y0) * self.size[0] + columns + x0
        before = self.pixels.reshape(-1, 3)[position]
        filled = _tinted(under, part, tones, fill, len(colours))
        cv2.copyTo(filled, (soft == 255).view(np.uint8), under)
        self.pixels.reshape(-1, 3)[position] = before
        layers = (own, fill * shares[0]), (INK, shares[1]), (own, shares[2])
        self._mix(position, layers)

    def _mix(
        self, position: np.ndarray, layers: Iterable[tuple[np.ndarray | Colour, np.ndarray]]
    ) -> None:
        """Paint layers of colours, with a coverage 0..1, on pixels by their positions."""
        pixels = self.pixels.reshape(-1, 3)
        mixed = pixels[position].astype(np.float32)
        for colour, share in layers:
            mixed += share[:, np.newaxis] * (np.asarray(colour, np.float32) - mixed)
        pixels[position] = np.rint(mixed).astype(np.uint8)

    def _paint_faint(self, stroke: Stroke) -> None:
        """Paint a stroke on a copy of the part around it, and blend that with the image."""
        xs, ys = [x for x, _ in stroke.points], [y for _, y in stroke.points]
        reach = stroke.radius + 2
        left, top = (max(0, math.floor(min(n) - reach)) for n in (xs, ys))
        right, bottom = (
            min(limit, math.ceil(max(n) + reach) + 1)
            for n, limit in zip((xs, ys), self.size, strict=True)
        )
        if left >= right or top >= bottom:
            return
        under = self.pixels[top:bottom, left:right]
        layer = under.copy()
        points = [(x - left, y - top) for x, y in stroke.points]
        _fill_lines(layer, [Stroke(points, stroke.colour, stroke.radius)])
        under[:] = cv2.addWeighted(layer, stroke.opacity, under, 1 - stroke.opacity, 0)

    def _tint(self, left: int, top: int, cover: np.ndarray, colour: Colour) -> None:
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(self.size[0], left + cover.shape[1]), min(self.size[1], top + cover.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        share = cover[y0 - top : y1 - top, x0 - left : x1 - left, np.newaxis].astype(np.uint16)
        part = self.pixels[y0:y1, x0:x1]
        part[:] = (part * (255 - share) + np.array(colour, np.uint16) * share + 127) // 255


def _fill_lines(pixels: np.ndarray, strokes: Sequence[Stroke]) -> None:
    """Paint opaque strokes: a polygon for each stretch of a line, with round ends."""
    starts: list[XY] = []
    ends: list[XY] = []
    radii: list[float] = []
    colours: list[Colour] = []
    for stroke in strokes:
        to = stroke.points[1:] or stroke.points
        starts += stroke.points[: len(to)]
        ends += to
        radii += [stroke.radius] * len(to)
        colours += [stroke.colour] * len(to)
    if not starts:
        return
    for polygon, colour in zip(_polygons(starts, ends, radii), colours, strict=True):
        cv2.fillConvexPoly(pixels, polygon, colour, cv2.LINE_AA, _SHIFT)


def _polygons(starts: Sequence[XY], ends: Sequence[XY], radii: Sequence[float]) -> np.ndarray:
    """Return the corners of lines with round ends, in OpenCV's integers [lines, corners, 2]."""
    start, end = np.array(starts, np.float64), np.array(ends, np.float64)
    step = end - start
    length = np.hypot(step[:, 0], step[:, 1])[:, np.newaxis]
    unit = np.where(length > 0, step / np.maximum(length, 1e-9), (1.0, 0.0))
    size = np.maximum(np.array(radii) - _SPREAD, 0.05)[:, np.newaxis]
    forward, aside = size * _ALONG, size * _ACROSS
    x = start[:, :1] + step[:, :1] * _AT_END + forward * unit[:, :1] - aside * unit[:, 1:]
    y = start[:, 1:] + step[:, 1:] * _AT_END + forward * unit[:, 1:] + aside * unit[:, :1]
    polygons: np.ndarray = np.rint(np.stack([x, y], axis=2) * (1 << _SHIFT)).astype(np.int32)
    return polygons


def _numbered(mask: np.ndarray, colours: Mapping[int, Colour]) -> np.ndarray:
    """Return the number of each pixel's colour, uint8 from 1, and 0 where it has none."""
    if mask.dtype == bool:
        mask = mask.view(np.uint8)
    table = np.zeros(max(int(mask.max(initial=0)), 255, *colours) + 1, np.uint8)
    table[list(colours)] = np.arange(len(colours)) % 255 + 1
    if mask.dtype == np.uint8:
        numbers: np.ndarray = cv2.LUT(np.ascontiguousarray(mask), table[:256])
        return numbers
    return table[mask]


def _tinted(
    under: np.ndarray, part: np.ndarray, tones: np.ndarray, fill: float, count: int
) -> np.ndarray:
    """Return the image mixed with the colours of its regions, everywhere."""
    if count == 1:  # the result depends on each value alone
        mixed = np.arange(256).reshape(-1, 1, 1) * (1 - fill) + fill * tones[1]
        tinted: np.ndarray = cv2.LUT(under, np.rint(mixed).astype(np.uint8))
        return tinted
    paint = cv2.LUT(cv2.merge([part, part, part]), tones)
    return cv2.addWeighted(under, 1 - fill, paint, fill, 0)


def _borders(numbers: np.ndarray) -> np.ndarray:
    """Return a line two pixels wide, along where neighbours differ: 255 on it, 0 elsewhere."""
    differs = cv2.morphologyEx(numbers, cv2.MORPH_GRADIENT, _CROSS) > 0
    return differs * np.uint8(255)


def _grown(numbers: np.ndarray, steps: int) -> np.ndarray:
    """Return numbers grown by some pixels: each 0 nearby is replaced by a neighbour."""
    near = cv2.dilate(numbers, np.ones((2 * steps + 1, 2 * steps + 1), np.uint8))
    cv2.copyTo(numbers, (numbers > 0).view(np.uint8), near)
    return near


def _along(strip: np.ndarray, radius: float) -> np.ndarray:
    """Return the coverage of a line of a radius, from a strip of two pixels: blurred and steep."""
    if radius < 1:
        return cv2.convertScaleAbs(strip, alpha=radius)
    whole, rest = divmod(radius - 0.5, 1)
    kernel = np.array([rest, *[1.0] * (2 * int(whole) + 1), rest]) / (2 * radius)
    blurred = cv2.sepFilter2D(strip, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE)
    steep = min(max(1.0, radius - 1), 2.0)
    table = np.clip(steep * (np.arange(256) * radius - 127.5) + 127.5, 0, 255)
    return cv2.LUT(blurred, np.rint(table).astype(np.uint8))

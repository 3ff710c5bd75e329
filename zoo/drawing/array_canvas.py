"""A canvas on an array, for frames of cameras and videos, painted by OpenCV.

The painters are those of `zoo.draw`. Lines have whole widths in pixels here, and regions sharp
edges below their lines, which takes a tenth of the time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.dependencies import needed_for
from zoo.drawing.canvas import Canvas, rim_of
from zoo.drawing.colours import INK, Colour
from zoo.drawing.label_layout import XY, Area, Room

with needed_for("painting on frames"):
    import cv2

_SHIFT = 4  # bits behind the point of OpenCV's positions
_ONE = 1 << _SHIFT
_FAR = 30_000  # pixels: positions of OpenCV have 32 bits, and lines end in the image anyhow


class ArrayCanvas(Canvas):
    """A uint8 array [height, width, 3] that is painted on in place."""

    def __init__(self, pixels: np.ndarray):
        self.pixels = pixels
        self.size = (pixels.shape[1], pixels.shape[0])
        self.scale = math.sqrt(self.size[0] * self.size[1])
        self.text_size = max(11.0, 0.024 * self.scale)
        self.thin = max(0.9, 0.0024 * self.scale)
        self.room = Room(self.size)
        self._panels, self._captions = [], []

    def stroke(
        self, points: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint all pixels within ``radius`` of a line through points: a disc if there is one."""
        if len(points) == 1:
            return self.discs(points, colour, radius, opacity)
        found = self._part(points, radius, opacity)
        if found is None:
            return None
        part, left, top = found
        path = np.array([_fixed(point, left, top) for point in points], np.int32)
        thickness = max(1, round(2 * radius))
        cv2.polylines(part, [path], False, colour, thickness, cv2.LINE_AA, _SHIFT)
        return self._put(part, left, top, opacity)

    def discs(
        self, centres: Sequence[XY], colour: Colour, radius: float, opacity: float = 1.0
    ) -> None:
        """Paint a disc at each of many centres."""
        found = self._part(centres, radius, opacity)
        if found is None:
            return
        part, left, top = found
        size = max(1, round(radius * _ONE))
        for centre in centres:
            at = _fixed(centre, left, top)
            cv2.circle(part, at, size, colour, -1, cv2.LINE_AA, _SHIFT)
        self._put(part, left, top, opacity)

    def box(self, area: Area, colour: Colour, radius: float) -> None:
        """Outline a rectangle, as far as it lies in the image."""
        width, height = self.size
        left, right = (min(max(x, 0.0), width - 1.0) for x in (area.left, area.right))
        top, bottom = (min(max(y, 0.0), height - 1.0) for y in (area.top, area.bottom))
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for tone, wide in ((INK, radius + rim_of(radius)), (colour, radius)):
            self.stroke(corners, tone, wide)

    def regions(
        self, mask: np.ndarray, colours: Mapping[int, Colour], *, fill: float, edge: float
    ) -> None:
        """Colour regions of the image, and draw along their edges."""
        outlines = []
        for value, colour in colours.items():
            inside = (mask == value).view(np.uint8)
            left, top, width, height = cv2.boundingRect(inside)
            if not width:
                continue
            within = np.ascontiguousarray(inside[top : top + height, left : left + width])
            part = self.pixels[top : top + height, left : left + width]
            tinted = cv2.addWeighted(part, 1 - fill, np.full_like(part, colour), fill, 0)
            cv2.copyTo(tinted, within, part)
            found, _ = cv2.findContours(
                within, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE, offset=(left, top)
            )
            outlines.append((found, colour))
        rim = max(2, round(2 * (edge + rim_of(edge))))
        for found, _ in outlines:
            cv2.drawContours(self.pixels, found, -1, INK, rim, cv2.LINE_AA)
        for found, colour in outlines:
            cv2.drawContours(self.pixels, found, -1, colour, max(1, round(edge)), cv2.LINE_AA)

    def _part(
        self, points: Sequence[XY], radius: float, opacity: float
    ) -> tuple[np.ndarray, int, int] | None:
        """Return the array to paint on, and the position of its upper left corner.

        Opaque colours are painted on the image itself, others on a copy of the part around the
        points, which is blended with the image then. None: nothing lies in the image.
        """
        if opacity >= 1:
            return self.pixels, 0, 0
        xs, ys = [x for x, _ in points], [y for _, y in points]
        reach = math.ceil(radius) + 2
        left, top = (max(0, math.floor(min(n)) - reach) for n in (xs, ys))
        right, bottom = (
            min(limit, math.ceil(max(n)) + reach + 1)
            for n, limit in zip((xs, ys), self.size, strict=True)
        )
        if left >= right or top >= bottom:
            return None
        return self.pixels[top:bottom, left:right].copy(), left, top

    def _put(self, part: np.ndarray, left: int, top: int, opacity: float) -> None:
        if part is self.pixels:
            return
        height, width = part.shape[:2]
        under = self.pixels[top : top + height, left : left + width]
        cv2.addWeighted(under, 1 - opacity, part, opacity, 0, dst=part)
        under[:] = part

    def _tint(self, left: int, top: int, cover: np.ndarray, colour: Colour) -> None:
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(self.size[0], left + cover.shape[1]), min(self.size[1], top + cover.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        share = cover[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
        part = self.pixels[y0:y1, x0:x1]
        under = part.astype(np.float32)
        under += share * (np.array(colour, np.float32) - under)
        part[:] = np.rint(under).astype(np.uint8)


def _fixed(point: XY, left: int, top: int) -> tuple[Any, ...]:
    """Return a position as OpenCV's integers."""
    x, y = (min(max(n, -_FAR), _FAR) for n in point)
    return round((x - left) * _ONE), round((y - top) * _ONE)

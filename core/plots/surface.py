"""A surface to draw on: Pillow, several times as large, so that edges become smooth."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from core.plots.colours import INK, PAPER, RULE, Colour

if TYPE_CHECKING:
    from PIL import Image, ImageFont

    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

Across = Literal["left", "middle", "right"]

#: Side of the square that becomes one pixel.
_FINE, _COARSE = 4, 3
_DASH = 6.0


class Box(NamedTuple):
    """A rectangle in units of ``width`` and ``height``."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Distance of left and right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Distance of top and bottom."""
        return self.bottom - self.top


class Surface:
    """A white image that is drawn on in units, of which one is ``scale`` pixels.

    Args:
        width: of the image in units.
        height: likewise.
        scale: pixels of a unit.
    """

    def __init__(self, width: float, height: float, scale: float):
        from PIL import Image, ImageDraw

        self.box = Box(0.0, 0.0, width, height)
        self._over = _FINE if scale < 2 else _COARSE
        self._factor = scale * self._over
        across, down = (round(n * scale) * self._over for n in (width, height))
        self._large = Image.new("RGB", (across, down), PAPER)
        self._draw = ImageDraw.Draw(self._large)
        self._origin = (0, 0)

    def image(self) -> "Image.Image":
        """Return the drawing, scaled down to its final size."""
        return self._large.reduce(self._over)

    @contextmanager
    def clipped(self, box: Box) -> Iterator[None]:
        """Clip drawing to a box."""
        from PIL import ImageDraw

        whole, draw = self._large, self._draw
        corners = self._corners(box)
        part = whole.crop(corners)
        self._large, self._draw, self._origin = part, ImageDraw.Draw(part), corners[:2]
        try:
            yield
        finally:
            self._large, self._draw, self._origin = whole, draw, (0, 0)
        whole.paste(part, corners[:2])

    def rectangle(self, box: Box, colour: Colour) -> None:
        """Fill a box whose edges are at whole pixels, at least one pixel wide and high."""
        left, top, right, bottom = self._corners(box)
        x, y = self._origin
        right, bottom = max(right, left + self._over), max(bottom, top + self._over)
        self._draw.rectangle((left - x, top - y, right - x - 1, bottom - y - 1), fill=colour)

    def rule(self, start: tuple[float, float], length: float, *, is_upright: bool) -> None:
        """Draw a thin line of the grid, to the right or down."""
        x, y = start
        end = (x, y + length) if is_upright else (x + length, y)
        self.rectangle(Box(x, y, *end), RULE)

    def line(
        self,
        points: np.ndarray,
        colour: Colour,
        width: float,
        *,
        is_dashed: bool = False,
    ) -> None:
        """Draw a line with round ends through points [n, 2]; one point alone is a disc."""
        parts = _dashes(points) if is_dashed and len(points) > 1 else [points]
        for part in parts:
            at = [tuple(p) for p in self._at(part)]
            if len(at) > 1:
                self._draw.line(at, colour, round(width * self._factor), joint="curve")
            for end in {at[0], at[-1]}:
                self._dot(end, width / 2, colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Draw a disc."""
        self._dot(tuple(self._at(np.array([[x, y]]))[0]), radius, colour)

    def _dot(self, at: tuple[float, ...], radius: float, colour: Colour) -> None:
        r = radius * self._factor
        self._draw.ellipse((at[0] - r, at[1] - r, at[0] + r, at[1] + r), fill=colour)

    def cells(self, box: Box, colours: np.ndarray) -> None:
        """Fill a box with cells of colours, uint8 [rows, columns, 3]."""
        from PIL import Image

        left, top, right, bottom = self._corners(box)
        small = Image.fromarray(np.ascontiguousarray(colours))
        size = (max(right - left, 1), max(bottom - top, 1))
        large = small.resize(size, Image.Resampling.NEAREST)
        self._large.paste(large, (left - self._origin[0], top - self._origin[1]))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: Colour = INK,
        across: Across = "left",
        *,
        is_upright: bool = False,
    ) -> None:
        """Write a line of text whose small letters have their middle at a height.

        Args:
            x: where it begins, has its middle, or ends.
            y: the middle of its height.
            text: one line.
            size: of the font.
            colour: of the letters.
            across: which part of it is at ``x``; of upright text, at ``y``: the left is below.
            is_upright: whether it is read from below to above.
        """
        from PIL import Image, ImageDraw

        font = font_of(size * self._factor)
        if not is_upright:
            at = self._at(np.array([[x, y + _DROP * size]]))[0]
            anchor = {"left": "ls", "middle": "ms", "right": "rs"}[across]
            self._draw.text((at[0], at[1]), text, colour, font, anchor)
            return
        length, line = round(font.getlength(text)) + 2, round(1.4 * size * self._factor)
        mask = Image.new("L", (length, line))
        base = line / 2 + _DROP * size * self._factor
        ImageDraw.Draw(mask).text((1, base), text, 255, font, "ls")
        mask = mask.transpose(Image.Transpose.ROTATE_90)
        left, middle = self._at(np.array([[x, y]]))[0]
        share = {"left": 1.0, "middle": 0.5, "right": 0.0}[across]
        corner = (round(left - line / 2), round(middle - share * length))
        self._large.paste(colour, corner, mask)

    def _at(self, points: np.ndarray) -> np.ndarray:
        return points * self._factor - np.array(self._origin)

    def _corners(self, box: Box) -> tuple[int, int, int, int]:
        """The corners of a box at whole pixels of the image."""
        step = self._factor / self._over
        left, top, right, bottom = (round(n * step) * self._over for n in box)
        return left, top, right, bottom


#: Distance of the base line of text below the middle of its small letters and digits, in sizes.
_DROP = 0.34


@lru_cache(maxsize=64)
def font_of(size: float) -> "Font":
    """Return Pillow's own font in a size: each takes about a millisecond to load."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in units."""
    return float(font_of(4 * size).getlength(text)) / 4


def fitted(text: str, size: float, width: float) -> str:
    """Return a text in one line, shortened in its middle where it is wider than that.

    >>> fitted("short", 12, 100), fitted("a very long name of a class", 12, 100)
    ('short', 'a very l...f a class')
    """
    text = " ".join(text.split())
    if text_width(text, size) <= width:
        return text
    low, high = 0, len(text)
    while low < high:  # the most letters that fit
        middle = (low + high + 1) // 2
        if text_width(_shortened(text, middle), size) <= width:
            low = middle
        else:
            high = middle - 1
    return _shortened(text, low)


def _shortened(text: str, letters: int) -> str:
    end = letters // 2
    return f"{text[: letters - end].rstrip()}...{text[len(text) - end :].lstrip()}"


def _dashes(points: np.ndarray) -> list[np.ndarray]:
    """The parts of a line that are drawn where it is dashed."""
    lengths = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    parts = []
    for start in np.arange(0.0, max(along[-1], 1e-9), 1.8 * _DASH):
        end = min(start + _DASH, along[-1])
        inner = points[(along > start) & (along < end)]
        ends = [[np.interp(s, along, points[:, i]) for i in (0, 1)] for s in (start, end)]
        parts.append(np.concatenate([ends[:1], inner, ends[1:]]))
    return parts


def widest(texts: Sequence[str], size: float) -> float:
    """Return the width of the widest of some texts in units."""
    return max((text_width(text, size) for text in texts), default=0.0)

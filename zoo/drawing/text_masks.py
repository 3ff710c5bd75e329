"""Text as masks of coverage, drawn once for each text and size."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from weights_cache.common.dependencies import needed_for

with needed_for("drawing"):
    from PIL import Image, ImageDraw, ImageFont

    _Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=2048)  # texts recur, and each takes a millisecond to draw
def text_mask(text: str, size: float) -> np.ndarray:
    """Return the coverage of a line of text, drawn large: small digits would be spaced badly.

    It is uint8 [height, width], read-only. The height is that of a capital letter, whatever the
    text, so that lines agree; descenders hang below it in a mask that grows by as much on both
    sides.
    """
    font = _font(4 * size)
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
    return _font(4 * size).getlength(text) / 4


def fitted(text: str, size: float, width: float) -> str:
    """Return a text, shortened at its end where it is wider than that."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}...", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


@lru_cache(maxsize=64)
def _font(size: float) -> _Font:
    """Return the font of a size: each takes about a millisecond to load."""
    return ImageFont.load_default(size)

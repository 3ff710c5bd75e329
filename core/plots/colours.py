"""Colours of plots, which people with any kind of colour vision can distinguish on white."""

from typing import Literal

import numpy as np

from core.errors import CoreError

Colour = tuple[int, int, int]
ColorMap = Literal["viridis", "blues", "greys"]

PAPER: Colour = (255, 255, 255)
INK: Colour = (32, 33, 36)
FAINT: Colour = (95, 99, 104)  # text of notes: 6 times as dark as the paper
RULE: Colour = (228, 230, 234)
MISSING: Colour = (205, 207, 211)

#: Colours of series, after Okabe and Ito (2008) without yellow, too light for lines on white.
PALETTE: tuple[Colour, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (90, 90, 96),
)

#: Colours at equal distances, from low values to high ones; lightness never turns back.
_MAPS: dict[str, tuple[Colour, ...]] = {
    "viridis": (
        (68, 1, 84),
        (71, 44, 122),
        (59, 81, 139),
        (44, 113, 142),
        (33, 144, 141),
        (39, 173, 129),
        (92, 200, 99),
        (170, 220, 50),
        (253, 231, 37),
    ),
    "blues": ((246, 249, 252), (166, 205, 230), (60, 140, 195), (0, 92, 150), (6, 46, 82)),
    "greys": ((250, 250, 250), (40, 40, 44)),
}


def colour_of(index: int) -> Colour:
    """Return the colour of a series; after the last one they begin again.

    >>> colour_of(0) == colour_of(len(PALETTE))
    True
    """
    return PALETTE[index % len(PALETTE)]


def shades(shares: np.ndarray, color_map: ColorMap) -> np.ndarray:
    """Return the colours of values 0..1, uint8 [..., 3]; NaN is grey.

    Raises:
        CoreError: there is no such colour map; the message lists the names.

    >>> shades(np.array([0.0, 1.0, np.nan]), "blues").tolist()
    [[246, 249, 252], [6, 46, 82], [205, 207, 211]]
    """
    if color_map not in _MAPS:
        raise CoreError(
            f"there is no color_map {color_map!r}; the names are {', '.join(map(repr, _MAPS))}"
        )
    anchors = np.array(_MAPS[color_map], np.float64)
    known = np.clip(np.where(np.isnan(shares), 0, shares), 0, 1) * (len(anchors) - 1)
    mixed = [np.interp(known, np.arange(len(anchors)), anchors[:, i]) for i in range(3)]
    found = np.stack(mixed, axis=-1)
    found[np.isnan(shares)] = MISSING
    return np.rint(found).astype(np.uint8)


def text_colour_on(colour: Colour) -> Colour:
    """Return a colour of text that is readable on a colour.

    >>> text_colour_on((253, 231, 37)) == INK, text_colour_on((6, 46, 82)) == PAPER
    (True, True)
    """
    red, green, blue = colour
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else PAPER

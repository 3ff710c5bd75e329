"""Colours of plots, which people with any kind of colour vision can distinguish on white."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from core.errors import CoreError
from core.plots.library import matplotlib

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

ColorMap = Literal["viridis", "blues", "greys"]

FAINT = "#5f6368"  # text of notes: 6 times as dark as the paper
_MISSING = "#cdcfd3"

#: Colours of series, after Okabe and Ito (2008) without yellow, too light for lines on white.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5a5a60")

#: Matplotlib's names of the colour maps, from low values to high ones.
_MAPS: dict[str, str] = {"viridis": "viridis", "blues": "Blues", "greys": "Greys"}


def colour_of(index: int) -> str:
    """Return the colour of a series; after the last one they begin again.

    >>> colour_of(0) == colour_of(len(PALETTE))
    True
    """
    return PALETTE[index % len(PALETTE)]


def check_color_map(color_map: str) -> None:
    """Raise an error, which lists the names, where there is no such colour map."""
    if color_map not in _MAPS:
        raise CoreError(
            f"there is no color_map {color_map!r}; the names are {', '.join(map(repr, _MAPS))}"
        )


def colours_of_values(color_map: ColorMap) -> "Colormap":
    """Return Matplotlib's colour map of a name, in which NaN is grey."""
    return matplotlib().colormaps[_MAPS[color_map]].with_extremes(bad=_MISSING)


def text_colour_on(colour: np.ndarray) -> str:
    """Return a colour of text that is readable on a colour [3] or [4] of 0..1.

    >>> text_colour_on(np.array([0.99, 0.9, 0.1])), text_colour_on(np.array([0, 0.2, 0.3]))
    ('black', 'white')
    """
    return "black" if colour[:3] @ (0.299, 0.587, 0.114) > 0.55 else "white"

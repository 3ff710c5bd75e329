"""Where plots have which colours."""

import numpy as np

from core.plots.colours import PALETTE


def pixels_of(plot) -> np.ndarray:
    return np.asarray(plot.image)


def are_near(pixels: np.ndarray, colour, tolerance: int = 12) -> np.ndarray:
    """Which pixels have a colour."""
    return (np.abs(pixels.astype(int) - colour) <= tolerance).all(axis=-1)


def of_series(plot, index: int = 0) -> np.ndarray:
    """Which pixels have the colour of a series."""
    return are_near(pixels_of(plot), PALETTE[index])


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

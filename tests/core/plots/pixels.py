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
    return are_near(pixels_of(plot), [*bytes.fromhex(PALETTE[index][1:])])


def inside(plot, panel: int = 0) -> tuple[slice, slice]:
    """The rows and columns of the data of a panel, without legend and title."""
    plot.figure.draw_without_rendering()
    left, low, right, high = plot.figure.axes[panel].bbox.extents.round().astype(int)
    height = plot.size[1]
    return slice(height - high, height - low), slice(left, right)


def place(plot, x: float, y: float) -> tuple[int, int]:
    """The row and the column of a point of the data."""
    plot.figure.draw_without_rendering()
    column, up = plot.figure.axes[0].transData.transform((x, y))
    return int(plot.size[1] - up), int(column)


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

"""Numbers for the cells of a network's output, before there is a number for each pixel."""

import numpy as np

import core.backends.cpu.image_kernels as image_kernels


def odds_against_others(logits: np.ndarray, index: int) -> np.ndarray:
    """Return the log-odds of one class against all others per cell, float32 [rows, columns].

    Args:
        logits: float32 [rows, columns, classes].
        index: of the class.
    """
    found = image_kernels.odds_of(logits, index)
    if found is not None:
        return found
    others = np.delete(logits, index, axis=2)
    best = others.max(axis=2)
    sums = np.exp(others - best[:, :, None]).sum(axis=2)
    odds: np.ndarray = logits[:, :, index] - best - np.log(sums)
    return odds


def walked(
    offsets: np.ndarray, field: int, size: tuple[int, int], grid: tuple[int, int], steps: int
) -> np.ndarray:
    """Return where the points of a grid come to that move by the offset of the nearest cell.

    Args:
        offsets: complex [rows, columns, fields], x + iy in pixels; the first cell is at pixel 0.
        field: number of the field that the points follow.
        size: rows and columns of the grid of points, the first of which is at pixel 0.
        grid: pixels from cell to cell, and from point to point.
        steps: how often each point moves, at least once.

    Returns:
        complex [rows, columns], x + iy in pixels.
    """
    found = image_kernels.walked(offsets, field, size, grid, steps)
    if found is not None:
        return found
    rows, columns, _ = offsets.shape
    stride, spacing = grid
    points = np.arange(size[1]) * spacing + 1j * (np.arange(size[0]) * spacing)[:, None]
    for _ in range(steps):
        row = np.clip(np.rint(points.imag / stride).astype(int), 0, rows - 1)
        column = np.clip(np.rint(points.real / stride).astype(int), 0, columns - 1)
        points = points + offsets[row, column, field]
    return points

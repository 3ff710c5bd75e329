"""Regions of a picture as numbers [height, width], 0 outside: where they are, and their edges."""

from __future__ import annotations

import numpy as np


def cut_out(numbers: np.ndarray, margin: int) -> tuple[int, int, np.ndarray]:
    """Return left, top, and what is around the numbers above 0."""
    marked = numbers > 0
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    if not rows.size:
        return 0, 0, numbers[:0]
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    return (
        left,
        top,
        numbers[top : int(rows[-1]) + margin + 1, left : int(columns[-1]) + margin + 1],
    )


def grown(numbers: np.ndarray, steps: int) -> np.ndarray:
    """Return numbers with the 0 around them replaced by a neighbour, that many pixels wide."""
    spread = numbers.copy()
    for axis in (0, 1):
        for _ in range(steps):
            old = np.moveaxis(spread.copy(), axis, 0)
            new = np.moveaxis(spread, axis, 0)
            np.copyto(new[1:], old[:-1], where=old[1:] == 0)
            np.copyto(new[:-1], old[1:], where=new[:-1] == 0)
    return spread


def borders(numbers: np.ndarray) -> np.ndarray:
    """Return a line two pixels wide, along where neighbours differ."""
    line = np.zeros(numbers.shape, bool)
    for axis in (0, 1):
        marked, values = np.moveaxis(line, axis, 0), np.moveaxis(numbers, axis, 0)
        differs = values[1:] != values[:-1]
        marked[1:] |= differs
        marked[:-1] |= differs
    return line

"""Regions of an image as numbers [height, width], 0 outside: where they are, and their edges."""

from __future__ import annotations

import numpy as np


def cut_out(numbers: np.ndarray, margin: int) -> tuple[int, int, np.ndarray]:
    """Return left, top, and what is around the numbers above 0."""
    marked = numbers > 0
    rows, columns = np.flatnonzero(marked.any(axis=1)), np.flatnonzero(marked.any(axis=0))
    if not rows.size:
        return 0, 0, numbers[:0]
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    bottom, right = int(rows[-1]) + margin + 1, int(columns[-1]) + margin + 1
    return left, top, numbers[top:bottom, left:right]


def grown(numbers: np.ndarray, steps: int) -> np.ndarray:
    """Return numbers with the 0 around them, at least so many pixels, replaced by one near."""
    spread, before = numbers.copy(), np.empty_like(numbers)
    for axis in (0, 1):
        values, old = np.moveaxis(spread, axis, 0), np.moveaxis(before, axis, 0)
        step = 1
        while step <= min(steps, len(values) - 1):
            np.copyto(old, values)
            np.copyto(values[step:], old[:-step], where=old[step:] == 0)
            np.copyto(values[:-step], old[step:], where=values[:-step] == 0)
            step *= 2
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

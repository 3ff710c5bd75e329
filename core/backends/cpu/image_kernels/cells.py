"""Numbers for each cell of a network's output."""

import numpy as np

from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.called_kernels import Call, CalledKernel, Description, Values
from core.backends.cpu.image_kernels.generators import generators

#: Cost of a vector of a cell's fields, and of a step of a point, in instructions.
_VECTOR, _STEP = 25, 6

#: Multiple to which the points of a line are padded, as they are computed together.
_TOGETHER = 8


def odds_of(fields: np.ndarray, field: int) -> np.ndarray | None:
    """Return the log-odds of one field against all others.

    Args:
        fields: float32 logits [rows, columns, fields].
        field: number of the one.

    Returns:
        float32 [rows, columns]; None if NumPy is to compute them.
    """
    rows, columns, count = fields.shape
    lanes = called_kernels.instruction_set().lanes
    kernel = CalledKernel(_field_odds, (count, field), is_exact=False)
    if count < 2 or rows * columns < lanes or not called_kernels.can_run(kernel):
        return None
    cells, odds = np.ascontiguousarray(fields, np.float32), np.empty((rows, columns), np.float32)
    vectors = -(-odds.size // lanes)
    tasks, block = called_kernels.split(vectors, odds.size * -(-count // lanes) * _VECTOR)
    values: Values = {"cells": cells, "result": odds, "count": odds.size, "block": block}
    called_kernels.run(Call(kernel, tasks, values))
    return odds


def walked(
    offsets: np.ndarray, field: int, size: tuple[int, int], grid: tuple[int, int], steps: int
) -> np.ndarray | None:
    """Return the positions of grid points after steps by the offset of the nearest cell.

    Args:
        offsets: complex [rows, columns, fields], x + iy in pixels; the first cell is at pixel 0.
        field: number of the field that the points follow.
        size: rows and columns of the grid of points, the first of which is at pixel 0.
        grid: pixels from cell to cell, and from point to point.
        steps: how often each point moves, at least once.

    Returns:
        complex [rows, columns], x + iy in pixels; None if NumPy is to compute them.
    """
    kernel = CalledKernel(_walked_points)
    if not called_kernels.can_run(kernel):
        return None
    cells = np.ascontiguousarray(offsets, np.complex128)
    wide = -(-size[1] // _TOGETHER) * _TOGETHER
    points = np.empty((size[0], wide), np.complex128)
    tasks, block = called_kernels.split(size[0], points.size * steps * _STEP)
    rows, columns, fields = cells.shape
    values = {
        **{"cells": cells, "cell_rows": rows, "cell_columns": columns, "fields": fields},
        **{"result": points, "rows": size[0], "columns": wide, "block": block, "field": field},
        **{"stride": float(grid[0]), "spacing": float(grid[1]), "steps": steps},
    }
    called_kernels.run(Call(kernel, tasks, values))
    return points[:, : size[1]]


def _field_odds(fields: int, field: int) -> Description:
    return generators().FieldOdds(fields, field)


def _walked_points() -> Description:
    return generators().WalkedPoints()

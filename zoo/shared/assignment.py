"""Assignment of rows to columns with the smallest sum of costs.

Source: the shortest augmenting paths of Jonker and Volgenant, "A Shortest Augmenting Path Algorithm
for Dense and Sparse Linear Assignment Problems", Computing 38, 1987, in the form of Crouse, "On
implementing 2D rectangular assignment algorithms", 2016, which SciPy's linear_sum_assignment has.
"""

import numpy as np


def assign(costs: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs (row, column), as many as the shorter side has, with the smallest sum of costs.

    Args:
        costs: finite float [rows, columns].

    >>> assign(np.array([[1.0, 2.0], [1.0, 9.0]]))
    [(0, 1), (1, 0)]
    """
    if costs.shape[0] > costs.shape[1]:
        return sorted((row, column) for column, row in assign(costs.T))
    rows, columns = costs.shape
    if rows == 1:
        return [(0, int(costs[0].argmin()))]
    of_row, of_column = np.zeros(rows), np.zeros(columns)  # the dual variables
    taken_by = np.full(columns, -1)
    for row in range(rows):
        _augment(costs, row, of_row, of_column, taken_by)
    return sorted((int(row), column) for column, row in enumerate(taken_by) if row >= 0)


def _augment(
    costs: np.ndarray, start: int, of_row: np.ndarray, of_column: np.ndarray, taken_by: np.ndarray
) -> None:
    """Give a row a column, along the shortest path over rows that change theirs."""
    columns = costs.shape[1]
    shortest, came_from = np.full(columns, np.inf), np.full(columns, -1)
    scanned = np.zeros(columns, bool)
    visited = [start]
    row, length = start, 0.0
    while True:
        through = length + costs[row] - of_row[row] - of_column
        better = ~scanned & (through < shortest)
        shortest[better], came_from[better] = through[better], row
        column = int(np.where(scanned, np.inf, shortest).argmin())
        length = float(shortest[column])
        scanned[column] = True
        if taken_by[column] < 0:
            break
        row = int(taken_by[column])
        visited.append(row)
    _adjust(shortest, scanned, visited, length, of_row, of_column, taken_by)
    while True:  # back along the path
        row = int(came_from[column])
        [previous] = np.flatnonzero(taken_by == row) if row != start else [-1]
        taken_by[column] = row
        if row == start:
            return
        column = int(previous)


def _adjust(
    shortest: np.ndarray,
    scanned: np.ndarray,
    visited: list[int],
    length: float,
    of_row: np.ndarray,
    of_column: np.ndarray,
    taken_by: np.ndarray,
) -> None:
    """Change the dual variables so that the path costs nothing, and no pair less."""
    of_row[visited[0]] += length
    for row in visited[1:]:
        [column] = np.flatnonzero(taken_by == row)
        of_row[row] += length - shortest[column]
    of_column[scanned] -= length - shortest[scanned]

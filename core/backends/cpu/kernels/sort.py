"""Kernels that sort values, or search in sorted values."""

from functools import partial
from math import prod
from typing import Any

import numpy as np

from core.engine.registry import kernel


@kernel("topk", "cpu")
def topk(x: np.ndarray, k: int, sorted: bool) -> tuple[np.ndarray, np.ndarray]:
    """Sort the reversed row stably and read it backwards: of equal values the first leads."""
    length = x.shape[-1]
    order = length - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1][..., :k]
    return np.take_along_axis(x, order, axis=-1), order.astype(np.int32)


@kernel("unique", "cpu")
def unique(x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of equal entries, and for each entry the rank of its first occurrence."""
    rows = np.moveaxis(x, axis, 0)
    _, first, kinds = np.unique(_keys(rows), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return x.take(first[order], axis=axis), rank[kinds].astype(np.int32)


def _keys(rows: np.ndarray) -> np.ndarray:
    """Return a key for each row; equal rows have equal keys."""
    rows = rows.reshape(len(rows), prod(rows.shape[1:]))
    if rows.dtype == object:
        seen: dict[Any, int] = {}
        return np.array([seen.setdefault(tuple(row), len(seen)) for row in rows], np.int64)
    if rows.dtype.kind in "fc":
        rows = np.where(np.isnan(rows), rows.dtype.type(np.nan), rows) + 0  # and no -0
    if rows.shape[1] == 1 and rows.dtype.kind != "c":
        return rows[:, 0]
    if rows.size == 0:
        return np.zeros(len(rows), np.int32)
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype(f"V{rows.dtype.itemsize * rows.shape[1]}"))[:, 0]


@kernel("search_sorted", "cpu")
def search_sorted(sorted_sequence: np.ndarray, values: np.ndarray, side: str) -> np.ndarray:
    """Search all rows and values at once, each by halving its interval."""
    length = sorted_sequence.shape[-1]
    rows = sorted_sequence.reshape(prod(sorted_sequence.shape[:-1]), length)
    wanted = values.reshape(len(rows), values.shape[-1])
    low, high = np.zeros(wanted.shape, np.intp), np.full(wanted.shape, length)
    goes_right = np.less if side == "left" else np.less_equal
    for _ in range(length.bit_length()):
        middle = (low + high) // 2
        probe = np.take_along_axis(rows, np.minimum(middle, length - 1), axis=1)
        right = goes_right(probe, wanted) & (low < high)
        low, high = np.where(right, middle + 1, low), np.where(right, high, middle)
    return high.astype(np.int32).reshape(values.shape)


kernel("lower_bound", "cpu")(partial(search_sorted, side="left"))
kernel("upper_bound", "cpu")(partial(search_sorted, side="right"))

"""Gather and scatter, against loops over the indices."""

import numpy as np

from tests.core.ops.records.case import Case, Draw, bools, complexes, floats, ints, strings


def three(*shape: int) -> Draw:
    """Indices into three entries."""
    return ints(*shape, low=0, high=3)


def _gather(x, indices, axis=0, batch_dims=0):
    axis = axis % x.ndim
    batch = batch_dims % indices.ndim if batch_dims else 0
    shape = (*x.shape[:axis], *indices.shape[batch:], *x.shape[axis + 1 :])
    result = np.zeros(shape, x.dtype)
    for lead in np.ndindex(x.shape[:batch]):
        result[lead] = x[lead][(*[slice(None)] * (axis - batch), indices[lead])]
    return result


def _gather_nd(params, indices):
    result = np.zeros((*indices.shape[:-1], *params.shape[indices.shape[-1] :]), params.dtype)
    for place in np.ndindex(indices.shape[:-1]):
        result[place] = params[tuple(indices[place])]
    return result


def _each(indices, updates):
    """Pairs of a place and what goes there."""
    lists = indices if indices.ndim > 1 else indices[:, None]
    return [(tuple(lists[i]), updates[i]) for i in np.ndindex(lists.shape[:-1])]


def _scatter(indices, updates, shape):
    result = np.zeros(shape, updates.dtype)
    for place, value in _each(indices, updates):
        result[place] += value
    return result


def _update(tensor, indices, updates):
    result = tensor.copy()
    for place, value in _each(indices, updates):
        result[place] = value
    return result


def _gather_cases() -> list[Case]:
    x = floats(3, 4, 5)
    return [
        Case("gather", (x, three(4)), _gather),
        Case("gather", (x, three(2, 6)), _gather, {"axis": -2}, "matrix"),
        Case("gather", (x, three()), _gather, {"axis": 1}, "one"),
        Case("gather", (x, three(0)), _gather, {}, "none"),
        Case("gather", (x, three(3, 2)), _gather, {"axis": 1, "batch_dims": 1}, "batch"),
        Case("gather", (x, three(3, 2)), _gather, {"axis": 2, "batch_dims": 1}, "batch, axis 2"),
        Case("gather", (x, three(3, 4, 2)), _gather, {"axis": 2, "batch_dims": -1}, "batch of two"),
        Case("gather", (bools(3), three(5)), _gather, {}, "bool"),
        Case("gather", (strings(3), three(5)), _gather, {}, "strings"),
        Case("gather", (strings(3), three()), _gather, {}, "one string"),
        Case("gather", (complexes(3), three(5)), _gather, {}, "complex"),
        Case("gather", (floats(0, 2), ints(0)), _gather, {}, "empty"),
        Case("gather_nd", (x, three(6, 2)), _gather_nd),
        Case("gather_nd", (x, three(3)), _gather_nd, {}, "one value"),
        Case("gather_nd", (x, three(2, 2, 1)), _gather_nd, {}, "rows"),
        Case("gather_nd", (x, ints(2, 0)), _gather_nd, {}, "whole"),
        Case("gather_nd", (strings(3, 3), three(2)), _gather_nd, {}, "string"),
        Case("gather_nd", (complexes(3, 3), three(4, 1)), _gather_nd, {}, "complex"),
    ]


def _scatter_cases() -> list[Case]:
    cube, update = {"shape": (3, 4, 2)}, "tensor_scatter_update"
    return [
        Case("scatter_nd", (three(6, 2), floats(6, 2)), _scatter, cube),
        Case("scatter_nd", (three(2, 3, 1), floats(2, 3, 4, 2)), _scatter, cube, "rows"),
        Case("scatter_nd", (three(7), floats(7)), _scatter, {"shape": (3,)}, "vector"),
        Case("scatter_nd", (three(7), ints(7)), _scatter, {"shape": (3,)}, "int32"),
        Case("scatter_nd", (three(7), complexes(7)), _scatter, {"shape": (3,)}, "complex"),
        Case("scatter_nd", (ints(0, 1), floats(0, 2)), _scatter, {"shape": (3, 2)}, "none"),
        Case(update, (floats(3, 4), three(5, 2), floats(5)), _update),
        Case(update, (floats(3, 2), three(4, 1), floats(4, 2)), _update, {}, "rows"),
        Case(update, (floats(3), three(2), floats(2)), _update, {}, "vector"),
        Case(update, (bools(3), three(2), bools(2)), _update, {}, "bool"),
        Case(update, (strings(3), three(2), strings(2)), _update, {}, "strings"),
        Case(update, (floats(3), ints(0, 1), floats(0)), _update, {}, "none"),
    ]


CASES = [
    *_gather_cases(),
    *_scatter_cases(),
    Case("select", (bools(3, 1), floats(3, 4), floats(4)), np.where),
    Case("select", (bools(3), ints(3), floats(3)), np.where, {}, "mixed dtypes"),
    Case("select", (bools(), complexes(), floats(2)), np.where, {}, "scalars"),
    Case("select", (bools(2, 1), strings(2, 3), strings(3)), np.where, {}, "strings"),
    Case("select", (bools(0, 1), floats(0, 2), floats(2)), np.where, {}, "empty"),
]

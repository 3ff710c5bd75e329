"""Ops that read and write values by index: gather, scatter, sequences turned around."""

from collections.abc import Callable
from math import prod

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import claim
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows, number


def wrapped(indices: Tensor, length: int) -> Tensor:
    """Return indices from 0; negative ones count from the end."""
    return ops.select(indices < 0, indices + length, indices)


def _gather(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    return ops.gather(x, wrapped(indices, x.shape[axis]), axis=axis)


def _full(indices: Tensor, axis: int, length: int) -> Tensor:
    """Return the full index of each value of indices along an axis: [.., rank]."""
    grids = map(tensor, np.indices(indices.shape, np.int32))
    own = axis % indices.ndim
    return ops.stack(
        [wrapped(indices, length) if i == own else grid for i, grid in enumerate(grids)], axis=-1
    )


def _gather_elements(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    return ops.gather_nd(x, _full(indices, axis, x.shape[axis]))


def _from_start(x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
    """Return indices of several axes from 0."""
    lengths = x.shape[batch_dims : batch_dims + indices.shape[-1]]
    return ops.select(indices < 0, indices + tensor(np.array(lengths, np.int32)), indices)


def _gather_nd(x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
    """Read at indices; the first axes of both run together, as one axis of x with an index."""
    indices = _from_start(x, indices, batch_dims)
    if not batch_dims:
        return ops.gather_nd(x, indices)
    batch, middle = x.shape[:batch_dims], indices.shape[batch_dims:-1]
    owners = np.arange(prod(batch), dtype=np.int32).reshape(*batch, *(1,) * len(middle), 1)
    rows = tensor(np.broadcast_to(owners, (*batch, *middle, 1)))
    flat = ops.reshape(x, shape=(prod(batch), *x.shape[batch_dims:]))
    return ops.gather_nd(flat, ops.concat([rows, indices], axis=-1))


#: Functions of a value and its update.
_REDUCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "max": ops.maximum,
    "min": ops.minimum,
    "mul": lambda x, y: x * y,
}


def _scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, reduction: str = "none") -> Tensor:
    at = _from_start(x, indices)
    if reduction == "none":
        return ops.tensor_scatter_update(x, at, updates)
    if reduction == "add":
        return x + ops.scatter_nd(at, updates, shape=x.shape)
    if reduction not in _REDUCTIONS:
        raise CoreError(
            f"the reduction {reduction!r:.40} is unknown: add, mul, max and min are known"
        )
    depth = at.shape[-1]
    at = ops.reshape(at, shape=(-1, depth))
    rows = ops.reshape(updates, shape=(at.shape[0], *x.shape[depth:]))
    for turn in _turns(at.numpy()):
        places, values = ops.gather(at, tensor(turn)), ops.gather(rows, tensor(turn))
        found = _REDUCTIONS[reduction](ops.gather_nd(x, places), values)
        x = ops.tensor_scatter_update(x, places, found)
    return x


def _turns(indices: np.ndarray) -> list[np.ndarray]:
    """Return the rows of indices in groups without equal ones, in their order."""
    seen: dict[tuple[int, ...], int] = {}
    turns: list[list[int]] = []
    for row, index in enumerate(map(tuple, indices.tolist())):
        turn = seen[index] = seen.get(index, -1) + 1
        if turn == len(turns):
            turns.append([])
        turns[turn].append(row)
    return [np.array(turn, np.int32) for turn in turns]


def _scatter_elements(
    x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    full = ops.reshape(_full(indices, axis, x.shape[axis]), shape=(-1, x.ndim))
    return _scatter_nd(x, full, ops.reshape(updates, shape=(-1,)), reduction)


def _scatter(x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0) -> Tensor:
    return _scatter_elements(x, indices, updates, axis)


def _tensor_scatter(
    cache: Tensor,
    update: Tensor,
    starts: Tensor | None = None,
    axis: int = -2,
    mode: str = "linear",
) -> Tensor:
    """Write an update into a cache from a position of each batch on; a circular one wraps."""
    length, count = cache.shape[axis], update.shape[axis]
    order = _swapped(cache.ndim, 1, axis % cache.ndim)
    values = ops.transpose(update, perm=order)
    places = tensor(np.arange(length, dtype=np.int32))
    starts = ops.zeros((cache.shape[0],), "int32") if starts is None else starts
    steps = places - ops.expand_dims(starts, axis=1)
    steps = ops.mod(steps, length) if mode == "circular" else steps
    inside = ops.logical_and(steps >= 0, steps < count)
    chosen = ops.gather(values, ops.clip_by_value(steps, 0, count - 1), axis=1, batch_dims=1)
    inside = ops.reshape(inside, shape=(*inside.shape, *(1,) * (cache.ndim - 2)))
    return ops.transpose(ops.where(inside, chosen, ops.transpose(cache, perm=order)), perm=order)


def _swapped(rank: int, a: int, b: int) -> tuple[int, ...]:
    """Return the order of axes with two of them swapped."""
    order = [*range(rank)]
    order[a], order[b] = order[b], order[a]
    return tuple(order)


def _reverse_sequence(
    x: Tensor, lengths: Tensor, batch_axis: int = 1, time_axis: int = 0
) -> Tensor:
    """Turn the first values of each sequence around, as many as it is long."""
    order = (batch_axis, time_axis, *range(2, x.ndim))
    steps = tensor(np.arange(x.shape[time_axis], dtype=np.int32))
    ends = ops.expand_dims(lengths, axis=1)
    at = ops.where(
        steps < ends, ends - 1 - steps, ops.broadcast_to(steps, (ends.shape[0], steps.size))
    )
    y = ops.gather(ops.transpose(x, perm=order), at, axis=1, batch_dims=1)
    return ops.transpose(y, perm=order)


def _one_hot(indices: Tensor, depth: Tensor, values: Tensor, axis: int = -1) -> Tensor:
    """Put the second value where a class is the index, the first elsewhere."""
    count, axis = int(number(depth)), axis % (indices.ndim + 1)
    claim(4 * count, f"{count:,} classes")
    at = ops.expand_dims(ops.cast(indices, dtype="int32"), axis=axis)
    shape = tuple(count if i == axis else 1 for i in range(indices.ndim + 1))
    classes = tensor(np.arange(count, dtype=np.int32).reshape(shape))
    return ops.where(ops.equal(wrapped(at, count), classes), values[1], values[0])


ROWS: Rows = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
}

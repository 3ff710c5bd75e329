"""Kernels that read and write values by index."""

from collections.abc import Sequence
from math import prod

import numpy as np

from core.backends.cpu.kernels.segment import sum_rows
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.ops.indexing import gather_axes, scatter_depth


@kernel("gather", "cpu")
def gather(x: np.ndarray, indices: np.ndarray, axis: int, batch_dims: int) -> np.ndarray:
    """Return entries by checked indices: NumPy would count negative ones from the end."""
    length = x.shape[axis]
    if indices.size and not (indices.min() >= 0 and indices.max() < length):
        bad = indices[(indices < 0) | (indices >= length)][0]
        raise ValueError(
            f"index {bad} is outside of axis {axis}, which has length {length}: use 0 to "
            f"{length - 1} (GatherV2: the index value {bad} is not in [0, {length - 1}])"
        )  # ported programs search for TensorFlow's words
    if not batch_dims:
        return _taken(x, indices, axis)
    at, batch = gather_axes(x.shape, indices.shape, axis, batch_dims)
    before, after = (prod(x.shape[:batch]), prod(x.shape[batch:at])), prod(x.shape[at + 1 :])
    positions = indices.reshape(before[0], 1, prod(indices.shape[batch:]), 1)
    taken = np.take_along_axis(x.reshape(*before, length, after), positions, axis=2)
    return taken.reshape(*x.shape[:at], *indices.shape[batch:], *x.shape[at + 1 :])


def _taken(x: np.ndarray, positions: np.ndarray, axis: int) -> np.ndarray:
    """Return entries along an axis, by indices known to be valid."""
    if positions.ndim:
        return x.take(positions, axis=axis, mode="clip")
    return np.moveaxis(x, axis, 0)[int(positions), ...].copy()  # an array, also of one string


def flat_indices(lists: np.ndarray, shape: Shape) -> np.ndarray:
    """Return index tuples [..., axes] as checked indices into a flattened array of that shape."""
    outside = (lists < 0) | (lists >= np.array(shape, np.int64))
    if outside.any():
        bad = lists[outside.any(axis=-1)][0]
        raise ValueError(f"index {bad.tolist()} does not lie in shape {tuple(shape)}")
    positions = np.zeros(lists.shape[:-1], np.int64)
    for axis, length in enumerate(shape):
        positions = positions * length + lists[..., axis]
    return positions


@kernel("gather_nd", "cpu")
def gather_nd(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return entries by index tuples, as rows of a matrix."""
    depth = indices.shape[-1]
    head, tail = params.shape[:depth], params.shape[depth:]
    positions = flat_indices(indices, head)
    return _taken(params.reshape(prod(head), *tail), positions, 0)


def _rows(
    indices: np.ndarray, updates: np.ndarray, shape: Shape
) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return flat indices, the updates as rows of a matrix, and the shape of that matrix."""
    depth = scatter_depth(indices.shape, updates.shape, shape)
    lists = indices if indices.ndim > 1 else indices[:, None]
    positions = flat_indices(lists, shape[:depth]).ravel()
    size = prod(shape[:depth]), prod(shape[depth:])
    return positions, updates.reshape(len(positions), size[1]), size


@kernel("scatter_nd", "cpu")
def scatter_nd(indices: np.ndarray, updates: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Return the sums of the rows with equal indices."""
    positions, rows, size = _rows(indices, updates, tuple(shape))
    return sum_rows(rows, positions, size[0]).reshape(shape)


@kernel("tensor_scatter_update", "cpu")
def tensor_scatter_update(
    tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray
) -> np.ndarray:
    """Write updates; of several values with one index NumPy keeps the last."""
    positions, rows, size = _rows(indices, updates, tensor.shape)
    result = tensor.copy()
    result.reshape(size)[positions] = rows
    return result

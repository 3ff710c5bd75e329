"""Kernels of ragged tensors."""

from collections.abc import Sequence
from math import prod

import numpy as np

from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.specs import require
from core.errors import CoreError
from core.ops.ragged import has_row_count

_LONGEST = 2**31 - 1


def check_splits(splits: np.ndarray, size: int) -> None:
    """Raise if row splits do not cover that many values, from the first to the last."""
    if not splits.size:
        return
    if splits[0] != 0:
        raise CoreError(f"First split value must be 0, got {splits[0]}")
    wrong = np.flatnonzero((splits[1:] < splits[:-1]) | (splits[1:] > size))
    if wrong.size:
        low, split = splits[wrong[0] : wrong[0] + 2]
        raise CoreError(f"Invalid split value {split}, must be in [{low}, {size}]")
    if splits[-1] != size:
        raise CoreError(f"Last split value must be data size. Expected {size}, got {splits[-1]}")


def _sequences(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the sequences ``starts[i], starts[i] + 1, ...`` of ``lengths[i]`` numbers, joined."""
    ends = np.cumsum(lengths)
    _claim_positions(lengths.sum())
    return np.arange(lengths.sum()) + np.repeat(starts - ends + lengths, lengths)


def _claim_positions(count: float) -> None:
    claim(8 * count, f"{count:,.0f} positions of values, in 64 bits each")


@kernel("ragged_gather_parts", "cpu")
def ragged_gather_parts(
    params_nested_splits: list[np.ndarray],
    params_dense_values: np.ndarray,
    indices: np.ndarray,
    output_ragged_rank: int | None,
) -> tuple[np.ndarray, ...]:
    """Gather rows, and follow their splits from axis to axis."""
    all_splits = [splits.astype(np.int64) for splits in params_nested_splits]
    sizes = [len(splits) - 1 for splits in all_splits]
    outside = np.argwhere((indices < 0) | (indices >= sizes[0])).tolist()
    if outside:
        position, index = ",".join(map(str, outside[0])), indices[tuple(outside[0])]
        raise CoreError(f"indices[{position}] = {index} is not in [0, {sizes[0]})")
    for splits, size in zip(all_splits, [*sizes[1:], len(params_dense_values)], strict=True):
        _check_inner_splits(splits, size)
    output = [
        np.arange(prod(indices.shape[:axis]) + 1) * indices.shape[axis]
        for axis in range(1, indices.ndim)
    ]
    rows = indices.ravel().astype(np.int64)
    for i, splits in enumerate(all_splits):
        lengths = splits[rows + 1] - splits[rows]
        if i or indices.ndim:  # a single row is no longer ragged along its first axis
            output.append(np.concatenate([[0], np.cumsum(lengths)]))
        rows = _sequences(splits[rows], lengths)
    claim(
        len(rows) * prod(params_dense_values.shape[1:]) * params_dense_values.itemsize, "the rows"
    )
    return *(splits.astype(np.int32) for splits in output), params_dense_values[rows]


def _check_inner_splits(splits: np.ndarray, size: int) -> None:
    needs = {
        "Ragged splits must be non-negative": splits[0] >= 0,
        "Ragged splits must not point past values": splits[-1] <= size,
        "Ragged splits must be sorted in ascending order": np.all(splits[1:] >= splits[:-1]),
    }
    require(needs, f"splits {splits[:8].tolist()}, the values of the next axis end at {size}")


@kernel("ragged_range", "cpu")
def ragged_range(
    starts: np.ndarray, limits: np.ndarray, deltas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges, each value computed in float64 and rounded once."""
    start, limit, delta = np.atleast_1d(
        *np.broadcast_arrays(*(x.astype(np.float64) for x in (starts, limits, deltas)))
    )
    steps = (limit - start) / delta
    sizes = np.where(steps < 0, 0, np.ceil(steps))
    for row in np.flatnonzero((delta == 0) | ~(sizes <= _LONGEST))[:1]:
        needs = {
            "Requires delta != 0": delta[row] != 0,
            f"Requires ((limit - start) / delta) <= {_LONGEST}": sizes[row] <= _LONGEST,
        }
        require(needs, f"row {row} from {start[row]} to {limit[row]} in steps of {delta[row]}")
    if sizes.sum() > _LONGEST:
        raise CoreError(f"rows of {sizes.sum():.0f} numbers are too long: at most {_LONGEST}")
    lengths = sizes.astype(np.int64)
    positions = _sequences(np.zeros_like(lengths), lengths)
    values = np.repeat(start, lengths) + positions * np.repeat(delta, lengths)
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return splits, values.astype(starts.dtype)


@kernel("ragged_tensor_to_tensor", "cpu")
def ragged_tensor_to_tensor(
    shape: np.ndarray,
    values: np.ndarray,
    default_value: np.ndarray,
    row_partition_tensors: list[np.ndarray],
    row_partition_types: Sequence[str],
) -> np.ndarray:
    """Find the row of the result for each value, then copy all values at once."""
    partitions = list(zip(row_partition_types, row_partition_tensors, strict=True))
    first = row_partition_tensors[0]
    if has_row_count(row_partition_types):
        partitions, rows = partitions[1:], int(first)
    else:
        rows = len(first) - 1
    size = _output_shape(shape, values.shape[1:], rows, partitions)
    outer = size[: len(partitions) + 1]
    claim(prod(size) * values.itemsize, f"a result of shape {size}")
    _claim_positions(max(rows, outer[0]))
    result = np.empty((prod(outer), *values.shape[1:]), values.dtype)
    result[:] = _fitting_default(default_value, values.shape[1:])
    if result.size:
        positions = _positions(rows, partitions, outer)
        if len(positions) > len(values):
            raise CoreError(f"the partitions need {len(positions)} values, there are {len(values)}")
        used = positions >= 0
        result[positions[used]] = values[: len(positions)][used]
    return result.reshape(size)


Partitions = list[tuple[str, np.ndarray]]


def _output_shape(
    shape: np.ndarray, inner: tuple[int, ...], rows: int, partitions: Partitions
) -> list[int]:
    """Return the requested shape; -1 becomes the length of the longest row or of the values."""
    rank = 1 + len(partitions) + len(inner)
    size = shape.tolist() if shape.ndim else [-1] * rank
    if shape.ndim == 0 and shape != -1 or min(size, default=0) < -1 or rows < 0:
        raise CoreError(
            f"shape {shape.tolist()} must be {rank} lengths or -1 for {rows} rows, or the scalar -1"
        )
    misfit = f"rt input.shape and shape={size} are incompatible: rt input"
    if len(size) != rank:
        raise CoreError(f"{misfit}.rank = {rank}, but shape.rank = {len(size)}")
    known = [rows, *(None for _ in partitions), *inner]
    for axis, (wanted, length) in enumerate(zip(size, known, strict=True)):
        if wanted < 0:
            size[axis] = _longest_row(*partitions[axis - 1]) if length is None else length
        elif axis > len(partitions) and wanted != length:
            raise CoreError(f"{misfit}.shape[{axis}] = {length} but shape[{axis}] = {wanted}")
    return size


def _longest_row(kind: str, partition: np.ndarray) -> int:
    if kind == "ROW_SPLITS":
        return max(0, int(np.diff(partition).max(initial=0)))
    return int(np.unique(partition, return_counts=True)[1].max(initial=0))


def _fitting_default(default: np.ndarray, inner: tuple[int, ...]) -> np.ndarray:
    """Return the default value in the shape of a value."""
    if default.size == prod(inner):
        return default.reshape(inner)
    return np.broadcast_to(default, inner)


def _positions(rows: int, partitions: Partitions, outer: list[int]) -> np.ndarray:
    """Return for each value its row in the result, or -1 if the value is cut off."""
    positions = np.arange(rows)
    positions[outer[0] :] = -1
    for (kind, partition), width in zip(partitions, outer[1:], strict=True):
        parents = _parents(kind, partition, len(positions))
        begins = np.flatnonzero(np.diff(parents, prepend=-1))
        runs = np.diff(begins, append=len(parents))
        columns = np.arange(len(parents)) - np.repeat(begins, runs)
        above = positions[parents]
        positions = np.where((above >= 0) & (columns < width), above * width + columns, -1)
    return positions


def _parents(kind: str, partition: np.ndarray, count: int) -> np.ndarray:
    """Return for each entry of an axis its parent entry on the axis above."""
    if kind == "ROW_SPLITS":
        size = int(partition[-1]) if partition.size else 0
        check_splits(partition, size)
        _claim_positions(size)
        parents = np.repeat(np.arange(len(partition) - 1), np.diff(partition))
        needed = len(partition) - 1
    else:
        parents = partition.astype(np.int64)
        needed = int(parents.max(initial=-1)) + 1
        if parents.size and (parents[0] < 0 or np.any(parents[1:] < parents[:-1])):
            raise CoreError(f"row ids {parents[:8].tolist()} must never be negative or fall")
    if needed > count:
        raise CoreError(f"a partition is made for {needed} rows, but there are {count}")
    return parents

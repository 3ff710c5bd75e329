"""Kernels of sparse tensors and of segments."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core.backends.cpu.kernels.indexing import flat_indices
from core.engine.dtypes import to_numpy
from core.engine.limits import claim
from core.engine.registry import kernel
from core.engine.specs import normal_shape, require
from core.errors import CoreError

_MOST_AXES = 64  # as many as NumPy's arrays have


@kernel("sparse_fill_empty_rows", "cpu")
def sparse_fill_empty_rows(
    indices: np.ndarray, values: np.ndarray, dense_shape: np.ndarray, default_value: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Fill empty rows; the values of a row keep their order."""
    rows, count = indices[:, 0], int(dense_shape[0])
    _check_rows(rows, count)
    claim(8 * (count + len(rows)) * max(1, indices.shape[1]), f"{count:,} rows, in 64 bits")
    lengths = np.bincount(rows, minlength=count)
    filled = np.maximum(lengths, 1)
    starts = np.cumsum(filled) - filled
    order = np.argsort(rows, kind="stable")
    positions = np.empty(len(rows), np.int32)
    positions[order] = np.arange(len(rows)) + (starts - np.cumsum(lengths) + lengths)[rows[order]]
    empty = lengths == 0
    output_indices = np.zeros((filled.sum(), indices.shape[1]), np.int32)
    output_values = np.full(len(output_indices), default_value, values.dtype)
    output_indices[starts[empty], 0] = np.flatnonzero(empty)
    output_indices[positions], output_values[positions] = indices, values
    return output_indices, output_values, empty, positions


def _check_rows(rows: np.ndarray, count: int) -> None:
    if count < 0 or not count and rows.size:
        raise CoreError(
            f"Received SparseTensor with denseShape[0] = {count} but indices.shape[0] = {rows.size}"
        )
    for i in np.flatnonzero((rows < 0) | (rows >= count))[:1]:
        limit = f">= {count}" if rows[i] >= count else "< 0"
        raise CoreError(f"indices({i}, 0) is invalid: {rows[i]} {limit}")


@kernel("sparse_reshape", "cpu")
def sparse_reshape(
    input_indices: np.ndarray, input_shape: np.ndarray, new_shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Reshape by way of the index in the flattened tensor."""
    old, wanted = input_shape.tolist(), new_shape.tolist()
    if min(old, default=0) < 0:
        raise CoreError(f"input_shape {old} has a negative length")
    _check_new_shape(wanted, prod(old))
    if max(len(old), len(wanted)) > _MOST_AXES:
        raise CoreError(f"sparse_reshape works on at most {_MOST_AXES} axes, got {len(wanted)}")
    claim(8 * len(input_indices) * len(wanted), "the indices, in 64 bits")
    new = normal_shape(wanted, prod(old))
    flat = input_indices.astype(np.int64) @ _strides(old)
    columns = []
    for stride in _strides(new):
        rest = np.fmod(flat, stride)
        columns.append((flat - rest) // stride)
        flat = rest
    output = np.array(columns, np.int64).reshape(len(new), len(flat)).T
    return output.astype(np.int32, order="C"), np.array(new, np.int32)


def _check_new_shape(shape: list[int], size: int) -> None:
    known = prod(n for n in shape if n != -1)
    for axis, length in enumerate(shape):
        if length < -1:
            raise CoreError(f"size {axis} must be non-negative, not {length}")
        if length == -1 and (first := shape.index(-1)) < axis:
            raise CoreError(f"only one output dimension may be -1, not both {first} and {axis}")
    if -1 in shape and not known:
        raise CoreError(
            f"reshape cannot infer the missing input size for an empty tensor unless all specified "
            f"input sizes are non-zero: the new shape is {shape}"
        )
    if -1 in shape and size % known:
        raise CoreError(
            f"Input to reshape is a SparseTensor with {size} dense values, but the requested shape "
            f"requires a multiple of {known}: {shape}"
        )
    if -1 not in shape and size != known:
        raise CoreError(
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has "
            f"{known}: {shape}"
        )


def _strides(shape: tuple[int, ...] | list[int]) -> np.ndarray:
    """Return the number of values between neighbours along each axis."""
    return np.array([prod(shape[i + 1 :]) for i in range(len(shape))], np.int64)


@kernel("sparse_segment_sum", "cpu")
def sparse_segment_sum(
    data: np.ndarray, indices: np.ndarray, segment_ids: np.ndarray
) -> np.ndarray:
    """Sum segments in 64 bits, rounded once."""
    return _segment_sums(data, indices, segment_ids).astype(data.dtype)


@kernel("sparse_segment_mean", "cpu")
def sparse_segment_mean(
    data: np.ndarray, indices: np.ndarray, segment_ids: np.ndarray
) -> np.ndarray:
    """Divide sums in 64 bits by counts; the mean of integers is truncated."""
    sums = _segment_sums(data, indices, segment_ids)
    counts = np.maximum(np.bincount(segment_ids, minlength=len(sums)), 1)
    counts = counts.reshape(-1, *[1] * (data.ndim - 1))
    if data.dtype == np.int32:
        sums = sums.astype(np.int32)  # they wrap around before they are divided
    return (sums / counts).astype(data.dtype)


def _segment_sums(data: np.ndarray, indices: np.ndarray, segment_ids: np.ndarray) -> np.ndarray:
    rows = int(segment_ids[-1]) + 1 if segment_ids.size else 0
    _check_segments(len(data), indices, segment_ids, rows)
    wide = np.float64 if data.dtype == np.float32 else np.int64
    claim(8 * max(rows, len(indices)) * prod(data.shape[1:]), f"sums of {rows:,} rows, in 64 bits")
    sums = np.zeros((rows, *data.shape[1:]), wide)
    firsts = np.flatnonzero(np.diff(segment_ids, prepend=-1))
    if firsts.size:
        sums[segment_ids[firsts]] = np.add.reduceat(data[indices], firsts, axis=0, dtype=wide)
    return sums


def _check_segments(count: int, indices: np.ndarray, ids: np.ndarray, rows: int) -> None:
    """Raise for the first invalid segment; in a segment the ids are checked before the indices."""
    is_fine = rows > 0 or not ids.size
    require({"segment ids must be >= 0": is_fine}, f"segment_ids end with {ids[-1:].tolist()}")
    falls = np.append(ids[1:] < ids[:-1], False)[: ids.size]
    strange = (ids < 0) | (ids >= rows)
    outside = (indices < 0) | (indices >= count)
    for i in np.flatnonzero(falls | strange | outside)[:1]:
        end = i + np.argmax(np.append(ids[i:] != ids[i], True))
        pair = f"segment_ids[{end - 1}:{end + 1}] = {ids[end - 1 : end + 1].tolist()}"
        require({"segment ids are not increasing": not falls[i:end].any()}, pair)
        if strange[i]:
            raise CoreError(
                f"Segment id {ids[i]} out of range [0, {rows}), possibly because segmentIds input "
                f"is not sorted."
            )
        raise CoreError(f"Bad: indices[{i}] == {indices[i]} out of range [0, {count})")


@kernel("sparse_to_dense", "cpu")
def sparse_to_dense(
    sparse_indices: np.ndarray,
    sparse_values: np.ndarray,
    default_value: np.ndarray | None,
    output_shape: Sequence[int],
) -> np.ndarray:
    """Write values; of several with one index NumPy keeps the last."""
    default: Any = default_value if default_value is not None else 0
    if default_value is None and sparse_values.dtype == object:
        default = to_numpy("")
    result = np.full(output_shape, default, sparse_values.dtype)
    lists = sparse_indices.reshape(-1, len(result.shape))
    result.reshape(-1)[flat_indices(lists, result.shape)] = sparse_values
    return result

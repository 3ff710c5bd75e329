"""Ops on ragged tensors, against nested Python lists."""

import numpy as np

from tests.core.ops.records.case import Case, floats, ints, strings
from tests.core.ops.records.sparse import given


def _nested(splits, values):
    """The rows of a ragged tensor as nested lists of values."""
    rows = list(values)
    for ends in reversed(splits):
        rows = [rows[a:b] for a, b in zip(ends, ends[1:], strict=False)]
    return rows


def _gathered(params_nested_splits, params_dense_values, indices, **_):
    rows = _nested(params_nested_splits, params_dense_values)

    def take(index):
        return [take(i) for i in index] if isinstance(index, list) else rows[index]

    taken, depth = take(indices.tolist()), len(params_nested_splits) + indices.ndim - 1
    splits = []
    for _level in range(depth):
        splits.append(np.cumsum([0, *map(len, taken)]))
        taken = sum(taken, [])
    values = np.empty((len(taken), *params_dense_values.shape[1:]), params_dense_values.dtype)
    values[:] = taken or values
    return *splits, values


def _ranges(starts, limits, deltas):
    triples = np.broadcast(starts, limits, deltas)
    rows = [np.arange(*triple) for triple in triples]
    dtype = np.result_type(starts, limits, deltas)
    return np.cumsum([0, *map(len, rows)]), np.concatenate([np.zeros(0, dtype), *rows])


def _dense(shape, values, default_value, row_partition_tensors, row_partition_types):
    partitions = list(zip(row_partition_types, row_partition_tensors, strict=True))
    inner = values.shape[1:]
    if row_partition_types[0] == "FIRST_DIM_SIZE":
        partitions = partitions[1:]
        counts = [int(row_partition_tensors[0])]
    else:
        counts = [len(row_partition_tensors[0]) - 1]
    all_ends = []
    for kind, partition in partitions:
        if kind == "VALUE_ROWIDS":
            lengths = [np.sum(partition == row) for row in range(counts[-1])]
            partition = np.cumsum([0, *lengths])
        all_ends.append(partition)
        counts.append(partition[-1])
    rows = _nested(all_ends, values)
    widest = [counts[0], *(max(np.diff(ends), default=0) for ends in all_ends), *inner]
    wanted = np.broadcast_to(shape, len(widest))
    size = [w if n == -1 else n for n, w in zip(wanted, widest, strict=True)]
    result = np.empty(size, values.dtype)
    result[...] = default_value
    for index in np.ndindex(*size[: len(all_ends) + 1]):
        entry = rows
        for i in index:
            entry = entry[i] if entry is not None and i < len(entry) else None
        if entry is not None:
            result[index] = entry
    return result


def _dense_case(label, shape, values, default, partitions):
    types, tensors = zip(*partitions, strict=True)
    return Case(
        "ragged_tensor_to_tensor",
        (given(shape), values, default, [given(t) for t in tensors]),
        _dense,
        {"row_partition_types": types},
        label,
    )


_IDS = ("VALUE_ROWIDS", [0, 0, 0, 2, 2, 2, 2, 3, 3])
_ENDS = ("ROW_SPLITS", [0, 3, 3, 7, 9])
_FOUR = ("FIRST_DIM_SIZE", 4)
_SPLITS = [given([0, 2, 2, 3, 5]), given([0, 1, 4, 4, 6, 7])]

CASES = [
    Case("ragged_gather_parts", ([_SPLITS[0]], floats(5), given([3, 0, 0, 1])), _gathered),
    Case("ragged_gather_parts", (_SPLITS, floats(7, 2), given([3, 0])), _gathered, {}, "deep"),
    Case(
        "ragged_gather_parts",
        (_SPLITS, ints(8), given([[3, 1, 2], [0, 0, 3]])),
        _gathered,
        {"output_ragged_rank": 3},
        "matrix of indices",
    ),
    Case("ragged_gather_parts", (_SPLITS, strings(7), given(3)), _gathered, {}, "one row"),
    Case(
        "ragged_gather_parts",
        ([_SPLITS[0]], floats(5, 2), given(np.zeros((2, 0)))),
        _gathered,
        {},
        "no indices",
    ),
    Case("ragged_range", (given([0, 5, 8, 5]), given([8, 7, 8, 1]), given([2, 1, 1, -1])), _ranges),
    Case("ragged_range", (given(2), ints(5, low=0), given(3)), _ranges, {}, "scalars"),
    Case(
        "ragged_range",
        (floats(3), given([2.5, 9.5, -7.0], np.float32), given(0.75, np.float32)),
        _ranges,
        {},
        "floats",
    ),
    Case("ragged_range", (given([]), given([]), given(1)), _ranges, {}, "no rows"),
    _dense_case("", [4, 4], floats(9), floats(), [_FOUR, _IDS]),
    _dense_case("splits, cut", [3, 3], floats(9), floats(), [_ENDS]),
    _dense_case("longest", [-1, -1, 2], floats(9, 2), floats(2), [_ENDS]),
    _dense_case("all unknown", -1, ints(9, 2), ints(), [_FOUR, _IDS]),
    _dense_case("strings", [5, -1], strings(9), strings(), [_ENDS]),
    _dense_case("rows only", [6, 2], floats(4, 2), floats(), [_FOUR]),
    _dense_case("no values", [-1, 2], floats(0), floats(), [("ROW_SPLITS", [0, 0])]),
    _dense_case(
        "deep",
        [5, -1, 3],
        floats(9),
        floats(),
        [
            ("FIRST_DIM_SIZE", 5),
            ("VALUE_ROWIDS", [0, 1, 1, 3, 3, 4]),
            ("ROW_SPLITS", [0, 0, 2, 3, 5, 8, 9]),
        ],
    ),
]

"""Ops on sparse tensors and segments, against loops over rows."""

import numpy as np

from tests.core.ops.records.case import Case, Draw, bools, floats, ints, strings


def given(values, dtype=np.int32) -> Draw:
    return lambda rng: np.array(values, dtype)


def _filled(indices, values, dense_shape, default_value):
    rows = {row: [] for row in range(dense_shape[0])}
    for place, (index, _) in enumerate(zip(indices, values, strict=True)):
        rows[index[0]].append(place)
    first = np.zeros(indices.shape[1], int)
    output, moved = [], {}
    for row, places in rows.items():
        for place in places:
            moved[place] = len(output)
            output.append((indices[place], values[place]))
        if not places:
            output.append((first + np.eye(len(first), dtype=int)[0] * row, default_value.item()))
    result = np.empty(len(output), values.dtype)
    result[:] = [value for _, value in output]
    return (
        np.array([index for index, _ in output], int).reshape(len(output), len(first)),
        result,
        np.array([not places for places in rows.values()], bool),
        np.array([moved[place] for place in range(len(indices))], int),
    )


def _reshaped(input_indices, input_shape, new_shape):
    unknown = np.prod(input_shape) // abs(np.prod(new_shape))
    shape = tuple(unknown if n == -1 else n for n in new_shape)
    flat = np.ravel_multi_index(tuple(input_indices.T), tuple(input_shape))
    return np.stack(np.unravel_index(flat, shape), axis=1), shape


def _segments(reduction):
    def oracle(data, indices, segment_ids):
        rows = max(segment_ids, default=-1) + 1
        result = np.zeros((rows, *data.shape[1:]), data.dtype)
        for row in set(segment_ids.tolist()):
            result[row] = (
                np.trunc(reduction(data[indices[segment_ids == row]], axis=0))
                if (data.dtype == np.int32)
                else reduction(data[indices[segment_ids == row]], axis=0)
            )
        return result

    return oracle


def _segment_cases(name, reduction):
    ids = (given([0, 3, 3, 1, 2]), given([0, 0, 1, 4, 4]))
    nothing = (given([]), given([]))
    oracle = _segments(reduction)
    return [
        Case(name, (floats(4, 3), *ids), oracle),
        Case(name, (floats(4), *ids), oracle, {}, "numbers"),
        Case(name, (ints(4, 2, 2), *ids), oracle, {}, "ints"),
        Case(name, (floats(4, 2), *nothing), oracle, {}, "no indices"),
        Case(name, (floats(4, 0), *ids), oracle, {}, "empty rows"),
    ]


def _dense(indices, values, default=0, *, output_shape):
    result = np.full(output_shape, default).astype(values.dtype)
    lists = indices if indices.ndim == 2 else indices.reshape(-1, 1)
    for place, value in zip(lists, np.broadcast_to(values, len(lists)), strict=True):
        result[tuple(place)] = value
    return result


def _dense_strings(indices, values, *, output_shape):
    return _dense(indices, values, b"", output_shape=output_shape)


def places(*shape: int) -> Draw:
    return ints(*shape, low=0, high=3)


def _dense_cases() -> list[Case]:
    square, line = {"output_shape": (3, 3)}, {"output_shape": (4,)}
    return [
        Case("sparse_to_dense", (places(5, 2), floats(5), floats()), _dense, square),
        Case("sparse_to_dense", (places(3), floats(3), None), _dense, line, "no default"),
        Case("sparse_to_dense", (places(3), floats(), floats(1)), _dense, line, "one value"),
        Case("sparse_to_dense", (places(), ints(1), ints()), _dense, line, "one place"),
        Case("sparse_to_dense", (places(2), bools(2), bools()), _dense, line, "bool"),
        Case("sparse_to_dense", (places(2), strings(2), strings()), _dense, line, "strings"),
        Case("sparse_to_dense", (places(2), strings(), None), _dense_strings, line, "one string"),
        Case("sparse_to_dense", (ints(0, 2), floats(0), floats()), _dense, square, "none"),
    ]


_PLACES = [[3, 1], [0, 2], [3, 0], [1, 1], [0, 0]]

CASES = [
    Case(
        "sparse_fill_empty_rows",
        (given(_PLACES), floats(5), given([6, 3]), floats()),
        _filled,
    ),
    Case(
        "sparse_fill_empty_rows",
        (given([[0], [1], [2]]), ints(3), given([3]), ints()),
        _filled,
        {},
        "all full",
    ),
    Case(
        "sparse_fill_empty_rows",
        (given(_PLACES), strings(5), given([4, 3]), strings()),
        _filled,
        {},
        "strings",
    ),
    Case(
        "sparse_fill_empty_rows",
        (given(np.zeros((0, 2))), floats(0), given([2, 3]), floats()),
        _filled,
        {},
        "all empty",
    ),
    Case(
        "sparse_fill_empty_rows",
        (given(np.zeros((0, 2))), floats(0), given([0, 3]), floats()),
        _filled,
        {},
        "no rows",
    ),
    Case(
        "sparse_reshape",
        (given([[0, 1, 2], [1, 0, 3], [1, 2, 0]]), given([2, 3, 4]), given([4, 6])),
        _reshaped,
    ),
    Case(
        "sparse_reshape",
        (given([[5], [23]]), given([24]), given([2, -1, 3])),
        _reshaped,
        {},
        "unknown length",
    ),
    Case(
        "sparse_reshape",
        (given(np.zeros((0, 2))), given([2, 3]), given([3, 2])),
        _reshaped,
        {},
        "no values",
    ),
    *_segment_cases("sparse_segment_sum", np.sum),
    *_segment_cases("sparse_segment_mean", np.mean),
    *_dense_cases(),
]

"""Sums and counts, against loops."""

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints


def _sums(x, segment_ids, num_segments):
    x = x.astype(int) if x.dtype == bool else x
    result = np.zeros((num_segments, *x.shape[segment_ids.ndim :]), x.dtype)
    for place in np.ndindex(segment_ids.shape):
        if 0 <= segment_ids[place] < num_segments:
            result[segment_ids[place]] += x[place]
    return result


def _counts(x, weights=None, *, size, binary_output=False):
    dtype = int if weights is None else weights.dtype
    weights = np.ones(x.shape) if weights is None or weights.size == 0 else weights
    result = np.zeros(size)
    for place in np.ndindex(x.shape):
        if x[place] < size:
            result[x[place]] += weights[place]
    return (result != 0 if binary_output else result).astype(dtype)


def _counts_of_rows(x, weights=None, *, size, binary_output=False):
    if x.ndim == 1:
        return _counts(x, weights, size=size, binary_output=binary_output)
    parts = [weights] * len(x) if weights is None or weights.size == 0 else weights
    rows = [
        _counts(row, part, size=size, binary_output=binary_output)
        for row, part in zip(x, parts, strict=True)
    ]
    return np.array(rows, int if weights is None else weights.dtype).reshape(len(x), size)


def _segment_cases() -> list[Case]:
    ids = ints(8, low=-1, high=5)
    return [
        Case("unsorted_segment_sum", (floats(8, 3), ids), _sums, {"num_segments": 4}),
        Case("unsorted_segment_sum", (floats(8), ids), _sums, {"num_segments": 4}, "vector"),
        Case(
            "unsorted_segment_sum",
            (floats(2, 4, 3), ints(2, 4, low=-1, high=3)),
            _sums,
            {"num_segments": 3},
            "ids of two axes",
        ),
        Case("unsorted_segment_sum", (ints(8, 2), ids), _sums, {"num_segments": 3}, "int32"),
        Case("unsorted_segment_sum", (bools(8, 2), ids), _sums, {"num_segments": 3}, "bool"),
        Case("unsorted_segment_sum", (complexes(8), ids), _sums, {"num_segments": 3}, "complex"),
        Case("unsorted_segment_sum", (floats(8), ids), _sums, {"num_segments": 0}, "no segments"),
        Case("unsorted_segment_sum", (floats(0, 2), ints(0)), _sums, {"num_segments": 2}, "empty"),
    ]


def _count_cases(name, oracle, draw) -> list[Case]:
    shape = draw(np.random.default_rng(0)).shape
    return [
        Case(name, (draw, floats(*shape)), oracle, {"size": 5}),
        Case(name, (draw, ints(*shape)), oracle, {"size": 9}, "int32"),
        Case(name, (draw, floats(0)), oracle, {"size": 5}, "no weights"),
        Case(name, (draw, None), oracle, {"size": 5}, "absent weights"),
        Case(name, (draw, None), oracle, {"size": 0}, "size 0"),
        Case(name, (ints(0), None), oracle, {"size": 3}, "empty"),
    ]


_NUMBERS = ints(3, 6, low=0, high=7)
_BINARY = {"size": 5, "binary_output": True}

CASES = [
    *_segment_cases(),
    *_count_cases("bincount", _counts, _NUMBERS),
    Case("bincount", (ints(low=0, high=5), None), _counts, {"size": 5}, "scalar"),
    *_count_cases("dense_bincount", _counts_of_rows, _NUMBERS),
    Case("dense_bincount", (_NUMBERS, floats(3, 6)), _counts_of_rows, _BINARY, "binary"),
    Case("dense_bincount", (ints(6, low=0, high=3), None), _counts_of_rows, _BINARY, "binary row"),
    Case("dense_bincount", (ints(2, 0), None), _counts_of_rows, {"size": 3}, "empty rows"),
]

"""Ragged tensors: named results, golden values, corners, what is refused."""

import numpy as np
import pytest

import core


def test_gathered_rows_come_by_name():
    rows = core.ragged_gather([[0, 3, 3, 7, 9]], np.arange(9.0), [2, 1, 0, 3], 1)
    (splits,) = rows.output_nested_splits
    assert splits.numpy().tolist() == [0, 4, 4, 7, 9]
    assert rows.output_dense_values.numpy().tolist() == [3, 4, 5, 6, 0, 1, 2, 7, 8]
    one = core.ragged_gather([[0, 3, 3, 7, 9]], np.arange(9.0), 2, 0)
    assert one.output_nested_splits == []
    assert one.output_dense_values.numpy().tolist() == [3, 4, 5, 6]


def test_gather_by_its_tensorflow_js_name():
    inputs = {
        "paramsNestedSplits": [[0, 1, 3, 3, 5, 6], [0, 0, 2, 3, 5, 8, 9]],
        "paramsDenseValues": np.arange(1, 10, dtype=np.float32),
        "indices": [2, 1, 0, 2, 3],
    }
    found = core.run_kernel("RaggedGather", inputs, {"outputRaggedRank": 2})
    assert [t.numpy().tolist() for t in found] == [
        [0, 0, 2, 3, 3, 5],
        [0, 2, 3, 3, 5, 8],
        [1, 2, 3, 4, 5, 6, 7, 8],
    ]


@pytest.mark.parametrize(
    "splits, values, indices, message",
    [
        ([[0, 3, 2, 7, 9]], np.zeros(9), [2, 10], r"^indices\[1\] = 10 is not in \[0, 4\)$"),
        ([[0, 3, 3]], np.zeros(3), [[0, 1], [-1, 2]], r"^indices\[1,0\] = -1 is not in \[0, 2\)$"),
        ([[0, 3, 3]], np.zeros(3), 2, r"^indices\[\] = 2 is not in"),
        ([[0, 3, 5, 2, 9]], np.zeros(9), [0], "^Ragged splits must be sorted in ascending order$"),
        ([[-1, 3, 2, 7, 10]], np.zeros(9), [0], "^Ragged splits must be non-negative$"),
        ([[0, 40, 20]], np.zeros(9), [0], "^Ragged splits must not point past values$"),
        ([[0, 3], [0, 1, 2]], np.zeros(2), [0], "^Ragged splits must not point past values$"),
        ([np.zeros(0, np.int32)], np.zeros(0), [0], "^Ragged splits may not be empty$"),
        ([np.zeros(0, np.int32)], 0.1, [0], "^params.rank must be nonzero$"),
        ([0], np.zeros(1), [0], "must be a vector"),
        ([], np.zeros(1), [0], "needs a list of tensors"),
    ],
)
def test_gather_refuses(splits, values, indices, message):
    with pytest.raises(core.CoreError, match=message):
        core.ragged_gather(splits, values, indices)


def test_a_row_taken_twice_gets_both_gradients():
    def loss(values):
        return core.sum(core.ragged_gather([[0, 2, 3]], values, [0, 1, 0]).output_dense_values)

    assert core.grad(loss)([1.0, 2.0, 3.0]).numpy().tolist() == [2, 2, 1]


def test_ranges_of_tensorflow():
    ranges = core.ragged_range([0, 5, 8, 5], [8, 7, 8, 1], [2, 1, 1, -1])
    assert ranges.rt_nested_splits.numpy().tolist() == [0, 4, 6, 6, 10]
    assert ranges.rt_dense_values.numpy().tolist() == [0, 2, 4, 6, 5, 6, 5, 4, 3, 2]
    assert ranges.rt_dense_values.dtype == "int32"
    ranges = core.ragged_range(0, [3, 0, 2], 1.0)
    assert ranges.rt_nested_splits.numpy().tolist() == [0, 3, 3, 5]
    assert ranges.rt_dense_values.dtype == "float32"


TOO_LONG = r"^Requires \(\(limit - start\) / delta\) <= 2147483647$"


@pytest.mark.parametrize(
    "starts, limits, deltas, message",
    [
        ([0, 1], [2, 3], [1, 0], "^Requires delta != 0$"),
        ([0.0, 0.0], [1.0, np.inf], [0.0, 1.0], "^Requires delta != 0$"),
        ([1.1, 0.1], [10.0, 1e10], [1.0, 1e-10], TOO_LONG),
        ([0.0, 0.0], [np.inf, 1.0], [1.0, 0.0], TOO_LONG),
        ([0.0], [np.nan], [1.0], TOO_LONG),
        ([0.0] * 3, [1e9] * 3, [1.0] * 3, "rows of 3000000000 numbers are too long"),
        ([0, 1], [2], 1, "^starts, limits, and deltas must have the same shape$"),
        ([[0]], [[2]], 1, "^starts must be a scalar or vector$"),
        ([0, 1], [[2]], [[1]], "^limits must be a scalar or vector$"),
        (0, 2, [[1]], "^deltas must be a scalar or vector$"),
    ],
)
def test_ranges_refuse(starts, limits, deltas, message):
    with pytest.raises(core.CoreError, match=message):
        core.ragged_range(starts, limits, deltas)


def dense(shape, values, default, *partitions):
    types, tensors = zip(*partitions, strict=True)
    tensors = [np.array(t, np.int32) for t in tensors]
    result = core.ragged_tensor_to_tensor(shape, values, default, tensors, types)
    return result.numpy().tolist()


ENDS = ("ROW_SPLITS", [0, 2, 2, 3])


def test_dense_tensors_of_tensorflow():
    assert dense([3, 2, 3], [0, 1, 2, 3], 5, ENDS, ("ROW_SPLITS", [0, 3, 3, 4])) == [
        [[0, 1, 2], [5, 5, 5]],
        [[5, 5, 5], [5, 5, 5]],
        [[3, 5, 5], [5, 5, 5]],
    ]
    three = [
        ("FIRST_DIM_SIZE", 5),
        ("VALUE_ROWIDS", [0, 1, 1]),
        ("VALUE_ROWIDS", [1, 1, 1, 2]),
        ("VALUE_ROWIDS", [0, 0, 1, 1, 2, 2, 3, 3]),
    ]
    assert dense([2, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8], 15, *three) == [
        [[[15, 15], [15, 15]], [[15, 15], [15, 15]]],
        [[[1, 2], [3, 4]], [[7, 8], [15, 15]]],
    ]


def test_unknown_lengths_are_those_of_the_longest_row():
    rows = [[1, 2], [9, 9], [3, 9]]
    assert dense(-1, [1, 2, 3], 9, ENDS) == dense([-1, -1], [1, 2, 3], 9, ENDS) == rows
    pairs = [[[1, 1], [2, 2]], [[0, 0], [0, 0]], [[3, 3], [0, 0]]]
    values = [[1, 1], [2, 2], [3, 3]]
    assert dense([-1, -1, -1], values, 0, ENDS) == dense([-1, 2, 2], values, 0, ENDS) == pairs


def test_a_default_as_large_as_a_value():
    assert dense([2, 2, 2], [[1, 2], [3, 4], [5, 6]], [8, 9], ENDS) == [
        [[1, 2], [3, 4]],
        [[8, 9], [8, 9]],
    ]
    assert dense([2, 1, 1, 2], [[[1, 2]]] * 3, [[7]], ENDS)[1] == [[[7, 7]]]


def test_the_gradient_of_a_default_counts_where_it_stands():
    def loss(default):
        ends = [np.array([0, 1, 1], np.int32)]
        return core.sum(core.ragged_tensor_to_tensor([2, 3], [5.0], default, ends, ["ROW_SPLITS"]))

    assert core.grad(loss)(1.0).item() == 5


@pytest.mark.parametrize(
    "shape, values, default, partitions, message",
    [
        ([3, 2, 1], [1, 2, 3], 0, [ENDS], r"=\[3, 2, 1\] are incompatible: rt input.rank = 2, but"),
        ([3, -2], [1, 2, 3], 0, [ENDS], "must be 2 lengths"),
        (5, [1, 2, 3], 0, [ENDS], "or the scalar -1"),
        ([[3, 2]], [1, 2, 3], 0, [ENDS], "vector or the scalar -1"),
        ([3, 2, 5], [[1, 1]] * 3, 0, [ENDS], r"shape\[2\] = 2 but shape\[2\] = 5"),
        ([3, 2], [1, 2, 3], [0], [ENDS], "fewer axes"),
        ([3, 2], 1, 0, [ENDS], "fewer axes"),
        ([3, 2, 2], [[1, 1]] * 3, [0, 0, 0], [ENDS], "does not fit into values"),
        ([3, 2], [1, 2, 3], 0.5, [ENDS], "int32 values cannot hold"),
        ([3, 2], [1, 2], 0, [ENDS], "need 3 values, there are 2"),
        ([3, 2], [1, 2, 3], 0, [("ROW_SPLITS", [1, 2])], "First split value must be 0, got 1"),
        ([3, 2], [1, 2, 3], 0, [("ROW_SPLITS", [0, 3, 2])], r"split value 3, .* \[0, 2\]"),
        ([3, 2], [1, 2, 3], 0, [("ROW_SPLITS", [])], "must not be empty"),
        ([3, 2], [1, 2, 3], 0, [("VALUE_ROWIDS", [0, 0, 1])], r"types\[0\]='VALUE_ROWIDS'"),
        ([3, 2], [1, 2, 3], 0, [("ROW_LENGTHS", [2, 1])], r"types\[0\]='ROW_LENGTHS'"),
        ([3, 2], [1, 2, 3], 0, [("FIRST_DIM_SIZE", [3]), ENDS], "must be a scalar"),
        ([3, 2], [1, 2, 3], 0, [("FIRST_DIM_SIZE", -1), ENDS], "for -1 rows"),
        ([3, 2], [1, 2, 3], 0, [("FIRST_DIM_SIZE", 2), ENDS], "made for 3 rows, but there are 2"),
        (
            [3, 2],
            [1, 2, 3],
            0,
            [("FIRST_DIM_SIZE", 3), ("VALUE_ROWIDS", [0, 1, 3])],
            "made for 4 rows, but there are 3",
        ),
        (
            [3, 2],
            [1, 2, 3],
            0,
            [("FIRST_DIM_SIZE", 3), ("VALUE_ROWIDS", [1, 0, 2])],
            "never be negative or fall",
        ),
        ([3, 2], [1, 2, 3], 0, [("FIRST_DIM_SIZE", 3), ("FIRST_DIM_SIZE", 3)], r"types\[1\]"),
    ],
)
def test_dense_refuses(shape, values, default, partitions, message):
    with pytest.raises(core.CoreError, match=message):
        dense(shape, values, default, *partitions)


def test_a_type_for_each_partition():
    with pytest.raises(core.CoreError, match="must be one for each of 1"):
        core.ragged_tensor_to_tensor([1, 1], [1], 0, [[0, 1]], ["ROW_SPLITS", "ROW_SPLITS"])

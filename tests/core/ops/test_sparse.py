"""Sparse tensors and segments: order, rounding, second derivatives, what is refused."""

import numpy as np
import pytest

import core


def lists(result):
    return [t.numpy().tolist() for t in result]


def test_filled_rows_of_tensorflow():
    filled = core.sparse_fill_empty_rows(
        [[0, 0], [1, 0], [1, 3], [1, 4], [3, 2], [3, 3]], [0, 10, 13, 14, 32, 33], [5, 6], -1
    )
    assert lists(filled) == [
        [[0, 0], [1, 0], [1, 3], [1, 4], [2, 0], [3, 2], [3, 3], [4, 0]],
        [0, 10, 13, 14, -1, 32, 33, -1],
        [False, False, True, False, True],
        [0, 1, 2, 3, 5, 6],
    ]
    assert filled.output_values.dtype == "int32"


def test_rows_are_sorted_and_keep_their_order():
    filled = core.sparse_fill_empty_rows([[2, 0], [0, 5], [2, 1], [0, 1]], [1, 2, 3, 4], [3, 6], 0)
    assert filled.output_values.numpy().tolist() == [2, 4, 0, 1, 3]
    assert filled.reverse_index_map.numpy().tolist() == [3, 0, 4, 1]


def test_a_default_takes_the_dtype_of_the_values():
    filled = core.sparse_fill_empty_rows([[1]], [2.5], [2], 7)
    assert filled.output_values.numpy().tolist() == [7, 2.5]
    assert filled.output_values.dtype == "float32"
    with pytest.raises(core.CoreError, match="float32, which int32 values cannot hold"):
        core.sparse_fill_empty_rows([[1]], [2], [2], 0.5)
    with pytest.raises(core.CoreError, match="do not mix"):
        core.sparse_fill_empty_rows([[1]], [2], [2], "x")


@pytest.mark.parametrize(
    "indices, shape, message",
    [
        ([[0, 0], [-1, 0]], [2, 2], r"^indices\(1, 0\) is invalid: -1 < 0$"),
        ([[2, 0], [-1, 0]], [2, 2], r"^indices\(0, 0\) is invalid: 2 >= 2$"),
        ([[0, 0], [-1, 0]], [0, 2], r"denseShape\[0\] = 0 but indices.shape\[0\] = 2"),
        ([[0, 0], [0, 0]], [-1, 2], r"denseShape\[0\] = -1"),
        ([[0, 0]], [2, 2], "a row for each of 2 values"),
        ([[0, 0], [1, 1]], np.zeros(0, np.int32), "a length for each column"),
        ([0, 0], [2, 2], "indices must be a matrix"),
        ([[0, 0], [1, 1]], 2, "dense_shape must be a vector"),
    ],
)
def test_filling_refuses(indices, shape, message):
    with pytest.raises(core.CoreError, match=message):
        core.sparse_fill_empty_rows(indices, [1.0, 2.0], shape, 0.0)


def test_filling_refuses_other_ranks_of_values():
    with pytest.raises(core.CoreError, match="values must be a vector"):
        core.sparse_fill_empty_rows([[0]], [[1.0]], [2], 0.0)
    with pytest.raises(core.CoreError, match="default_value must be a scalar"):
        core.sparse_fill_empty_rows([[0]], [1.0], [2], [0.0])


def test_reshape_of_places():
    result = core.sparse_reshape([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 2, 3]], [2, 3, 6], [9, -1])
    assert lists(result) == [[[0, 0], [0, 1], [1, 2], [8, 1]], [9, 4]]
    assert lists(core.sparse_reshape([[0]], [1], np.zeros(0, np.int32))) == [[[]], []]
    nothing = np.zeros((0, 2), np.int32)
    assert lists(core.sparse_reshape(nothing, [0, 4], [3, -1])) == [[], [3, 0]]


@pytest.mark.parametrize(
    "new_shape, message",
    [
        ([2, -1, -1, -2], "only one output dimension may be -1, not both 1 and 2"),
        ([-1, -2, -1], "^size 1 must be non-negative, not -2$"),
        ([-2, -3], "^size 0 must be non-negative, not -2$"),
        ([0, -1], "unless all specified input sizes are non-zero"),
        ([5, -1], "is a SparseTensor with 6 dense values.* requires a multiple of 5"),
        ([2, 2, 1], "Input to reshape is a tensor with 6 dense values.* has 4"),
        (np.zeros(0, np.int32), "is a tensor with 6 dense values.* has 1"),
    ],
)
def test_reshape_refuses_shapes(new_shape, message):
    with pytest.raises(core.CoreError, match=message):
        core.sparse_reshape([[1, 2]], [2, 3], new_shape)


def test_reshape_refuses_ranks():
    with pytest.raises(core.CoreError, match="input_indices must be a matrix"):
        core.sparse_reshape([1, 2], [2, 3], [6])
    with pytest.raises(core.CoreError, match="input_shape must be a vector"):
        core.sparse_reshape([[1, 2]], 6, [6])
    with pytest.raises(core.CoreError, match="new_shape must be a vector"):
        core.sparse_reshape([[1, 2]], [2, 3], 6)
    with pytest.raises(core.CoreError, match="a column for each of the 3 lengths"):
        core.sparse_reshape([[1, 2]], [2, 3, 1], [6])
    with pytest.raises(core.CoreError, match="negative length"):
        core.sparse_reshape([[1, 2]], [-2, -3], [6])


def test_means_of_whole_numbers_are_cut_off():
    data = np.array([7, -4, 2**31 - 1], np.int32)
    assert core.sparse_segment_mean(data, [0, 1, 1, 1], [0, 0, 2, 2]).numpy().tolist() == [1, 0, -4]
    assert core.sparse_segment_mean(data, [1, 1, 0], [0, 0, 0]).item() == 0
    assert core.sparse_segment_sum(data, [2, 2], [0, 0]).item() == -2  # it wraps around
    assert core.sparse_segment_sum([True, True], [0, 1], [0, 0]).dtype == "int32"


def test_sums_are_rounded_once():
    data = np.array([2**24, 1, 1], np.float32)
    assert core.sparse_segment_sum(data, [0, 1, 2], [0, 0, 0]).item() == 2**24 + 2


def test_not_a_number_stays_in_its_segment():
    found = core.sparse_segment_sum([[np.nan, 1], [np.inf, 2]], [0, 1, 1], [0, 2, 2]).numpy()
    np.testing.assert_array_equal(found, [[np.nan, 1], [0, 0], [np.inf, 4]])


@pytest.mark.parametrize("name", ["sparse_segment_sum", "sparse_segment_mean"])
def test_segments_refuse(name):
    op = getattr(core, name)
    for indices, ids, message in [
        ([5, 1], [0, -1], "^segment ids must be >= 0$"),
        ([5, 1], [-1, 0], r"^Segment id -1 out of range \[0, 1\), possibly because segmentIds "),
        ([5, 1], [1, 0], "^segment ids are not increasing$"),
        ([0, 5, 1, 0], [0, 1, 1, 0], "^segment ids are not increasing$"),
        ([0, 1, 5, 0], [0, 1, 2, 0], r"^Segment id 1 out of range \[0, 1\)"),
        ([2, 1, 1], [0, 1, 0], r"^Bad: indices\[0\] == 2 out of range \[0, 2\)$"),
        ([1, -1, 2], [0, 1, 1], r"^Bad: indices\[1\] == -1 out of range \[0, 2\)$"),
        ([0], [0, 1], "must be of one size"),
        ([[0]], [0], "indices must be a vector"),
        ([0], 0, "segment_ids must be a vector"),
    ]:
        with pytest.raises(core.CoreError, match=message):
            op([1.0, 2.0], indices, ids)
    with pytest.raises(core.CoreError, match="at least one axis"):
        op(1.0, [0], [0])


def test_the_cause_says_what_the_words_leave_out():
    with pytest.raises(core.CoreError, match="not increasing") as caught:
        core.sparse_segment_sum([1.0], [0, 0, 0], [1, 1, 0])
    assert str(caught.value.__cause__) == "segment_ids[1:3] = [1, 0]"


def test_second_derivatives(rng):
    x = rng.normal(size=4).astype(np.float32)

    def loss(x):
        return core.sum(core.pow(core.sparse_segment_mean(x, [0, 1, 1, 3], [0, 0, 2, 2]), 3.0))

    slopes = core.grad(lambda x: core.sum(core.grad(loss)(x) * x))(x).numpy()
    y0, y2 = (x[0] + x[1]) / 2, (x[1] + x[3]) / 2
    # The gradient is homogeneous of degree 2, so that this is three times it.
    first = 3 * np.array([y0**2 / 2, y0**2 / 2 + y2**2 / 2, 0, y2**2 / 2])
    np.testing.assert_allclose(slopes, 3 * first, rtol=1e-5, atol=1e-6)

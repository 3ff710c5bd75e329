"""Sums and counts where they are special. The values come from `tests.core.ops.records.segment`."""

import numpy as np
import pytest

import core


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.unsorted_segment_sum([1.0], [0, 1], 2), "for the first axes"),
        (lambda: core.unsorted_segment_sum([1.0], [0], -1), "0 or more"),
        (lambda: core.unsorted_segment_sum([1.0], [0], 1.5), "integer"),
        (lambda: core.unsorted_segment_sum([1.0], [0.0], 1), "got float32"),
        (lambda: core.unsorted_segment_sum(["a"], [0], 1), "got string"),
        (lambda: core.bincount([1.0], [], 2), "got float32"),
        (lambda: core.bincount([-1, 0], [], 2), "must not be negative, there is -1"),
        (lambda: core.bincount([1, 0], [1.0], 2), "must have the shape of x"),
        (lambda: core.bincount([1, 0], [], -1), "0 or more"),
        (lambda: core.dense_bincount(1, [], 2), "a vector or a matrix"),
        (lambda: core.dense_bincount([[[1]]], [], 2), "a vector or a matrix"),
        (lambda: core.dense_bincount([[-1]], [], 2), "must not be negative"),
        (lambda: core.confusion_matrix([[0]], [[0]], 2), "vectors of one length"),
        (lambda: core.confusion_matrix([0, 1], [0], 2), "vectors of one length"),
        (lambda: core.confusion_matrix([0], [0], 0), "num_classes=0"),
        (lambda: core.confusion_matrix([0], [0], 1.5), "integer"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_infinity_stays_in_its_segment():
    x = [[1.0, np.inf], [2.0, 3.0], [np.nan, 4.0]]
    total = core.unsorted_segment_sum(x, [0, 1, -1], 3)
    np.testing.assert_array_equal(total.numpy(), [[1, np.inf], [2, 3], [0, 0]])


def test_sums_are_rounded_once():
    x = np.array([1e8, 1.0, -1e8], np.float32)
    assert core.unsorted_segment_sum(x, [0, 0, 0], 1).item() == 1
    assert core.bincount([0, 0, 0], x, 1).item() == 1


def test_whole_numbers_stay_whole():
    total = core.unsorted_segment_sum([2**30, 2**30, 5], [0, 0, 1], 2)
    assert total.dtype == "int32" and total.tolist() == [-(2**31), 5]


def test_entries_left_out_have_no_slope():
    slope = core.grad(lambda x: core.sum(core.unsorted_segment_sum(x, [1, -1, 7, 0], 2) ** 2))
    assert slope([1.0, 2.0, 3.0, 4.0]).tolist() == [2, 0, 0, 8]


def test_dtypes_of_counts():
    x = core.tensor([0, 2, 2])
    assert core.bincount(x, size=3).dtype == "int32"
    assert core.bincount(x, [1.0, 1.0, 0.5], 3).tolist() == [1, 0, 1.5]
    assert core.bincount(x, np.zeros(0, np.float32), 3).dtype == "float32"
    assert core.bincount(x, [True, True, True], 3).dtype == "int32"


def test_a_row_that_says_only_whether():
    """TensorFlow.js counts all the same where the input is a vector."""
    assert core.dense_bincount([1, 1, 5], size=3, binary_output=True).tolist() == [0, 1, 0]


def test_counts_of_ragged_rows():
    splits, values = [0, 3, 3, 5], [1, 1, 7, 0, 2]
    expected = [[0, 2, 0], [0, 0, 0], [1, 0, 1]]
    assert core.ragged_bincount(splits, values, size=3).tolist() == expected
    once = core.ragged_bincount(splits, values, size=3, binary_output=True)
    assert once.dtype == "int32" and once.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 1]]
    weighted = core.ragged_bincount(splits, values, [0.5, 2.0, 9.0, 4.0, -1.0], size=3)
    assert weighted.tolist() == [[0, 2.5, 0], [0, 0, 0], [4, 0, -1]]
    assert core.ragged_bincount([0], [], size=2).shape == (0, 2)
    assert core.ragged_bincount([0, 0], np.zeros(0), size=2).tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("splits", "values", "match"),
    [
        ([0, 1], [1, 2], "splits of 2 values must go from 0 to 2"),
        ([1, 2], [1, 2], "splits of 2 values must go from 0 to 2"),
        ([], [], "must be vectors"),
        ([0, 2], [[1, 2]], "must be vectors"),
        ([0, 2], [1, -1], "negative|from 0"),
    ],
)
def test_impossible_ragged_counts(splits, values, match):
    with pytest.raises(core.CoreError, match=match):
        core.ragged_bincount(splits, values, size=3)


def test_confusion_leaves_out_unknown_classes():
    found = core.confusion_matrix([0, 2, -1, 1, 1], [1, 0, 0, 1, 3], 2)
    assert found.dtype == "int32" and found.tolist() == [[0, 1], [0, 1]]
    assert core.confusion_matrix(np.zeros(0), np.zeros(0), 2).tolist() == [[0, 0], [0, 0]]
    assert core.confusion_matrix([0.0, 1.0], [0, 0], 2).tolist() == [[1, 0], [1, 0]]


def test_kernels_of_tensorflow_js():
    x, weights = np.array([0, 1], np.int32), np.array([2.0, 3.0])
    (total,) = core.run_kernel(
        "UnsortedSegmentSum", {"x": weights, "segmentIds": x}, {"numSegments": 3}
    )
    assert total.tolist() == [2, 3, 0]
    (counts,) = core.run_kernel("Bincount", {"x": x, "weights": weights}, {"size": 2})
    assert counts.tolist() == [2, 3]
    (counts,) = core.run_kernel(
        "DenseBincount", {"x": x[None], "weights": []}, {"size": 2, "binaryOutput": False}
    )
    assert counts.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.bincount([1], [], (3,)),
        lambda: core.confusion_matrix([1], [1], (3,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()

"""Order, look-up and sets where they are special."""

import numpy as np
import pytest

import core


def test_equal_values_come_in_their_order():
    values, indices = core.topk([3, 9, 9, 1, 9], 3)
    assert values.tolist() == [9, 9, 9] and indices.tolist() == [1, 2, 4]
    found = core.topk(core.zeros((2, 65)), 64, False)
    assert found.indices.tolist() == [list(range(64))] * 2


def test_nan_counts_as_the_largest():
    values, indices = core.topk([1.0, np.nan, np.inf, np.nan, -np.inf], 4)
    np.testing.assert_array_equal(values.numpy(), [np.nan, np.nan, np.inf, 1])
    assert indices.tolist() == [1, 3, 2, 0]


def test_extremes_of_int32():
    values, indices = core.topk([-(2**31), 2**31 - 1, 0], 3)
    assert values.tolist() == [2**31 - 1, 0, -(2**31)] and indices.tolist() == [1, 2, 0]


def test_the_gradient_goes_to_the_values_taken():
    slope = core.grad(lambda x: core.sum(core.topk(x, 2).values * core.tensor([5.0, 7.0])))
    assert slope([[1.0, 3.0, 2.0], [4.0, 4.0, 4.0]]).tolist() == [[0, 5, 7], [5, 7, 0]]


def test_values_that_are_one_when_unique():
    x = np.array([np.nan, -0.0, 0.0, np.nan, 1.0], np.float32)
    values, indices = core.unique(x)
    np.testing.assert_array_equal(values.numpy(), [np.nan, 0, 1])
    assert np.signbit(values.numpy()[1])  # the first of them
    assert indices.tolist() == [0, 1, 1, 0, 2]
    rows, kinds = core.unique(np.stack([x, x[[3, 2, 1, 0, 4]]]))
    assert rows.shape == (1, 5) and kinds.tolist() == [0, 0]


def test_pairs_of_strings_are_compared_one_by_one():
    values, _ = core.unique([["ab", "c"], ["a", "bc"], ["ab", "c"]])
    assert values.tolist() == [[b"ab", b"c"], [b"a", b"bc"]]


def test_nan_belongs_to_the_start():
    row = [1.0, 2.0, np.nan]
    assert core.lower_bound(row, [np.nan, 1.5, 3.0]).tolist() == [0, 1, 2]
    assert core.upper_bound(row, [np.nan, 2.0]).tolist() == [0, 2]


def test_rows_may_be_spread_over_other_axes():
    rows, values = [[[1, 3]], [[5, 7]]], [[2, 4], [6, 4]]
    assert core.search_sorted(rows, values).tolist() == [[1, 2], [1, 0]]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.topk(1.0), "along an axis"),
        (lambda: core.topk([1j]), "complex64"),
        (lambda: core.topk(["a"]), "string"),
        (lambda: core.topk([1, 2], 3), "from 0 to 2"),
        (lambda: core.topk([1, 2], -1), "from 0 to 2"),
        (lambda: core.topk([1, 2], 1.5), "integer"),
        (lambda: core.unique(1), "axis 0 is outside"),
        (lambda: core.unique([1], axis=1), "axis 1 is outside"),
        (lambda: core.search_sorted([1], [1], "middle"), "side='middle'"),
        (lambda: core.search_sorted([[1], [2]], [[1]]), "all axes but the last"),
        (lambda: core.search_sorted(1, [1]), "all axes but the last"),
        (lambda: core.search_sorted(["a"], ["b"]), "got string"),
        (lambda: core.in_top_k([1.0, 2.0], 1), r"must be \[..., classes\]"),
        (lambda: core.in_top_k([[1.0, 2.0]], [1, 2]), r"must be \[..., classes\]"),
        (lambda: core.in_top_k([[1.0, 2.0]], [1], 0), "k=0 must be an integer, 1 or more"),
        (lambda: core.in_top_k([[1.0, 2.0]], [1], 3), "from 0 to 2"),
        (lambda: core.setdiff1d([[1]], [1]), "two vectors"),
        (lambda: core.setdiff1d([1], [1.0]), "x is int32 and y is float32"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_the_best_k():
    scores = np.array([[[0.1, 0.5, 0.4], [0.2, 0.2, 0.6]]])
    assert core.in_top_k(scores, [[0, 1]], 1).tolist() == [[False, False]]
    assert core.in_top_k(scores, [[2, 0]], 2).tolist() == [[True, True]]
    assert core.in_top_k(scores, [[2, 1]], 2).tolist() == [[True, False]]  # the first of equals
    assert core.in_top_k(scores, [[7, -1]], 3).tolist() == [[False, False]]


@pytest.mark.parametrize(
    "x, y, values, indices",
    [
        ([3, 1, 3, 2], [1, 5], [3, 3, 2], [0, 2, 3]),
        ([1.0, np.nan, -0.0, 2.0], [np.nan, 0.0], [1, 2], [0, 3]),
        ([np.nan, 1.0], [2.0], [np.nan, 1], [0, 1]),
        ([True, False], [True], [False], [1]),
        (["a", "été", "b"], ["été"], [b"a", b"b"], [0, 2]),
        (np.zeros(0), [1.0], [], []),
    ],
)
def test_differences_of_sets(x, y, values, indices):
    found = core.setdiff1d(x, y)
    np.testing.assert_array_equal(
        found.values.numpy(), np.array(values, found.values.numpy().dtype)
    )
    assert found.indices.tolist() == indices and found.indices.dtype == "int32"


def test_a_difference_has_a_gradient():
    slope = core.grad(lambda x: core.sum(core.setdiff1d(x, [2.0]).values * 3.0))
    assert slope([1.0, 2.0, 4.0]).tolist() == [3, 0, 3]


def test_kernels_of_tensorflow_js():
    values, indices = core.run_kernel("TopK", {"x": [1.0, 3.0]}, {"k": 1, "sorted": True})
    assert (values.tolist(), indices.tolist()) == ([3], [1])
    values, indices = core.run_kernel("Unique", {"x": [2, 2]}, {"axis": 0})
    assert (values.tolist(), indices.tolist()) == ([2], [0, 0])
    inputs = {"sortedSequence": [[1, 2]], "values": [[2]]}
    places = [
        core.run_kernel("SearchSorted", inputs, {"side": "right"}),
        core.run_kernel("UpperBound", inputs),
        core.run_kernel("LowerBound", inputs),
    ]
    assert [p.tolist() for (p,) in places] == [[[2]], [[2]], [[1]]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.topk([1, 2], (1,)),
        lambda: core.in_top_k([[1.0, 2.0]], [0], (1,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()

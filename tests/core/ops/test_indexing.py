"""Gather, scatter, masks and the indexing of tensors where they are special."""

import numpy as np
import pytest

import core

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("index", [-1, 2])
def test_indices_outside_of_an_axis(index):
    for call in (
        lambda: core.gather(X, [0, index]),
        lambda: core.gather_nd(X, [[index, 0]]),
        lambda: core.scatter_nd([[0], [index]], [1.0, 2.0], (2,)),
        lambda: core.tensor_scatter_update([1.0, 2.0], [[index]], [3.0]),
        lambda: core.sparse_to_dense([index], [1.0], output_shape=(2,)),
    ):
        with pytest.raises(core.CoreError, match=rf"index (value |\[)?{index}"):
            call()


def test_an_index_outside_of_one_axis_but_inside_of_all_values():
    with pytest.raises(core.CoreError, match=r"index \[0, 3\] does not lie in shape \(2, 3\)"):
        core.gather_nd([[1, 2, 3], [4, 5, 6]], [[0, 3]])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.gather(X, [0.0]), "needs bool or int32 as .*, got float32"),
        (lambda: core.gather(1.0, [0]), "axis 0 is outside"),
        (
            lambda: core.gather(X, [[0]], 0, 1),
            r"batchDims \(1\) must be less than or equal to axis \(0\)",
        ),
        (lambda: core.gather(X, [0], 2, 2), r"batchDims in the range of \[-1, 1\], but got 2"),
        (
            lambda: core.gather(X, [[0], [0], [0]], 1, 1),
            r"should be equal to indices.shape \(3, 1\)",
        ),
        (lambda: core.gather_nd(X, [[0, 0, 0, 0]]), "at most 3 numbers"),
        (lambda: core.gather_nd(X, 0), "at most 3 numbers"),
        (lambda: core.gather_nd(1.0, [0]), "at most 0 numbers"),
        (lambda: core.scatter_nd(0, [1.0], (2,)), "need an axis each"),
        (lambda: core.scatter_nd([0], 1.0, (2,)), "need an axis each"),
        (lambda: core.scatter_nd([[0], [1]], [1.0], (2,)), r"they need the shape \(2,\)"),
        (lambda: core.scatter_nd([[0, 0]], [1.0], (2,)), "do not fit indices"),
        (lambda: core.scatter_nd([0], [1.0], (5.5,)), "integers"),
        (lambda: core.scatter_nd([0], [1.0], (-1,)), "negative length"),
        (lambda: core.tensor_scatter_update([1.0], [[0]], [1]), "updates are int32.*float32"),
        (lambda: core.sparse_to_dense([[[0]]], [1.0], output_shape=(2,)), r"must be \[n, 1\]"),
        (lambda: core.sparse_to_dense([[0, 0]], [1.0], output_shape=(2,)), r"must be \[n, 1\]"),
        (lambda: core.sparse_to_dense([0], [1.0, 2.0], output_shape=(2,)), r"not \(\) or \(1,\)"),
        (
            lambda: core.sparse_to_dense([0], [1.0], [1.0, 2.0], output_shape=(2,)),
            "default_value must be one value",
        ),
        (lambda: core.where([1, 0], 1.0, 2.0), "bool condition"),
        (lambda: core.where([True], 1.0), "both a and b"),
        (lambda: core.boolean_mask(X, [1, 0]), "a mask is a bool tensor"),
        (lambda: core.boolean_mask(X, True), "a mask is a bool tensor"),
        (lambda: core.boolean_mask(X, [True]), "does not fit"),
        (lambda: core.boolean_mask(X, [True, False], 2), "does not fit"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_of_several_updates_for_a_place_the_last_counts():
    assert core.tensor_scatter_update([0, 0], [0, 0, 1, 0], [1, 2, 3, 4]).tolist() == [4, 3]
    assert core.sparse_to_dense([1, 1], [5, 6], -1, output_shape=(3,)).tolist() == [-1, 6, -1]

    def loss(updates):
        result = core.tensor_scatter_update(core.zeros((2,)), [[0], [0], [1]], updates)
        return core.sum(result * core.tensor([10.0, 1.0]))

    assert core.grad(loss)([1.0, 2.0, 3.0]).tolist() == [0, 10, 1]


def test_scattering_sums_exactly():
    ones = np.full(3, 0.1, np.float32)
    total = core.scatter_nd([[0]] * 3, ones, (1,)).item()
    assert total == np.float32(ones.astype(np.float64).sum())
    assert core.scatter_nd([0, 0], [2**31 - 1, 1], (1,)).tolist() == [-(2**31)]


def test_updates_at_whole_tensors():
    nothing = np.zeros((2, 0), np.int32)
    assert core.scatter_nd(nothing, [[1, 2], [3, 4]], (2,)).tolist() == [4, 6]
    assert core.gather_nd([1, 2], nothing).tolist() == [[1, 2], [1, 2]]
    slope = core.grad(lambda u: core.sum(core.tensor_scatter_update([0.0], nothing, u)))
    assert slope([[1.0], [2.0]]).tolist() == [[0], [1]]


def test_indices_have_no_slope():
    def loss(x):
        return core.sum(core.gather(x * x, core.cast(x, "int32")))

    assert core.grad(loss)([1.0, 1.0, 0.0]).tolist() == [2, 4, 0]


def test_gather_along_a_batch_has_second_derivatives():
    indices = [[2, 2], [0, 1]]

    def squares(t):
        taken = core.gather(t, indices, axis=1, batch_dims=1)
        return core.sum(taken * taken)

    second = core.grad(lambda t: core.sum(core.grad(squares)(t)))(X[:, :, 0])
    assert second.tolist() == [[0, 0, 4], [2, 2, 0]]


def test_the_coordinates_of_trues():
    mask = np.array([[[True, False], [False, True]], [[False, False], [True, False]]])
    found = core.where(mask)
    assert found.dtype == "int32"
    np.testing.assert_array_equal(found.numpy(), [[0, 0, 0], [0, 1, 1], [1, 1, 0]])
    assert core.where([False, False]).shape == (0, 1)
    assert core.where(core.tensor(True)).shape == (1, 0)


def test_where_broadcasts_and_has_a_gradient():
    chosen = core.where([[True], [False]], [1.0, 2.0], 5)
    assert chosen.tolist() == [[1, 2], [5, 5]]
    slope = core.grad(lambda a: core.sum(core.where([True, False], a, 0.0)))
    assert slope([3.0, 4.0]).tolist() == [1, 0]
    assert core.tensor([1, 2]).where([True, False], 9).tolist() == [1, 9]


@pytest.mark.parametrize(
    "axis, shape", [(0, (2,)), (1, (3,)), (-1, (4,)), (0, (2, 3)), (1, (3, 4))]
)
def test_masks(axis, shape, rng):
    mask = rng.random(shape) < 0.5
    index = (*[slice(None)] * (axis % 3), mask)
    found = core.boolean_mask(X, mask, axis)
    np.testing.assert_array_equal(found.numpy(), X[index])
    slope = core.grad(lambda t: core.sum(core.boolean_mask(t, mask, axis)))(X)
    expected = np.zeros_like(X)
    expected[index] = 1
    np.testing.assert_array_equal(slope.numpy(), expected)


S = np.s_


@pytest.mark.parametrize(
    "index",
    [
        *[0, -1, np.int64(1), np.uint8(1), (1, 2), (1, 2, 3), (-1, ..., -1), ..., None, ()],
        *[S[1:], S[::-1], S[:, ::-2], S[-9:9], S[5:], S[None, 1, ..., None], S[:, None, 1:2]],
        *[[0, 1, 1], [-1], [[0, 1], [1, -2]], np.array([1, 0]), np.array(1)],
        *[[True, False], np.array([[True, False, True], [False, True, False]])],
    ],
    ids=str,
)
def test_indexing_as_numpy_does(index):
    x = core.tensor(X)
    np.testing.assert_array_equal(x[index].numpy(), X[index])
    slope = core.grad(lambda t: core.sum(t[index] * 2.0))(x)
    expected = np.zeros_like(X)
    np.add.at(expected, index, 2)
    np.testing.assert_array_equal(slope.numpy(), expected)


def test_indexing_with_tensors():
    x = core.tensor(X)
    np.testing.assert_array_equal(x[core.tensor([-1, 0])].numpy(), X[[-1, 0]])
    np.testing.assert_array_equal(x[core.tensor(1)].numpy(), X[1])
    np.testing.assert_array_equal(x[x > 5].numpy(), X[X > 5])
    assert x[[]].shape == (0, 3, 4)
    assert core.tensor(["a", "b"])[1].item() == b"b"


@pytest.mark.parametrize(
    "index, message",
    [
        (2, "index 2 is outside of axis 0, which has length 2"),
        ((0, -4), "index -4 is outside of axis 1, which has length 3"),
        ((0, 0, 0, 0), "4 indices are too many"),
        ((..., ...), "more than one entry"),
        (S[::0], "must not be 0"),
        (True, "cannot index with True"),
        (1.5, "cannot index with 1.5"),
        ("a", "cannot index with 'a'"),
        (S[1.5:], "cannot index with 1.5"),
        ((0, [0, 1]), r"cannot index with \[0, 1\].*core.gather"),
        ([0, 2], "index 2 is outside of axis 0"),
        ([-3], "index -3 is outside of axis 0"),
        ([1.5], "an index is int32 or bool, got float32"),
        (["a"], "an index is int32 or bool, got string"),
        ([True], "does not fit"),
        (np.array(True), "a mask is a bool tensor"),
    ],
    ids=str,
)
def test_indices_that_make_no_sense(index, message):
    with pytest.raises(core.CoreError, match=message):
        core.tensor(X)[index]


def test_no_entries_of_a_scalar():
    for index in (0, [0], S[:]):
        with pytest.raises(core.CoreError):
            core.tensor(1.0)[index]


def test_iteration_stops():
    x = core.tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    a, b = x[0]
    assert (a.item(), b.item()) == (1, 2)
    assert list(core.zeros((0, 2))) == []
    assert 2 in core.tensor([1, 2]) and 3 not in core.tensor([1, 2])
    with pytest.raises(core.CoreError, match="axis 0 is outside"):
        list(core.tensor(1))
    assert core.grad(lambda t: sum(row * row for row in t))([1.0, 2.0]).tolist() == [2, 4]


def test_other_views_of_a_tensor():
    x = core.tensor(X)
    np.testing.assert_array_equal(x.T.numpy(), X.T)
    assert x.flatten().shape == (24,) and core.tensor(1).flatten().shape == (1,)
    assert core.tensor([[1, 2]]).tolist() == [[1, 2]]
    assert core.tensor([True]).tolist() == [True] and core.tensor(1.5).tolist() == 1.5


def test_kernels_of_tensorflow_js():
    """Each input and attribute under its name there."""
    calls = [
        ("GatherV2", {"x": X, "indices": [1]}, {"axis": 0, "batchDims": 0}, (1, 3, 4)),
        ("GatherNd", {"indices": [[1]], "params": X}, {}, (1, 3, 4)),
        ("ScatterNd", {"indices": [1], "updates": [1.0]}, {"shape": [2]}, (2,)),
        ("TensorScatterUpdate", {"tensor": [1.0], "indices": [0], "updates": [2.0]}, {}, (1,)),
        (
            "SparseToDense",
            {"defaultValue": 0, "sparseIndices": [1], "sparseValues": [2]},
            {"outputShape": [3]},
            (3,),
        ),
        (
            "StridedSlice",
            {"x": X},
            {
                "begin": [0],
                "end": [1],
                "strides": [1],
                "beginMask": 0,
                "endMask": 0,
                "ellipsisMask": 0,
                "newAxisMask": 0,
                "shrinkAxisMask": 1,
            },
            (3, 4),
        ),
    ]
    for name, inputs, attributes, shape in calls:
        (result,) = core.run_kernel(name, inputs, attributes)
        assert result.shape == shape, name


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.gather([1], [0], 0, (0,)),
        lambda: core.argmax([1, 2], (0,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()

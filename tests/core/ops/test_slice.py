"""Parts and joins where they are special. The values come from `tests.core.ops.records.slice`."""

import numpy as np
import pytest

import core

X = np.arange(60.0, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.slice(1.0, 0, 1), "do not fit the axes"),
        (lambda: core.slice([1, 2], -1, 1), "negative begin.*begin=-1"),
        (lambda: core.slice([1, 2], 0, -2), "leaves shape"),
        (lambda: core.slice([1, 2], 1, 2), "leaves shape"),
        (lambda: core.slice([1, 2], (0, 0), (1, 1)), "do not fit the axes"),
        (lambda: core.slice([1, 2], 0, (1, 1)), "do not fit the axes"),
        (lambda: core.strided_slice(X, (0,), (1,), (0,)), "must not be 0"),
        (lambda: core.strided_slice(X, (0, 0), (1,)), "differ in length"),
        (lambda: core.strided_slice(X, (0,), (1,), (1, 1)), "differ in length"),
        (lambda: core.strided_slice(X, (0,) * 4, (1,) * 4), "4 indices are too many"),
        (
            lambda: core.strided_slice(X, (0, 0), (1, 1), ellipsis_mask=3),
            "ellipsis_mask=3 marks more than one",
        ),
        (
            lambda: core.strided_slice(X, (1,), (0,), (-1,), shrink_axis_mask=1),
            "needs a positive stride",
        ),
        (
            lambda: core.strided_slice(X, (0, 4), (1, 5), shrink_axis_mask=2),
            "index 4 is outside of axis 1, which has length 4",
        ),
        (
            lambda: core.strided_slice(X, (-4,), (1,), shrink_axis_mask=1),
            "index -4 is outside of axis 0, which has length 3",
        ),
        (lambda: core.stack([[1, 2], [1]]), "different shapes"),
        (lambda: core.stack([[1], [1.0]]), r"different dtypes: \['float32', 'int32'\]"),
        (lambda: core.stack([[1], [2]], 2), "axis 2 is outside"),
        (lambda: core.stack([]), "list of tensors"),
        (lambda: core.unstack(1.0), "axis 0 is outside"),
        (lambda: core.unstack([1.0], 1), "axis 1 is outside"),
        (lambda: core.concat([[1.0], ["a"]]), "do not mix"),
        (lambda: core.concat([1.0, 2.0]), "axis 0 is outside"),
        (lambda: core.split([1, 2], [-1, -1]), "do not add up"),
        (lambda: core.split([1, 2], 0), "cannot split 2 into 0"),
        (lambda: core.split([1, 2], 1.5), "integers"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_masks_go_by_tensorflows_order():
    """At one place the ellipsis counts before the new axis, and that before the lost axis."""
    begin, end, strides = (1, 1), (2, 2), (1, 1)
    both = core.strided_slice(X, begin, end, strides, 0, 0, 1, 3, 0)
    np.testing.assert_array_equal(both.numpy(), X[..., None])
    new = core.strided_slice(X, begin, end, strides, new_axis_mask=1, shrink_axis_mask=3)
    np.testing.assert_array_equal(new.numpy(), X[None, 1])
    lost = core.strided_slice(X, begin, end, strides, begin_mask=1, shrink_axis_mask=1)
    np.testing.assert_array_equal(lost.numpy(), X[1, 1:2])


def test_an_axis_is_dropped_whatever_its_end_and_stride():
    taken = core.strided_slice(X, (2,), (0,), (7,), shrink_axis_mask=1)
    np.testing.assert_array_equal(taken.numpy(), X[2])


@pytest.mark.parametrize(
    "index",
    [np.s_[::2], np.s_[::-1], np.s_[2::-2, 1::3], np.s_[1, ..., ::-3], np.s_[:, None, 3:0:-2]],
)
def test_second_derivatives_of_parts(index):
    def cubes(t):
        part = t[index]
        return core.sum(part * part * part)

    second = core.grad(lambda t: core.sum(core.grad(cubes)(t)))(X)
    expected = np.zeros_like(X)
    expected[index] = 6 * X[index]
    np.testing.assert_array_equal(second.numpy(), expected)


def test_the_gradient_of_some_of_the_parts():
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    found = core.grad(lambda t: core.sum(core.unstack(t)[1]))(x)
    np.testing.assert_array_equal(found.numpy(), [[0, 0], [1, 1]])
    found = core.grad(lambda t: core.sum(core.split(t, 2, axis=1)[0]))(x)
    np.testing.assert_array_equal(found.numpy(), [[1, 0], [1, 0]])
    turned = x.astype(np.complex64)
    found = core.grad(lambda t: core.sum(core.real(core.unstack(t)[0])))(turned)
    np.testing.assert_array_equal(found.numpy(), [[1, 1], [0, 0]])


def test_joined_dtypes():
    assert core.concat([[1], [2.5]]).dtype == "float32"
    assert core.concat([[True], [2]]).dtype == "int32"
    assert core.concat([[1.0], [1j]]).dtype == "complex64"


def test_tensor_methods_that_join():
    x = core.tensor([1.0, 2.0])
    assert x.concat(np.array([3.0])).tolist() == x.concat([[3.0]]).tolist() == [1, 2, 3]
    assert x.concat([[3.0], [4.0]]).tolist() == [1, 2, 3, 4]
    assert x.stack([x, x], axis=1).shape == (2, 3)

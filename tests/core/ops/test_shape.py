"""Casts, order and repetition where they are special."""

import numpy as np
import pytest

import core


def test_casts_cut_off_and_wrap_around():
    x = [1.9, -1.9, np.nan, np.inf, -np.inf, 2.0**31, -(2.0**31), 4e9, -1e10, 1e20]
    expected = [1, -1, 0, 0, 0, -(2**31), -(2**31), -294967296, -1410065408, 0]
    np.testing.assert_array_equal(core.cast(x, "int32").numpy(), expected)
    np.testing.assert_array_equal(
        core.cast([0.0, -0.0, 0.5, np.nan, np.inf], "bool").numpy(),
        [False, False, True, True, True],
    )


def test_a_cast_of_complex_values_takes_the_real_part():
    x = core.tensor([0 + 5j, 1.7 + 2j, -2.5 - 1j])
    assert core.cast(x, "bool").tolist() == [False, True, True]
    assert core.cast(x, "int32").tolist() == [0, 1, -2]
    assert core.cast(x, "float32").tolist() == [0.0, pytest.approx(1.7), -2.5]


def test_a_cast_within_a_gradient():
    slope = core.grad(lambda x: core.sum(core.real(core.cast(x, "complex64") * (2 + 3j))))
    assert slope([1.0, 5.0]).numpy().tolist() == [2, 2]
    back = core.grad(lambda x: core.sum(core.cast(x, "float32") * 3.0))(np.array([1 + 1j]))
    assert back.dtype == "complex64" and back.numpy() == [3]


@pytest.mark.parametrize("dtype", ["float32", "bool", "int32"])
def test_strings_are_not_cast(dtype):
    with pytest.raises(core.CoreError, match="strings are not converted"):
        core.cast(["1"], dtype)
    with pytest.raises(core.CoreError, match="strings are not converted"):
        core.cast(core.zeros((1,), dtype), "string")


def test_shapes_that_do_not_broadcast():
    with pytest.raises(core.CoreError, match=r"\(2, 3\) and \(4, 1\) do not broadcast"):
        core.broadcast_args([2, 3], [4, 1])
    with pytest.raises(core.CoreError, match="two vectors"):
        core.broadcast_args([[2]], [1])
    with pytest.raises(core.CoreError, match=r"input_shape=\(3,\) is not the shape of x, \(1,\)"):
        core.broadcast_to([1.0], (3,), (3,))


def test_kernels_of_tensorflow_js():
    x = np.arange(3.0).reshape(3, 1)
    (wide,) = core.run_kernel("BroadcastTo", {"x": x}, {"shape": [3, 2], "inputShape": [3, 1]})
    np.testing.assert_array_equal(wide.numpy(), [[0, 0], [1, 1], [2, 2]])
    (turned,) = core.run_kernel("Reverse", {"x": x}, {"dims": [0]})
    np.testing.assert_array_equal(turned.numpy(), x[::-1])
    (grown,) = core.run_kernel("ExpandDims", {"input": x}, {"dim": -1})
    assert grown.shape == (3, 1, 1)


@pytest.mark.parametrize("shape", [(2, 3), (None, 3), [2, None], (None, None)])
def test_ensured_shapes(shape):
    x = core.zeros((2, 3))
    assert core.ensure_shape(x, shape).shape == (2, 3)
    assert core.grad(lambda t: core.sum(core.ensure_shape(t, shape)))(x).shape == (2, 3)


@pytest.mark.parametrize("shape", [(3, 2), (2,), (2, 3, None), ()])
def test_shapes_that_are_not_as_ensured(shape):
    with pytest.raises(core.CoreError, match=r"has shape \(2, 3\), not"):
        core.ensure_shape(core.zeros((2, 3)), shape)


def test_a_clone_shares_the_data():
    before = core.memory()["num_bytes"]
    x = core.zeros((5,))
    y = core.clone(x)
    assert y is not x and core.memory()["num_bytes"] - before == 20


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.tile([1, 2], (1, 2)), "one count for each axis"),
        (lambda: core.tile([1, 2], (-1,)), "one count for each axis"),
        (lambda: core.tile([1, 2], (1.5,)), "integers"),
        (lambda: core.reverse([1, 2], 1), "axis 1 is outside"),
        (lambda: core.reverse([1, 2], (0, -1)), "twice"),
        (lambda: core.transpose([[1]], (0,)), "each of the 2 axes"),
        (lambda: core.broadcast_to([[1]], (1,)), "does not broadcast"),
        (lambda: core.broadcast_to([1], (-1,)), "-1"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()

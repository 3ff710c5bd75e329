"""Morphological dilation: NaN, ties, refusals."""

import numpy as np
import pytest

import core


def row(*values):
    return np.float32(values).reshape(1, 1, -1, 1)


def test_nan_and_minus_infinity_are_passed_over():
    y = core.dilation2d(row(np.nan, 1, -np.inf, 3), core.zeros((1, 1, 1)), 1, "valid")
    np.testing.assert_array_equal(y.numpy().ravel(), [-(2.0**53), 1, -(2.0**53), 3])
    y = core.dilation2d(row(np.nan, 1, -np.inf, 3), core.zeros((1, 2, 1)), 1, "valid")
    np.testing.assert_array_equal(y.numpy().ravel(), [1, 1, 3])


def test_padding_is_never_the_largest():
    y = core.dilation2d(row(-5, -7), core.zeros((3, 3, 1)), 1, "same")
    np.testing.assert_array_equal(y.numpy().ravel(), [-5, -5])


def test_the_gradient_of_equals_goes_to_the_first():
    def call(x, filter):
        return core.dilation2d(x, filter, 1, "valid")

    dx, df = core.grads(call)(row(2, 2, 1), core.zeros((1, 2, 1)))
    np.testing.assert_array_equal(dx.numpy().ravel(), [1, 1, 0])
    np.testing.assert_array_equal(df.numpy().ravel(), [2, 0])


def test_sums_that_differ_by_less_than_float32_shows():
    """As in TensorFlow.js, which adds in float64."""
    x, filter = row(2.0**24, 2.0**24), np.float32([0, 0.5]).reshape(1, 2, 1)
    dx, df = core.grads(lambda x, f: core.dilation2d(x, f, 1, "valid"))(x, filter)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0, 1])
    np.testing.assert_array_equal(df.numpy().ravel(), [0, 1])


def test_whole_numbers_stay_whole():
    y = core.dilation2d(np.int32([[[[5], [7]]]]), np.int32([[[1]]]), 1, "same")
    assert y.dtype == "int32"
    np.testing.assert_array_equal(y.numpy().ravel(), [6, 8])


def test_strides_go_with_dilations():
    y = core.dilation2d(row(1, 2, 9, 4, 5, 6), core.zeros((1, 2, 1)), (1, 2), "valid", (1, 3))
    np.testing.assert_array_equal(y.numpy().ravel(), [4, 9])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x, f: core.dilation2d(x, core.ones((2, 2)), 1, "same"), "dilation2d needs x"),
        (lambda x, f: core.dilation2d(x, core.ones((2, 2, 3)), 1, "same"), "dilation2d needs x"),
        (lambda x, f: core.dilation2d(x, f, 1, "same", 1, "NCHW"), "must be 'NHWC'"),
        (lambda x, f: core.dilation2d(x, f, 1, "full"), "pad='full'"),
        (lambda x, f: core.dilation2d_backprop_input(x, x, f, 2, "same"), "dy has shape"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.ones((1, 4, 4, 1)), core.ones((2, 2, 1)))


def test_kernels_by_their_tensorflow_js_names():
    x, filter = row(1, 3, 2), core.zeros((1, 2, 1))
    how = {"strides": 1, "pad": "valid", "dilations": [1, 1]}
    (y,) = core.run_kernel("Dilation2D", {"x": x, "filter": filter}, how)
    np.testing.assert_array_equal(y.numpy().ravel(), [3, 3])
    inputs = {"x": x, "filter": filter, "dy": y}
    (dx,) = core.run_kernel("Dilation2DBackpropInput", inputs, how)
    (df,) = core.run_kernel("Dilation2DBackpropFilter", inputs, how)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0, 6, 0])
    np.testing.assert_array_equal(df.numpy().ravel(), [3, 3])


def test_second_derivatives_tell_apart_what_float32_does_not():
    x, filter = row(2.0**24, 2.0**24), np.float32([0, 0.5]).reshape(1, 2, 1)
    for backprop, g in (
        (core.dilation2d_backprop_input, row(3, 5)),
        (core.dilation2d_backprop_filter, np.float32([[[3], [5]]])),
    ):
        slope = core.grad(lambda dy, f=backprop: f(x, dy, filter, 1, "valid"))(row(1), dy=g)
        assert slope.item() == 5
        unmoved = core.grads(lambda a, b, f=backprop: f(a, row(1), b, 1, "valid"))(x, filter)
        assert [not s.numpy().any() for s in unmoved] == [True, True]

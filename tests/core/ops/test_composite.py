"""Functions made of ops, against NumPy and SciPy."""

from math import inf, nan

import numpy as np
import pytest
import scipy.special

import core


@pytest.fixture
def x(rng):
    return rng.uniform(-3, 3, (2, 3, 4)).astype(np.float32)


_AXES = [None, 0, -1, (0, 2), [1]]


def numpy_axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


@pytest.mark.parametrize("axis", _AXES)
@pytest.mark.parametrize("keep_dims", [False, True])
def test_moments(axis, keep_dims, backend, x):
    found = core.moments(x, axis, keep_dims)
    how = {"axis": numpy_axis(axis), "keepdims": keep_dims}
    for result, expected in [(found.mean, np.mean(x, **how)), (found.variance, np.var(x, **how))]:
        assert result.shape == np.shape(expected)
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_moments_of_whole_numbers(backend):
    mean, variance = core.moments([1, 2, 3, 4])
    assert (mean.item(), variance.item()) == (2.5, 1.25)


@pytest.mark.parametrize("axis", _AXES)
@pytest.mark.parametrize("keep_dims", [False, True])
def test_log_sum_exp(axis, keep_dims, backend, x):
    expected = scipy.special.logsumexp(x * 40.0, axis=numpy_axis(axis), keepdims=keep_dims)
    result = core.log_sum_exp(x * 40, axis, keep_dims)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)


def test_log_sum_exp_of_infinities(backend):
    rows = [[-inf, -inf], [inf, 1.0], [nan, 1.0], [-inf, 2.0]]
    np.testing.assert_array_equal(core.log_sum_exp(rows, 1).numpy(), [-inf, inf, nan, 2])


def test_the_slope_of_log_sum_exp_is_softmax(backend, x):
    slope = core.grad(lambda t: core.log_sum_exp(t, -1))(x).numpy()
    np.testing.assert_allclose(slope, scipy.special.softmax(x, axis=-1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("ord", ["euclidean", 2, 1, inf, -inf])
@pytest.mark.parametrize("axis", [None, 1, [-1]])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_norms_of_vectors(ord, axis, keep_dims, backend, x):
    order = None if ord == "euclidean" else ord
    y = x.reshape(-1) if axis is None else x
    along = axis[0] if isinstance(axis, list) else 0 if axis is None else axis
    expected = np.linalg.norm(y, order, axis=along)
    result = core.norm(x, ord, axis, keep_dims)
    kept = tuple(1 if axis is None or i == along % 3 else n for i, n in enumerate(x.shape))
    assert result.shape == (kept if keep_dims else np.shape(expected))
    np.testing.assert_allclose(result.numpy().ravel(), np.ravel(expected), rtol=1e-5)


@pytest.mark.parametrize("ord", ["euclidean", "fro", 1, inf, -inf])
@pytest.mark.parametrize("axis", [(0, 1), (1, 2), (2, 0)])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_norms_of_matrices(ord, axis, keep_dims, backend, x):
    order = "fro" if isinstance(ord, str) else ord
    expected = np.linalg.norm(x, order, axis=axis, keepdims=keep_dims)
    result = core.norm(x, ord, axis, keep_dims)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)


def test_norms_of_other_values(backend):
    assert core.norm(-3.0).item() == 3
    assert core.norm([3, 4]).item() == core.euclidean_norm([3, 4]).item() == 5
    assert core.norm([3 + 4j, 12.0]).item() == 13
    assert core.norm([3, -4], 1).dtype == "int32"
    assert core.euclidean_norm([[3.0, 4.0]], -1, True).numpy().tolist() == [[5.0]]


def test_the_slope_of_a_norm(backend, x):
    slope = core.grad(lambda t: core.norm(t, "euclidean", -1))(x).numpy()
    np.testing.assert_allclose(slope, x / np.linalg.norm(x, axis=-1, keepdims=True), rtol=1e-5)


def test_division_without_nan(backend):
    a, b = [-7.5, 0.0, 3.0, nan, 2.0, 5.0], [2.0, 0.0, 0.0, 0.0, nan, inf]
    np.testing.assert_array_equal(core.div_no_nan(a, b).numpy(), [-3.75, 0, 0, 0, nan, 0])
    whole = core.div_no_nan([[-7, 7]], [[2], [0]])
    assert whole.dtype == "int32"
    np.testing.assert_array_equal(whole.numpy(), [[-4, 3], [0, 0]])
    slopes = core.grads(core.div_no_nan)([3.0, 3.0], [0.0, 2.0])
    np.testing.assert_array_equal([s.numpy() for s in slopes], [[0, 0.5], [0, -0.75]])


def test_log_sigmoid(backend):
    x = np.array([-1000, -1.5, 0, 2, 50], np.float32)
    expected = scipy.special.log_expit(x.astype(np.float64))
    np.testing.assert_allclose(core.log_sigmoid(x).numpy(), expected, rtol=1e-6)
    slope = core.grad(core.log_sigmoid)(x).numpy()
    np.testing.assert_allclose(slope, scipy.special.expit(-x.astype(np.float64)), rtol=1e-5)
    assert core.log_sigmoid([1, 2]).dtype == "float32"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core.norm([1.0], 3), "ord=3 must be 'euclidean', 1, 2"),
        (lambda: core.norm([1.0], "fro"), "ord='fro' must be"),
        (lambda: core.norm([[1.0]], "fro"), r"rows and columns, such as axis=\(0, 1\)"),
        (lambda: core.norm([[1.0]], 2, (0, 1)), "ord=2 must be 'euclidean', 'fro'"),
        (lambda: core.norm(np.ones((1, 1, 1)), 1, (0, 1, 2)), "one axis of vectors or two"),
        (lambda: core.norm([[1.0]], 1, []), "one axis of vectors or two"),
        (lambda: core.norm([[1.0]], 1, 2), "axis 2 is outside"),
        (lambda: core.norm(["a"]), "got string"),
        (lambda: core.log_sigmoid([1j]), "expected real numbers, got complex64"),
        (lambda: core.moments(["a"]), "strings"),
        (lambda: core.log_sum_exp([1.0], 1), "axis 1 is outside"),
        (lambda: core.div_no_nan(["a"], ["b"]), "string"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()

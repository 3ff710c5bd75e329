"""Matrix products beyond the records."""

import numpy as np
import pytest

import core


@pytest.mark.parametrize("a", [(3,), (2, 3)])
@pytest.mark.parametrize("b", [(3,), (3, 4)])
def test_dot(a, b, rng):
    x, y = (rng.uniform(-1, 1, s).astype(np.float32) for s in (a, b))
    result = core.dot(x, y)
    np.testing.assert_allclose(result.numpy(), np.dot(x, y), rtol=1e-5, atol=1e-6)
    assert result.shape == np.dot(x, y).shape
    gradients = core.grads(lambda p, q: core.sum(core.dot(p, q)))(x, y)
    assert [g.shape for g in gradients] == [a, b]


def test_dot_of_nothing_is_zero():
    assert core.dot(np.zeros(0), np.zeros(0)).item() == 0
    np.testing.assert_array_equal(core.dot(np.zeros((2, 0)), np.zeros(0)).numpy(), [0, 0])


def test_outer_product():
    product = core.outer_product([1, 2, 3], [4, 5])
    assert product.dtype == "int32"
    np.testing.assert_array_equal(product.numpy(), [[4, 5], [8, 10], [12, 15]])
    slope = core.grad(lambda v: core.sum(core.outer_product(v, [4.0, 5.0])))([1.0, 2.0])
    np.testing.assert_array_equal(slope.numpy(), [9, 9])


def test_whole_numbers_wrap_around():
    product = core.matmul(np.array([[2 * 10**9] * 2], np.int32), [[1], [1]])
    assert product.item() == -294967296


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.matmul([1.0, 2.0], [[1.0], [2.0]]), "two axes or more"),
        (lambda: core.matmul([[1.0, 2.0]], [1.0, 2.0]), "two axes or more"),
        (lambda: core.matmul([[1.0, 2.0]], [[1.0, 2.0]]), "inner lengths 2 and 1"),
        (lambda: core.matmul(np.ones((2, 1, 2)), np.ones((3, 2, 1))), "do not broadcast"),
        (lambda: core.matmul(np.ones((1, 1), np.complex64), [[1.0]]), "got complex64"),
        (lambda: core.dot(1.0, [1.0]), "dot takes vectors and matrices"),
        (lambda: core.dot(np.ones((1, 1, 1)), [1.0]), "dot takes vectors and matrices"),
        (lambda: core.dot([1.0, 2.0], [1.0]), "inner lengths"),
        (lambda: core.outer_product([[1.0]], [1.0]), "takes vectors"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()

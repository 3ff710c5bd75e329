"""Decompositions of matrices."""

import numpy as np
import pytest

import core


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (1, 1), (2, 3, 2), (2, 2, 2, 3), (3, 0)])
@pytest.mark.parametrize("full", [False, True])
def test_qr(shape, full, rng):
    x = rng.uniform(-2, 2, shape).astype(np.float32)
    q, r = (t.numpy() for t in core.qr(x, full))
    rows, columns = shape[-2:]
    inner = rows if full else min(rows, columns)
    assert q.shape == (*shape[:-1], inner) and r.shape == (*shape[:-2], inner, columns)
    np.testing.assert_allclose(q @ r, x, atol=2e-6)
    np.testing.assert_allclose(r, np.triu(r), atol=2e-6)
    np.testing.assert_allclose(
        np.swapaxes(q, -1, -2) @ q, np.eye(inner) + 0 * q[..., :1, :1], atol=2e-6
    )


def test_signs_of_qr_are_those_of_tensorflow_js():
    q, r = core.qr([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    expected = [[-0.16903079, 0.9486834], [-0.5070925, -0.3162273], [-0.8451542, 0]]
    np.testing.assert_allclose(q.numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(r.numpy(), [[-5.916079, -8.282511], [0, 0.6324549]], atol=2e-6)


def test_qr_of_columns_of_zeros_stays_finite():
    for x in ([[0.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 2.0]], [[1.0, 2.0], [2.0, 4.0]]):
        q, r = (t.numpy() for t in core.qr(x))
        np.testing.assert_allclose(q @ r, x, atol=1e-6)
        np.testing.assert_allclose(q.T @ q, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 3, 3)])
def test_gradient_of_qr(shape, rng):
    x, direction = (rng.uniform(-2, 2, shape).astype(np.float32) for _ in range(2))
    weights = [rng.uniform(-1, 1, t.shape).astype(np.float32) for t in core.qr(x)]

    def loss(t):
        q, r = core.qr(t)
        return core.sum(q * weights[0]) + core.sum(r * weights[1])

    step = 1e-3
    slope = np.sum(core.grad(loss)(x).numpy() * direction)
    quotient = (loss(x + step * direction).item() - loss(x - step * direction).item()) / (2 * step)
    assert slope == pytest.approx(quotient, rel=2e-2, abs=2e-2)


def test_qr_takes_whole_numbers_and_refuses_the_rest():
    assert core.qr([[1, 2], [3, 4]])[1].dtype == "float32"
    with pytest.raises(core.CoreError, match="two axes or more"):
        core.qr([1.0, 2.0])
    with pytest.raises(core.CoreError, match="complex64"):
        core.qr(np.ones((2, 2), np.complex64))


def test_gram_schmidt_of_a_matrix(rng):
    x = rng.uniform(-1, 1, (3, 5)).astype(np.float32)
    y = core.gram_schmidt(core.tensor(x)).numpy()
    np.testing.assert_allclose(y @ y.T, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(y[0], x[0] / np.linalg.norm(x[0]), rtol=1e-5)
    np.testing.assert_allclose(np.tril(x @ y.T), x @ y.T, atol=1e-5)


def test_gram_schmidt_of_a_list():
    first, second = core.gram_schmidt([[3.0, 4.0], [1.0, 0.0]])
    np.testing.assert_allclose(first.numpy(), [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(second.numpy(), [0.8, -0.6], rtol=1e-6)


def test_gradient_of_gram_schmidt():
    # The length stays 1, so moving along the vector changes nothing.
    slope = core.grad(lambda x: core.sum(core.gram_schmidt([x])[0]))([3.0, 4.0])
    np.testing.assert_allclose(slope.numpy(), [0.2 - 0.168 + 0.0, -0.024], atol=1e-6)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.gram_schmidt([]), "one or more vectors"),
        (lambda: core.gram_schmidt([[1.0, 2.0], [1.0]]), "of one length"),
        (lambda: core.gram_schmidt([[1.0], [2.0]]), "depend on one another"),
        (lambda: core.gram_schmidt(core.ones((3, 2))), "depend on one another"),
        (lambda: core.gram_schmidt(core.ones((0, 2))), "one or more vectors"),
        (lambda: core.gram_schmidt(core.ones((2,))), "needs a matrix"),
        (lambda: core.band_part([1.0], 0, 0), "two axes or more"),
        (lambda: core.band_part([[1.0]], 2, 0), "num_lower=2"),
        (lambda: core.band_part([[1.0]], 0, 2), "num_upper=2"),
        (lambda: core.band_part([[1.0]], 0.5, 0), "got float32"),
        (lambda: core.band_part([[1.0]], [0], 0), "must be"),
        (lambda: core.band_part([["a"]], 0, 0), "got string"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_what_is_outside_of_the_band_does_not_matter():
    y = core.band_part([[1.0, np.nan], [np.inf, 2.0]], core.tensor(0), core.tensor(0))
    np.testing.assert_array_equal(y.numpy(), [[1, 0], [0, 2]])
    inputs = {"input": [[1, 2], [3, 4]], "numLower": 0, "numUpper": -1}
    (y,) = core.run_kernel("MatrixBandPart", inputs)
    np.testing.assert_array_equal(y.numpy(), [[1, 2], [0, 4]])

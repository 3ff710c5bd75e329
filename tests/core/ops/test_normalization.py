"""Normalisation beyond the records: infinities, ranks, errors."""

import numpy as np
import pytest

import core
from tests.helpers import require


def test_an_infinity_reaches_the_channels_around_it_alone():
    x = np.array([[[1, np.inf, 1, 1, 1]]], np.float32)
    y = core.local_response_normalization(x, depth_radius=1).numpy().ravel()
    np.testing.assert_allclose(y, [0, np.nan, 0, 0.5, 1 / np.sqrt(3)], rtol=1e-6)


def test_a_wide_window_takes_all_channels():
    x = core.tensor([[[3.0, 4.0]]])
    for radius in (1, 5, 1000):
        y = core.local_response_normalization(x, radius, bias=0.0)
        np.testing.assert_allclose(y.numpy().ravel(), [0.6, 0.8], rtol=1e-6)


def test_batch_norm_keeps_a_large_mean_apart():
    x = core.tensor([[1e6 + 1.0], [1e6 - 1.0]])
    y = core.batch_norm(x, [1e6], [1.0], variance_epsilon=0.0)
    np.testing.assert_array_equal(y.numpy().ravel(), [1, -1])


def test_the_factor_of_batch_norm_is_rounded_once(backend, rng):
    """Ones show it as it is."""
    variance, scale = rng.uniform(0.1, 9, (2, 500)).astype(np.float32)
    factor = scale / np.sqrt(variance.astype(np.float64) + 0.001)
    zero, one = np.zeros(500, np.float32), np.ones((1, 500), np.float32)
    for given, expected in ((scale, factor), (None, factor / scale)):
        found = core.batch_norm(one, zero, variance, None, given).numpy()
        np.testing.assert_array_equal(found[0], expected.astype(np.float32))


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_batch_norm_of_a_rank(rank, rng):
    function = getattr(core, f"batch_norm{rank}d")
    x = rng.uniform(-1, 1, (2, 3, 2, 4)[-rank:]).astype(np.float32)
    mean, variance = np.float32([0, 1, 2, 3]), np.float32([1, 2, 3, 4])
    expected = 2 * (x - mean) / np.sqrt(variance + 0.5) + 1
    y = function(x, mean, variance, np.ones(4), np.full(4, 2.0), 0.5)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(function(x, x, np.ones_like(x)).numpy(), np.zeros_like(x))
    with pytest.raises(core.CoreError, match=f"expected x with {rank} axes"):
        function(x[..., None], mean, variance)
    with pytest.raises(core.CoreError, match=f"expected x with {rank} axes"):
        function(x, np.ones((1,) * 5), variance)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([[1.0, 2.0]], [1.0, 2.0], [[1.0, 2.0]]), "variance of shape .* as many axes as mean"),
        (([[1.0, 2.0]], [1.0, 2.0], [1.0, 2.0], 1.0), "offset of shape .* as many axes"),
        (([[1.0, 2.0]], [1.0, 2.0], [1.0, 2.0], None, [[1.0]]), "scale of shape"),
        (([[1.0, 2.0]], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), "does not broadcast to that of x"),
        (([[1.0, 2.0]], [[1.0], [2.0]], [[1.0], [2.0]]), "does not broadcast to that of x"),
    ],
)
def test_batch_norm_refuses(arguments, message):
    with pytest.raises(core.CoreError, match=message):
        core.batch_norm(*arguments)


def test_local_response_normalization_refuses():
    with pytest.raises(core.CoreError, match="3 or 4 axes"):
        core.local_response_normalization([[1.0]])
    with pytest.raises(core.CoreError, match="depth_radius=1.5"):
        core.local_response_normalization([[[1.0]]], depth_radius=1.5)
    with pytest.raises(core.CoreError, match="0 or more"):
        core.local_response_normalization([[[1.0]]], depth_radius=-1)
    with pytest.raises(core.CoreError, match="has shape"):
        core.local_response_normalization_grad([[[1.0]]], [[[1.0, 2.0]]], [[[1.0]]])


def test_instance_norm_of_values_that_one_can_check(backend):
    x = np.array([[[1, 10], [3, 10]], [[5, -2], [5, 2]]], np.float32)
    y = core.instance_norm(x, [4, 1], [1, 0], epsilon=3.0).numpy()
    expected = [[[-1, 0], [3, 0]], [[1, -2 / np.sqrt(7)], [1, 2 / np.sqrt(7)]]]
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    one = core.instance_norm(np.full((2, 1, 1, 3), 7, np.float32), offset=[1, 2, 3])
    np.testing.assert_array_equal(one.numpy(), np.tile(np.float32([1, 2, 3]), (2, 1, 1, 1)))


@pytest.mark.parametrize("mean, deviation", [(0, 1), (1e3, 1), (1e6, 1), (1e4, 0.01), (0, 1e-3)])
def test_instance_norm_keeps_a_large_mean_apart(mean, deviation, backend, rng):
    """Values and gradients against float64; PyTorch 2.13 is off by 0.06 at 1e6."""
    x = (mean + deviation * rng.normal(size=(2, 20, 30, 3))).astype(np.float32)
    dy = rng.normal(size=x.shape).astype(np.float32)
    over = {"axis": (1, 2), "keepdims": True}
    centred = x.astype(np.float64)
    centred -= centred.mean(**over)
    factor = 1 / np.sqrt(np.square(centred).mean(**over) + 1e-5)
    normal = centred * factor
    slope = factor * (dy - dy.mean(**over) - normal * (dy * normal).mean(**over))
    y, dx = core.value_and_grad(core.instance_norm)(x, dy=dy)
    np.testing.assert_allclose(y.numpy(), normal, atol=2e-6)
    np.testing.assert_allclose(dx.numpy(), slope, atol=2e-6 * np.abs(slope).max())


@pytest.mark.parametrize("pixels", [(7,), (5, 6), (2, 3, 4), (2, 3, 1, 2)])
def test_instance_norm_is_that_of_pytorch(pixels, backend, rng):
    torch = require("torch")
    x, dy = rng.normal(1, 2, (2, 3, *pixels, 4)).astype(np.float32)
    scale, offset = rng.normal(size=(2, 4)).astype(np.float32)
    theirs = [
        torch.tensor(np.moveaxis(v, -1, min(1, v.ndim - 1)).copy(), requires_grad=True)
        for v in (x, scale, offset)
    ]
    expected = torch.nn.functional.instance_norm(theirs[0], None, None, *theirs[1:], eps=0.01)
    expected.backward(torch.tensor(np.moveaxis(dy, -1, 1).copy()))
    norm = core.value_and_grads(lambda *inputs: core.instance_norm(*inputs, epsilon=0.01))
    y, slopes = norm(x, scale, offset, dy=dy)
    np.testing.assert_allclose(y.numpy(), np.moveaxis(expected.detach().numpy(), 1, -1), atol=1e-5)
    for slope, tensor in zip(slopes, theirs, strict=True):
        grad = tensor.grad.numpy()
        grad = np.moveaxis(grad, 1, -1) if grad.ndim > 1 else grad
        np.testing.assert_allclose(slope.numpy(), grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.ones((2, 3)),), "3 axes or more, got shape"),
        ((np.ones((2, 3, 4)), np.ones(3)), r"scale of shape \(3,\) must be \(4,\)"),
        ((np.ones((2, 3, 4)), None, np.ones((1, 4))), r"offset of shape \(1, 4\) must be"),
        ((np.ones((2, 3, 4), np.complex64),), "got complex64"),
    ],
)
def test_instance_norm_refuses(arguments, message):
    with pytest.raises(core.CoreError, match=message):
        core.instance_norm(*arguments)


def test_kernels_by_their_names():
    one = np.ones((1, 1, 1, 1), np.float32)
    inputs = {"x": one * 3, "mean": [1.0], "variance": [3.0], "offset": [5.0], "scale": [2.0]}
    (y,) = core.run_kernel("FusedBatchNorm", inputs, {"varianceEpsilon": 1.0})
    assert y.item() == 7
    how = {"depthRadius": 1, "bias": 3.0, "alpha": 1.0, "beta": 0.5}
    (y,) = core.run_kernel("LRN", {"x": one}, how)
    assert y.item() == 0.5
    (dx,) = core.run_kernel("LRNGrad", {"x": one, "y": one * 0.5, "dy": one}, how)
    assert dx.item() == 0.375


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.local_response_normalization(core.ones((1, 1, 1)), (1, 2)),
        lambda: core.local_response_normalization(core.ones((1, 1, 1)), True),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()

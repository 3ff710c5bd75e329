"""Reading images at positions: PyTorch's values and gradients, special values, errors."""

from itertools import product

import numpy as np
import pytest

import core
from tests.core.ops.records.sampling import MODES
from tests.helpers import require

ROW = np.array([1, 2, 4, 8], np.float32).reshape(1, 1, 4, 1)
ACROSS = [-1.75, -1.25, -1, -0.625, -0.25, 0, 0.5, 1, 1.375, 2]
NAN, INF = np.nan, np.inf


def along_row(*across):
    """Positions on the middle of a row."""
    return np.array([[[[x, 0] for x in across]]], np.float32)


# Made with PyTorch 2.13: what is read, and how much it changes along x.
BILINEAR = {
    ("zeros", False): (
        [0, 0, 0.5, 1.25, 2, 3, 6, 4, 0, 0],
        [0, 2, 2, 2, 4, 4, 8, -16, 0, 0],
    ),
    ("zeros", True): (
        [0, 0.625, 1, 1.5625, 2.25, 3, 5, 8, 3.5, 0],
        [0, 1.5, 1.5, 1.5, 3, 3, 6, -12, -12, 0],
    ),
    ("border", False): (
        [1, 1, 1, 1.25, 2, 3, 6, 8, 8, 8],
        [0, 0, 0, 2, 4, 4, 8, 0, 0, 0],
    ),
    ("border", True): (
        [1, 1, 1, 1.5625, 2.25, 3, 5, 8, 8, 8],
        [0, 0, 0, 1.5, 3, 3, 6, 0, 0, 0],
    ),
    ("reflection", False): (
        [2, 1, 1, 1.25, 2, 3, 6, 8, 7, 3],
        [-4, 0, 0, 2, 4, 4, 8, 0, -8, -4],
    ),
    ("reflection", True): (
        [2.25, 1.375, 1, 1.5625, 2.25, 3, 5, 8, 5.75, 3],
        [-3, -1.5, 0, 1.5, 3, 3, 6, 0, -6, -3],
    ),
}
NEAREST = {
    ("zeros", False): [0, 0, 1, 1, 2, 4, 4, 0, 0, 0],
    ("zeros", True): [0, 1, 1, 2, 2, 4, 4, 8, 0, 0],
    ("border", False): [1, 1, 1, 1, 2, 4, 4, 8, 8, 8],
    ("border", True): [1, 1, 1, 2, 2, 4, 4, 8, 8, 8],
    ("reflection", False): [2, 1, 1, 1, 2, 4, 4, 8, 8, 4],
    ("reflection", True): [2, 1, 1, 2, 2, 4, 4, 8, 4, 4],
}


@pytest.mark.parametrize("padding_mode, align_corners", BILINEAR)
def test_bilinear_values_and_slopes(padding_mode, align_corners, backend):
    values, slopes = BILINEAR[padding_mode, align_corners]
    how = {"padding_mode": padding_mode, "align_corners": align_corners}
    y, slope = core.value_and_grad(lambda g: core.grid_sample(ROW, g, **how))(along_row(*ACROSS))
    np.testing.assert_array_equal(y.numpy().ravel(), values)
    np.testing.assert_array_equal(slope.numpy()[..., 0].ravel(), slopes)


@pytest.mark.parametrize("padding_mode, align_corners", NEAREST)
def test_nearest_values(padding_mode, align_corners, backend):
    how = {"mode": "nearest", "padding_mode": padding_mode, "align_corners": align_corners}
    grid = along_row(*ACROSS)
    y, slope = core.value_and_grad(lambda g: core.grid_sample(ROW, g, **how))(grid)
    np.testing.assert_array_equal(y.numpy().ravel(), NEAREST[padding_mode, align_corners])
    np.testing.assert_array_equal(slope.numpy(), np.zeros_like(grid))


@pytest.mark.parametrize("name", ["bilinear", "nearest"])
@pytest.mark.parametrize("align_corners", [False, True])
def test_the_map_that_moves_nothing(name, align_corners, backend, rng):
    image = rng.uniform(-1, 1, (2, 6, 7, 3)).astype(np.float32)
    theta = np.tile(np.eye(2, 3), (2, 1, 1))
    grid = core.affine_grid(theta, size=image.shape, align_corners=align_corners)
    y = core.grid_sample(image, grid, mode=name, align_corners=align_corners)
    np.testing.assert_allclose(y.numpy(), image, atol=2e-6)


@pytest.mark.parametrize(
    "align_corners, expected",
    [
        (
            False,
            [
                [-2 / 3, -1 / 6],
                [0, -0.5],
                [2 / 3, -5 / 6],
                [-1 / 6, 5 / 6],
                [0.5, 0.5],
                [7 / 6, 1 / 6],
            ],
        ),
        (True, [[-1.25, -0.5], [-0.25, -1], [0.75, -1.5], [-0.25, 1.5], [0.75, 1], [1.75, 0.5]]),
    ],
)
def test_affine_grid_values(align_corners, expected, backend):
    theta = [[[1, 0.5, 0.25], [-0.5, 1, 0]]]
    for size in [(2, 3), (1, 2, 3, 5)]:
        grid = core.affine_grid(theta, size=size, align_corners=align_corners)
        assert grid.shape == (1, 2, 3, 2)
        np.testing.assert_allclose(grid.numpy().reshape(-1, 2), expected, atol=1e-6)


def test_its_gradient_needs_no_kernel_of_its_own():
    """It is made of ops, and has slopes itself."""
    theta = core.tensor([[[1, 0.5, 0.25], [-0.5, 1, 0]]])

    def energy(theta):
        grid = core.affine_grid(theta, size=(3, 4))
        return core.sum(grid * grid)

    with core.debug_mode():
        found = core.profile(lambda: core.grad(energy)(theta))
    assert sum(k["op"] == "affine_grid" for k in found.kernels) == 1
    curve = core.grad(lambda t: core.sum(core.grad(energy)(t)))(theta)
    # Twice the sums of x, y, 1 over the grid times (x, y, 1): a diagonal, as the grid is even.
    across, down = 3 * 2 * (0.75**2 + 0.25**2), 4 * 2 * (2 / 3) ** 2
    np.testing.assert_allclose(curve.numpy(), [[[2 * across, 2 * down, 24]] * 2], rtol=1e-6)


def test_one_pixel_has_its_centre_in_the_middle():
    for align_corners in (False, True):
        grid = core.affine_grid([[[1, 0, 0], [0, 1, 0]]], size=(1, 3), align_corners=align_corners)
        np.testing.assert_array_equal(grid.numpy()[..., 1], np.zeros((1, 1, 3)))


def far_and_near(rng, new):
    """Positions in two images, some exactly on the borders, some far away."""
    grid = rng.uniform(-1.3, 1.3, (2, *new, 2))
    grid[1] *= rng.choice([1, 4, 60], new)[..., None]
    marked = rng.uniform(size=grid.shape) < 0.3
    grid[marked] = rng.choice([-1, 1, 0, 0.5, -0.5, 3, -3, 1e4], marked.sum())
    return grid.astype(np.float32)


def channels_first(torch, array):
    return torch.tensor(np.moveaxis(array, -1, 1).copy(), requires_grad=True)


def channels_last(tensor):
    return np.moveaxis(tensor.detach().numpy(), 1, -1)


def assert_near(found, expected):
    scale = max(np.abs(expected).max(), 1)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5 * scale)


@pytest.mark.parametrize("how", MODES, ids=lambda how: " ".join(map(str, how.values())))
def test_grid_sample_is_that_of_pytorch(how, backend, rng):
    torch = require("torch")
    for old, new in product([(1, 1), (1, 4), (5, 1), (4, 6), (17, 30)], [(1, 1), (3, 5), (9, 8)]):
        x = rng.normal(size=(2, *old, 3)).astype(np.float32)
        grid, dy = far_and_near(rng, new), rng.normal(size=(2, *new, 3)).astype(np.float32)
        images, places = channels_first(torch, x), torch.tensor(grid, requires_grad=True)
        expected = torch.nn.functional.grid_sample(images, places, **how)
        expected.backward(channels_first(torch, dy))
        read = core.value_and_grads(lambda x, grid: core.grid_sample(x, grid, **how))
        y, (dx, dgrid) = read(x, grid, dy=dy)
        assert_near(y, channels_last(expected))
        assert_near(dx, channels_last(images.grad))
        assert_near(dgrid, places.grad.numpy())


@pytest.mark.parametrize("how", MODES, ids=lambda how: " ".join(map(str, how.values())))
def test_special_positions_are_those_of_pytorch(how, backend):
    torch = require("torch")
    special = along_row(NAN, INF, -INF, 1e30, -1e30, 3e9, -3e9)
    for x in (ROW, ROW.reshape(1, 4, 1, 1), ROW.reshape(1, 2, 2, 1)):
        for grid in (special, special[..., ::-1].copy()):
            expected = torch.nn.functional.grid_sample(
                channels_first(torch, x), torch.tensor(grid), **how
            )
            y = core.grid_sample(x, grid, **how)
            np.testing.assert_array_equal(y.numpy(), channels_last(expected))


@pytest.mark.filterwarnings("ignore:Since version 1.3.0, affine_grid")  # of a single pixel
@pytest.mark.parametrize("align_corners", [False, True])
def test_affine_grid_is_that_of_pytorch(align_corners, backend, rng):
    torch = require("torch")
    for size in [(1, 1), (1, 5), (4, 1), (7, 9), (200, 300)]:
        theta = rng.uniform(-2, 2, (3, 2, 3)).astype(np.float32)
        dy = rng.uniform(0, 1, (3, *size, 2)).astype(np.float32)
        matrices = torch.tensor(theta, requires_grad=True)
        shape = (3, 1, *size)
        expected = torch.nn.functional.affine_grid(matrices, shape, align_corners=align_corners)
        expected.backward(torch.tensor(dy))
        make = core.value_and_grad(
            lambda t, s=size: core.affine_grid(t, size=s, align_corners=align_corners)
        )
        grid, slope = make(theta, dy=dy)
        assert_near(grid, expected.detach().numpy())
        assert_near(slope, matrices.grad.numpy())


def test_a_warp_is_that_of_pytorch_down_to_its_matrix(backend, rng):
    torch = require("torch")
    x = rng.normal(size=(2, 9, 7, 3)).astype(np.float32)
    theta = rng.uniform(-1, 1, (2, 2, 3)).astype(np.float32)

    def warp(theta):
        return core.grid_sample(x, core.affine_grid(theta, size=(5, 6)), padding_mode="reflection")

    y, slope = core.value_and_grad(warp)(theta)
    matrices = torch.tensor(theta, requires_grad=True)
    grid = torch.nn.functional.affine_grid(matrices, (2, 3, 5, 6), align_corners=False)
    expected = torch.nn.functional.grid_sample(
        channels_first(torch, x), grid, padding_mode="reflection", align_corners=False
    )
    expected.sum().backward()
    np.testing.assert_allclose(y.numpy(), channels_last(expected), atol=1e-5)
    np.testing.assert_allclose(slope.numpy(), matrices.grad.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("how", MODES[:6], ids=lambda how: " ".join(map(str, how.values())))
def test_positions_that_are_no_numbers_have_gradients_without_a_crash(how, backend):
    """PyTorch 2.13 reads memory that is not its own here."""
    grid = along_row(NAN, INF, -INF, 1e30, -1e30)
    dx, dgrid = core.grads(lambda x, g: core.grid_sample(x, g, **how))(ROW, grid)
    outside = how["padding_mode"] == "zeros"
    assert dx.numpy().sum() == (0 if outside else 5)
    np.testing.assert_array_equal(dgrid.numpy()[..., 0], np.zeros((1, 1, 5)))


def test_a_third_derivative_mixes_x_y_and_the_image():
    """In the middle of four pixels the product of both coordinates has the weight of a saddle."""
    square, grid = np.float32([[1, 2], [3, 7]]).reshape(1, 2, 2, 1), along_row(0.25)

    def slope_along(place, function):
        return lambda x, g: core.sum(core.grads(function)(x, g)[1][..., place])

    def read(x, g):
        return core.grid_sample(x, g, align_corners=True)

    saddle = slope_along(1, slope_along(0, read))
    assert saddle(square, grid).item() == (1 - 2 - 3 + 7) / 4
    dx, dgrid = core.grads(saddle)(square, grid)
    np.testing.assert_array_equal(dx.numpy().ravel(), [0.25, -0.25, -0.25, 0.25])
    np.testing.assert_array_equal(dgrid.numpy(), np.zeros_like(grid))


SQUARE = np.ones((1, 2, 2, 1), np.float32)
PLACE = np.zeros((1, 1, 1, 2), np.float32)


@pytest.mark.parametrize(
    "arguments, how, message",
    [
        ((SQUARE, PLACE), {"mode": "bicubic"}, r"mode='bicubic' must be one of \('bilinear'"),
        ((SQUARE, PLACE), {"padding_mode": "wrap"}, "padding_mode='wrap' must be one of"),
        ((SQUARE, PLACE), {"align_corners": "yes"}, "needs True or False as 'align_corners'"),
        ((SQUARE[0], PLACE), {}, "expected .batch, height, width, channels. images"),
        ((SQUARE, PLACE[0]), {}, r"grid must be \[batch, new height, new width, 2\], got"),
        ((SQUARE, PLACE[..., :1]), {}, r"got shape \(1, 1, 1, 1\)"),
        ((SQUARE, np.zeros((3, 1, 1, 2))), {}, "3 grids for 1 images"),
        ((np.ones((1, 0, 2, 1), np.float32), PLACE), {}, "nothing to read"),
        ((SQUARE, PLACE.astype(np.complex64)), {}, "needs .* as 'grid', got complex64"),
    ],
)
def test_grid_sample_refuses(arguments, how, message):
    with pytest.raises(core.CoreError, match=message):
        core.grid_sample(*arguments, **how)


def test_its_gradients_refuse():
    with pytest.raises(core.CoreError, match="along='z' must be one of"):
        core.grid_sample_slope(SQUARE, PLACE, along="z")
    dy, shape = core.ones((1, 1, 1, 1)), (1, 2, 2, 1)
    with pytest.raises(core.CoreError, match="mode='nearest' must be 'bilinear'"):
        core.grid_sample_backprop_input(dy, PLACE, input_shape=shape, along="x", mode="nearest")
    with pytest.raises(core.CoreError, match="dy has shape"):
        core.grid_sample_backprop_input(dy, PLACE, input_shape=(1, 2, 2, 3))


@pytest.mark.parametrize(
    "theta, size, message",
    [
        (np.zeros((1, 3, 4)), (2, 2), r"theta must be \[batch, 2, 3\], got shape \(1, 3, 4\)"),
        (np.zeros((2, 3)), (2, 2), "theta must be"),
        (np.zeros((1, 2, 3)), (2, 2, 2), "must be .height, width. or .batch"),
        (np.zeros((1, 2, 3)), (2, 2, 2, 1), "has a batch of 2, theta one of 1"),
        (np.zeros((1, 2, 3)), (0, 2), "size"),
        (np.zeros((1, 2, 3)), (2, 2.5), "integers"),
        (np.zeros((1, 2, 3)), 5, "must be .height, width."),
        (np.zeros((1, 2, 3)), (1 << 17, 2), "too large"),
        (np.zeros((1, 2, 3), np.complex64), (2, 2), "complex64"),
    ],
)
def test_affine_grid_refuses(theta, size, message):
    with pytest.raises(core.CoreError, match=message):
        core.affine_grid(theta, size=size)


def test_affine_grid_refuses_a_word_for_a_flag():
    with pytest.raises(core.CoreError, match="needs True or False as 'align_corners', got 'no'"):
        core.affine_grid(np.zeros((1, 2, 3)), size=(2, 2), align_corners="no")

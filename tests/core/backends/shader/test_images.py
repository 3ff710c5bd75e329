"""Image and signal kernels on larger inputs than the cases of ops: what the cpu backend gives."""

import numpy as np
import pytest

import core
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand, Table
from core.backends.shader.kernels.normalization import batch_norm
from core.engine.specs import Spec


def check(compute, *arrays, tolerance=1e-5):
    with core.backend("cpu"):
        expected = compute(*arrays).numpy()
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(
        compute(*arrays).numpy(), expected, rtol=tolerance, atol=tolerance * largest
    )


@pytest.mark.parametrize("length", [521, 600, 1024, 2 * 521])
def test_long_transforms(length, path, rng):
    x = (rng.normal(size=(2, length)) + 1j * rng.normal(size=(2, length))).astype(np.complex64)
    wide = x.astype(np.complex128)
    for ours, theirs in ((core.fft, np.fft.fft), (core.ifft, np.fft.ifft)):
        expected = theirs(wide)
        error = np.linalg.norm(ours(x).numpy() - expected) / np.linalg.norm(expected)
        assert error < 2e-7


@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_positions_give_back_to_pixels(mode, padding_mode, path, rng):
    """A smooth grid of several squares, and a wild one."""
    size = (1, 40, 37, 2)
    theta = np.array([[[0.9, 0.2, 0.1], [-0.3, 1.1, -0.2]]], np.float32)
    smooth = core.affine_grid(theta, size=size).numpy()
    for grid in (smooth, rng.uniform(-1.5, 1.5, smooth.shape).astype(np.float32)):
        dy = rng.normal(size=size).astype(np.float32)
        how = {"mode": mode, "padding_mode": padding_mode, "align_corners": False}
        check(lambda dy, g, h=how: core.grid_sample_backprop_input(dy, g, size, "", **h), dy, grid)


@pytest.mark.parametrize("fill_mode", ["constant", "reflect", "wrap", "nearest"])
@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
def test_warps_beyond_the_image(interpolation, fill_mode, path, rng):
    image = rng.normal(size=(2, 20, 17, 3)).astype(np.float32)
    maps = [
        [1, 0, -30.5, 0, 1, 41.25, 0, 0],
        [1.3, 0.4, -7, -0.5, 0.9, 3, 0.011, -0.007],
        [0.5, 0, 0, 0, 0.5, 0.5, -0.125, 0],
        [1e30, 0, 0, 0, np.nan, 0, 0, 0],
    ]
    for row in maps:
        transform = np.array([row], np.float32)
        how = interpolation, fill_mode, 9.0, (30, 33)
        check(lambda x, t, h=how: core.transform(x, t, *h), image, transform)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_crops_end_on_the_last_pixel(method, path, rng):
    """Corners that fall on pixels are in the image, however the steps in between are rounded."""
    image = rng.normal(size=(1, 50, 50, 1)).astype(np.float32)
    for new in (2, 8, 50, 99):
        crops = core.crop_and_resize(image, [[0, 0, 1, 1]], [0], (new, new), method, np.nan)
        assert np.isfinite(crops.numpy()).all()
        np.testing.assert_array_equal(crops.numpy()[0, -1, -1], image[0, -1, -1])


def test_a_box_in_no_image_gives_nan(path):
    crops = core.crop_and_resize(np.ones((2, 3, 3, 1)), [[0, 0, 1, 1]] * 3, [2, 1, -1], (2, 2))
    found = crops.numpy().reshape(3, 4)
    assert np.isnan(found[[0, 2]]).all() and (found[1] == 1).all()


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
@pytest.mark.parametrize("how", [(False, False), (True, False), (False, True)])
def test_resizes_there_and_back(name, how, path, rng):
    image = rng.normal(size=(1, 31, 47, 3)).astype(np.float32)
    for size in ((31, 90), (7, 11), (64, 47)):
        dy = rng.normal(size=(1, *size, 3)).astype(np.float32)
        check(lambda x, s=size: getattr(core, name)(x, s, *how), image)
        check(lambda d, x, s=size: getattr(core, f"{name}_grad")(d, x, s, *how), dy, image)


def test_the_factor_of_a_constant_batch_norm_is_a_table(rng):
    scale, variance = rng.uniform(0.1, 2, (2, 3)).astype(np.float32)
    spec = Spec((3,))
    x, mean = Operand(0, Spec((2, 3))), Operand(1, spec)
    constants = Operand(2, spec, variance), None, Operand(3, spec, scale)
    made = batch_norm(KernelBuilder(x.spec), x, mean, *constants, variance_epsilon=0.5)
    factor = made.inputs["factor"]
    assert isinstance(factor, Table)
    np.testing.assert_allclose(factor.array, scale / np.sqrt(variance + 0.5), rtol=1e-6)

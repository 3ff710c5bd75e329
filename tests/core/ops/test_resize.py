"""Resizing beyond the records: values of TensorFlow.js, special values, errors."""

import numpy as np
import pytest

import core

SQUARE = [[[1.0], [2.0]], [[3.0], [4.0]]]


@pytest.mark.parametrize("how", [{"align_corners": True}, {"half_pixel_centers": True}])
def test_bilinear_values(how):
    y = core.resize_bilinear(SQUARE, (3, 3), **how)
    assert y.shape == (3, 3, 1)
    np.testing.assert_array_equal(y.numpy().ravel(), [1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4])


@pytest.mark.parametrize(
    "how, width, expected",
    [
        ({}, 6, [1, 1, 2, 2, 3, 3]),
        ({"align_corners": True}, 6, [1, 1, 2, 2, 3, 3]),  # 1.5 is rounded up, as in JavaScript
        ({"align_corners": True}, 5, [1, 2, 2, 3, 3]),
        ({"align_corners": True}, 1, [1]),
        ({"half_pixel_centers": True}, 2, [1, 3]),
    ],
)
def test_nearest_values(how, width, expected):
    y = core.resize_nearest_neighbor(np.array([[[1], [2], [3]]], np.int32), (1, width), **how)
    assert y.dtype == "int32"
    np.testing.assert_array_equal(y.numpy().ravel(), expected)


def test_the_order_of_the_axes_does_not_show(rng):
    image = rng.uniform(-1, 1, (1, 9, 8, 3)).astype(np.float32)
    turned = image.transpose(0, 2, 1, 3)
    for size in [(4, 20), (20, 4), (4, 4), (20, 20)]:
        y = core.resize_bilinear(image, size, half_pixel_centers=True).numpy()
        z = core.resize_bilinear(turned, size[::-1], half_pixel_centers=True).numpy()
        np.testing.assert_allclose(y, z.transpose(0, 2, 1, 3), atol=1e-6)


def test_an_infinite_pixel_spoils_its_neighbours_alone():
    row = np.array([[[1], [np.inf], [3], [4]]], np.float32)
    y = core.resize_bilinear(row, (1, 8)).numpy().ravel()
    nan = np.nan  # of the step from an infinity to itself
    np.testing.assert_array_equal(y, [1, nan, nan, nan, 3, 3.5, 4, 4])


def test_the_same_size_is_a_copy():
    image = core.tensor(SQUARE)
    for name in ("resize_bilinear", "resize_nearest_neighbor"):
        y = getattr(core, name)(image, (2, 2))
        np.testing.assert_array_equal(y.numpy(), image.numpy())
        assert not np.shares_memory(np.asarray(y), np.asarray(image))


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
@pytest.mark.parametrize(
    "image, size, how, message",
    [
        (SQUARE, (0, 3), {}, "size=.*must be"),
        (SQUARE, (3,), {}, "size=.*must be"),
        (SQUARE, (3, 3, 1), {}, "size=.*must be"),
        (SQUARE, 3, {}, "got an invalid argument"),
        (SQUARE, (2.5, 3), {}, "integers"),
        (SQUARE, (1 << 17, 3), {}, "too large"),
        (SQUARE, (3, 3), {"align_corners": True, "half_pixel_centers": True}, "exclude each other"),
        ([[1.0]], (3, 3), {}, "or one without the batch"),
        (np.zeros((1, 0, 2, 3)), (3, 3), {}, "or one without the batch"),
    ],
)
def test_refusals(name, image, size, how, message):
    with pytest.raises(core.CoreError, match=message):
        getattr(core, name)(image, size=size, **how)


def test_nearest_refuses_bools_and_both_complex_numbers():
    with pytest.raises(core.CoreError, match="needs float32 or int32, got bool"):
        core.resize_nearest_neighbor(np.ones((1, 2, 2, 1), bool), (3, 3))
    for name in ("resize_bilinear", "resize_nearest_neighbor"):
        with pytest.raises(core.CoreError, match="got complex64"):
            getattr(core, name)(np.ones((1, 2, 2, 1), np.complex64), (3, 3))


def test_a_gradient_of_another_size_is_refused():
    for name in ("resize_bilinear_grad", "resize_nearest_neighbor_grad"):
        with pytest.raises(core.CoreError, match="dy has shape"):
            getattr(core, name)(np.ones((1, 2, 2, 1)), np.ones((1, 3, 3, 1)), size=(4, 4))


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
@pytest.mark.parametrize("how", [(False, False), (True, False), (False, True)])
def test_pixels_stay_where_the_size_stays(name, how, rng):
    x = rng.standard_normal((2, 3, 4, 2)).astype(np.float32)
    same = getattr(core, name)(x, (3, 4), *how)
    np.testing.assert_array_equal(same.numpy(), x)
    assert not np.shares_memory(same.numpy(), x)
    x[0, 1, 2] = np.inf
    slope = getattr(core, f"{name}_grad")(x, core.ones(x.shape), (3, 4), *how)
    np.testing.assert_array_equal(slope.numpy(), x)
    assert not np.shares_memory(slope.numpy(), x)


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
def test_gradients_are_summed_exactly(name):
    dy = np.full((1, 1, 3000, 1), 0.1, np.float32)
    slope = getattr(core, f"{name}_grad")(dy, core.ones((1, 1, 1, 1)), (1, 3000))
    assert slope.item() == np.float32(dy.astype(np.float64).sum())

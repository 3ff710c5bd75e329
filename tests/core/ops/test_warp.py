"""Cuts, turns and warps beyond the records: values of TensorFlow.js, special values, errors."""

import numpy as np
import pytest

import core

LINE = np.array([1, 2, 3, 4], np.float32).reshape(1, 1, 4, 1)
NINE = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
NAN = np.nan


@pytest.mark.parametrize(
    "fill_mode, nearest, bilinear",
    [
        (
            "constant",
            [9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9, 9, 9, 9],
            [9, 9, 9, 9, 9, 9, 3, 1.75, 2.75, 3.75, 7.75, 9, 9, 9],
        ),
        (
            "reflect",
            [3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1],
            [2.75, 3.75, 4, 3.25, 2.25, 1.25, 1, 1.75, 2.75, 3.75, 4, 3.25, 2.25, 1.25],
        ),
        (
            "wrap",
            [4, 4, 4, 4, 3, 4, 4, 2, 3, 4, 1, 2, 3, 1],
            [4, 3.75, 4, 4, 2.75, 3.75, 4, 1.75, 2.75, 3.75, 1, 1.75, 2.75, 1],
        ),
        (
            "nearest",
            [1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4],
            [1, 1, 1, 1, 1, 1, 1, 1.75, 2.75, 3.75, 4, 4, 4, 4],
        ),
    ],
)
def test_fill_modes(fill_mode, nearest, bilinear):
    for interpolation, expected in (("nearest", nearest), ("bilinear", bilinear)):
        y = core.transform(
            LINE, [[1, 0, -6.25, 0, 1, 0, 0, 0]], interpolation, fill_mode, 9.0, (1, 14)
        )
        np.testing.assert_array_equal(y.numpy().ravel(), expected)


@pytest.mark.parametrize("fill_mode", ["reflect", "wrap", "nearest"])
def test_a_single_pixel_fills_all(fill_mode):
    image = core.fill(shape=(1, 1, 1, 1), value=5.0)
    for interpolation in ("nearest", "bilinear"):
        y = core.transform(
            image, [[1, 0, -3.5, 0, 1, 2.5, 0, 0]], interpolation, fill_mode, 0.0, (2, 6)
        )
        np.testing.assert_array_equal(y.numpy(), np.full((1, 2, 6, 1), 5))


def test_two_pixels_go_back_and_forth():
    y = core.transform(
        LINE[:, :, :2], [[1, 0, -2, 0, 1, 0, 0, 0]], "nearest", "reflect", 0.0, (1, 6)
    )
    np.testing.assert_array_equal(y.numpy().ravel(), [2, 1, 1, 2, 2, 1])


def test_a_point_at_infinity_is_filled():
    square = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
    y = core.transform(square, [[1, 0, 0, 0, 1, 0, -1, 0]], fill_value=9.0, output_shape=(2, 3))
    np.testing.assert_array_equal(y.numpy().ravel(), [1, 9, 9, 3, 9, 9])


def test_every_image_of_a_batch_is_warped():
    image = np.concatenate([LINE, LINE * 10])
    shift = [[1, 0, 1, 0, 1, 0, 0, 0]]
    np.testing.assert_array_equal(
        core.transform(image, shift).numpy().reshape(2, 4), [[2, 3, 4, 0], [20, 30, 40, 0]]
    )
    each = [*shift, [1, 0, -2, 0, 1, 0, 0, 0]]
    np.testing.assert_array_equal(
        core.transform(image, each).numpy().reshape(2, 4), [[2, 3, 4, 0], [0, 0, 10, 20]]
    )


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"radians": np.pi / 2}, [9, 9, 9, 2, 5, 8, 1, 4, 7]),
        ({"radians": 0.5, "center": (0.25, 0.75)}, [1, 2, 9, 4, 5, 8, 6, 7, 9]),
    ],
)
def test_rotation_values(how, expected):
    y = core.rotate_with_offset(NINE, fill_value=9.0, **how)
    np.testing.assert_array_equal(y.numpy().ravel(), expected)


def test_rotation_fills_opacity_with_255():
    y = core.rotate_with_offset(np.ones((1, 1, 2, 4)), np.pi, fill_value=[5, 6, 7], center=0.0)
    np.testing.assert_array_equal(y.numpy().ravel(), [1, 1, 1, 1, 5, 6, 7, 255])


@pytest.mark.parametrize(
    "boxes, how, expected",
    [
        (
            [[-0.25, 0, 1, 1], [1, 1, 0, 0]],
            {"crop_size": (2, 3)},
            [-1, -1, -1, 6, 7, 8, 8, 7, 6, 2, 1, 0],
        ),
        (
            [[0, 0, 0.5, 0.75]],
            {"crop_size": (3, 3), "method": "nearest"},
            [0, 1, 2, 3, 4, 5, 3, 4, 5],
        ),
        ([[0, 0, 0.5, 0.75]], {"crop_size": (1, 1)}, [2.25]),
        (
            [[NAN, 0, 1, 1], [0, 0, np.inf, 1]],
            {"crop_size": (2, 2)},
            [NAN, NAN, NAN, NAN, NAN, NAN, -1, -1],
        ),
        ([[NAN, 0, 1, 1]], {"crop_size": (1, 1), "method": "nearest"}, [NAN]),
    ],
)
def test_crop_values(boxes, how, expected):
    y = core.crop_and_resize(NINE, boxes, [0] * len(boxes), extrapolation_value=-1.0, **how)
    np.testing.assert_array_equal(y.numpy().ravel(), expected)


@pytest.mark.parametrize("box_ind", [[2], [-1]])
def test_a_box_in_no_image_is_refused(box_ind):
    with pytest.raises(core.CoreError, match="box_ind from .* of 2 images"):
        core.crop_and_resize(np.ones((2, 3, 3, 1)), [[0, 0, 1, 1]], box_ind, crop_size=(2, 2))


UNIT = [[1, 0, 0, 0, 1, 0, 0, 0]]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.crop_and_resize(NINE[0], [[0, 0, 1, 1]], [0], (2, 2)), "channels. images"),
        (lambda: core.crop_and_resize(NINE, [[0, 0, 1]], [0], (2, 2)), r"must be \[boxes, 4\]"),
        (lambda: core.crop_and_resize(NINE, [[0, 0, 1, 1]], [0, 0], (2, 2)), "must be"),
        (lambda: core.crop_and_resize(NINE, [[0, 0, 1, 1]], [0], (0, 2)), "crop_size="),
        (lambda: core.crop_and_resize(NINE, [[0, 0, 1, 1]], [0], (2,)), "crop_size="),
        (
            lambda: core.crop_and_resize(NINE, [[0, 0, 1, 1]], [0], (2, 2), "cubic"),
            "method='cubic'",
        ),
        (lambda: core.crop_and_resize(NINE, [[0, 0, 1, 1]], [0.0], (2, 2)), "got float32"),
        (lambda: core.crop_and_resize(NINE[:, :0], [[0, 0, 1, 1]], [0], (2, 2)), "nothing can be"),
        (lambda: core.rotate_with_offset(NINE[0], 1.0), "channels. images"),
        (lambda: core.rotate_with_offset(NINE, 1.0, (1, 2)), "fill_value="),
        (lambda: core.rotate_with_offset(np.ones((1, 2, 2, 5)), 1.0, (1, 2, 3)), "fill_value="),
        (lambda: core.rotate_with_offset(NINE, 1.0, 0.0, (1, 2, 3)), "center="),
        (lambda: core.transform(NINE[0], UNIT), "channels. images"),
        (lambda: core.transform(NINE, UNIT * 2), r"must be \(1, 8\)"),
        (lambda: core.transform(NINE, [UNIT[0][:6]]), r"must be \(1, 8\)"),
        (lambda: core.transform(NINE, UNIT, "cubic"), "interpolation='cubic'"),
        (lambda: core.transform(NINE, UNIT, fill_mode="mirror"), "fill_mode='mirror'"),
        (lambda: core.transform(NINE, UNIT, output_shape=(2, 3, 4)), "output_shape="),
        (lambda: core.transform(NINE[:, :0], UNIT, fill_mode="wrap"), "nothing to repeat"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_an_image_without_pixels_is_all_fill():
    y = core.transform(NINE[:, :0], UNIT, fill_value=3.0, output_shape=(2, 2))
    np.testing.assert_array_equal(y.numpy(), np.full((1, 2, 2, 1), 3))

"""Colours and thresholds."""

import numpy as np
import pytest

import core

SIX = np.array([10, 20, 30, 200, 210, 220], np.float32)


@pytest.mark.parametrize("shape", [(2, 3), (4, 5, 3), (1, 2, 2, 3), (1, 1, 1, 1, 2, 3)])
def test_gray_of_colours(shape, rng):
    image = rng.uniform(0, 255, shape).astype(np.float32)
    gray = core.rgb_to_grayscale(image)
    expected = image.astype(np.float64) @ [0.2989, 0.587, 0.114]
    np.testing.assert_allclose(gray.numpy(), expected[..., None], rtol=1e-6)
    whole = core.rgb_to_grayscale(np.int32(image))
    assert whole.dtype == "int32"
    expected = np.trunc(np.trunc(image) @ np.float32([0.2989, 0.587, 0.114]))[..., None]
    np.testing.assert_array_equal(whole.numpy(), expected)


def test_gray_of_bools():
    gray = core.rgb_to_grayscale([[False, True, False], [False, False, False]])
    assert gray.dtype == "bool"
    np.testing.assert_array_equal(gray.numpy(), [[True], [False]])


def test_colours_of_gray():
    rgb = core.grayscale_to_rgb(np.array([[[1], [2]]], np.int32))
    assert rgb.dtype == "int32"
    np.testing.assert_array_equal(rgb.numpy(), [[[1, 1, 1], [2, 2, 2]]])


def test_gradients_of_colours():
    slope = core.grad(lambda t: core.sum(core.rgb_to_grayscale(t)))([[1.0, 2.0, 3.0]])
    np.testing.assert_allclose(slope.numpy(), [[0.2989, 0.587, 0.114]], rtol=1e-6)
    slope = core.grad(lambda t: core.sum(core.grayscale_to_rgb(t)))([[1.0], [2.0]])
    np.testing.assert_array_equal(slope.numpy(), [[3], [3]])


@pytest.mark.parametrize(
    "image, how, expected",
    [
        (SIX.reshape(2, 3, 1), {}, [0, 0, 0, 255, 255, 255]),
        (SIX.reshape(2, 3, 1), {"method": "otsu"}, [0, 0, 0, 255, 255, 255]),
        (
            SIX.reshape(2, 3, 1),
            {"method": "otsu", "inverted": True},
            [255, 255, 255, 0, 0, 0],
        ),
        (SIX.reshape(2, 1, 3), {}, [0, 255]),
        (np.int32(SIX).reshape(2, 1, 3), {"thresh_value": 0.07}, [255, 255]),
        (np.float32([[[127.5], [127.6]]]), {}, [0, 255]),
        (np.float32([[[127.5], [127.6]]]), {"inverted": True}, [255, 0]),
        (np.int32([[[7], [7], [0]]]), {"method": "otsu"}, [255, 255, 0]),
        # One brightness: no level parts it, so all is above the threshold -1.
        (np.int32([[[7], [7]]]), {"method": "otsu"}, [255, 255]),
        (np.int32([[[300], [200], [10]]]), {"method": "otsu"}, [255, 255, 0]),
    ],
)
def test_threshold(image, how, expected):
    result = core.threshold(image, **how)
    assert result.dtype == "int32" and result.shape == (*image.shape[:2], 1)
    np.testing.assert_array_equal(result.numpy().ravel(), expected)


def test_otsu_parts_two_hills(rng):
    image = np.concatenate([rng.normal(60, 6, 500), rng.normal(180, 9, 300)]).astype(np.int32)
    result = core.threshold(image.reshape(20, 40, 1), "otsu").numpy().ravel()
    np.testing.assert_array_equal(result, np.where(image > 120, 255, 0))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.rgb_to_grayscale([1.0, 2.0, 3.0]), "2 to 6 axes"),
        (lambda: core.rgb_to_grayscale(np.ones((1,) * 6 + (3,))), "2 to 6 axes"),
        (lambda: core.rgb_to_grayscale([[1.0]]), "the last of length 3, got shape"),
        (lambda: core.grayscale_to_rgb([[1.0, 2.0]]), "the last of length 1, got shape"),
        (lambda: core.grayscale_to_rgb([1.0]), "axes"),
        (lambda: core.threshold([[1.0]]), "3 to 3 axes"),
        (lambda: core.threshold([[[1.0, 2.0]]]), "the last of length 3 or 1"),
        (lambda: core.threshold([[[1.0]]], "mean"), "got float32 and 'mean'"),
        (lambda: core.threshold([[[True]]]), "got bool and 'binary'"),
        (lambda: core.threshold([[[-1.0], [5.0]]], "otsu"), "negative"),
        (lambda: core.flip_left_right([[[1.0]]]), r"got \(1, 1, 1\)"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()

"""Arrays as images: number types, channels, and what is no image."""

import numpy as np
import pytest

from zoo.images.pixels import ImageError, to_rgb_pixels

GREY = np.arange(256, dtype=np.uint8).reshape(16, 16)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4"])
def test_floats_from_zero_to_one(dtype):
    pixels = to_rgb_pixels((GREY / 255).astype(dtype))
    np.testing.assert_array_equal(pixels, np.dstack([GREY] * 3))


def test_rounding_error_of_floats_is_no_error():
    pixels = to_rgb_pixels(np.array([[-1e-4, 1 + 1e-4]], dtype=np.float32))
    np.testing.assert_array_equal(pixels[0, :, 0], [0, 255])


@pytest.mark.parametrize("dtype", ["i1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
def test_integers_that_fit_into_eight_bits(dtype):
    values = (GREY % 128).astype(dtype)
    np.testing.assert_array_equal(to_rgb_pixels(values)[..., 2], GREY % 128)


def test_booleans_are_black_and_white():
    pixels = to_rgb_pixels(np.array([[True, False]]))
    np.testing.assert_array_equal(pixels[0, :, 0], [255, 0])


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_channels_of_arrays(rng, channels):
    array = rng.integers(0, 256, (5, 4, channels), dtype=np.uint8)
    expected = array[..., :3] if channels > 1 else np.concatenate([array] * 3, axis=2)
    np.testing.assert_array_equal(to_rgb_pixels(array), expected)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((2, 2, 3)) + np.nan, ["NaN", "nan_to_num"]),
        (np.full((2, 2), -np.inf, np.float16), ["infinite"]),
        (np.full((2, 2, 3), 200.0), ["200..200", "0..1", "array / 255"]),
        (np.full((2, 2, 3), -1.0), ["-1..-1", "0..1", "(array + 1) / 2"]),
        (np.array([[-1.0, 1.001]]), ["-1..1.001", "from -1..1 with (array + 1) / 2"]),
        (np.array([[-1.0, 200.0]]), ["-1..200", "array / 255"]),
        (np.array([[-128.0, 127.0]]), ["-128..127", "array / 255"]),
        (np.full((2, 2), 256), ["256..256", "0..255"]),
        (np.full((2, 2), -1), ["-1..-1", "0..255"]),
        (np.full((2, 2), 65535, np.uint16), ["65535", "array // 257"]),
        (np.zeros((2, 2), complex), ["complex128", "uint8"]),
        (np.zeros((2, 2), object), ["object"]),
        (np.zeros((2, 2), "U1"), ["<U1"]),
        (np.zeros((3, 7, 8)), ["(3, 7, 8)", "channels last", "moveaxis"]),
        (np.zeros((7, 8, 2)), ["(7, 8, 2)", "channels"]),
        (
            np.zeros((1, 7, 8, 3)),
            ["(1, 7, 8, 3)", "batch of 1", "list(array)", "the verbs take the array"],
        ),
        (np.zeros(7), ["(7,)", "[height, width]"]),
        (np.zeros(()), ["()"]),
        (np.zeros((0, 5, 3)), ["no pixels", "1 x 1"]),
        (np.zeros((5, 0), np.uint8), ["no pixels"]),
        (np.zeros((5, 5, 0), np.uint8), ["no pixels"]),
    ],
)
def test_bad_arrays_are_refused(array, words):
    with pytest.raises(ImageError) as caught:
        to_rgb_pixels(array)
    message = str(caught.value)
    assert all(word in message for word in words), message

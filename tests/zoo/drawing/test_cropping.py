"""Parts of images within boxes, which may reach out of them."""

import numpy as np
import pytest

import zoo
from weights_cache.common.errors import ZooError


def box(x, y, width, height) -> dict:
    return {"x": float(x), "y": float(y), "width": float(width), "height": float(height)}


@pytest.fixture
def image(rng):
    return rng.integers(1, 256, (60, 80, 3), dtype=np.uint8)


def test_a_part_has_the_pixels_that_the_box_touches(image):
    np.testing.assert_array_equal(zoo.crop(image, box(10, 20, 30, 5)), image[20:25, 10:40])
    np.testing.assert_array_equal(zoo.crop(image, box(10.6, 20.2, 4.1, 5)), image[20:26, 10:15])
    part = zoo.crop(image, box(10, 20, 30, 5))
    part[:] = 0
    assert image.min() > 0  # a copy


def test_results_with_boxes_are_cropped(image, tmp_path):
    face = {"score": 0.9, "box": box(10, 20, 30, 5), "keypoints": []}
    np.testing.assert_array_equal(zoo.crop(image, face), image[20:25, 10:40])
    from PIL import Image

    Image.fromarray(image).save(tmp_path / "image.png")
    np.testing.assert_array_equal(zoo.crop(tmp_path / "image.png", face), image[20:25, 10:40])


def test_margins_are_shares_of_the_box(image):
    np.testing.assert_array_equal(
        zoo.crop(image, box(20, 20, 20, 10), margin=0.5), image[15:35, 10:50]
    )
    np.testing.assert_array_equal(
        zoo.crop(image, box(20, 20, 20, 10), margin=-0.25), image[22:28, 25:35]
    )


def test_boxes_that_reach_out_end_at_the_edge_or_are_filled(image):
    face = box(-41, -10, 71, 30)  # the slice of such a box is empty
    assert image[int(face["y"]) : 20, -41:30].size == 0
    np.testing.assert_array_equal(zoo.crop(image, face), image[:20, :30])
    filled = zoo.crop(image, face, fill=(0, 0, 0))
    assert filled.shape == (30, 71, 3)
    np.testing.assert_array_equal(filled[10:, 41:], image[:20, :30])
    assert not filled[:10].any() and not filled[:, :41].any()
    outside = zoo.crop(image, box(200, 10, 5, 5), fill=(9, 8, 7))
    assert (outside == (9, 8, 7)).all() and outside.shape == (5, 5, 3)
    corner = zoo.crop(image, box(70, 50, 20, 20), fill=(0, 0, 0))
    np.testing.assert_array_equal(corner[:10, :10], image[50:, 70:])


def test_boxes_without_a_size_have_one_pixel(image):
    np.testing.assert_array_equal(zoo.crop(image, box(10, 20, 0, 0)), image[20:21, 10:11])


@pytest.mark.parametrize(
    ("wrong", "options", "words"),
    [
        (box(200, 10, 5, 5), {}, r"x 200..205, y 10..15 lies outside .* 80 x 60 pixels"),
        (box(-20, 10, 5, 5), {}, "lies outside"),
        ({"score": 0.5, "keypoints": []}, {}, r"a dict with the keys \['keypoints', 'score'\]"),
        ([box(1, 2, 3, 4)], {}, "crop takes one result, and this is a list of 1: take one"),
        (box(1, 2, float("nan"), 4), {}, "finite numbers"),
        (box(1, 2, -3, 4), {}, "sizes from 0 on"),
        (box(1, 2, 3, 4), {"margin": -0.5}, "margin=-0.5 must be a number above -0.5"),
        (box(1, 2, 3, 4), {"margin": "wide"}, "margin='wide'"),
        (box(1, 2, 3, 4), {"fill": 0}, "fill=0 must be"),
        (box(1, 2, 3, 4), {"fill": (0, 0, 256)}, "0..255 each"),
        (box(0, 0, 1e6, 1e6), {"fill": (0, 0, 0)}, "leave fill out"),
    ],
)
def test_what_cannot_be_cropped_is_explained(image, wrong, options, words):
    with pytest.raises(ZooError, match=words):
        zoo.crop(image, wrong, **options)

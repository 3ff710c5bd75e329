"""The outlines of masks."""

import numpy as np
import pytest

import zoo
from tests.helpers import require_opencv
from weights_cache.common.errors import ZooError

cv2 = require_opencv()


def regions() -> dict:
    y, x = np.ogrid[:120, :160]
    mask = np.zeros((120, 160), np.uint8)
    mask[np.hypot(x - 50, y - 60) < 40] = 2
    mask[np.hypot(x - 50, y - 60) < 10] = 0  # a hole
    mask[20:40, 120:150] = 1
    mask[100:110, 130:140] = 2
    return {"mask": mask, "labels": ["background", "cat", "dog"]}


def test_polygons_have_the_pixels_of_their_regions():
    found = zoo.mask_polygons(regions(), "dog")
    assert len(found) == 2 and len(found[1]) == 4  # the disc, then the square
    filled = np.zeros((120, 160), np.uint8)
    for polygon in found:
        cv2.fillPoly(filled, [np.int32(polygon)], 1)
    expected = regions()["mask"] == 2
    y, x = np.ogrid[:120, :160]
    np.testing.assert_array_equal(filled == 1, expected | (np.hypot(x - 50, y - 60) < 10))


def test_all_but_the_background_is_the_default():
    assert len(zoo.mask_polygons(regions())) == 3
    person = {"score": 0.9, "mask": (regions()["mask"] == 1).astype(np.uint8)}
    square = [(120.5, 20.5), (120.5, 39.5), (149.5, 39.5), (149.5, 20.5)]
    assert zoo.mask_polygons(person) == zoo.mask_polygons(regions(), "cat") == [square]
    pose = {"score": 0.9, "keypoints": [], "segmentation": regions()}
    assert zoo.mask_polygons(pose, "cat") == [square]
    assert zoo.PolygonZone(square).points == square
    assert zoo.mask_polygons({"mask": np.zeros((9, 9), np.uint8), "labels": ["no"]}) == []


def test_other_labels_are_errors():
    with pytest.raises(
        ZooError, match="no label 'dogs': did you mean 'dog'.* background, cat, dog"
    ):
        zoo.mask_polygons(regions(), "dogs")
    with pytest.raises(ZooError, match=r"the keys \['keypoints', 'score'\] has no mask"):
        zoo.mask_polygons({"score": 0.9, "keypoints": []})

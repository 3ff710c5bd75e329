"""An export of Ultralytics, NudeNet's, finds on clothed people what its maker's recipe finds.

The recipe is written here in NumPy, around ONNX Runtime: a letterbox on grey 114, OpenCV's bilinear
filter, pixels in 0..1, boxes above 0.25, and of boxes of one class that overlap by 0.7 the best.
"""

from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require
from tests.wheels import wheel_file
from zoo.pipeline.licences import LicenceWarning

SIDE = 320

#: Photos of people, portrait and landscape.
PHOTOS = [
    "people/coco_train2017_000000000036.jpg",
    "people/coco_train2017_000000000110.jpg",
    "people/coco_train2017_000000000113.jpg",
    "people/coco_train2017_000000000165.jpg",
    "people/coco_train2017_000000000241.jpg",
    "photos/coral_grace_hopper.jpg",
]


class Letterboxed(NamedTuple):
    """An image in a square, and where it lies there."""

    pixels: np.ndarray
    scale: float
    left: int
    top: int


def neighbours(new: int, old: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each new pixel the two old ones beside its middle, and the share of the second."""
    at = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    first = np.floor(at).astype(int)
    return first, np.minimum(first + 1, old - 1), at - first


def letterboxed(image: np.ndarray) -> Letterboxed:
    height, width = image.shape[:2]
    scale = min(SIDE / height, SIDE / width)
    high, wide = round(height * scale), round(width * scale)
    up, down, share = neighbours(high, height)
    near, far, part = neighbours(wide, width)
    rows = image[up] * (1 - share)[:, None, None] + image[down] * share[:, None, None]
    small = rows[:, near] * (1 - part)[:, None] + rows[:, far] * part[:, None]
    left, top = round((SIDE - wide) / 2 - 0.1), round((SIDE - high) / 2 - 0.1)
    square = np.full((SIDE, SIDE, 3), 114, np.float64)
    square[top : top + high, left : left + wide] = np.rint(small)
    return Letterboxed(square, scale, left, top)


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    shared = np.prod(np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None))
    return shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared)


def by_recipe(session, image: np.ndarray) -> list[tuple[int, float, np.ndarray]]:
    """Class, score and corners of each object, best first."""
    boxed = letterboxed(image)
    values = np.float32(boxed.pixels / 255).transpose(2, 0, 1)[None]
    rows = session.run(None, {"images": values})[0][0].T
    sides = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    classes, scores = rows[:, 4:].argmax(1), rows[:, 4:].max(1)
    kept: list[int] = []
    for i in np.argsort(-scores):
        rivals = [j for j in kept if classes[j] == classes[i]]
        if scores[i] > 0.25 and all(overlap(sides[i], sides[j]) <= 0.7 for j in rivals):
            kept.append(i)
    limits = np.array([*image.shape[1::-1]] * 2)
    placed = (sides - [boxed.left, boxed.top] * 2) / boxed.scale
    return [(classes[i], scores[i], np.clip(placed[i], 0, limits)) for i in kept]


def test_boxes_are_those_of_the_recipe(shared):
    session = require("onnxruntime").InferenceSession(str(wheel_file("nudenet")))
    with pytest.warns(LicenceWarning, match=r"is under AGPL-3\.0 License"):
        model = zoo.load(wheel_file("nudenet"))
    count = 0
    for name in PHOTOS:
        image = np.asarray(Image.open(shared / "images" / name).convert("RGB"))
        expected, found = by_recipe(session, image), model.detect(image)
        assert [model.labels[c] for c, _, _ in expected] == [d["label"] for d in found]
        for (_, score, corners), detection in zip(expected, found, strict=True):
            box = detection["box"]
            ours = [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]
            np.testing.assert_allclose(ours, corners, atol=1)
            assert detection["score"] == pytest.approx(score, abs=1e-3)
            count += 1
    assert count >= 15


def test_the_card_names_the_licence_and_the_labels():
    with pytest.warns(LicenceWarning):
        card = str(zoo.describe(str(wheel_file("nudenet"))))
    assert "licence: AGPL-3.0 License (https://ultralytics.com/license)\n" in card
    assert "producer: pytorch 2.3.1\n" in card and "format: ONNX opset 17\n" in card
    assert "labels: 18: FEMALE_GENITALIA_COVERED, FACE_FEMALE, " in card

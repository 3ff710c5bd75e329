"""Crops of published models, beside those of Python: equal to the last bit.

Turned regions have sines and cosines, whose last bit depends on the library: there values may
differ by a ten thousandth of a level.
"""

import math

import numpy as np
import pytest

from tests.zoo.publishing.node_scripts import image_file, run_script
from zoo.catalog.entry import Preprocess
from zoo.pipeline.preprocess import prepare_crops
from zoo.shared.boxes import overlap, suppress
from zoo.shared.placement import Region, region_of_box, region_of_points, rotation_between

#: Of the image, 150 x 110 pixels.
STRAIGHT = {
    "a part": Region(70, 50, 60, 48),
    "the whole, as large": Region(75, 55, 150, 110),
    "enlarged": Region(30.25, 40.5, 7.5, 6),
    "out of the image": Region(10, 100, 80, 64),
    "beside the image": Region(-90, 55, 60, 60),
    "averaged": Region(75, 55, 130, 120),
    "averaged, out of the image": Region(140, 10, 400, 330),
    "averaged, with a rest": Region(70.5, 51.25, 147, 100.5),
}
TURNED = {
    "a turned part": Region(70, 50, 58, 47, 0.7),
    "upside down": Region(75, 55, 58, 47, math.pi),
    "turned out of the image": Region(5, 100, 91, 64, -2.5),
    "turned and averaged": Region(75, 55, 160, 128, 1.1),
    "turned, averaged, out of the image": Region(150, 0, 310, 300, -0.3),
}

#: Height and width.
SIZE = (24, 30)

#: Values of one level each, of inputs in -1..1.
LEVEL = 1 / 127.5

_CROPS = """
import { prepareCrop } from "./scripts/crops.js";
const { regions, size, preprocess } = given;
const network = { size, preprocess };
const crops = regions.map((region) => prepareCrop(imageOf(given.image), network, region));
fs.writeFileSync("values", Buffer.concat(crops.map(({ values }) => Buffer.from(values.buffer))));
answer(crops.map(({ placement: { a, b, c, d, e, f } }) => [a, b, c, d, e, f]));
"""


@pytest.fixture
def image(rng):
    return rng.integers(0, 256, (110, 150, 3), np.uint8)


def crops_in_node(folder, image, how, regions):
    preprocess = {"divide": how.divide, "subtract": how.subtract, "border": how.border}
    given = {
        "image": image_file(folder, image),
        "regions": [region._asdict() for region in regions],
        "size": SIZE,
        "preprocess": preprocess,
    }
    placements = run_script(folder, _CROPS, given)
    values = np.frombuffer((folder / "values").read_bytes(), np.float32)
    return values.reshape(len(regions), *SIZE, 3), placements


_MIRRORED = """
import { prepareCrop } from "./scripts/crops.js";
import { toPixels } from "./scripts/images.js";
import { foundInMirrored } from "./scripts/mirroring.js";
class Getters {
  constructor(image) { Object.defineProperty(this, "of", { value: image }); }
  get width() { return this.of.width; }
  get height() { return this.of.height; }
  get data() { return this.of.data; }
}
const network = { size: [1, 4], preprocess: { divide: 1, subtract: 0 } };
const region = { x: 2, y: 0.5, width: 4, height: 1, rotation: 0 };
const pixels = toPixels(new Getters(imageOf(given)));
const seen = [];
const found = foundInMirrored((mirrored) => {
  seen.push(...[pixels, mirrored].map((each) => [...prepareCrop(each, network, region).values]));
  const position = { x: 1, y: 2, z: 3 };
  return [{ score: 1, keypoints: [{ position }], box: { x: 1, width: 2 }, world: [{ position }] }];
}, pixels);
answer({ seen, found });
"""


def test_mirror_images_are_flipped_and_so_are_results(tmp_path, rng):
    image = rng.integers(0, 256, (1, 4, 3), np.uint8)  # an ImageData has getters alone
    answer = run_script(tmp_path, _MIRRORED, image_file(tmp_path, image))
    assert answer["seen"] == [image.ravel().tolist(), image[:, ::-1].ravel().tolist()]
    assert answer["found"] == [
        {
            "score": 1,
            "keypoints": [{"position": {"x": 3, "y": 2, "z": 3}}],
            "box": {"x": 1, "width": 2},
            "world": [{"position": {"x": -1, "y": 2, "z": 3}}],
        }
    ]


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize(
    ("regions", "most"), [(STRAIGHT, 0), (TURNED, 1e-4 * LEVEL)], ids=["straight", "turned"]
)
def test_crops_are_those_of_python(border, regions, most, image, tmp_path):
    how = Preprocess(divide=127.5, subtract=1.0, border=border)
    chosen = [*regions.values()]
    found, placements = crops_in_node(tmp_path, image, how, chosen)
    expected, expected_placements = prepare_crops(image, how, SIZE, chosen)
    for name, one, other in zip(regions, found, expected, strict=True):
        assert np.abs(one - other).max() <= most, name
    np.testing.assert_allclose(placements, expected_placements, rtol=0, atol=1e-9)


def test_each_channel_has_its_own_scale(image, tmp_path):
    how = Preprocess(divide=(1.0, 2.0, 3.0), subtract=(0.25, 0.5, 1.5))
    regions = [STRAIGHT["a part"]]
    found, _ = crops_in_node(tmp_path, image, how, regions)
    np.testing.assert_array_equal(found, prepare_crops(image, how, SIZE, regions)[0])


_REGIONS = """
import { boxAround, suppressOverlaps } from "./scripts/boxes.js";
import { overlapOfBoxes } from "./scripts/boxes.js";
import { cornersOfRegion, regionMovedDown, regionOfBox } from "./scripts/regions.js";
import { regionOfPoints, rotationBetween, squareAbout } from "./scripts/regions.js";
const { boxes, points, scores } = given;
const rotation = rotationBetween(points[0], points[1], Math.PI / 2);
const items = boxes.map((box, index) => ({ index, box, score: scores[index] }));
answer({
  rotation,
  ofPoints: regionOfPoints(points, rotation),
  around: boxAround(points),
  ofBox: squareAbout(regionMovedDown(regionOfBox(boxes[0], rotation), -0.5), 2.6),
  corners: cornersOfRegion(regionOfBox(boxes[0], rotation)),
  overlaps: boxes.map((box) => overlapOfBoxes(boxes[0], box)),
  kept: suppressOverlaps(items, 0.3).map(({ index }) => index),
  best: suppressOverlaps(items, 0.3, 2).map(({ index }) => index),
});
"""


def test_regions_and_boxes_are_those_of_python(rng, tmp_path):
    low = rng.uniform(0, 100, (40, 2))
    boxes = np.concatenate([low, low + rng.uniform(5, 60, (40, 2))], axis=1)
    boxes[1] = boxes[2] = [3, 4, 3, 4]
    points, scores = rng.uniform(0, 100, (9, 2)), rng.integers(0, 9, 40) / 9
    given = {"boxes": boxes.tolist(), "points": points.tolist(), "scores": scores.tolist()}
    found = run_script(tmp_path, _REGIONS, given)
    rotation = rotation_between(points[0], points[1], math.pi / 2)
    region = region_of_box(boxes[0], rotation)
    expected = {
        "rotation": rotation,
        "ofPoints": region_of_points(points, rotation)._asdict(),
        "around": [*points.min(axis=0), *points.max(axis=0)],
        "ofBox": region.moved(down=-0.5).squared().scaled(2.6)._asdict(),
        "corners": region.corners().tolist(),
        "overlaps": overlap(boxes[0], boxes).tolist(),
        "kept": suppress(boxes, scores, iou_threshold=0.3),
        "best": suppress(boxes, scores, iou_threshold=0.3, limit=2),
    }
    for name, value in expected.items():
        if isinstance(value, dict):
            assert found[name] == pytest.approx(value, abs=1e-9), name
        else:
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-9, err_msg=name)

"""Whole images as inputs of published networks: equal to Python's to the last bit."""

import re

import numpy as np
import PIL
import pytest

from tests.zoo.publishing.node_scripts import image_file, run_script
from zoo.catalog.entry import Preprocess
from zoo.pipeline.preprocess import prepare

pytestmark = pytest.mark.skipif(
    int(PIL.__version__.partition(".")[0]) < 13,
    reason="scripts resize in the order of passes of Pillow 13, and so round as it does",
)

#: Heights and widths of images: larger and smaller than inputs, odd, long, of one pixel.
IMAGES = (
    (480, 640),
    (57, 31),
    (31, 57),
    (129, 129),
    (1, 1),
    (1, 40),
    (300, 2),
    (700, 3),
    (13, 400),
)

#: Heights and widths of inputs.
INPUTS = ((129, 129), (64, 97), (33, 17), (1, 3))

#: A border of black, and one that is no level of it; a scale for all channels, and one for each.
HOWS = (
    Preprocess(divide=127.5, subtract=1.0),
    Preprocess(divide=(58.395, 57.12, 57.375), subtract=(2.1179, 2.0357, 1.8044), level=114),
)

_PREPARED = """
import { prepare } from "./scripts/fits.js";
const inputs = given.cases.map(({ image, network }) => prepare(imageOf(image), network));
fs.writeFileSync("values", Buffer.concat(inputs.map(({ values }) => Buffer.from(values.buffer))));
answer(inputs.map(({ placement: { a, b, c, d, e, f } }) => [a, b, c, d, e, f]));
"""


def assert_same_inputs(folder, cases):
    """Check that images become what Python makes of them; cases are (image, how, size)."""
    given = [
        {
            "image": image_file(folder, image, f"image{number}"),
            "network": {"size": size, "preprocess": how._asdict()},
        }
        for number, (image, how, size) in enumerate(cases)
    ]
    placements = run_script(folder, _PREPARED, {"cases": given})
    values, start = np.fromfile(folder / "values", np.float32), 0
    for (image, how, size), placement in zip(cases, placements, strict=True):
        expected, expected_placement = prepare(image, how, size)
        found = values[start : start + expected.size].reshape(expected.shape)
        start += expected.size
        np.testing.assert_array_equal(found, expected, f"{image.shape} to {size}")
        np.testing.assert_allclose(placement, expected_placement, rtol=0, atol=1e-9)
    assert start == values.size


@pytest.mark.parametrize("fit", ["letterbox", "stretch", "crop", "pad"])
def test_inputs_are_those_of_python(fit, rng, tmp_path):
    images = [rng.integers(0, 256, (*size, 3), np.uint8) for size in IMAGES]
    hows = [how._replace(fit=fit) for how in HOWS]
    cases = [(image, how, size) for image in images for how in hows for size in INPUTS]
    assert_same_inputs(tmp_path, cases)


def test_halves_of_pixels_are_rounded_as_in_python(rng, tmp_path):
    """A width of 2.5 pixels is 2, one of 3.5 is 4."""
    sizes = {(8, 5): (4, 4), (8, 7): (4, 4), (5, 8): (4, 4), (24, 9): (12, 12)}
    how = Preprocess(divide=255.0, level=9)
    cases = [(rng.integers(0, 256, (*old, 3), np.uint8), how, new) for old, new in sizes.items()]
    assert_same_inputs(tmp_path, cases)


def test_levels_at_the_ends_do_not_overflow(tmp_path):
    edges = np.zeros((97, 203, 3), np.uint8)
    edges[::3] = edges[:, ::5] = 255
    images = [edges, np.full((50, 70, 3), 255, np.uint8), np.zeros((50, 70, 3), np.uint8)]
    cases = [(image, HOWS[0], size) for image in images for size in INPUTS]
    assert_same_inputs(tmp_path, cases)


_REFUSED = """
import { toPixels } from "./scripts/images.js";
const levels = new Uint8ClampedArray(16);
const images = {
  "a name": "photo.jpg",
  nothing: null,
  "an img before it is loaded": { naturalWidth: 0, naturalHeight: 0 },
  "a video before its first frame": { videoWidth: 640, videoHeight: 480, readyState: 1 },
  "too few levels": { width: 3, height: 2, data: levels },
  "half a pixel": { width: 2.5, height: 1.6, data: levels },
  "no pixel": { width: 0, height: 0, data: new Uint8Array(0) },
  "no size": { data: levels },
  "numbers of 32 bits": { width: 2, height: 2, data: new Float32Array(16) },
  "a list": { width: 2, height: 2, data: [...levels] },
};
const words = {};
for (const [name, image] of Object.entries(images)) {
  try {
    toPixels(image);
  } catch (error) {
    words[name] = `${error.name}: ${error.message}`;
  }
}
const image = { width: 2, height: 2, data: levels };
words.same = toPixels(image) === image;
answer(words);
"""


def test_what_is_no_image_is_refused_in_words(tmp_path):
    words = run_script(tmp_path, _REFUSED)
    assert words.pop("same") is True
    expected = {
        "a name": "give an img, canvas, video",
        "nothing": "give an img, canvas, video",
        "an img before it is loaded": "no pixels yet: wait for its load",
        "a video before its first frame": "no pixels yet: wait for its load",
        "too few levels": "an image of 3 x 2 pixels needs .*, and has 16",
        "half a pixel": "an image of 2.5 x 1.6 pixels",
        "no pixel": "an image of 0 x 0 pixels .* at least 4, and has 0",
        "no size": "an image of undefined x undefined pixels",
        "numbers of 32 bits": "give a Uint8ClampedArray",
        "a list": "give a Uint8ClampedArray",
    }
    assert words.keys() == expected.keys()
    for name, pattern in expected.items():
        assert re.match(f"ZooError: .*{pattern}", words[name]), name

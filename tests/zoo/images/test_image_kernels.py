"""Generated kernels around networks give what NumPy and Pillow give, to the last bit."""

import numpy as np
import pytest
from PIL import Image

from core.backends.cpu import image_kernels
from core.backends.cpu.image_kernels import Scaled
from tests.core.backends.cpu_codegen.called import run_calls_on
from tests.core.backends.cpu_codegen.one_step import usable_sets
from tests.helpers import require_llvmlite
from zoo.catalog.entry import Preprocess
from zoo.pipeline.preprocess import prepare
from zoo.pipeline.sampling import sample
from zoo.shared.placement import Region


@pytest.fixture(autouse=True)
def _compiler():
    """Skip the tests where nothing can compile kernels."""
    require_llvmlite()


@pytest.fixture(params=usable_sets(), ids=lambda isa: isa.name)
def seen(request, monkeypatch):
    """The kernels that have run, on an instruction set."""
    return run_calls_on(request.param, monkeypatch)


def some_image(rng, most=60, channels=3) -> np.ndarray:
    """Pixels of any size, in lines with others after them."""
    height, width = map(int, rng.integers(1, most, 2))
    around = rng.integers(0, 256, (height, width + int(rng.integers(0, 4)), channels), np.uint8)
    return around[:, :width]


def some_region(rng, image) -> Region:
    """A region of an image, inside, across its edge, or outside."""
    middle = rng.uniform(-1, 2, 2) * image.shape[1::-1]
    return Region(*middle, *rng.uniform(0.5, 90, 2), rng.uniform(-4, 4) * rng.integers(0, 2))


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize("seed", range(8))
def test_regions(seen, border, seed):
    rng = np.random.default_rng(seed)
    divide, subtract = (127.5, 3.0, 0.5), (1.0, -2.5, 0.125)
    for _ in range(12):
        image, size = some_image(rng, channels=3), tuple(map(int, rng.integers(1, 150, 2)))
        placement = some_region(rng, image).placement(size)
        expected = sample(np.ascontiguousarray(image), placement, size, border)[0]
        out = np.full((*size, 3), np.nan, np.float32)
        scaled = Scaled("float32", divide, subtract)
        if image_kernels.sampled(image, placement, out, border, scaled):
            expected_out = expected / np.float32(divide) - np.float32(subtract)
            np.testing.assert_array_equal(out, expected_out)
        else:
            assert image.shape[1] == 1
        whole = np.full((*size, 3), 7, np.uint8)
        if image_kernels.sampled(image, placement, whole, border, Scaled("uint8")):
            np.testing.assert_array_equal(whole, np.rint(expected).astype(np.uint8))
    assert "RegionSamples" in seen


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_regions_up_to_the_last_pixels(seen, channels):
    """Lines whose pixels are all in the image are read in another way than those that are not."""
    rng = np.random.default_rng(channels)
    image = rng.integers(0, 256, (70, 150, channels), np.uint8)
    for right, down in np.ndindex(7, 7):  # from inside over the last pixels to outside
        region = Region(72 + right, 33 + down, 142.5, 63.25, 0.002 * right)
        placement, out = region.placement((61, 140)), np.empty((61, 140, channels), np.float32)
        scaled = Scaled("float32", (3.0,) * channels, (0.5,) * channels)
        assert image_kernels.sampled(image, placement, out, "zero", scaled)
        expected = sample(image, placement, (61, 140), "zero")[0]
        np.testing.assert_array_equal(out, expected / np.float32(3) - np.float32(0.5))


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_regions_of_other_channels(seen, channels):
    rng = np.random.default_rng(channels)
    for _ in range(5):
        image = np.ascontiguousarray(some_image(rng, channels=channels))
        placement, size = some_region(rng, image).placement((20, 70)), (20, 70)
        out = np.empty((*size, channels), np.float32)
        if image_kernels.sampled(image, placement, out, "zero", Scaled()):
            np.testing.assert_array_equal(out, sample(image, placement, size, "zero")[0])
    assert seen


def test_regions_that_are_not_numbers_do_no_harm(seen):
    image, out = np.ones((5, 6, 3), np.uint8), np.empty((7, 8, 3), np.float32)
    for number in (np.nan, np.inf, -np.inf, 1e300, -1e300):
        for border in ("zero", "replicate"):
            assert image_kernels.sampled(image, [number] * 6, out, border, Scaled())


@pytest.mark.parametrize("mode, channels", [("L", 1), ("RGB", 3)])
def test_averages(seen, mode, channels):
    rng = np.random.default_rng(channels)
    for block in (1, 2, 3, 4, 5, 7, 16, 64, 200):
        for most in (8, 60, 3 * block):
            image = some_image(rng, most, channels) | np.uint8(255 * rng.integers(0, 2))
            expected = np.asarray(
                Image.fromarray(image.squeeze(2) if mode == "L" else image).reduce(block)
            )
            found = image_kernels.averaged(image, block)
            if found is None:
                assert image.shape[1] * channels < 4
                continue
            np.testing.assert_array_equal(found, expected.reshape(found.shape))
    assert set(seen) == {"BlockAverages"}


@pytest.mark.parametrize("seed", range(6))
def test_images_in_another_size(seen, seed):
    rng = np.random.default_rng(seed)
    for most in (8, 60, 60, 200, 200, 700):
        image = some_image(rng, most) | np.uint8(255 * (most == 8))
        rows, columns = map(int, rng.integers(1, 150, 2))
        small = Image.fromarray(image).resize((columns, rows), Image.Resampling.BILINEAR)
        out = np.full((rows, columns, 3), 7, np.uint8)
        if not image_kernels.resized(image, image.shape[:2], out, Scaled("uint8")):
            continue
        np.testing.assert_array_equal(out, np.asarray(small))
        divide, subtract = (127.5, 3.0, 0.5), (1.0, -2.5, 0.125)
        values = np.full((rows, columns + 2, 3), np.nan, np.float32)
        scaled = Scaled("float32", divide, subtract)
        assert image_kernels.resized(image, image.shape[:2], values[:, 1:-1], scaled)
        expected = np.float32(small) / np.float32(divide) - np.float32(subtract)
        np.testing.assert_array_equal(values[:, 1:-1], expected)
        assert np.isnan(values[:, [0, -1]]).all()  # nothing else is written to
    assert set(seen) == {"FilteredLines", "MixedLines"}


@pytest.mark.parametrize("fit", ["letterbox", "stretch", "crop", "pad"])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "int32"])
def test_whole_images_are_prepared_as_by_pillow(seen, monkeypatch, fit, dtype):
    rng = np.random.default_rng(3)
    how = Preprocess(fit=fit, dtype=dtype, divide=(2.0, 3.0, 4.0), subtract=(1.0, -1.0, 0.5))
    for shape in [(90, 130), (130, 100), (200, 190), (30, 40)]:
        image = rng.integers(0, 256, (*shape, 3), np.uint8)
        values, placement = prepare(image, how, (64, 96))
        with monkeypatch.context() as patch:
            patch.setattr(image_kernels, "resized", lambda *a: False)
            expected, same = prepare(image, how, (64, 96))
        assert values.dtype == expected.dtype == dtype and placement == same
        np.testing.assert_array_equal(values, expected)
    assert seen

"""Photos and their rotated parts as inputs of networks, and the way back."""

import math

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

import core
from zoo.catalog.entry import Preprocess
from zoo.pipeline.preprocess import placement_of, prepare, prepare_crops
from zoo.pipeline.sampling import sample
from zoo.shared.placement import Region, region_of_box, region_of_points, rotation_between

SIZE = (48, 64)


@pytest.fixture
def photo(rng) -> np.ndarray:
    """Smooth, so that a shift by half a pixel is seen, and noise does not hide it."""
    noise = rng.uniform(0, 255, (90, 130, 3))
    return (
        np.rint(ndimage.gaussian_filter(noise, (3, 3, 0)) * 4 - 380).clip(0, 255).astype(np.uint8)
    )


def mark(photo: np.ndarray, x: int, y: int) -> np.ndarray:
    """Black but for a soft white spot whose centre is at (x, y)."""
    rows, columns = np.indices(photo.shape[:2]) + 0.5
    spot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 6.0**2)) * 255
    return np.repeat(np.rint(spot).astype(np.uint8)[..., None], 3, axis=2)


def centre(values: np.ndarray) -> tuple[float, float]:
    """The centre of brightness (x, y), in continuous pixels."""
    rows, columns = np.indices(values.shape[:2]) + 0.5
    weight = values[..., 0].astype(np.float64)
    return float((weight * columns).sum() / weight.sum()), float(
        (weight * rows).sum() / weight.sum()
    )


@pytest.mark.parametrize("fit", ["letterbox", "stretch", "crop", "pad"])
@pytest.mark.parametrize("resize", ["pillow", "tfjs"])
@pytest.mark.parametrize("shape", [(90, 130), (130, 90), (200, 40)])
def test_what_is_seen_in_the_input_is_where_it_is_in_the_photo(fit, resize, shape):
    how = Preprocess(fit=fit, resize=resize)
    x, y = shape[1] / 2 + 3, shape[0] / 2 - 4
    values, placement = prepare(mark(np.zeros((*shape, 3)), x, y), how, (96, 96))
    found = placement.to_image(*centre(values[0]))
    # Letterboxes have whole sides, which moves a picture by up to half a pixel of the input;
    # TensorFlow.js's filter is not centred, which moves it as much.
    assert found == pytest.approx((x, y), abs=0.5 if resize == "pillow" else 1.2)
    assert placement == placement_of(shape, how, (96, 96))


def test_a_letterbox_is_black_around_the_photo():
    white = np.full((10, 40, 3), 255, np.uint8)
    values, _ = prepare(white, Preprocess(divide=255.0), (20, 20))
    assert values.shape == (1, 20, 20, 3) and values.dtype == np.float32
    assert (values[0, 8:12, :] > 0.99).sum() == 5 * 20 * 3 - 20 * 3
    assert values[0, :7].max() == 0 and values[0, 13:].max() == 0


def test_numbers_per_channel_and_integers(photo):
    divide, subtract = (1.0, 2.0, 4.0), (0.5, -1.0, 2.0)
    plain, _ = prepare(photo, Preprocess(dtype="uint8"), SIZE)
    scaled, _ = prepare(photo, Preprocess(divide=divide, subtract=subtract), SIZE)
    assert plain.dtype == np.uint8
    np.testing.assert_allclose(scaled, plain / np.array(divide) - np.array(subtract), atol=1e-6)


def test_the_order_of_channels_and_axes(photo):
    """Numbers are per red, green and blue, whatever the order of the network."""
    usual = Preprocess(divide=(50.0, 60.0, 70.0), subtract=(1.0, 2.0, 3.0))
    turned = usual._replace(channels="bgr", axes="nchw")
    regions = [Region(60, 40, 32, 24), Region(30, 50, 64, 48, 0.5)]
    for (values, _), (expected, _) in (
        (prepare(photo, turned, SIZE), prepare(photo, usual, SIZE)),
        (
            prepare_crops(photo, turned, SIZE, regions),
            prepare_crops(photo, usual, SIZE, regions),
        ),
    ):
        assert values.shape[1:] == (3, *SIZE) and values.flags.c_contiguous
        np.testing.assert_array_equal(values[:, 0], expected[..., 2])
        np.testing.assert_array_equal(values[:, 2], expected[..., 0])


def test_the_tfjs_filter_pads_first(photo):
    how = Preprocess(fit="pad", resize="tfjs")
    values, _ = prepare(photo, how, (64, 64))
    square = np.zeros((130, 130, 3), np.float32)
    square[:90] = photo
    expected = core.resize_bilinear(core.tensor(square), size=(64, 64)).numpy()
    np.testing.assert_array_equal(values[0], expected)


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize(
    "region",
    [
        Region(65, 45, 60, 45),
        Region(65, 45, 60, 45, 0.7),
        Region(10, 80, 70, 50, -2.2),  # reaches out of the photo
        Region(-500, 20, 30, 30, 0.1),  # lies outside
        Region(64.3, 40.2, 8, 6, 3.0),  # enlarged
    ],
)
def test_crops_read_the_photo_where_the_placement_says(photo, region, border):
    values, (placement,) = prepare_crops(photo, Preprocess(border=border), SIZE, [region])
    rows, columns = np.indices(SIZE) + 0.5
    x, y = placement.to_image(columns, rows)
    mode = {"zero": "grid-constant", "replicate": "nearest"}[border]
    at = [y - 0.5, x - 0.5]
    smooth = photo.astype(np.float64)
    expected = [ndimage.map_coordinates(smooth[..., c], at, order=1, mode=mode) for c in range(3)]
    np.testing.assert_allclose(values[0], np.stack(expected, axis=-1), atol=1e-3)


@pytest.mark.parametrize("rotation", [0.0, 1.0])
def test_large_regions_are_averaged_and_stay_in_place(rotation):
    photo = mark(np.zeros((600, 800, 3)), 400, 290)
    photo[::2, ::2] = 0  # what a filter of four pixels would see alone
    region = Region(420, 300, 500, 500, rotation)
    values, (placement,) = prepare_crops(photo, Preprocess(), (100, 100), [region])
    assert placement.to_image(*centre(values[0])) == pytest.approx((400, 290), abs=1)
    assert 150 < values.max() < 230  # three quarters of the spot


def test_crops_of_a_batch_are_those_of_single_calls(photo):
    regions = [Region(40, 40, 30, 30, 0.3), Region(90, 30, 80, 60), Region(0, 0, 50, 50, -1)]
    how = Preprocess(divide=127.5, subtract=1.0)
    together, placements = prepare_crops(photo, how, SIZE, regions)
    assert together.shape == (3, *SIZE, 3)
    for i, region in enumerate(regions):
        alone, (placement,) = prepare_crops(photo, how, SIZE, [region])
        np.testing.assert_array_equal(together[i], alone[0])
        assert placement == placements[i]


def test_regions_and_their_corners():
    region = Region(50, 40, 20, 10, math.pi / 2)
    np.testing.assert_allclose(
        region.corners(), [[55, 30], [55, 50], [45, 50], [45, 30]], atol=1e-9
    )
    assert region.placement((10, 20)).rotation == pytest.approx(math.pi / 2)
    assert region.moved(down=1.0)[:2] == pytest.approx((40, 40))  # down is to the left, turned
    assert region.scaled(2).squared()[2:4] == (40, 40)
    np.testing.assert_allclose(region_of_box(np.array([0, 10, 20, 40])), [10, 25, 20, 30, 0])


@pytest.mark.parametrize("angle", np.linspace(-3.1, 3.1, 7))
def test_a_line_is_turned_to_its_target(angle):
    """In the crop, the line from start to end points up."""
    start = np.array([30.0, 40.0])
    end = start + 20 * np.array([math.cos(angle), math.sin(angle)])
    rotation = rotation_between(start, end, math.pi / 2)
    placement = Region(30, 40, 50, 50, rotation).placement((100, 100))
    matrix = np.array([[placement.a, placement.b], [placement.d, placement.e]])
    seen = np.linalg.solve(matrix, end - start)
    assert seen / np.linalg.norm(seen) == pytest.approx([0, -1], abs=1e-9)
    assert -math.pi <= rotation < math.pi


def test_the_region_of_points_holds_them_tightly(rng):
    points = rng.uniform(0, 100, (30, 2))
    region = region_of_points(points, 0.6)
    placement = region.placement((1, 1))
    matrix = np.array([[placement.a, placement.b], [placement.d, placement.e]])
    inside = np.linalg.solve(matrix, (points - [placement.c, placement.f]).T)
    np.testing.assert_allclose(
        [inside.min(axis=1), inside.max(axis=1)], [[0, 0], [1, 1]], atol=1e-9
    )


def test_pictures_of_one_pixel(rng):
    dot = rng.integers(0, 256, (1, 1, 3), np.uint8)
    for fit in ("letterbox", "stretch", "crop", "pad"):
        values, _ = prepare(dot, Preprocess(fit=fit), (8, 8))
        assert (values[0] == dot[0, 0]).all()
    crops, _ = prepare_crops(dot, Preprocess(border="replicate"), (8, 8), [Region(0, 0, 4, 4)])
    assert (crops == dot[0, 0]).all()


def test_pillows_filter_is_the_one_of_the_goldens(photo):
    values, _ = prepare(photo, Preprocess(fit="stretch"), SIZE)
    expected = Image.fromarray(photo).resize((64, 48), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(values[0], np.asarray(expected))


@pytest.mark.parametrize("border", ["zero", "replicate"])
def test_sampled_regions_are_those_of_the_op(rng, border):
    """Also where they reach out of the image, or lie beside it; the op's matrix is float32."""
    image = rng.integers(0, 256, (60, 90, 3), dtype=np.uint8)
    for _ in range(40):
        centre, side = rng.uniform(-40, 130, 2), rng.uniform(4, 50)
        placement = Region(*centre, side, side, rng.uniform(-4, 4)).placement((24, 32))
        a, b, c, d, e, f = placement
        row = [a, b, (a + b) / 2 + c - 0.5, d, e, (d + e) / 2 + f - 0.5, 0.0, 0.0]
        expected = core.transform(
            core.tensor(image[None].astype(np.float32)),
            [[float(n) for n in row]],
            interpolation="bilinear",
            fill_mode="constant" if border == "zero" else "nearest",
            output_shape=(24, 32),
        ).numpy()
        found = sample(image, placement, (24, 32), border)
        assert found.dtype == np.float32 and found.shape == (1, 24, 32, 3)
        np.testing.assert_allclose(found, expected, atol=0.01)  # of 255

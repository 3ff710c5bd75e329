"""Augmentation: invariants, moments, seeds, dtypes, and mistakes."""

import colorsys

import numpy as np
import pytest

import core
from core.data import augmentation as aug
from core.data import colors, from_arrays
from core.data.affine import affine_transform
from core.errors import CoreError
from tests.helpers import require

RNG = np.random.default_rng(11)
BATCH = RNG.integers(0, 256, (6, 8, 8, 3), np.uint8)

#: Arguments with which images stay as they are.
IDENTITIES = [
    aug.RandomCrop(8, 8),
    aug.RandomRotation(0),
    aug.RandomRotation((1, 1)),
    aug.RandomTranslation(0, 0),
    aug.RandomTranslation((1, 1), (-1, -1), "wrap", "nearest"),
    aug.RandomZoom(0),
    aug.RandomZoom(0, 0, "constant", fill_value=7),
    aug.RandomBrightness(0),
    aug.RandomContrast(0),
    aug.RandomSaturation((0.5, 0.5)),
    aug.RandomHue(0),
    aug.RandomColorJitter(),
    aug.RandomErasing(0),
]

#: One of each kind, that changes images.
KINDS = [
    aug.RandomFlip(seed=1),
    aug.RandomCrop(5, 6, seed=1),
    aug.RandomRotation(0.2, seed=1),
    aug.RandomTranslation(0.3, 0.3, seed=1),
    aug.RandomZoom(0.4, seed=1),
    aug.RandomBrightness(0.3, seed=1),
    aug.RandomContrast(0.5, seed=1),
    aug.RandomSaturation(1.0, seed=1),
    aug.RandomHue(1.0, seed=1),
    aug.RandomColorJitter((0, 255), 0.2, 0.2, (0.3, 0.7), 0.2, seed=1),
    aug.RandomErasing((1, 1), seed=1),
]


def name_of(value):
    return type(value).__name__


@pytest.mark.parametrize("one", IDENTITIES, ids=name_of)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_identities(one, dtype):
    images = BATCH.astype(dtype)
    np.testing.assert_allclose(one(images), images, atol=0 if dtype == "uint8" else 2e-2)


@pytest.mark.parametrize("one", KINDS, ids=name_of)
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "int32"])
def test_dtypes_are_kept_and_images_are_not_written(one, dtype):
    images = BATCH.astype(dtype)
    images.flags.writeable = False
    found = one(images)
    assert found.dtype == dtype and len(found) == 6
    assert found.shape[1:] == ((5, 6, 3) if isinstance(one, aug.RandomCrop) else (8, 8, 3))
    assert found.min() >= 0 and found.max() <= 255 + (dtype == "float16")
    assert one(images[0]).shape == found.shape[1:]
    assert found.shape != images.shape or (found != images).any()


@pytest.mark.parametrize("one", KINDS, ids=name_of)
def test_each_image_draws_its_own_parameters(one):
    found = one(np.repeat(BATCH[:1], 6, axis=0))
    assert len({image.tobytes() for image in found}) > (1 if isinstance(one, aug.RandomFlip) else 4)


@pytest.mark.parametrize("one", KINDS, ids=name_of)
def test_a_seed_gives_equal_passes_that_differ_by_epoch(one):
    """In a map each pass of a dataset is its own, and so it is if the program runs again."""
    passes = []
    for _ in range(2):
        again = type(one).from_config(one.get_config())
        dataset = from_arrays(np.repeat(BATCH, 4, axis=0)).batch(12).map(again)
        passes.append([np.concatenate(list(dataset)) for _ in range(2)])
    np.testing.assert_array_equal(passes[0], passes[1])
    assert (passes[0][0] != passes[0][1]).any()


@pytest.mark.parametrize("one", KINDS, ids=name_of)
def test_configs(one):
    again = aug.get({"class_name": name_of(one), "config": one.get_config()})
    assert repr(again) == repr(one)
    np.testing.assert_array_equal(again(BATCH), type(one)(**one.get_config())(BATCH))


def test_flips_twice_are_the_identity():
    for mode in ("horizontal", "vertical", "horizontal_and_vertical"):
        config = {"mode": mode, "seed": 3}
        once = aug.RandomFlip(**config)(BATCH)
        np.testing.assert_array_equal(aug.RandomFlip(**config)(once), BATCH)
        assert (once != BATCH).any()


def test_flips_are_as_frequent_as_none():
    images = np.arange(4).reshape(1, 2, 2, 1).repeat(4000, 0)
    found = aug.RandomFlip(seed=1)(images).reshape(-1, 4).tolist()
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]):
        assert abs(found.count(order) - 1000) < 130  # 4.7 standard deviations


@pytest.mark.parametrize("quarters", [-3, -2, -1, 1, 2, 3])
@pytest.mark.parametrize("interpolation", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [7, 8])
def test_quarter_turns_are_those_of_numpy(quarters, interpolation, size):
    images = RNG.integers(0, 256, (2, size, size, 3), np.uint8)
    for mode in ("constant", "nearest", "reflect", "wrap"):
        turn = aug.RandomRotation((quarters / 4, quarters / 4), mode, interpolation)
        np.testing.assert_array_equal(turn(images), np.rot90(images, quarters, axes=(1, 2)))


@pytest.mark.parametrize("interpolation", ["bilinear", "nearest"])
def test_translations_by_pixels(interpolation):
    options = {"interpolation": interpolation, "fill_mode": "constant", "fill_value": 9}
    found = aug.RandomTranslation((0.25, 0.25), (-0.5, -0.5), **options)(BATCH)
    np.testing.assert_array_equal(found[:, 2:, :4], BATCH[:, :6, 4:])
    assert (found[:, :2] == 9).all() and (found[:, :, 4:] == 9).all()


MODES = {
    "constant": "grid-constant",
    "nearest": "nearest",
    "reflect": "reflect",
    "wrap": "grid-wrap",
}


@pytest.mark.parametrize("mode", MODES)
def test_affine_maps_are_those_of_scipy(mode):
    """With places far outside of the images, too."""
    ndimage = require("scipy.ndimage")
    images = RNG.random((5, 6, 9, 1))
    matrices = RNG.uniform(-2, 2, (5, 6)) * [1, 1, 9, 1, 1, 9]
    found = affine_transform(images, matrices, mode, fill_value=0.5, size=(7, 4))
    y, x = np.mgrid[:7, :4]
    for image, (a0, a1, a2, b0, b1, b2), new in zip(images, matrices, found, strict=True):
        places = [b0 * x + b1 * y + b2, a0 * x + a1 * y + a2]
        expected = ndimage.map_coordinates(
            image[..., 0], places, order=1, mode=MODES[mode], cval=0.5
        )
        np.testing.assert_allclose(new[..., 0], expected, atol=1e-4)


def test_a_zoom_by_two_shows_the_middle():
    found = aug.RandomZoom((-0.5, -0.5))(BATCH.astype(np.float32))
    rows = BATCH[:, 1:7, 1:7].astype(np.float64)
    fine = 0.25 * rows[:, :-1] + 0.75 * rows[:, 1:]  # new row 1 reads old row 2.25 - 0.5
    columns = 0.25 * fine[:, :, :-1] + 0.75 * fine[:, :, 1:]
    np.testing.assert_allclose(found[:, 0, 0], columns[:, 0, 0], atol=1e-3)


def test_crops_are_parts_of_images():
    images = np.arange(300).reshape(1, 10, 30, 1).repeat(500, 0)
    found = aug.RandomCrop(4, 5, seed=1)(images)[..., 0]
    first = found[:, :1, :1]
    np.testing.assert_array_equal(found - first, (images[:, :4, :5, 0] - 0))
    rows, columns = np.divmod(first.ravel(), 30)
    assert {*rows} == {*range(7)} and {*columns} == {*range(26)}


def test_moments():
    """Parameters are drawn evenly between the ends of their ranges."""
    grey = np.full((4000, 1, 1, 3), 100.0)
    shift = (aug.RandomBrightness((-0.1, 0.3), seed=1)(grey)[:, 0, 0, 0] - 100) / 255
    assert shift.mean() == pytest.approx(0.1, abs=0.01)
    assert shift.std() == pytest.approx(0.4 / 12**0.5, abs=0.005)
    pair = np.array([90.0, 110.0]).reshape(1, 1, 2, 1).repeat(4000, 0)
    contrast = np.ptp(aug.RandomContrast((0.8, 0.2), seed=1)(pair), axis=2).ravel() / 20
    assert contrast.mean() == pytest.approx(0.7, abs=0.02)
    assert 0.2 <= contrast.min() < 0.21 and 1.19 < contrast.max() <= 1.2
    red = np.tile(np.array([200.0, 100, 100]), (4000, 1, 1, 1))
    new = aug.RandomSaturation((0, 0.5), seed=1)(red)[:, 0, 0]
    share = (200 - new[:, 1]) / 200 * 2  # new / old saturation
    assert (share / (1 + share)).mean() == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("low, high", [(0, 1), (0, 255), (-1, 1)])
def test_colours_are_those_of_colorsys(low, high):
    images = RNG.random((1, 5, 5, 3))
    images[0, 0] = [[0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1], [1, 0, 0], [0, 1, 1]]
    hsv = [colorsys.rgb_to_hsv(*pixel) for pixel in images.reshape(-1, 3)]
    given = images * (high - low) + low
    for amount in (0.0, 0.3, 0.9, 2.5):
        turned = [colorsys.hsv_to_rgb((h + amount) % 1, s, v) for h, s, v in hsv]
        found = colors.hue_shifted(given, np.array([amount]), low, high)
        np.testing.assert_allclose(
            found.reshape(-1, 3), np.array(turned) * (high - low) + low, atol=1e-9
        )
        strong = [colorsys.hsv_to_rgb(h, min(s * amount, 1), v) for h, s, v in hsv]
        found = colors.saturated(given, np.array([amount]), low, high)
        np.testing.assert_allclose(
            found.reshape(-1, 3), np.array(strong) * (high - low) + low, atol=1e-9
        )


def test_erased_parts_are_rectangles_of_the_right_size():
    images = np.zeros((500, 20, 30, 3), np.uint8)
    found = aug.RandomErasing((1, 1), (0.09, 0.09), fill_value=255, seed=1)(images)[..., 0] == 255
    rows, columns = found.any(axis=2).sum(axis=1), found.any(axis=1).sum(axis=1)
    np.testing.assert_array_equal(found.sum(axis=(1, 2)), rows * columns)
    assert {*rows} <= {6, 7} and {*columns} <= {9, 10}
    half = aug.RandomErasing(1.0, fill_value=255, seed=1)(images).any(axis=(1, 2, 3)).mean()
    assert half == pytest.approx(0.5, abs=0.1)  # probabilities are drawn from 0 to 1
    noise = aug.RandomErasing((1, 1), (0.5, 0.5), value_range=(0, 1), seed=1)
    found = noise(np.full((50, 20, 20, 3), 2, np.float32))
    drawn = found[found < 2]
    assert (drawn == 0).mean() == pytest.approx(0.5, abs=0.02)  # negative ones are clipped
    assert (drawn == 1).mean() == pytest.approx(0.159, abs=0.02)  # those beyond 1, too


@pytest.mark.parametrize("one", [aug.MixUp(1.0, seed=1), aug.CutMix(seed=1)], ids=name_of)
def test_mixtures_conserve_the_mass_of_labels(one):
    y = np.eye(6, dtype=np.float32)
    images, labels, weights = one(BATCH, y, np.ones(6))
    assert images.dtype == np.uint8 and labels.dtype == np.float32
    np.testing.assert_allclose(labels.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(labels.sum(axis=0).sum(), 6, atol=1e-5)
    np.testing.assert_allclose(weights, 1)
    assert ((labels > 0).sum(axis=1) <= 2).all() and (labels.max(axis=1) < 1).any()


def test_labels_say_how_images_were_mixed():
    """Images that are their own labels: plain colours, one for each class."""
    y = np.eye(6)
    plain = np.broadcast_to(y[:, None, None], (6, 16, 16, 6))
    faded, labels = aug.mixup(plain, y, alpha=0.5, seed=2)
    np.testing.assert_allclose(faded, np.broadcast_to(labels[:, None, None], faded.shape))
    cut, labels = aug.cutmix(plain, y, seed=2)
    np.testing.assert_allclose(cut.mean(axis=(1, 2)), labels)
    assert {*np.unique(cut)} == {0, 1}


def test_shares_of_mixup_are_those_of_its_distribution():
    found = aug.MixUp(0.2, seed=1).mixed(np.ones((5000, 1, 1, 1)), np.zeros((5000, 1, 1, 1)), RNG)
    shares = found[1]
    assert shares.mean() == pytest.approx(0.5, abs=0.03)
    assert shares.var() == pytest.approx(1 / (4 * 1.4), abs=0.01)  # of Beta(0.2, 0.2)


def test_compositions_are_one_after_the_other():
    steps = [aug.RandomFlip("vertical", seed=1), aug.RandomCrop(4, 4, seed=1), aug.MixUp(seed=2)]
    y = np.eye(6)
    dataset = from_arrays(BATCH, y).batch(6).map(aug.Augmentation(steps))
    first, second = ([x for x, _ in dataset] for _ in range(2))
    assert first[0].shape == (6, 4, 4, 3) and (first[0] != second[0]).any()
    again = from_arrays(BATCH, y).batch(6).map(aug.Augmentation(steps))
    np.testing.assert_array_equal([x for x, _ in again], first)
    np.testing.assert_array_equal(aug.Augmentation([])(BATCH), BATCH)
    inner = aug.Augmentation([aug.Augmentation(steps[:1]), steps[1]])
    assert inner(BATCH).shape == (6, 4, 4, 3)


def test_equal_seeds_of_two_kinds_draw_different_numbers():
    images = np.full((50, 1, 1, 3), 100.0)
    bright = aug.RandomBrightness(0.1, seed=1)(images)[:, 0, 0, 0]
    moved = aug.RandomTranslation(1.0, 0, "constant", seed=1).entropy
    assert (
        abs(np.corrcoef(bright, np.random.Generator(np.random.PCG64(moved)).random(50))[0, 1]) < 0.5
    )


def test_functions_take_the_arguments_of_classes():
    found = aug.random_flip(BATCH, "horizontal", seed=4)
    np.testing.assert_array_equal(found, aug.RandomFlip("horizontal", seed=4)(BATCH))
    assert aug.random_crop(core.tensor(BATCH.astype(np.float32)), 3, width=2).shape == (6, 3, 2, 3)
    names = "crop rotation translation zoom brightness contrast saturation hue erasing flip"
    assert all(callable(getattr(aug, f"random_{name}")) for name in names.split())
    assert aug.color_jitter(BATCH, hue_factor=0.5, seed=1).shape == BATCH.shape


def test_maps_work_before_batches_too():
    pairs = from_arrays(BATCH, np.arange(6)).map(aug.RandomRotation(0.1, seed=1)).batch(6)
    ((images, labels),) = pairs
    assert images.shape == BATCH.shape and labels.tolist() == [*range(6)]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: aug.RandomFlip("sideways"), "mode='sideways' must be one of ('horizontal'"),
        (lambda: aug.RandomRotation(2), "factor=2 must be a number or a pair of numbers from -1"),
        (lambda: aug.RandomRotation("x"), "factor='x' must be a number"),
        (lambda: aug.RandomRotation(0.1, "mirror"), "fill_mode='mirror' must be one of"),
        (lambda: aug.RandomZoom(0.1, interpolation="cubic"), "interpolation='cubic' must be"),
        (lambda: aug.RandomCrop(0, 3), "height=0 must be an integer, 1 or more"),
        (lambda: aug.RandomContrast((0.1, 2)), "factor=(0.1, 2) must be"),
        (lambda: aug.RandomHue(0.1, (1, 0)), "value_range=(1, 0) must be"),
        (lambda: aug.RandomHue(0.1, seed="x"), "seed='x' must be an integer"),
        (lambda: aug.MixUp(0), "alpha=0 must be above 0"),
        (lambda: aug.RandomHue(0.1)(np.ones((2, 3, 3, 1))), "need 3 channels"),
        (lambda: aug.RandomFlip()(np.ones((3, 3))), "got float64 (3, 3)"),
        (lambda: aug.RandomFlip()(), "RandomFlip needs images"),
        (lambda: aug.MixUp()(BATCH), "MixUp mixes labels, too"),
        (lambda: aug.MixUp()(BATCH[0], np.ones(3)), "place it after batch(n)"),
        (lambda: aug.CutMix()(BATCH, np.arange(6)), "make one-hot vectors"),
        (lambda: aug.Augmentation([3]), "3 is not an augmentation"),
        (lambda: aug.get("random_flop"), "the names are cut_mix, mix_up, random_brightness"),
        (
            lambda: aug.get({"class_name": "RandomFlip", "config": {"modus": 1}}),
            "no argument 'modus'",
        ),
    ],
)
def test_invalid_arguments(make, message):
    with pytest.raises(CoreError) as found:
        make()
    assert message in str(found.value)

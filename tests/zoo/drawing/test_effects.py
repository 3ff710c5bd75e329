"""Effects: which pixels change, which stay, what is remembered in a stream, and what warns."""

import io
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require_opencv
from weights_cache.common.errors import ZooError
from zoo.effects.backgrounds import blur_background, cut_out
from zoo.effects.hidden_faces import blur_faces
from zoo.effects.mattes import person_follower, refined_matte, spread_colours
from zoo.images.reading import ImageError
from zoo.live.frame_source import Frame
from zoo.shared.boxes import overlap

require_opencv()

RED, BLUE = (200, 30, 30), (30, 30, 200)


@pytest.fixture
def photo(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    return lambda name: zoo.read_image(shared / "images" / "photos" / f"{name}.jpg")


@pytest.fixture
def faces(monkeypatch):
    """Boxes that the detector gives from now on: one list for each call, the last one for ever."""
    given = [[(60, 40, 40, 40)]]

    def detected(pixels, **options):
        boxes = given.pop(0) if len(given) > 1 else given[0]
        found = [
            dict(zip(("x", "y", "width", "height"), map(float, b), strict=True)) for b in boxes
        ]
        return [{"score": 0.9, "box": box, "keypoints": []} for box in found]

    monkeypatch.setattr("zoo.effects.hidden_faces.detect_faces", detected)
    return given


@pytest.fixture
def person(monkeypatch):
    """The probability that the model gives from now on: 1 in the middle third of the image."""
    given = {"inside": 1.0, "outside": 0.0}

    def segmented(pixels, *, probability, **options):
        height, width = pixels.shape[:2]
        likely = np.full((height, width), given["outside"], np.float32)
        likely[:, width // 3 : 2 * width // 3] = given["inside"]
        return {"mask": (likely > 0.5).astype(np.uint8), "probability": likely}

    def follower(options):
        return lambda pixels, time: segmented(pixels, probability=True)

    monkeypatch.setattr("zoo.effects.mattes.segment_person", segmented)
    monkeypatch.setattr("zoo.effects.mattes.person_follower", follower)
    return given


def noise(rng, height=160, width=200) -> np.ndarray:
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def red_on_blue(height=120, width=180) -> np.ndarray:
    image = np.full((height, width, 3), BLUE, np.uint8)
    image[:, width // 3 : 2 * width // 3] = RED
    return image


def frames_of(images, step=0.1, start=0.0):
    return (Frame(image, i, start + i * step) for i, image in enumerate(images))


def corners(box) -> np.ndarray:
    x, y, width, height = box.values()
    return np.array([x, y, x + width, y + height])


def detail(pixels) -> float:
    """How much neighbours differ."""
    return float(np.abs(np.diff(np.asarray(pixels).astype(int), axis=1)).mean())


# --- faces ------------------------------------------------------------------------------------


def test_faces_on_photos_are_not_found_any_more(photo):
    for name, count in (("three_people", 3), ("coco_000000001000", 10)):
        image = photo(name)
        hidden = blur_faces(image)
        before = zoo.detect_faces(image, score_threshold=0.45)
        assert len(before) >= count
        after = [corners(face["box"]) for face in zoo.detect_faces(hidden)]
        for face in before:
            # Two blurs beside each other may look like one larger face.
            assert not any(overlap(corners(face["box"]), np.array([box])) > 0.3 for box in after)
            left, top, width, height = (int(v) for v in face["box"].values())
            part = np.s_[max(0, top) : top + height, max(0, left) : left + width]
            assert detail(np.asarray(hidden)[part]) < 0.5 * detail(image[part])


def test_small_faces_are_found_in_parts_of_the_image(photo):
    image = photo("human_solvay1927")
    careful, quick = (np.asarray(blur_faces(image, thorough=t)) for t in (True, False))
    assert (careful != image).any(axis=2).sum() > 1.1 * (quick != image).any(axis=2).sum()


def test_what_lies_outside_of_faces_is_untouched(faces, rng):
    image = noise(rng)
    before = image.copy()
    hidden = blur_faces(image, margin=0.1, thorough=False)
    assert isinstance(hidden, Image.Image) and hidden.mode == "RGB"
    changed = (np.asarray(hidden) != image).any(axis=2)
    rows, columns = np.nonzero(changed)
    np.testing.assert_array_equal(image, before)
    assert changed[45:75, 65:95].mean() > 0.95
    assert rows.min() >= 27 and rows.max() < 92 and columns.min() >= 50 and columns.max() < 110


def test_boxes_are_hidden_up_to_their_corners(faces, rng):
    image = noise(rng)
    corner = np.s_[40:44, 60:64]
    options = {"margin": 0.0, "thorough": False}
    box = np.asarray(blur_faces(image, shape="box", **options))
    ellipse = np.asarray(blur_faces(image, **options))
    assert (box[corner] != image[corner]).any(axis=2).all()
    np.testing.assert_array_equal(ellipse[corner], image[corner])


@pytest.mark.parametrize(("strength", "cells"), [(0.5, 12), (1, 6), (3, 2)])
def test_only_means_of_cells_remain(strength, cells, faces, rng):
    """Two images with the same means give the same result: nothing else can be recovered."""
    faces[:] = [[(0, 0, 120, 120)]]
    means = rng.integers(40, 216, (cells, cells, 3), dtype=np.uint8)
    plain = means.repeat(120 // cells, axis=0).repeat(120 // cells, axis=1)
    signs = np.where(np.indices((120, 120)).sum(axis=0) % 2, 30, -30)[..., np.newaxis]
    detailed = (plain + signs).astype(np.uint8)
    options = {"strength": strength, "margin": 0.0, "shape": "box", "thorough": False}
    results = [np.asarray(blur_faces(image, **options)).astype(int) for image in (plain, detailed)]
    assert np.abs(results[0] - results[1])[:110, :110].max() <= 1


@pytest.mark.parametrize("where", [(-30, -30, 60, 60), (170, 130, 80, 80), (-50, -50, 500, 500)])
def test_faces_at_the_border(where, faces, rng):
    faces[:] = [[where]]
    image = noise(rng)
    hidden = np.asarray(blur_faces(image))
    left, top, width, height = where
    inside = np.s_[max(0, top + height // 3) : top + 2 * height // 3, max(0, left + width // 3) :]
    assert detail(hidden[inside][:, : width // 3]) < 0.3 * detail(image[inside][:, : width // 3])


@pytest.mark.parametrize("where", [(500, 500, 40, 40), (10, 10, 0, 0)])
def test_faces_without_pixels_change_nothing(where, faces, rng):
    faces[:] = [[where]]
    image = noise(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that no face was found
        np.testing.assert_array_equal(blur_faces(image, thorough=False), image)


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 200), (97, 31, 1), (64, 64, 4)])
def test_images_of_any_form(shape, faces, rng):
    hidden = blur_faces(rng.integers(0, 256, shape, dtype=np.uint8))
    assert hidden.size == shape[1::-1] and hidden.mode == "RGB"


def test_an_image_without_faces_warns(photo):
    image = photo("coffee")
    with pytest.warns(UserWarning, match="no face was found, so nothing was blurred") as caught:
        hidden = blur_faces(image)
    np.testing.assert_array_equal(hidden, image)
    assert caught[0].filename == __file__


def test_lists_name_the_image_without_faces(faces, rng):
    faces[:] = [[(60, 40, 40, 40)], [], [(60, 40, 40, 40)]]
    images = [noise(rng) for _ in range(3)]
    with pytest.warns(UserWarning, match="no face was found in the image at index 1") as caught:
        hidden = blur_faces(images, thorough=False)
    assert len(caught) == 1 and isinstance(hidden, list)
    np.testing.assert_array_equal(hidden[1], images[1])


def test_iterators_are_lazy(faces, rng):
    taken = []

    def images():
        for i in range(3):
            taken.append(i)
            yield noise(rng)

    hidden = blur_faces(images())
    assert not taken
    assert next(hidden).size == (200, 160) and taken == [0]
    assert len(list(hidden)) == 2


def test_a_face_that_is_lost_for_a_moment_stays_hidden(faces, rng):
    faces[:] = [[(60, 40, 40, 40)], []]
    image = noise(rng)
    hidden = [np.asarray(h) for h in blur_faces(frames_of([image] * 9))]
    still = [(h[50:70, 70:90] != image[50:70, 70:90]).mean() > 0.9 for h in hidden]
    assert still == [True] * 6 + [False] * 3  # 0.0 to 0.5 s
    areas = [int((h != image).any(axis=2).sum()) for h in hidden[:6]]
    assert areas == sorted(areas) and areas[5] > 1.5 * areas[0]  # as the face may move


def test_images_that_are_no_frames_are_not_connected(faces, rng):
    faces[:] = [[(60, 40, 40, 40)], []]
    image = noise(rng)
    with pytest.warns(UserWarning, match="at index 1"):
        hidden = list(blur_faces(iter([image, image]), thorough=False))
    np.testing.assert_array_equal(hidden[1], image)


@pytest.mark.parametrize("cut", ["time", "size"])
def test_another_scene_has_other_faces(cut, faces, rng):
    faces[:] = [[(60, 40, 40, 40)], []]
    first, second = noise(rng), noise(rng, *((160, 200) if cut == "time" else (150, 200)))
    times = (0.0, -1.0) if cut == "time" else (0.0, 0.1)
    frames = [Frame(first, 0, times[0]), Frame(second, 1, times[1])]
    hidden = list(blur_faces(iter(frames)))
    np.testing.assert_array_equal(hidden[1], second)


def test_a_stream_without_faces_warns_at_its_end(faces, rng):
    faces[:] = [[]]
    hidden = blur_faces(frames_of([noise(rng)] * 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        images = [next(hidden) for _ in range(3)]
    assert len(images) == 3
    with pytest.warns(UserWarning, match="no face was found in any of the frames"):
        next(hidden, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": 0.2}, r"strength=0.2 must be in 0.5..3: weaker ones leave faces recogniz"),
        ({"strength": "much"}, r"strength='much' must be a number in 0.5..3"),
        ({"strength": float("nan")}, r"strength=nan must be a number"),
        ({"shape": "star"}, r"shape='star' must be one of \['ellipse', 'box'\]"),
        ({"margin": -1}, r"margin=-1 must be in 0..2"),
        ({"hold": True}, r"hold=True must be a number in 0..10"),
        ({"thorough": "yes"}, r"thorough='yes' must be True, False or None"),
        ({"thorough": True, "model": "best"}, r"thorough=True chooses between .* but model='best'"),
        ({"score_threshold": 2}, r"score_threshold=2 must be in 0..1"),
        ({"strenght": 1}, r"unknown option 'strenght' of blur_faces: did you mean 'strength'"),
        ({"model": "posenet"}, r"posenet"),
    ],
)
def test_wrong_options_of_blur_faces(options, message):
    with pytest.raises(ZooError, match=message):
        blur_faces(np.zeros((80, 80, 3), np.uint8), **options)


def test_files_that_are_no_images():
    for effect in (blur_faces, blur_background, cut_out):
        with pytest.raises(ImageError, match="no-such-file"):
            effect("no-such-file.jpg")


# --- backgrounds ------------------------------------------------------------------------------


def test_the_background_of_a_photo_is_blurred_and_the_person_is_not(photo):
    image = photo("portrait")
    mask = zoo.segment_person(image)["mask"]
    blurred = np.asarray(blur_background(image)).astype(int)
    sure = zoo.segment_person(image, threshold=0.99)["mask"] > 0
    assert np.abs(blurred - image)[sure].mean() < 1
    free = ~np.logical_or.reduce([np.roll(mask, s, a) for s in (-25, 25) for a in (0, 1)])[:200]
    horizontal = np.abs(np.diff(blurred[:200], axis=1)).max(axis=2)[free[:, 1:]]
    assert (
        horizontal.mean()
        < 0.4 * np.abs(np.diff(image[:200].astype(int), axis=1)).max(axis=2)[free[:, 1:]].mean()
    )


@pytest.mark.parametrize("strength", [0.2, 1, 5])
def test_colours_of_people_do_not_run_into_the_background(strength, person):
    blurred = np.asarray(blur_background(red_on_blue(), strength=strength))
    assert np.abs(blurred[:, :50].astype(int) - BLUE).max() <= 2
    assert np.abs(blurred[:, 70:110].astype(int) - RED).max() <= 2


def test_stronger_is_smoother(person, rng):
    image = noise(rng)
    details = [detail(np.asarray(blur_background(image, strength=s))[:, :50]) for s in (0.2, 1, 4)]
    assert details[0] > 1.5 * details[1] > 2 * details[2]


def test_a_cut_out_person_has_soft_edges_of_own_colours(person):
    person.update(inside=0.9, outside=0.1)
    figure = cut_out(red_on_blue())
    pixels = np.asarray(figure)
    assert figure.mode == "RGBA" and pixels.shape == (120, 180, 4)
    assert (pixels[:, 70:110, 3] == 255).all() and not pixels[:, :50, 3].any()
    visible = pixels[..., 3] > 25
    assert np.abs(pixels[visible][:, :3].astype(int) - RED).max() <= 30


def test_a_cut_out_person_can_be_saved(person, tmp_path):
    figure = cut_out(red_on_blue())
    file = io.BytesIO()
    figure.save(file, "PNG")
    np.testing.assert_array_equal(Image.open(file), figure)


def test_cropping_leaves_what_is_visible(person):
    figure = cut_out(red_on_blue(), crop=True)
    assert figure.height == 120 and 60 <= figure.width <= 66


def test_photos_without_people_warn(photo):
    image = photo("coffee")
    with pytest.warns(UserWarning, match="nobody was found, so all of the image is transparent"):
        figure = cut_out(image, crop=True, model="bodypix.mobilenet_075")
    assert figure.size == (800, 800) and not np.asarray(figure)[..., 3].any()
    with pytest.warns(UserWarning, match="nobody was found, so all of the image is blurred"):
        blurred = blur_background(image, model="bodypix.mobilenet_075")
    assert detail(blurred) < 0.5 * detail(image)


def test_nobody_is_cut_out_of_a_photo_of_a_cat(photo):
    with pytest.warns(UserWarning, match="nobody was found"):
        figure = np.asarray(cut_out(photo("cat_demo")))
    assert not figure[..., 3].any()


def test_the_check_can_be_left_out(photo):
    figure = np.asarray(cut_out(photo("cat_demo"), person_check=False))
    assert (figure[..., 3] > 0).mean() > 0.4
    sharp = blur_background(photo("cat_demo"), person_check=False)
    with pytest.warns(UserWarning, match="for a hand alone person_check=False"):
        blurred = blur_background(photo("cat_demo"))
    assert detail(sharp) > 1.5 * detail(blurred)


def test_masks_of_frames_are_steadied(monkeypatch):
    """By the follower: see `test_segmentation.test_streams_are_steadied_as_cells`."""
    asked = []
    model = SimpleNamespace(follower=lambda verb, options, **how: asked.append((verb, how)))
    bound = SimpleNamespace(model=model, verb="segment_person", options={})
    monkeypatch.setattr("zoo.effects.mattes.bind", lambda *_, **__: bound)
    person_follower({})
    assert asked == [("segment_person", {"smooth": True})]


@pytest.mark.parametrize("effect", [blur_background, cut_out])
@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 90), (91, 33, 1), (64, 65, 4)])
def test_backgrounds_of_images_of_any_form(effect, shape, person, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is too small to have a person
        result = effect(rng.integers(0, 256, shape, dtype=np.uint8))
    assert result.size == shape[1::-1]


@pytest.mark.parametrize(
    ("effect", "options", "message"),
    [
        (blur_background, {"strength": 0}, r"strength=0 must be in 0.05..5"),
        (blur_background, {"sigma": 3}, r"unknown option 'sigma' of blur_background"),
        (cut_out, {"crop": 1}, r"crop=1 must be True or False"),
        (cut_out, {"model": "blazeface.short"}, r"blazeface.short"),
    ],
)
def test_wrong_options_of_backgrounds(effect, options, message):
    with pytest.raises(ZooError, match=message):
        effect(np.zeros((80, 80, 3), np.uint8), **options)


def test_a_matte_follows_the_edge_of_the_image():
    """The mask of the model is 6 pixels off; the matte is where the image has its edge."""
    image = np.zeros((300, 300, 3), np.uint8)
    image[:, 150:] = 255
    likely = np.zeros((300, 300), np.float32)
    likely[:, 148:] = 1
    matte = refined_matte(image, likely)
    assert (matte[:, 153:] > 0.95).all() and (matte[:, :147] < 0.05).all()


def test_spread_colours_are_those_with_weight(rng):
    image, weight = red_on_blue(), np.zeros((120, 180), np.float32)
    weight[:, 70:110] = 1
    for sigma in (1.0, 5.0, 40.0):
        near = spread_colours(image, weight, sigma)[:, 60:120].astype(int)
        assert np.abs(near - RED).max() <= 2

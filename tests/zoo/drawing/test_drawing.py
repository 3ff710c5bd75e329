"""Poses on pictures: what is painted, where, and what is left alone."""

import math

import numpy as np
import pytest
from PIL import Image

from weights_cache.common.errors import ZooError
from zoo.drawing import draw
from zoo.images.reading import ImageError
from zoo.shared.skeletons import BODY_17

KEYPOINTS, SKELETON = BODY_17

# A standing person, seen from the front, in a box of 100 x 200.
BODY = {
    "nose": (50, 20),
    "left_eye": (54, 16),
    "right_eye": (46, 16),
    "left_ear": (60, 18),
    "right_ear": (40, 18),
    "left_shoulder": (70, 45),
    "right_shoulder": (30, 45),
    "left_elbow": (85, 75),
    "right_elbow": (15, 75),
    "left_wrist": (95, 105),
    "right_wrist": (5, 105),
    "left_hip": (62, 105),
    "right_hip": (38, 105),
    "left_knee": (62, 150),
    "right_knee": (38, 150),
    "left_ankle": (62, 195),
    "right_ankle": (38, 195),
}


def keypoint(part: str, x: float, y: float, score: float = 0.9) -> dict:
    return {"part": part, "position": {"x": x, "y": y}, "score": score}


def person(left: float = 0, top: float = 0, size: float = 1, score: float = 0.9) -> dict:
    points = [keypoint(p, left + x * size, top + y * size, score) for p, (x, y) in BODY.items()]
    return {"score": score, "keypoints": points}


def blank(width: int, height: int, level: int = 128) -> np.ndarray:
    return np.full((height, width, 3), level, dtype=np.uint8)


def changed(picture: Image.Image, original: np.ndarray) -> np.ndarray:
    """Return where a picture differs from the original, [height, width]."""
    return (np.asarray(picture) != original).any(axis=2)


def colour_at(picture: Image.Image, x: float, y: float) -> tuple:
    return picture.getpixel((round(x), round(y)))


def is_blue(colour) -> bool:
    return colour[2] > colour[0] + 60


def is_orange(colour) -> bool:
    return colour[0] > colour[2] + 60


def test_every_point_and_line_is_painted():
    original = blank(400, 600)
    marked = changed(draw(original, person(100, 100, 2)), original)
    for x, y in BODY.values():
        assert marked[100 + 2 * y, 100 + 2 * x]
    for a, b in SKELETON:
        (ax, ay), (bx, by) = BODY[KEYPOINTS[a]], BODY[KEYPOINTS[b]]
        for share in np.linspace(0, 1, 9):
            x, y = ax + (bx - ax) * share, ay + (by - ay) * share
            assert marked[round(100 + 2 * y), round(100 + 2 * x)], (a, b, share)


def test_the_rest_of_the_picture_is_untouched(rng):
    original = rng.integers(0, 256, (600, 400, 3), dtype=np.uint8)
    before = original.copy()
    marked = changed(draw(original, person(100, 100, 2)), original)
    np.testing.assert_array_equal(original, before)
    rows, columns = np.nonzero(marked)
    assert rows.max() < 100 + 2 * 195 + 15
    assert columns.min() > 100 - 15 and columns.max() < 300 + 15
    assert not marked[330:370, 195:205].any()  # inside the hips, between the legs
    assert marked.mean() < 0.1


def test_left_right_and_middle_have_three_colours():
    picture = draw(blank(400, 600), person(100, 100, 2))
    assert is_blue(colour_at(picture, 100 + 2 * 70, 100 + 2 * 45))  # left shoulder
    assert is_orange(colour_at(picture, 100 + 2 * 30, 100 + 2 * 45))
    assert is_blue(colour_at(picture, 100 + 2 * 62, 100 + 2 * 125))  # left thigh
    assert is_orange(colour_at(picture, 100 + 2 * 38, 100 + 2 * 125))
    assert min(colour_at(picture, 200, 100 + 2 * 105)) > 200  # between the hips


@pytest.mark.parametrize("level", [0, 64, 128, 192, 255])
def test_lines_stand_out_from_any_background(level):
    original = blank(400, 600, level)
    row = np.asarray(draw(original, person(100, 100, 2)))[100 + 2 * 125].astype(int)
    contrast = np.abs(row - level).max(axis=1)
    assert (contrast > 60).sum() >= 8


def test_edges_are_smooth():
    original = blank(400, 600, 255)
    row = np.asarray(draw(original, person(100, 100, 2)))[100 + 2 * 60, :, 1]
    assert len(np.unique(row)) > 4  # more than paper, ink and one colour


def test_points_below_the_score_are_left_out():
    original = blank(300, 300)
    pose = {"score": math.nan, "keypoints": [keypoint("nose", 50, 50, 0.29)]}
    assert not changed(draw(original, pose), original).any()
    assert changed(draw(original, pose, min_score=0.2), original)[50, 50]
    pose["keypoints"] += [keypoint("left_eye", 200, 200, 0.9)]
    marked = changed(draw(original, pose), original)
    assert marked[200, 200] and not marked[50, 50] and not marked[125, 125]


def test_doubtful_points_are_hollow_and_their_lines_fainter():
    pairs = {}
    for score in (0.4, 0.9):
        points = [keypoint("left_hip", 100, 300, score), keypoint("left_knee", 500, 300)]
        picture = draw(blank(600, 600, 255), {"score": score, "keypoints": points})
        pairs[score] = colour_at(picture, 100, 300), colour_at(picture, 300, 300)
    assert max(pairs[0.4][0]) < 60 and is_blue(pairs[0.9][0])
    assert sum(pairs[0.4][1]) > sum(pairs[0.9][1]) + 60
    assert is_blue(pairs[0.4][1])


def test_unknown_parts_are_points_without_lines():
    points = [keypoint("paw", 20, 50), keypoint("tail", 80, 50), keypoint("left_paw", 50, 20)]
    original = blank(100, 100)
    picture = draw(original, {"score": 0.9, "keypoints": points}, min_score=0)
    marked = changed(picture, original)
    assert marked[50, 20] and marked[50, 80] and not marked[50, 50]
    assert is_blue(colour_at(picture, 50, 20))


def test_score_stands_above_the_head():
    original = blank(400, 600)
    pose = person(100, 100, 2)
    marked = changed(draw(original, pose), original)
    unlabelled = changed(draw(original, {"keypoints": pose["keypoints"]}), original)
    rows, columns = np.nonzero(marked & ~unlabelled)
    assert rows.max() < 100 + 2 * 16
    assert abs(columns.mean() - 200) < 10
    np.testing.assert_array_equal(marked[132:], unlabelled[132:])


@pytest.mark.parametrize("place", [(-40, 0), (340, 0), (150, -20)])
def test_score_stays_inside_the_picture(place):
    original, pose = blank(400, 400), person(*place)
    labelled, bare = draw(original, pose), draw(original, {"keypoints": pose["keypoints"]})
    label = changed(labelled, np.asarray(bare))
    assert label.sum() > 200
    assert not (label[0].any() or label[:, 0].any() or label[:, -1].any())


@pytest.mark.parametrize("score", [math.nan, math.inf, None, "high", [1]])
def test_pose_without_a_usable_score_has_no_label(score):
    pose = person(100, 100)
    bare = draw(blank(300, 400), {"keypoints": pose["keypoints"]})
    assert draw(blank(300, 400), pose | {"score": score}).tobytes() == bare.tobytes()


def test_several_people_differ_in_colour():
    people = [person(10 + 110 * index, 60) for index in range(6)]
    picture = draw(blank(700, 300), people)
    hips = {colour_at(picture, 10 + 110 * index + 50, 60 + 105) for index in range(6)}
    assert len(hips) == 6
    assert min(math.dist(a, b) for a in hips for b in hips if a != b) > 50


def test_a_list_of_one_looks_like_the_one():
    one = person(20, 60)
    assert draw(blank(200, 300), [one]).tobytes() == draw(blank(200, 300), one).tobytes()


def test_the_first_pose_is_on_top():
    first = draw(blank(200, 300), [person(50, 60), person(900, 900)])
    both = draw(blank(200, 300), [person(50, 60), person(50, 60)])
    for x, y in BODY.values():
        assert colour_at(first, 50 + x, 60 + y) == colour_at(both, 50 + x, 60 + y)


@pytest.mark.parametrize("source", ["array", "pil"])
def test_empty_list_returns_a_copy(rng, source):
    original = rng.integers(0, 256, (40, 30, 3), dtype=np.uint8)
    image = original if source == "array" else Image.fromarray(original)
    picture = draw(image, [])
    np.testing.assert_array_equal(np.asarray(picture), original)
    picture.paste("red", (0, 0, 30, 40))
    np.testing.assert_array_equal(np.asarray(image), original)
    assert (np.asarray(picture) != original).any()


@pytest.mark.parametrize("size", [(1, 1), (1, 50), (7, 5), (20, 20), (64, 200), (3000, 40)])
def test_pictures_of_any_size(size):
    original = blank(*size)
    picture = draw(original, [person(0, 0, size[1] / 200), person(0, 0, size[0] / 100)])
    assert picture.size == size and picture.mode == "RGB"
    assert changed(picture, original).any()


def test_sizes_follow_the_picture():
    """The same scene, larger, has the same share of painted pixels."""
    shares = []
    for scale in (1, 2, 8):
        original = blank(400 * scale, 600 * scale)
        marked = changed(draw(original, person(100 * scale, 150 * scale, 2 * scale)), original)
        shares.append(marked.mean())
    assert max(shares) < 1.35 * min(shares)


def test_sizes_follow_the_person():
    def width_of_thigh(size: float) -> int:
        original = blank(1000, 1000)
        picture = draw(original, person(100, 100, size))
        row = changed(picture, original)[round(100 + 127 * size)]
        return int(row[: round(100 + 50 * size)].sum())

    assert width_of_thigh(4) > 1.5 * width_of_thigh(1.5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, -1e9, 5000])
def test_points_far_outside_are_left_out(bad):
    original, pose = blank(200, 300), person(50, 50)
    outlier = pose | {"keypoints": [*pose["keypoints"], keypoint("tail", bad, 100)]}
    assert draw(original, outlier).tobytes() == draw(original, pose).tobytes()
    nowhere = {"score": 0.9, "keypoints": [keypoint(p, bad, bad) for p in KEYPOINTS]}
    assert not changed(draw(original, nowhere), original).any()


def test_point_with_an_unknown_score_is_left_out():
    original = blank(50, 50)
    pose = {"score": 0.5, "keypoints": [keypoint("nose", 25, 25, math.nan)]}
    assert not changed(draw(original, pose), original).any()


def test_lines_leave_the_picture_towards_points_outside():
    points = [keypoint("left_hip", 50, 80), keypoint("left_knee", 50, 150)]
    original = blank(100, 100)
    marked = changed(draw(original, {"score": 0.9, "keypoints": points}), original)
    assert marked[99, 50]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"label": "cat", "index": 3}, ["index", "label", "keypoints"]),
        ({}, ["{}", "keypoints"]),
        (None, ["None"]),
        ("pose", ["'pose'"]),
        (3, ["3"]),
        ([person(), {"mask": 1}], ["mask", "[20, 20]"]),
        ([[person()]], ["list of the results of 1 image:"]),
        ({"keypoints": None}, ["None", "list"]),
        ({"keypoints": 5}, ["5", "list"]),
        ({"keypoints": [3]}, ["3", "position"]),
        ({"keypoints": [{"part": "nose", "score": 1}]}, ["nose", "position"]),
        ({"keypoints": [{"part": "nose", "score": 1, "position": (1, 2)}]}, ["(1, 2)", "'x'"]),
        ({"keypoints": [keypoint("nose", "a", 2)]}, ["'a'", "position"]),
        ({"keypoints": [keypoint("nose", 10**400, 2)]}, ["nose", "position"]),
    ],
)
def test_what_cannot_be_drawn_is_named(result, words):
    with pytest.raises(ZooError) as caught:
        draw(blank(20, 20), result)
    assert all(word in str(caught.value) for word in words), caught.value
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("min_score", [-0.1, 1.1, math.nan, "0.3", None])
def test_bad_min_score(min_score):
    with pytest.raises(ZooError, match=r"min_score is .* 0\.\.1"):
        draw(blank(20, 20), [], min_score=min_score)


def test_bad_picture(tmp_path):
    with pytest.raises(ImageError, match="missing.jpg"):
        draw(tmp_path / "missing.jpg", [])


def test_picture_from_a_file(tmp_path):
    path = tmp_path / "photo.png"
    Image.fromarray(blank(200, 300)).save(path)
    assert draw(path, person(50, 50)).tobytes() == draw(blank(200, 300), person(50, 50)).tobytes()

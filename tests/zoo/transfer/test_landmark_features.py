"""Features from landmarks: apart from place and size, and what they are on real images."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.zoo.tasks.gesture_hands import as_hand, make_hand
from weights_cache.common.errors import ZooError
from zoo.images.reading import read_image
from zoo.shared.skeletons import BODY_17
from zoo.tasks.segmentation.bodypix import PART_LABELS
from zoo.transfer.features.extractor import feature_extractor
from zoo.transfer.features.landmarks import (
    face_vector,
    hand_vector,
    parts_vector,
    pose_vector,
)

SIGN = {"thumb": 40, "index": 10, "pinky": 90}  # degrees by which fingers are bent


@pytest.fixture
def weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


def assert_near(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


# --- hands ----------------------------------------------------------------------------------------


def test_a_hand_elsewhere_and_larger_has_the_same_features():
    points = make_hand(SIGN, "vertical_up")
    expected = hand_vector([as_hand(points)])
    assert expected.shape == (78,) and not expected[:3].any()
    tips = expected[:63].reshape(21, 3)[[4, 8, 12, 16, 20]]
    np.testing.assert_allclose(expected[63:68], np.linalg.norm(tips, axis=1))
    assert expected[68] == pytest.approx(np.linalg.norm(tips[0] - tips[1]))
    assert expected[77] == pytest.approx(np.linalg.norm(tips[3] - tips[4]))
    assert_near(hand_vector([as_hand(points * 3.7 + [500, -80, 0])]), expected, 2e-4)


def test_left_hands_are_mirrored():
    points = make_hand(SIGN, "diagonal_up_left")
    right = hand_vector([as_hand(points * [-1, 1, 1] + [300, 0, 0], handedness="right")])
    left = hand_vector([as_hand(points, handedness="left")])
    assert_near(right, left, 1e-6)
    assert np.abs(hand_vector([as_hand(points, handedness="right")]) - left).max() > 0.1


def test_the_most_prominent_hand_counts():
    small, large = (as_hand(make_hand(SIGN, "vertical_up") * size) for size in (1, 2))
    unsure = as_hand(make_hand({}, "vertical_down") * 3, score=0.05)
    found = hand_vector([small, unsure, large])
    np.testing.assert_array_equal(found, hand_vector([large]))


def test_unknown_depth_is_0():
    flat = hand_vector([as_hand(make_hand(SIGN, "vertical_up")[:, :2])])
    assert not flat[2:63:3].any() and np.isfinite(flat).all()


# --- faces ----------------------------------------------------------------------------------------


def face_of(points, score=0.9):
    return as_hand(points, score=score)


@pytest.fixture
def mesh(rng):
    return rng.normal(size=(468, 3)) * 100


def test_faces_are_measured_by_the_distance_of_the_eyes(mesh):
    found = face_vector([face_of(mesh)])
    left, right = found[[362, 263]].mean(axis=0), found[[33, 133]].mean(axis=0)
    assert_near(left + right, np.zeros(3), 1e-9)
    assert np.linalg.norm(left - right) == pytest.approx(1)
    assert_near(face_vector([face_of(mesh * 2.5 + [30, 70, 0])]), found, 1e-9)


def test_faces_stay_tilted(mesh):
    quarter = mesh[:, [1, 0, 2]] * [1, -1, 1]
    found = face_vector([face_of(quarter)])
    assert_near(found, face_vector([face_of(mesh)])[:, [1, 0, 2]] * [1, -1, 1], 1e-9)


def test_faces_without_a_size_and_with_nan():
    assert face_vector([]) is None
    assert face_vector([face_of(np.zeros((468, 3)))]) is None
    with pytest.raises(ZooError, match="no finite number"):
        face_vector([face_of(np.full((468, 3), np.nan))])


# --- bodies ---------------------------------------------------------------------------------------

#: A person who stands upright, seen from ahead, in trunk lengths; left is on the right.
STANDING = {
    "nose": (0, -0.45),
    **{"left_eye": (0.05, -0.5), "left_ear": (0.1, -0.45)},
    **{"left_shoulder": (0.3, 0), "left_elbow": (0.4, 0.5), "left_wrist": (0.4, 0.9)},
    **{"left_hip": (0.2, 1), "left_knee": (0.2, 1.8), "left_ankle": (0.2, 2.5)},
}
STANDING |= {n.replace("left", "right"): (-x, y) for n, (x, y) in STANDING.items()}


def pose_of(points, unseen=(), scale=100.0, at=(200.0, 150.0)):
    keypoints = [
        {
            "part": part,
            "position": {
                "x": points[part][0] * scale + at[0],
                "y": points[part][1] * scale + at[1],
            },
            "score": 0.1 if any(word in part for word in unseen) else 0.9,
        }
        for part in BODY_17.names
    ]
    return {"score": 0.8, "keypoints": keypoints}


def joint(vector, part):
    return vector[BODY_17.names.index(part)]


def test_bodies_are_measured_by_the_trunk():
    found = pose_vector(pose_of(STANDING))
    assert found.shape == (17, 3)
    assert_near(joint(found, "left_wrist"), [0.4, 0.4, 0.9], 1e-9)  # hips and shoulders: 0.5
    assert_near(pose_vector(pose_of(STANDING, scale=37, at=(5, 900))), found, 1e-9)


def test_seated_people_are_measured_by_what_is_seen():
    found = pose_vector(pose_of(STANDING, unseen=("hip", "knee", "ankle")))
    assert not joint(found, "left_hip").any() and not joint(found, "right_ankle").any()
    wrist, shoulder = joint(found, "left_wrist"), joint(found, "left_shoulder")
    standing = pose_vector(pose_of(STANDING))
    expected = joint(standing, "left_wrist") - joint(standing, "left_shoulder")
    assert_near(wrist[:2] - shoulder[:2], expected[:2], 0.12)  # the trunk is estimated


def test_people_who_turn_keep_their_size():
    turned = {part: (0.2 * x, y) for part, (x, y) in STANDING.items()}
    found = joint(pose_vector(pose_of(turned)), "left_wrist")
    assert_near(found, [0.08, 0.4, 0.9], 1e-9)
    bent = {part: (x, 0.3 * y) for part, (x, y) in STANDING.items()}
    assert joint(pose_vector(pose_of(bent)), "left_shoulder")[0] == pytest.approx(0.385, abs=0.01)


def test_left_and_right_of_a_body_differ():
    raised = STANDING | {"left_wrist": (0.4, -0.8)}
    other = STANDING | {"right_wrist": (-0.4, -0.8)}
    one, two = pose_vector(pose_of(raised)), pose_vector(pose_of(other))
    assert np.abs(one - two).max() > 1


def test_too_few_joints_are_no_person():
    assert pose_vector({"score": 0.0, "keypoints": []}) is None
    assert pose_vector(pose_of(STANDING, unseen=("e", "i"))) is None
    face = pose_vector(pose_of(STANDING, unseen=("shoulder", "el", "wr", "hip", "kn", "ank")))
    assert np.isfinite(face).all() and face.any()  # of a close-up


# --- parts of bodies ------------------------------------------------------------------------------

HEAD, TORSO = PART_LABELS.index("left_face"), PART_LABELS.index("torso_front")


@pytest.fixture
def person():
    mask = np.zeros((200, 160), np.uint8)
    mask[20:60, 60:100] = HEAD
    mask[60:180, 40:120] = TORSO
    return mask


def parts_of(mask):
    return parts_vector({"mask": mask, "labels": list(PART_LABELS)})


def test_parts_are_measured_by_area_and_box(person):
    found = parts_of(person)
    assert found.shape == (24, 3) and found[:, 0].sum() == pytest.approx(1)
    assert_near(found[HEAD - 1], [1600 / 11200, 0, -60 / 160], 0.01)
    assert_near(found[TORSO - 1], [9600 / 11200, 0, 20 / 160], 0.01)
    assert not np.delete(found, [HEAD - 1, TORSO - 1], axis=0).any()


def test_parts_elsewhere_and_larger_have_about_the_same_features(person):
    moved = np.roll(person, (15, -30), axis=(0, 1))
    assert_near(parts_of(moved), parts_of(person), 1e-6)
    large = person.repeat(6, axis=0).repeat(6, axis=1)  # not every pixel is looked at
    assert_near(parts_of(large), parts_of(person), 0.01)


def test_few_pixels_change_little(person):
    hand = PART_LABELS.index("left_hand")
    other = person.copy()
    other[0, 150:153] = hand
    assert np.abs(parts_of(other) - parts_of(person)).max() < 0.02


def test_a_few_pixels_are_no_person(person):
    assert parts_of(np.zeros_like(person)) is None
    speck = np.zeros_like(person)
    speck[:6, :6] = TORSO
    assert parts_of(speck) is None


# --- real images ----------------------------------------------------------------------------------


@pytest.fixture
def gestures(shared):
    return {
        label: sorted((shared / "images" / "transfer" / "gestures" / label).glob("*.jpg"))[:3]
        for label in ("call", "rock")
    }


def test_hands_of_real_images_hardly_change_with_size_and_side(weights, gestures):
    extractor = feature_extractor("hand")
    vectors = SimpleNamespace(plain=[], mirrored=[], large=[])
    for path in [*gestures["call"], *gestures["rock"]]:
        image = read_image(path)
        vectors.plain.append(extractor.of_image(image).values)
        vectors.mirrored.append(extractor.of_image(image, mirror=True).values)
        large = image.repeat(2, axis=0).repeat(2, axis=1)
        vectors.large.append(extractor.of_image(large).values)
    pairs = list(zip(vectors.plain, vectors.mirrored, vectors.large, strict=True))
    found = [pair for pair in pairs if all(each is not None for each in pair)]
    assert len(found) >= 4
    sizes, mirrored, large = (
        np.array([np.linalg.norm(each) for each in column])
        for column in zip(*((a, a - b, a - c) for a, b, c in found), strict=True)
    )
    assert (large < 0.05 * sizes).all()
    assert np.median(mirrored / sizes) < 0.08  # people show two hands: the other one may be taken


def test_hands_of_a_sign_are_more_alike_than_others(weights, gestures):
    paths = [*gestures["call"], *gestures["rock"]]
    labels = np.array(["call"] * 3 + ["rock"] * 3)
    found = list(feature_extractor("hand").of_images(paths))
    seen = [vector.values is not None for vector in found]
    rows = np.stack([vector.values for vector in found if vector.values is not None])
    labels = labels[seen]
    apart = np.linalg.norm(rows[:, None] - rows, axis=2) + np.diag([np.inf] * len(rows))
    assert len(rows) >= 4
    assert (labels[apart.argmin(axis=1)] == labels).all()

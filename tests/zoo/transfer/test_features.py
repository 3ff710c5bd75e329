"""Features of images: embeddings as `infer` gives them, landmarks apart from place and size."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import zoo
from core import GraphModel
from tests.conftest import ROOT
from tests.zoo.gesture_hands import as_hand, make_hand
from weights_cache import find_record
from weights_cache.errors import ZooError
from zoo.catalog import find_entry
from zoo.images.errors import ImageError
from zoo.images.reading import read_image
from zoo.networks import build_network
from zoo.segmentation.bodypix import PART_LABELS
from zoo.shared.skeletons import BODY_17
from zoo.transfer.feature_blocks import FeatureVector
from zoo.transfer.features import (
    DEFAULT_FEATURES,
    embedding_extractor,
    feature_extractor,
    feature_names,
)
from zoo.transfer.landmark_features import (
    LANDMARKS,
    face_vector,
    hand_vector,
    parts_vector,
    pose_vector,
)

PERSON = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
PERMITTED = {"thumb": 40, "index": 10, "pinky": 90}


@pytest.fixture
def weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(scope="module")
def tiny():
    with_model = feature_extractor("posenet.tiny")
    yield with_model
    with_model.close()


def assert_near(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def noise(rng, *sides):
    return rng.integers(0, 256, (*sides, 3), dtype=np.uint8)


# --- embeddings -----------------------------------------------------------------------------------


def test_maps_of_features_are_averaged_over_height_and_width(tiny, rng):
    image = noise(rng, 90, 70)
    with zoo.load("posenet.tiny") as model:
        expected = model.infer(image, embedding=True).numpy().mean(axis=(0, 1, 2))
    found = tiny.of_image(image)
    assert found.values.dtype == np.float32 and found.missing == ""
    assert_near(found.values, expected, 1e-5)
    assert tiny.size == len(expected) == 384


def test_vectors_are_those_of_infer(weights, rng):
    images = [noise(rng, 60 + 10 * k, 90) for k in range(5)]
    extractor = feature_extractor("mobilenet.v1_100_quant")
    expected = zoo.load("mobilenet.v1_100_quant").infer(images, embedding=True)
    found = list(extractor.of_images(images))
    assert extractor.size == 1024 and len(found) == 5
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.values, other.numpy().ravel())


def test_the_model_and_node_of_an_embedding_give_it(tiny, rng):
    image = noise(rng, 40, 40)
    values = tiny.model.execute(tiny.model.network_input(image), [tiny.node])[tiny.node].numpy()
    assert_near(tiny.of_image(image).values, values.mean(axis=(0, 1, 2)), 1e-5)
    assert tiny.is_embedding and tiny.names == ("posenet.tiny",)
    landmarks = feature_extractor("pose")
    assert (landmarks.is_embedding, landmarks.model, landmarks.node) == (False, None, "")


@pytest.mark.parametrize("name", ["mobilenet.v2_100_quant", "faceapi.expression", "palm.lite"])
def test_sizes_are_known_without_an_image(weights, name):
    extractor = feature_extractor(name)
    assert extractor.size == len(extractor.of_image(PERSON).values)


def test_a_copy_with_other_weights_gives_other_features(tiny):
    entry = find_entry("posenet.tiny")
    graph = build_network(entry, {n: o.default for n, o in entry.options.items()})
    same = embedding_extractor("posenet.tiny", GraphModel(graph, "cpu"), entry.embedding)
    halved = {n: np.array(w) * np.float32(0.5) for n, w in graph.weights.items()}
    other = embedding_extractor(
        "posenet.tiny", GraphModel(graph._replace(weights=halved), "cpu"), entry.embedding
    )
    values = tiny.of_image(PERSON).values
    assert_near(same.of_image(PERSON).values, values, 1e-5)
    assert np.abs(other.of_image(PERSON).values - values).max() > 0.1
    assert len({tiny.key, same.key, other.key}) == 3
    assert other.provenance[0]["changed"] == "yes"
    other.close()
    assert other.of_image(PERSON).values is not None  # its network is the caller's


def test_a_closed_extractor_loads_its_network_again(rng):
    extractor, image = feature_extractor("posenet.tiny"), noise(rng, 30, 30)
    before = extractor.of_image(image).values
    extractor.close()
    np.testing.assert_array_equal(extractor.of_image(image).values, before)


# --- several images -------------------------------------------------------------------------------


def test_images_keep_their_order_and_broken_ones_their_place(tiny, rng, tmp_path):
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\nnot a png")
    images = [noise(rng, 20 + k, 30) for k in range(7)]
    found = list(tiny.of_images([*images[:3], damaged, "missing.jpg", *images[3:]]))
    assert isinstance(found[3], ImageError) and "damaged.png" in str(found[3])
    assert isinstance(found[4], ImageError) and "missing.jpg" in str(found[4])
    for image, vector in zip(images, found[:3] + found[5:], strict=True):
        np.testing.assert_array_equal(vector.values, tiny.of_image(image).values)


def test_a_mirror_image_is_seen_as_its_flip(tiny, rng):
    image = noise(rng, 50, 40)
    flipped = np.ascontiguousarray(image[:, ::-1])
    expected = tiny.of_image(image).values
    np.testing.assert_array_equal(tiny.of_image(flipped, mirror=True).values, expected)
    found = list(tiny.of_images([flipped, flipped], mirror=True))
    np.testing.assert_array_equal(found[1].values, expected)
    assert np.abs(tiny.of_image(flipped).values - expected).max() > 1e-3


@pytest.mark.parametrize(("features", "ahead"), [("posenet.tiny", 4), ("pose", 2)])
def test_few_images_are_read_ahead_and_the_reader_ends_with_the_results(features, ahead, rng):
    extractor, image = feature_extractor(features), noise(rng, 30, 30)
    pulled, ended = [], threading.Event()

    def images():
        try:
            for number in range(500):
                pulled.append(number)
                yield image
        finally:
            ended.set()

    results = extractor.of_images(images())
    next(results)
    next(results)
    assert len(pulled) <= 2 + ahead + 2
    results.close()
    assert ended.wait(20)
    assert len(pulled) <= 2 + ahead + 2


def test_an_error_of_the_source_of_images_reaches_the_caller(tiny, rng):
    def images():
        yield noise(rng, 20, 20)
        raise RuntimeError("the camera is gone")

    results = tiny.of_images(images())
    with pytest.raises(RuntimeError, match="the camera is gone"):
        list(results)


def test_one_image_instead_of_a_list_is_an_error(tiny):
    with pytest.raises(ZooError, match=r"'a\.jpg' is one image, .* call of_image"):
        tiny.of_images("a.jpg")


def test_threads_load_a_network_once(rng, monkeypatch):
    extractor, image, loads = feature_extractor("posenet.tiny"), noise(rng, 20, 20), []

    def slow(name, **options):
        loads.append(name)
        time.sleep(0.05)
        return zoo.load(name, **options)

    monkeypatch.setattr("zoo.transfer.feature_blocks.load", slow)
    threads = [threading.Thread(target=extractor.of_image, args=(image,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["posenet.tiny"]


def test_known_results_stay_where_they_are(tiny, rng):
    known = FeatureVector(None, "known")
    looks = [known, tiny.look(noise(rng, 20, 20)), known, ImageError("broken")] + [known] * 200
    found = list(tiny.of_looks(looks))
    assert len(found) == 204 and found[0] is known and found[3] is looks[3]
    assert found[1].values.shape == (384,) and all(f is known for f in found[4:])


# --- names, keys, origin --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("hands", "unknown features 'hands': did you mean 'hand'"),
        ("mobilenet.v1_01", r"did you mean 'mobilenet.v1_1?.*mobilenet.v2_100_quant"),
        ("iris.base", "iris.base has no embedding of images"),
        ("gesture.keypoints", "gesture.keypoints has no embedding of images"),
        ("pose+pose", "name 'pose' twice"),
        ("", "'' is no name of features: features are hand, face, pose, body_parts"),
        ([], r"\[\] is no name of features"),
        (7, "7 is no name of features"),
        (["hand", 7], "is no name of features"),
        ("hand+", "unknown features ''"),
    ],
)
def test_wrong_names_are_errors_with_the_valid_ones(features, message):
    with pytest.raises(ZooError, match=message):
        feature_extractor(features)


def test_wrong_backends_are_errors():
    with pytest.raises(ZooError, match="shader"):
        feature_extractor("pose", backend="cuda")


def test_a_copy_needs_a_model_with_an_embedding(tiny):
    with pytest.raises(ZooError, match="'pose' has no embedding"):
        embedding_extractor("pose", tiny.model.network, tiny.node)


def test_every_model_that_is_named_has_an_embedding():
    landmarks, models = feature_names()
    assert DEFAULT_FEATURES in models and "gesture.keypoints" not in models
    assert landmarks == [*LANDMARKS]
    assert all(find_entry(name).embedding for name in models)


def test_names_may_be_a_list_or_joined():
    assert feature_extractor("pose + hand").names == ("pose", "hand")
    assert feature_extractor(["pose", "hand"]).key == feature_extractor("pose+hand").key


def test_keys_depend_on_names_and_their_order():
    names = ["pose", "hand", "pose+hand", "hand+pose", "posenet.tiny", "mobilenet.v1_025"]
    keys = [feature_extractor(name).key for name in names]
    assert len(set(keys)) == len(names) and all(len(key) == 64 for key in keys)
    assert keys[0] == feature_extractor("pose").key


def test_keys_depend_on_the_weights(monkeypatch):
    key = feature_extractor("posenet.tiny").key
    record = find_record("posenet-tiny")
    files = tuple(file._replace(sha256=file.sha256[::-1]) for file in record.files)
    monkeypatch.setattr(
        "zoo.transfer.feature_blocks.find_record", lambda name: record._replace(files=files)
    )
    assert feature_extractor("posenet.tiny").key != key


def test_the_origin_of_every_network_is_known():
    origins = feature_extractor("hand+mobilenet.v2_100_quant").provenance
    assert [o["model"] for o in origins] == ["hands.lite", "palm.lite", "mobilenet.v2_100_quant"]
    record = find_record(find_entry("mobilenet.v2_100_quant").weights)
    assert origins[2]["licence"] == record.licence
    assert origins[2]["sha256"] in {file.sha256 for file in record.files}
    assert all(all(isinstance(v, str) for v in o.values()) for o in origins)


# --- several features together --------------------------------------------------------------------


def test_landmarks_begin_with_whether_they_were_found(tiny):
    extractor = feature_extractor("posenet.tiny+pose")
    assert extractor.size == 384 + 1 + 51 and not extractor.is_embedding
    found, nobody = extractor.of_images([PERSON, np.zeros((40, 40, 3), np.uint8)])
    assert (found.values[384], nobody.values[384]) == (1, 0)
    assert np.any(found.values[385:]) and not np.any(nobody.values[385:])
    np.testing.assert_array_equal(found.values[:384], tiny.of_image(PERSON).values)
    pose = feature_extractor("pose").of_image(PERSON).values
    np.testing.assert_array_equal(found.values[385:], pose)


def test_only_where_nothing_was_found_there_are_no_features(weights):
    extractor = feature_extractor("hand+pose")
    black = np.zeros((60, 60, 3), np.uint8)
    found, nothing = extractor.of_images([PERSON, black])
    assert nothing == (None, "no hand was found, no person was found")
    assert found.values.shape == (1 + 78 + 1 + 51,) and found.values[79] == 1
    assert "crop images to the hand" in extractor.advice


@pytest.mark.parametrize("name", LANDMARKS)
def test_landmarks_that_are_not_found_have_a_reason(weights, name):
    vector = feature_extractor(name).of_image(np.zeros((50, 50, 3), np.uint8))
    assert vector == (None, LANDMARKS[name].missing)


# --- hands ----------------------------------------------------------------------------------------


def test_a_hand_elsewhere_and_larger_has_the_same_features():
    points = make_hand(PERMITTED, "vertical_up")
    expected = hand_vector([as_hand(points)])
    assert expected.shape == (78,) and not expected[:3].any()
    tips = expected[:63].reshape(21, 3)[[4, 8, 12, 16, 20]]
    np.testing.assert_allclose(expected[63:68], np.linalg.norm(tips, axis=1))
    assert expected[68] == pytest.approx(np.linalg.norm(tips[0] - tips[1]))
    assert expected[77] == pytest.approx(np.linalg.norm(tips[3] - tips[4]))
    assert_near(hand_vector([as_hand(points * 3.7 + [500, -80, 0])]), expected, 2e-4)


def test_left_hands_are_mirrored():
    points = make_hand(PERMITTED, "diagonal_up_left")
    right = hand_vector([as_hand(points * [-1, 1, 1] + [300, 0, 0], handedness="right")])
    left = hand_vector([as_hand(points, handedness="left")])
    assert_near(right, left, 1e-6)
    assert np.abs(hand_vector([as_hand(points, handedness="right")]) - left).max() > 0.1


def test_the_most_prominent_hand_counts():
    small, large = (as_hand(make_hand(PERMITTED, "vertical_up") * size) for size in (1, 2))
    unsure = as_hand(make_hand({}, "vertical_down") * 3, score=0.05)
    found = hand_vector([small, unsure, large])
    np.testing.assert_array_equal(found, hand_vector([large]))


def test_unknown_depth_is_0():
    flat = hand_vector([as_hand(make_hand(PERMITTED, "vertical_up")[:, :2])])
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


def test_too_few_joints_are_nobody():
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


def test_a_few_pixels_alone_are_nobody(person):
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

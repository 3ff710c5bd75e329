"""MoveNet against golden outputs, its second look, and several people in one batch."""

import json
import threading

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import find_entry
from zoo.pipeline.preprocess import placement_of, prepare_crops
from zoo.shared.placement import Placement
from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.bodies import BodyPoints, region_around
from zoo.tasks.pose.deduplication import choose_people, each_once
from zoo.tasks.pose.movenet import read_body

RECORD = "movenet-singlepose-lightning-int8-tflite"
FILES = {
    "movenet.lightning": "pose_lite-model_movenet_singlepose_lightning_tflite_int8_4",
    "movenet.lightning_ptq": "pose_movenet_single_pose_lightning_ptq",
}
OUTPUT = "StatefulPartitionedCall"
SIDE = 192
WHOLE = Placement.of_scale(1, 1, 0, 0)


def at(pose) -> np.ndarray:
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in pose["keypoints"]])


@pytest.fixture(scope="module")
def models(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        loaded = {name: zoo.load(name) for name in FILES}
        loaded["by BlazePose"] = zoo.load("movenet.lightning", detector="blazepose.detector")
        for model in loaded.values():
            model.part("detector")
    return loaded


@pytest.fixture(scope="module")
def model(models):
    return models["movenet.lightning"]


@pytest.fixture(scope="module")
def riders(shared):
    """Two people on horses, small and side by side."""
    return zoo.read_image(shared / "images" / "photos" / "coco_000000214753.jpg")


@pytest.fixture(scope="module")
def squat(shared):
    return zoo.read_image(shared / "images" / "photos" / "coral_squat.jpg")


@pytest.fixture(scope="module")
def people(model, riders):
    found = model.estimate_multiple_poses(riders)
    assert len(found) == 2
    return found


# --- goldens --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_goldens(name, models, shared):
    """The stored outputs are decoded exactly; our own are as far off as quantised networks are."""
    folder = shared / "weights" / RECORD / "reference"
    golden = np.load(folder / f"{FILES[name]}.npz")
    result = json.loads((folder / f"{FILES[name]}.json").read_text())["result"]
    expected = np.array(list(result.values()))
    photo = zoo.read_image(shared / "images" / "reference" / "pose.jpg")
    model = models[name]
    placement = placement_of(photo.shape[:2], model.entry.preprocess, (SIDE, SIDE))
    body = read_body(golden[f"{OUTPUT}_0"], SIDE, placement)
    np.testing.assert_allclose(body.points, expected[:, :2], atol=1)
    np.testing.assert_allclose(body.scores, expected[:, 2], atol=1e-3)
    output = model.predict(golden["input"].astype(np.int32))[OUTPUT].numpy()
    found = read_body(output, SIDE, placement).points
    away = np.hypot(*(found - expected[:, :2]).T) / placement.scale
    print(f"{name}: farthest keypoint {away.max():.1f} px, median {np.median(away):.1f} px")
    assert away.max() < 8  # of the input, as in tests/golden


def test_without_a_second_look_it_is_the_whole_picture(model, shared):
    folder = shared / "weights" / RECORD / "reference"
    golden = np.load(folder / f"{FILES['movenet.lightning']}.npz")
    photo = zoo.read_image(shared / "images" / "reference" / "pose.jpg")
    placement = placement_of(photo.shape[:2], model.entry.preprocess, (SIDE, SIDE))
    output = model.predict(golden["input"].astype(np.int32))[OUTPUT].numpy()
    body = read_body(output, SIDE, placement)
    pose = model.estimate_single_pose(photo, refine=False)
    np.testing.assert_allclose(at(pose), body.points, atol=1e-9)
    assert pose["score"] == body.score
    assert list(pose) == ["score", "keypoints", "box"]
    assert [p["part"] for p in pose["keypoints"]] == list(BODY_17.names)
    assert {type(n) for p in pose["keypoints"] for n in (p["score"], *p["position"].values())} == {
        float
    }


# --- the second look ------------------------------------------------------------------------


def test_the_second_look_is_at_the_square_around_the_person(model, squat):
    first = model.estimate_single_pose(squat, refine=False)
    body = BodyPoints(at(first), np.array([p["score"] for p in first["keypoints"]]))
    region = region_around(body, squat.shape[:2])
    how = model.entry.preprocess
    values, [placement] = prepare_crops(squat, how, (SIDE, SIDE), [region])
    closer = read_body(model.predict(values)[OUTPUT].numpy(), SIDE, placement)
    np.testing.assert_allclose(at(model.estimate_single_pose(squat)), closer.points, atol=1e-9)
    assert abs(closer.points - body.points).max() > 1


def body_at(x: float, y: float, half: float) -> BodyPoints:
    """A body whose farthest visible keypoint is half a unit to the right of its hips."""
    points = np.full((17, 2), (x, y), float)
    points[BODY_17.names.index("left_wrist")] += half, 0
    return BodyPoints(points, np.full(17, 0.9))


def test_the_square_is_in_proportion_to_the_body():
    assert region_around(body_at(200, 150, 50), (300, 400)) == (200, 150, 120, 120, 0)
    torso = body_at(200, 150, 50)
    torso.points[BODY_17.names.index("right_shoulder")] += 0, -40
    assert region_around(torso, (300, 400))[2:] == (152, 152, 0)


def test_the_square_reaches_no_farther_than_the_picture_and_is_none_when_it_is_as_large():
    assert region_around(body_at(200, 150, 160), (300, 400))[2] == pytest.approx(384)
    assert region_around(body_at(200, 150, 170), (300, 400))[2] == 400  # to the left edge
    assert region_around(body_at(100, 150, 160), (300, 400))[2] == pytest.approx(384)
    assert region_around(body_at(100, 150, 170), (300, 400)) is None


def test_what_is_not_visible_does_not_count():
    body = body_at(200, 150, 50)
    body.points[BODY_17.names.index("left_ankle")] += 0, 100
    assert region_around(body, (300, 400))[2] == 240
    body.scores[BODY_17.names.index("left_ankle")] = 0.1
    assert region_around(body, (300, 400))[2] == 120


@pytest.mark.parametrize("pair", ["shoulder", "hip"])
def test_there_is_no_second_look_without_a_torso(pair):
    body = body_at(200, 150, 50)
    body.scores[BODY_17.names.index(f"left_{pair}")] = 0.1
    assert region_around(body, (300, 400)) is not None
    body.scores[BODY_17.names.index(f"right_{pair}")] = 0.1
    assert region_around(body, (300, 400)) is None


def test_scores_are_the_mean_of_what_is_visible():
    output = np.zeros((1, 1, 17, 3), np.float32)
    assert read_body(output, SIDE, WHOLE).score == 0
    output[0, 0, :4] = [[0.5, 0.25, 0.4], [0, 0, 0.8], [0, 0, 0.15], [0, 0, 0.1]]
    body = read_body(output, SIDE, Placement.of_scale(0.5, 0.5, 6, 0))
    assert body.score == pytest.approx(0.6)
    assert body.points[0].tolist() == [84, 192]


# --- several people -------------------------------------------------------------------------


def test_people_in_one_batch_are_as_one_by_one(model, riders, people):
    """Each person's box, given as the only one, leads to the very same pose."""
    detector = model.part("detector")
    found = detector.detect(riders, labels=["person"])
    alone = []
    for one in found:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(detector, "detect", lambda *_, one=one, **__: [one])
            alone += model.estimate_multiple_poses(riders)
    assert sorted(alone, key=lambda person: -person["score"]) == people


def test_poses_are_in_the_boxes_that_the_detector_found(model, riders, people):
    """The larger part of what is visible, as elbows and feet may stick out."""
    boxes = [d["box"] for d in model.part("detector").detect(riders, labels=["person"])]
    for person in people:
        visible = np.array([p["score"] > 0.3 for p in person["keypoints"]])
        assert visible.sum() >= 6
        shares = [
            (at(person)[visible] - (b["x"], b["y"])) / (b["width"], b["height"]) for b in boxes
        ]
        assert max(((s > -0.1) & (s < 1.1)).all(axis=1).mean() for s in shares) > 0.8


def test_the_other_detector(models, squat):
    """Another box around the same person leads to about the same joints."""
    [one], [other] = (
        models[name].estimate_multiple_poses(squat)
        for name in ("movenet.lightning", "by BlazePose")
    )
    assert one["box"] != other["box"]
    assert np.median(np.hypot(*(at(one) - at(other)).T)) < 0.05 * max(squat.shape)


def test_two_crops_of_one_person_count_once(shared, model, monkeypatch):
    """Of two runners, one behind the other, both crops show the one in front."""
    runners = zoo.read_image(shared / "images" / "photos" / "coco_000000000872.jpg")
    detect = model.part("detector").detect
    assert len(detect(runners, labels=["person"], ios_threshold=1)) == 2
    [front] = model.estimate_multiple_poses(runners)
    # PoseNet's threshold, 0.5, would leave it out: each model has its own.
    assert 0.25 < front["score"] < 0.5
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    assert zoo.estimate_multiple_poses(runners, model="movenet.lightning") == [front]


def test_who_counts_as_the_same_person():
    one, near, far = (body_at(x, 150, 50).points for x in (200, 204, 240))
    assert each_once([one, near, far, one]) == [0, 2]
    assert each_once([]) == []


def test_the_best_of_all_candidates_are_chosen():
    """Below the threshold nobody counts; of two findings of one person the better stays."""
    people = [body_at(x, 150, 50).points for x in (200, 400, 204, 600)]
    scores = [0.4, 0.2, 0.6, 0.5]
    assert choose_people(people, scores, score_threshold=0, limit=9) == [2, 3, 1]
    assert choose_people(people, scores, score_threshold=0.2, limit=2) == [2, 3]
    assert choose_people(people, scores, score_threshold=0.55, limit=1) == [2]
    assert choose_people([], [], score_threshold=0, limit=1) == []


def test_squares_around_boxes(model):
    box = {"x": 10.0, "y": 20.0, "width": 30.0, "height": 100.0}
    assert model.region_of(box) == (25, 70, 120, 120, 0)


def test_limits(model, riders, people):
    assert people[0]["score"] > people[1]["score"]
    assert model.estimate_multiple_poses(riders, max_poses=1) == people[:1]
    between = (people[0]["score"] + people[1]["score"]) / 2
    assert model.estimate_multiple_poses(riders, score_threshold=between) == people[:1]
    assert model.estimate_multiple_poses(riders, detector_threshold=1) == []


def test_the_best_pose_may_be_of_the_detectors_last_box(model, shared):
    photo = zoo.read_image(shared / "images" / "reference" / "three_people.jpg")[::2, ::2]
    people = model.estimate_multiple_poses(photo)
    scores = [person["score"] for person in people]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)
    first = model.part("detector").detect(photo, labels=["person"], max_detections=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.part("detector"), "detect", lambda *_, ios_threshold=None, **__: first)
        assert model.estimate_multiple_poses(photo) != people[:1]
    assert model.estimate_multiple_poses(photo, max_poses=1) == people[:1]
    between = (scores[0] + scores[1]) / 2
    found = model.estimate_multiple_poses(photo, max_poses=1, score_threshold=between)
    assert found == people[:1]


def test_none_is_the_default(model, riders, people):
    options = ("max_poses", "score_threshold", "detector_threshold")
    assert model.estimate_multiple_poses(riders, **dict.fromkeys(options)) == people


def test_threads_share_a_model_whose_detector_is_not_loaded_yet(shared, riders, people):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        cold, found = zoo.load("movenet.lightning"), []
        threads = [
            threading.Thread(target=lambda: found.append(cold.estimate_multiple_poses(riders)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [people] * 4


def test_empty_scenes(model, shared):
    bedroom = shared / "images" / "photos" / "coco_000000403353.jpg"
    assert model.estimate_multiple_poses(bedroom) == []
    nobody = {"score": 0.0, "keypoints": []}
    for empty in (np.zeros((90, 120, 3), np.uint8), shared / "images" / "photos" / "coffee.jpg"):
        assert model.estimate_single_pose(empty) == nobody
        guess = model.estimate_single_pose(empty, score_threshold=0)
        assert 0 <= guess["score"] < 0.4 and len(guess["keypoints"]) == 17


# --- the same for every model ---------------------------------------------------------------


def test_mirror(model, riders, people):
    flipped = np.ascontiguousarray(riders[:, ::-1])
    one = model.estimate_single_pose(riders)
    other = model.estimate_single_pose(flipped, mirror=True)
    width = riders.shape[1]
    np.testing.assert_allclose(at(other), [width, 0] + at(one) * [-1, 1], atol=0.01)
    people = model.estimate_multiple_poses(riders)
    for one, other in zip(people, model.estimate_multiple_poses(flipped, mirror=True), strict=True):
        np.testing.assert_allclose(at(other), [width, 0] + at(one) * [-1, 1], atol=0.01)
        right = one["box"]["x"] + one["box"]["width"]
        assert other["box"]["x"] == pytest.approx(width - right, abs=0.01)


def test_batches_equal_single_pictures(model, squat):
    pictures = [squat[:200, :200], squat[-200:, -200:]]
    single = [model.estimate_single_pose(p) for p in pictures]
    assert list(model.estimate_single_pose(pictures)) == single
    assert list(model.estimate_single_pose(np.stack(pictures[:1]))) == single[:1]


@pytest.mark.parametrize("size", [(37, 400), (1, 1), (3, 900)])
def test_odd_shapes(size, model, rng):
    picture = rng.integers(0, 256, (*size, 3), np.uint8)
    audit(model.estimate_single_pose(picture), size)
    everyone = {"score_threshold": 0, "detector_threshold": 0.01, "max_poses": 2}
    audit(model.estimate_multiple_poses(picture, **everyone), size)


def test_expert_access(model, squat):
    assert model.infer(squat).shape == (1, 1, 17, 3)
    assert model.infer(squat, embedding=True).shape == (1, 48, 48, 24)
    assert model.inputs["serving_default_input"].shape == (1, SIDE, SIDE, 3)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.estimate_multiple_poses("x.jpg", nms_radius=3), "unknown option 'nms_radius'"),
        (lambda m: m.estimate_single_pose("x.jpg", refin=0), "did you mean 'refine'"),
        (lambda m: m.estimate_multiple_poses("x.jpg", max_poses=0), "max_poses=0 must be"),
        (lambda m: m.estimate_multiple_poses("x.jpg", score_threshold=2), "score_threshold=2"),
        (lambda m: m.estimate_multiple_poses("x.jpg", detector_threshold=-1), "detector_thr.*=-1"),
        (lambda m: m.estimate_single_pose("x.jpg", refine="no"), "refine='no' must be"),
        (lambda m: m.estimate_single_pose("x.jpg", refine=1), "refine=1 must be True or"),
        (lambda m: m.estimate_single_pose("no-such.jpg"), "no-such"),
    ],
)
def test_bad_input(call, message, model):
    with pytest.raises(ZooError, match=message):
        call(model)


def test_detectors_are_chosen_by_name():
    assert find_entry("movenet.lightning").options["detector"].default == "ssd.mobilenet_v1"
    with pytest.raises(ZooError, match=r"detector='palm.lite' .* must be one of"):
        zoo.load("movenet.lightning", detector="palm.lite")

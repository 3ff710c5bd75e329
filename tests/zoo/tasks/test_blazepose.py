"""BlazePose against golden outputs, its regions and masks, and several people in one batch."""

import json
import math

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import ZooError
from zoo.pipeline.preprocess import placement_of, prepare
from zoo.shared.anchors import find_candidates
from zoo.shared.placement import Region
from zoo.shared.skeletons import BODY_33
from zoo.tasks.pose.blazepose import (
    Landmarks,
    body_boxes,
    body_region,
    field_in_image,
    read_field,
    read_landmarks,
    refined,
    to_pose,
)

LANDMARKS = ("mediapipe-blazepose-lite-tflite", "pose_landmark_lite_pose")
TFJS = ("blazepose-lite-tfjs-fp16", "blazepose_pose_tfjs")
GOLDENS = {"blazepose.lite": LANDMARKS, "blazepose.lite_tfjs": TFJS}
SIDE = 256


def at(pose) -> np.ndarray:
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in pose["keypoints"]])


def golden_result(shared, record: str, name: str) -> dict:
    return json.loads((shared / "weights" / record / "reference" / f"{name}.json").read_text())[
        "result"
    ]


def golden_arrays(shared, record: str, name: str):
    return np.load(shared / "weights" / record / "reference" / f"{name}.npz")


def raw(outputs) -> dict[str, np.ndarray]:
    return {name: np.asarray(tensor) for name, tensor in outputs.items()}


@pytest.fixture(scope="module")
def models(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        loaded = {name: zoo.load(name) for name in (*GOLDENS, "blazepose.detector")}
        loaded["blazepose.lite"].part("detector")
    return loaded


@pytest.fixture(scope="module")
def model(models):
    return models["blazepose.lite"]


@pytest.fixture(scope="module")
def photo(shared):
    """One woman who stretches, in pixels."""
    return zoo.read_image(shared / "images" / "reference" / "pose.jpg")


@pytest.fixture(scope="module")
def three(shared):
    """Three men, of whom the detector sees two."""
    return zoo.read_image(shared / "images" / "photos" / "three_people.jpg")


@pytest.fixture(scope="module")
def people(model, three):
    found = model.estimate_multiple_poses(three, segmentation=True)
    assert len(found) == 2
    return found


# --- goldens --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOLDENS)
def test_goldens(name, models, photo, shared):
    """The landmarks as they leave the network, before the heatmap moves them.

    Of the converted model only the distance to the first is stored: at most 0.002 in the input.
    """
    golden, result = golden_arrays(shared, *GOLDENS[name]), golden_result(shared, *LANDMARKS)
    model = models[name]
    outputs = raw(model.predict(golden["input"]))
    placement = placement_of(photo.shape[:2], model.entry.preprocess, (SIDE, SIDE))
    body = read_landmarks(outputs, model.entry.decode)
    assert body.score == pytest.approx(result.pop("poseflag"), abs=1e-5)
    body = body.in_image(placement)
    sides = {"l": "left", "r": "right"}
    for short, (x, y, visibility) in result.items():
        side, _, joint = short.rpartition("_")
        index = BODY_33.names.index(f"{sides[side]}_{joint}" if side else joint)
        assert body.points[index, :2] == pytest.approx((x, y), abs=1), short
        assert body.visibility[index] == pytest.approx(visibility, abs=1e-3), short


def test_both_files_are_one_model(models, shared):
    values = golden_arrays(shared, *LANDMARKS)["input"]
    both = [models[name] for name in GOLDENS]
    one, other = ((m.entry.decode, raw(m.predict(values))) for m in both)
    bodies = [read_landmarks(outputs, meaning) for meaning, outputs in (one, other)]
    np.testing.assert_allclose(bodies[0].points, bodies[1].points, atol=0.01)
    np.testing.assert_allclose(bodies[0].world, bodies[1].world, atol=1e-3)
    for field in ("heatmap", "segmentation"):
        fields = [read_field(out, getattr(m, field), m) for m, out in (one, other)]
        np.testing.assert_allclose(*fields, atol=2e-3)


def test_goldens_of_the_detector(models, photo, shared):
    record, name = LANDMARKS[0], "pose_detection_pose"
    golden, result = golden_arrays(shared, record, name), golden_result(shared, record, name)
    model = models["blazepose.detector"]
    outputs = raw(model.predict(golden["input"]))
    assert outputs["Identity_1"][0, :, 0].argmax() == result["argmax"]
    found = find_candidates(outputs, model.entry.decode, score_threshold=0.5)
    assert found.scores.max() == pytest.approx(result["max_score"], abs=1e-4)
    values, _ = prepare(photo, model.entry.preprocess, (224, 224))
    np.testing.assert_allclose(values, golden["input"], atol=1e-6)
    [person] = model.detect(photo)
    assert person["score"] == pytest.approx(result["max_score"], abs=1e-4)


# --- decoding, without a network ------------------------------------------------------------


def made_body(rng) -> Landmarks:
    chances = rng.uniform(0, 1, (2, 33))
    points, world = rng.uniform(0, SIDE, (33, 3)), rng.normal(size=(33, 3))
    return Landmarks(0.9, points, *chances, world, points[:2])


def test_regions_turn_people_upright():
    """Hips at (100, 80), the point on the circle 30 to their right: the head is on the right."""
    region = body_region(np.array([[100, 80], [130, 80], [0, 0], [0, 0]], float))
    assert region[:4] == pytest.approx((100, 80, 75, 75))
    placement = region.placement((SIDE, SIDE))
    head = placement.to_image(SIDE / 2, SIDE / 2 - SIDE * 0.4)
    assert head == pytest.approx((130, 80))
    [box] = body_boxes(np.array([[[100, 80], [100, 50], [0, 0], [0, 0]]], float))
    assert box.tolist() == [70, 50, 130, 110]


def test_world_points_turn_with_the_region(rng):
    """What points up in a region that is turned by a right angle points right in the photo."""
    body = made_body(rng)
    body.world[0] = 0, -1, 0.5
    turned = body.in_image(Region(50, 60, 128, 128, math.pi / 2).placement((SIDE, SIDE)))
    np.testing.assert_allclose(turned.world[0], [1, 0, 0.5], atol=1e-12)
    np.testing.assert_allclose(turned.points[:, 2], body.points[:, 2] / 2)


def naive_refinement(points, heatmap, size):
    """One cell at a time, as the calculator's description has it."""
    rows, columns, _ = heatmap.shape
    moved = points.copy()
    for k, (x, y, _) in enumerate(points):
        column, row = int(x / size * columns), int(y / size * rows)
        total = across = down = best = 0.0
        for i in range(row - 3, row + 4):
            for j in range(column - 3, column + 4):
                if 0 <= i < rows and 0 <= j < columns:
                    value = heatmap[i, j, k]
                    best = max(best, value)
                    total, across, down = total + value, across + j * value, down + i * value
        if best >= 0.5:
            moved[k, :2] = across / total / columns * size, down / total / rows * size
    return moved


def test_refinement_against_a_naive_one(rng):
    points = rng.uniform(0, SIDE, (39, 3))
    points[:4, :2] = [[0, 0], [255.9, 255.9], [1, 250], [128, 0]]
    heatmap = rng.uniform(0, 0.52, (64, 64, 39))
    expected = naive_refinement(points, heatmap, SIDE)
    unmoved = (expected == points).all(axis=1)
    assert 0 < unmoved.sum() < 39
    np.testing.assert_allclose(refined(points, heatmap, SIDE), expected, rtol=1e-9)


def test_points_out_of_the_region_are_not_refined():
    points = np.array([[-3.0, 20, 0], [20, SIDE + 1, 0], [SIDE, 20, 0]])
    np.testing.assert_array_equal(refined(points, np.ones((64, 64, 3)), SIDE), points)


def test_masks_come_back_to_where_they_were_seen():
    """A disc in the middle of a turned region is the disc in the photo, about the same centre."""
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    disc = (np.hypot(x - SIDE / 2, y - SIDE / 2) < 64).astype(np.float32)
    placement = Region(70, 50, 80, 80, 0.7).placement((SIDE, SIDE))
    whole = field_in_image(disc, placement, (90, 120))
    y, x = np.mgrid[:90, :120] + 0.5
    away = np.hypot(x - 70, y - 50)
    np.testing.assert_allclose(whole[away < 19], 1)
    assert not whole[away > 21].any()
    left = field_in_image(disc * (np.arange(SIDE) < SIDE / 2), placement, (90, 120))
    across = (x - 70) * math.cos(0.7) + (y - 50) * math.sin(0.7)  # along the region's own axis
    np.testing.assert_allclose(left[(across < -1) & (away < 19)], 1)
    assert not left[across > 1].any()


def test_masks_out_of_the_photo_are_empty():
    field = np.ones((SIDE, SIDE), np.float32)
    outside = Region(-200, 50, 80, 80, 0.7).placement((SIDE, SIDE))
    assert not field_in_image(field, outside, (90, 120)).any()
    partly = field_in_image(field, Region(0, 0, 20, 20).placement((SIDE, SIDE)), (90, 120))
    assert partly[:9, :9].all() and not partly[11:].any() and not partly[:, 11:].any()


def test_results_are_plain(rng):
    pose = to_pose(made_body(rng), (90, 120))
    assert list(pose) == ["score", "keypoints", "box", "world"]
    assert [p["part"] for p in pose["keypoints"]] == list(BODY_33.names)
    for point in pose["keypoints"]:
        assert list(point) == ["part", "position", "score", "visibility"]
        numbers = [point["score"], point["visibility"], *point["position"].values()]
        assert {type(n) for n in numbers} == {float} and len(numbers) == 5


# --- pictures -------------------------------------------------------------------------------


def test_the_whole_way(model, photo, shared):
    """A closer look finds the joints where the golden, of the whole picture, has them."""
    pose = model.estimate_single_pose(photo, segmentation=True, probability=True)
    result = golden_result(shared, *LANDMARKS)
    points = dict(zip(BODY_33.names, at(pose), strict=True))
    for short in ("nose", "l_shoulder", "r_shoulder", "l_hip", "r_hip", "l_ankle", "r_ankle"):
        name = short.replace("l_", "left_").replace("r_", "right_")
        assert np.hypot(*(points[name] - result[short][:2])) < 25, short  # of 1000 pixels
    world = {p["part"]: p["position"] for p in pose["world"]}
    assert all(abs(sum(world[f"{s}_hip"][a] for s in ("left", "right"))) < 0.1 for a in "xyz")
    assert world["nose"]["y"] < -0.3 < 0.3 < world["left_ankle"]["y"]
    mask, likely = (pose["segmentation"][key] for key in ("mask", "probability"))
    assert mask.shape == likely.shape == photo.shape[:2]
    assert (mask.dtype, likely.dtype) == (np.uint8, np.float32)
    np.testing.assert_array_equal(mask, likely >= 0.5)
    for name in ("nose", "left_shoulder", "right_hip", "left_wrist", "right_knee"):
        x, y = points[name].astype(int)
        assert mask[y, x] == 1, name
    assert 0.05 < mask.mean() < 0.3


def test_people_in_one_batch_are_as_one_by_one(model, three, people):
    detector = model.part("detector")
    found = detector.find(three)
    for i, person in enumerate(people):
        one = found.at([i])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(detector, "find", lambda *_, one=one, **__: one)
            [alone] = model.estimate_multiple_poses(three, segmentation=True)
        np.testing.assert_allclose(at(alone), at(person), atol=0.01)
        masks = [p["segmentation"]["mask"] for p in (alone, person)]
        assert (masks[0] != masks[1]).mean() < 1e-4


def test_the_network_treats_each_picture_of_a_batch_alike(models, photo):
    for name in GOLDENS:
        values, _ = prepare(photo, models[name].entry.preprocess, (SIDE, SIDE))
        batch = np.concatenate([values, values[:, ::-1]])
        together = raw(models[name].predict(batch))
        alone = [raw(models[name].predict(batch[i : i + 1])) for i in range(2)]
        for key, array in together.items():
            expected = np.concatenate([outputs[key] for outputs in alone])
            np.testing.assert_allclose(array, expected, atol=1e-4 * abs(expected).max())


def test_limits(model, three, people):
    scores = [person["score"] for person in people]
    assert scores == sorted(scores, reverse=True)
    [first] = model.estimate_multiple_poses(three, max_poses=1)
    np.testing.assert_allclose(at(first), at(people[0]), atol=0.01)
    np.testing.assert_allclose(at(model.estimate_single_pose(three)), at(first), atol=0.01)
    assert model.estimate_multiple_poses(three, detector_threshold=0.99) == []
    assert model.estimate_multiple_poses(three, score_threshold=1) == []


def test_none_is_the_default(model, three, people):
    options = ("max_poses", "score_threshold", "detector_threshold")
    found = model.estimate_multiple_poses(three, **dict.fromkeys(options), segmentation=True)
    assert [at(person).tolist() for person in found] == [at(p).tolist() for p in people]


@pytest.fixture
def detections(model, three, monkeypatch):
    """What the detector finds is to be this: two people, of whom the better is no person."""
    detector = model.part("detector")
    found = detector.find(three).at([0, 1])
    nowhere = found.points[0] / 1000 + (2, three.shape[0] - 2)  # a corner, a pixel large
    people = found._replace(points=np.stack([nowhere, found.points[1], found.points[1] + 1]))
    people = people._replace(scores=np.array([0.9, 0.8, 0.7]), boxes=found.boxes[[0, 1, 1]])
    monkeypatch.setattr(
        detector, "find", lambda *_, limit=None, **__: people.at(range(min(3, limit or 3)))
    )
    return people


def test_who_is_not_there_takes_nobodys_place(detections, model, three):
    """And who is found twice is told of once."""
    everyone = model.estimate_multiple_poses(three)
    assert len(everyone) == 1
    assert model.estimate_multiple_poses(three, max_poses=1) == everyone
    assert model.estimate_single_pose(three) == everyone[0]


def test_a_probability_is_of_a_segmentation(model, photo):
    pose = model.estimate_single_pose(photo, probability=True)
    both = model.estimate_single_pose(photo, probability=True, segmentation=True)
    assert [*pose["segmentation"]] == [*both["segmentation"]] == ["mask", "labels", "probability"]
    np.testing.assert_array_equal(pose["segmentation"]["mask"], both["segmentation"]["mask"])


def test_empty_scenes(model, shared):
    bedroom = shared / "images" / "photos" / "coco_000000403353.jpg"
    assert model.estimate_multiple_poses(bedroom) == []
    assert model.part("detector").detect(bedroom) == []
    black = np.zeros((90, 120, 3), np.uint8)
    assert model.estimate_single_pose(black) == {"score": 0.0, "keypoints": []}


def test_mirror(model, three, people):
    width = three.shape[1]
    flipped = np.ascontiguousarray(three[:, ::-1])
    mirrored = model.estimate_multiple_poses(flipped, segmentation=True, mirror=True)
    for one, other in zip(people, mirrored, strict=True):
        np.testing.assert_allclose(at(other), [width, 0] + at(one) * [-1, 1], atol=0.01)
        masks = [p["segmentation"]["mask"] for p in (one, other)]
        np.testing.assert_array_equal(masks[1], masks[0][:, ::-1])
        for point, there in zip(one["world"], other["world"], strict=True):
            assert there["position"]["x"] == pytest.approx(-point["position"]["x"])
    single = model.estimate_single_pose(flipped, mirror=True)
    np.testing.assert_allclose(at(single), [width, 0] + at(people[0]) * [-1, 1], atol=0.01)
    [first, _] = model.part("detector").detect(three)
    [other, _] = model.part("detector").detect(flipped, mirror=True)
    np.testing.assert_allclose(at(other), [width, 0] + at(first) * [-1, 1], atol=0.01)


def test_batches_equal_single_pictures(model, photo):
    pictures = [photo[100:600, 250:750], photo[50:550, 300:800]]
    single = [model.estimate_single_pose(p) for p in pictures]
    assert list(model.estimate_single_pose(pictures)) == single
    assert list(model.estimate_single_pose(np.stack(pictures[:1]))) == single[:1]


@pytest.mark.parametrize("size", [(37, 400), (1, 1), (3, 900)])
def test_odd_shapes(size, model, rng):
    picture = rng.integers(0, 256, (*size, 3), np.uint8)
    masks = {"segmentation": True, "probability": True}
    everyone = {"score_threshold": 0, "detector_threshold": 0.01, "max_poses": 2}
    audit(model.estimate_multiple_poses(picture, **everyone, **masks), size)
    audit(model.estimate_single_pose(picture, **masks), size)
    audit(model.part("detector").detect(picture, score_threshold=0), size)


def test_expert_access(model, photo):
    assert model.infer(photo).shape == (1, 195)
    assert model.infer(photo, embedding=True).shape == (1, 2, 2, 192)
    assert model.part("detector").labels == ("person",)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.estimate_single_pose("x.jpg", segmentaton=1), "did you mean 'segmentation'"),
        (lambda m: m.estimate_multiple_poses("x.jpg", nms_radius=3), "unknown option 'nms_radius'"),
        (lambda m: m.estimate_multiple_poses("x.jpg", max_poses=0), "max_poses=0 must be"),
        (lambda m: m.estimate_multiple_poses("x.jpg", score_threshold=2), "score_threshold=2"),
        (lambda m: m.estimate_multiple_poses("x.jpg", detector_threshold=-1), "detector_thr.*=-1"),
        (lambda m: m.estimate_single_pose("x.jpg", segmentation="no"), "segmentation='no' must be"),
        (lambda m: m.estimate_multiple_poses("x.jpg", probability=0), "probability=0 must be True"),
        (lambda m: m.estimate_single_pose("no-such.jpg"), "no-such"),
        (lambda m: m.part("detector").detect("x.jpg", labels=["cat"]), "no label 'cat'"),
        (lambda m: m.part("detector").detect("x.jpg", labels="person"), "labels='person'"),
        (lambda m: m.part("detector").detect("x.jpg", max_detections=0), "max_detections=0"),
    ],
)
def test_bad_input(call, message, model):
    with pytest.raises(ZooError, match=message):
        call(model)

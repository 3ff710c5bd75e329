"""Palms, hands and Handtrack's boxes against golden outputs of reference implementations."""

import json

import numpy as np
import pytest

import zoo
from zoo.pipeline.preprocess import placement_of, prepare_crops
from zoo.shared.boxes import overlap
from zoo.shared.skeletons import HAND_21
from zoo.tasks.hands.handtrack import find_objects
from zoo.tasks.hands.landmarks import palm_regions, read_hands

PALMS = "mediapipe-palm-detection-tflite"
LANDMARKS = "mediapipe-hand-landmark-lite-tflite"
LANDMARKS_TFJS = "hand-landmark-lite-tfjs-fp16"
HANDPOSE = "handpose-palm-detector-tfjs-fp16"
HANDTRACK = "handtrack-ssd320fpnlite-tfjs-uint8"

#: In the golden of the older detector, several anchors of one hand have this score.
TIE = 0.01


@pytest.fixture(scope="module")
def load(shared):
    """Models by name, loaded once."""
    kept = {}

    def of_name(name):
        if name not in kept:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
                kept[name] = zoo.load(name)
        return kept[name]

    return of_name


@pytest.fixture(scope="module")
def golden(shared):
    def of_name(record, name):
        folder = shared / "weights" / record / "reference"
        return np.load(folder / f"{name}.npz"), json.loads((folder / f"{name}.json").read_text())

    return of_name


@pytest.fixture(scope="module")
def hands_photo(shared):
    return zoo.read_image(shared / "images" / "reference" / "hands.jpg")


def arrays(outputs) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in outputs.items()}


def palms_of(model, stored, photo):
    """What a detector finds in the stored input."""
    placement = placement_of(photo.shape[:2], model.entry.preprocess, model.input_size)
    seen = arrays(model.predict(stored["input"])), placement
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "run_on_image", lambda *_: seen)
        return model.find(photo)


@pytest.mark.parametrize("variant", ["lite", "full"])
def test_palms(variant, load, golden, hands_photo):
    stored, text = golden(PALMS, f"palm_detection_{variant}_hands")
    palms = palms_of(load(f"palm.{variant}"), stored, hands_photo)
    expected = text["result"]["detections_px"]
    assert len(palms.scores) == text["result"]["n"] == len(expected)
    best_first = sorted(expected, key=lambda x: -x["score"])
    for score, box, points, one in zip(*palms, best_first, strict=True):
        assert score == pytest.approx(one["score"], abs=1e-3)
        assert overlap(np.array(one["box"]), box[None])[0] >= 0.98
        np.testing.assert_allclose(points, one["keypoints"], atol=1)


def test_palms_of_the_older_detector(load, golden, hands_photo):
    """Ten anchors of one hand have a score of 1 in float32: any of them may stand for it."""
    model = load("handpose.palm")
    stored, text = golden(HANDPOSE, "handdetect_hands_tfjs")
    expected = text["result"]["decoded"]
    placement = placement_of(hands_photo.shape[:2], model.entry.preprocess, model.input_size)
    outputs = arrays(model.predict(stored["input"]))
    found = model.decode(outputs, score_threshold=0.5).in_image(placement)
    assert len(found.scores) == text["result"]["n_over_0.5"]

    anchors = np.nonzero(outputs["Identity"][0, :, 0] >= 0)[0].tolist()
    best = palms_of(model, stored, hands_photo)
    assert len(best.scores) == len(expected)
    for one, box, score in zip(expected, best.boxes, best.scores, strict=True):
        candidate = anchors.index(one["anchor"])
        assert found.scores[candidate] == pytest.approx(one["score"], abs=1e-3)
        assert overlap(np.array(one["box_px"]), found.boxes[candidate][None])[0] >= 0.98
        assert abs(score - one["score"]) <= TIE
        assert overlap(np.array(one["box_px"]), box[None])[0] > 0.3  # or else it would be found too


@pytest.mark.parametrize(
    "model, record, name, crop, rotation",
    [
        ("hands.lite", LANDMARKS, "hand0_hands", "hand0_hands", 0.3539),
        ("hands.lite", LANDMARKS, "hand1_hands", "hand1_hands", -2.7864),
        ("hands.lite_tfjs", LANDMARKS_TFJS, "handlm0_tfjs", "hand0_hands", 0.3539),
    ],
)
def test_landmarks(model, record, name, crop, rotation, load, golden, hands_photo):
    """The crops were made around the palms of palm.full."""
    palms = palms_of(load("palm.full"), golden(PALMS, "palm_detection_full_hands")[0], hands_photo)
    regions = palm_regions(palms)
    (region,) = [one for one in regions if abs(one.rotation - rotation) < 1e-3]

    loaded, (stored, text) = load(model), golden(record, name)
    placement = region.placement(loaded.input_size)
    outputs = arrays(loaded.predict(stored["input"]))
    hands = read_hands(outputs, [placement], loaded.entry.decode)
    assert hands.presence[0] == pytest.approx(text["result"]["presence"], abs=1e-4)
    assert hands.right[0] == pytest.approx(text["result"]["handedness"], abs=1e-4)
    expected = golden(LANDMARKS, crop)[1]["result"]
    for key, part in [("wrist", "wrist"), ("index_tip", "index_finger_tip"), ("thumb_tip",) * 2]:
        point = hands.points[0, HAND_21.names.index(part), :2]
        np.testing.assert_allclose(point, expected[f"{key}_px"], atol=1)


@pytest.mark.parametrize("number", [0, 1])
def test_crops_are_those_of_the_goldens(number, load, golden, hands_photo):
    """Pillow's affine transform made them; it rounds what it mixes to whole grey levels."""
    palms = palms_of(load("palm.full"), golden(PALMS, "palm_detection_full_hands")[0], hands_photo)
    how = load("hands.lite").entry.preprocess
    crops, _ = prepare_crops(hands_photo, how, how.size, palm_regions(palms))
    stored = golden(LANDMARKS, f"hand{number}_hands")[0]["input"][0]
    differences = np.abs(crops - stored).mean(axis=(1, 2, 3))
    assert differences.min() < 0.005


@pytest.mark.parametrize(
    "detector, photo",
    [
        ("palm.lite", "reference/hands.jpg"),
        ("palm.full", "reference/hands.jpg"),
        ("handpose.palm", "photos/hand_pakutaso.jpg"),
    ],
)
def test_the_points_of_palms_are_the_landmarks_of_their_names(detector, photo, load, shared):
    pixels = zoo.read_image(shared / "images" / photo)
    model = load(detector)
    palms = model.find(pixels)
    hands = load("hands.lite").look(pixels, palm_regions(palms))
    assert len(palms.points) >= 1
    for points, landmarks in zip(palms.points, hands.points, strict=True):
        distances = np.linalg.norm(points[:, None] - landmarks[None, :, :2], axis=2)
        assert tuple(HAND_21.names[i] for i in distances.argmin(axis=1)) == model.point_names


def test_handtrack(load, golden):
    """``heads`` are anchors, classes from 1 on, and scores of the network's own suppression."""
    model = load("handtrack.ssd320")
    stored, text = golden(HANDTRACK, "handtrack_hands_tfjs")
    nodes = model.entry.decode
    outputs = arrays(model.network.execute(stored["input"], [nodes.boxes, nodes.scores]))
    things = find_objects(outputs, nodes, score_threshold=0.5, iou_threshold=0.2)
    anchors, classes, scores = text["result"]["heads"]
    assert anchors[4] == anchors[5]  # its suppression is by class: one box may have two labels
    assert things.classes.tolist() == [round(c) - 1 for c in classes[:5]]
    np.testing.assert_allclose(things.scores, scores[:5], atol=1e-3)
    boxes = things.boxes.clip(0, 1)
    np.testing.assert_allclose(boxes, stored["Identity_1"][0, :5][:, [1, 0, 3, 2]], atol=1e-3)
    names = [nodes.labels[index] for index in things.classes]
    assert names == ["face", "face", "closed", "point", "face"]

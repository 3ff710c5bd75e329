"""YOLO networks in ONNX files: planted rows are found where they were put."""

import pickle

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.yolo_files import write_planted, yolo_metadata
from weights_cache.common.errors import ZooError
from zoo.shared.skeletons import BODY_17

#: An image of twice the size of the input, where pixels of the input are two pixels wide.
IMAGE = np.zeros((128, 192, 3), np.uint8)

# Middle, sides and scores of the classes, in pixels of the input of 64 x 96.
PERSON = [20, 30, 10, 20, 0.9, 0.1]
WORSE_PERSON = [21, 30, 10, 20, 0.8, 0.1]
DOG_AT_PERSON = [20, 30, 10, 20, 0.1, 0.7]
UNSURE = [70, 30, 10, 20, 0.2, 0.1]
ROWS = np.float32([UNSURE, DOG_AT_PERSON, WORSE_PERSON, PERSON])

PERSON_BOX = {"x": 30.0, "y": 40.0, "width": 20.0, "height": 40.0}


def columns(rows) -> dict[str, np.ndarray]:
    """The output of a network of Ultralytics 8."""
    return {"output0": np.float32(rows).T[None]}


def near(found, expected) -> bool:
    return found == {key: pytest.approx(value, abs=1e-3) for key, value in expected.items()}


# --- boxes --------------------------------------------------------------------------------------


def test_boxes_of_each_class_compete_among_themselves(tmp_path):
    model = zoo.load(write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata()))
    found = model.detect(IMAGE)
    assert [(d["label"], round(d["score"], 4)) for d in found] == [("person", 0.9), ("dog", 0.7)]
    assert near(found[0]["box"], PERSON_BOX) and near(found[1]["box"], PERSON_BOX)
    assert model.labels == ("person", "dog")


def test_the_options_of_detect(tmp_path):
    path = write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata())
    assert [d["label"] for d in zoo.detect(IMAGE, model=path, labels=["dog"])] == ["dog"]
    assert len(zoo.detect(IMAGE, model=path, score_threshold=0.05)) == 3
    assert len(zoo.detect(IMAGE, model=path, iou_threshold=0.95)) == 3
    assert len(zoo.detect(IMAGE, model=path, max_detections=1)) == 1
    (mirrored, _) = zoo.detect(IMAGE, model=path, mirror=True)
    assert near(mirrored["box"], {**PERSON_BOX, "x": 192 - 30 - 20})
    assert [len(found) for found in zoo.detect([IMAGE, IMAGE], model=path)] == [2, 2]


def test_rows_of_yolov5(tmp_path):
    """A score of the object multiplies those of its classes."""
    rows = np.insert(ROWS, 4, 0.5, axis=1)[None]
    path = write_planted(tmp_path / "v5.onnx", {"output0": rows}, yolo_metadata(task=""))
    found = zoo.load(path).detect(IMAGE)
    assert [(d["label"], round(d["score"], 4)) for d in found] == [("person", 0.45), ("dog", 0.35)]


def test_rows_of_a_network_that_drops_overlapping_boxes(tmp_path):
    rows = np.zeros((1, 300, 6), np.float32)
    rows[0, :2] = [[15, 20, 25, 40, 0.9, 0], [16, 20, 26, 40, 0.8, 0]]
    path = write_planted(tmp_path / "done.onnx", {"output0": rows}, yolo_metadata())
    found = zoo.load(path).detect(IMAGE)
    assert [round(d["score"], 4) for d in found] == [0.9, 0.8]
    assert near(found[0]["box"], PERSON_BOX)


def test_a_letterbox_moves_boxes(tmp_path):
    """A square image lies in the middle of 64 x 96, 16 pixels from the left."""
    path = write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata())
    found = zoo.load(path).detect(np.zeros((64, 64, 3), np.uint8))
    assert near(found[0]["box"], {"x": 0.0, "y": 20.0, "width": 9.0, "height": 20.0})


def test_the_input_of_a_free_size(tmp_path):
    """With ``dynamic`` it is a multiple of the stride about the image, else that of the file."""
    sizes = {}
    for args in ("{'dynamic': True}", "{'dynamic': False}", ""):
        metadata = yolo_metadata(args=args, imgsz="[640, 640]")
        path = write_planted(tmp_path / "free.onnx", columns(ROWS), metadata, ("h", "w"))
        model = zoo.load(path)
        sizes[args] = model.size_for(np.zeros((600, 1000, 3), np.uint8))
        assert model.detect(np.zeros((600, 1000, 3), np.uint8))
    assert sizes == {
        "{'dynamic': True}": (384, 640),
        "{'dynamic': False}": (640, 640),
        "": (640, 640),
    }


def test_the_border_is_grey_and_pixels_are_from_0_to_1(tmp_path):
    model = zoo.load(write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata()))
    values = model.network_input(np.full((64, 64, 3), (255, 51, 0), np.uint8))
    assert values.shape == (1, 3, 64, 96)
    assert values[0, :, 0, 48].tolist() == pytest.approx([1, 0.2, 0])
    assert values[0, :, 0, 0].tolist() == pytest.approx([114 / 255] * 3)


def test_models_are_pickled_and_described(tmp_path):
    path = write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata())
    model = pickle.loads(pickle.dumps(zoo.load(path)))
    assert len(model.detect(IMAGE)) == 2
    card = str(zoo.describe(str(path)))
    assert "licence: MIT\n" in card and "labels: 2: person, dog" in card
    assert "format: ONNX opset 17" in card


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_that_are_no_numbers_are_left_out(tmp_path, value):
    rows = np.repeat(ROWS[-1:], 6, axis=0)
    rows[np.arange(6), np.arange(6)] = value
    path = write_planted(tmp_path / "yolo.onnx", columns([*rows, PERSON]), yolo_metadata())
    assert len(zoo.load(path).detect(IMAGE)) == 1


def test_what_a_model_cannot(tmp_path):
    path = write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata())
    with pytest.raises(ZooError, match="cannot segment: it can detect"):
        zoo.segment(IMAGE, model=path)
    with pytest.raises(ZooError, match="has no label 'cat'"):
        zoo.detect(IMAGE, model=path, labels=["cat"])
    turned = write_planted(tmp_path / "obb.onnx", columns(ROWS), yolo_metadata("obb"))
    with pytest.raises(ZooError, match="finds turned boxes"):
        zoo.load(turned).detect(IMAGE)
    other = write_planted(tmp_path / "other.onnx", columns(ROWS[:, :5]), yolo_metadata())
    with pytest.raises(ZooError, match="no boxes of a YOLO network with the 2 labels"):
        zoo.load(other).detect(IMAGE)


@pytest.mark.parametrize(
    "damage",
    [
        {"names": "{0: 'a', 2: 'b'}"},
        {"names": "__import__('os').getcwd()"},
        {"names": "[" * 1000},
        {"names": f"'{'a' * 300_000}'"},
        {"names": "-" * 100_000 + "1"},
        {"imgsz": "[1e99, 0]"},
        {"imgsz": "[640]*3"},
        {"stride": "0"},
        {"stride": "nan"},
        {"task": "dance"},
        {"args": "{'dynamic'"},
    ],
    ids=str,
)
def test_without_valid_metadata_predict_is_left(tmp_path, damage):
    path = write_planted(tmp_path / "yolo.onnx", columns(ROWS), yolo_metadata(**damage))
    model = zoo.load(path)
    assert not hasattr(model, "detect")
    assert model.predict(np.zeros((1, 3, 64, 96), np.float32))["output0"].shape == (1, 6, 4)


# --- poses --------------------------------------------------------------------------------------


def test_poses(tmp_path):
    points = np.stack([np.linspace(16, 24, 17), np.linspace(21, 39, 17), np.full(17, 0.8)], 1)
    rows = [[20, 30, 10, 20, 0.9, *points.ravel()], [20, 31, 10, 20, 0.6, *points.ravel()]]
    metadata = yolo_metadata("pose", names="{0: 'person'}", kpt_shape="[17, 3]")
    model = zoo.load(write_planted(tmp_path / "pose.onnx", columns(rows), metadata))
    (pose,) = model.estimate_multiple_poses(IMAGE)
    assert [point["part"] for point in pose["keypoints"]] == list(BODY_17.names)
    found = [[p["position"]["x"], p["position"]["y"], p["score"]] for p in pose["keypoints"]]
    np.testing.assert_allclose(found, points * [2, 2, 1], atol=1e-3)
    assert pose["score"] == pytest.approx(0.9)
    assert zoo.estimate_single_pose(IMAGE, model=model) == pose
    assert model.estimate_single_pose(IMAGE, score_threshold=0.95) == {
        "score": 0.0,
        "keypoints": [],
    }
    assert near(model.detect(IMAGE)[0]["box"], PERSON_BOX)


def test_keypoints_of_other_bodies(tmp_path):
    rows = [[20, 30, 10, 20, 0.9, 16, 21, 24, 39]]
    metadata = yolo_metadata("pose", names="{0: 'crab'}", kpt_shape="[2, 2]")
    model = zoo.load(write_planted(tmp_path / "crab.onnx", columns(rows), metadata))
    (pose,) = model.estimate_multiple_poses(IMAGE)
    assert [(p["part"], p["score"]) for p in pose["keypoints"]] == [
        ("point_0", pytest.approx(0.9)),
        ("point_1", pytest.approx(0.9)),
    ]
    metadata["kpt_names"] = "{0: ['left claw', 'right claw']}"
    model = zoo.load(write_planted(tmp_path / "crab.onnx", columns(rows), metadata))
    (pose,) = model.estimate_multiple_poses(IMAGE)
    assert [p["part"] for p in pose["keypoints"]] == ["left claw", "right claw"]


# --- masks --------------------------------------------------------------------------------------


@pytest.fixture
def masks(tmp_path):
    """A person whose mask is the left half of the maps, and a surer dog, all of its box."""
    maps = np.full((1, 2, 16, 24), 4.0, np.float32)
    maps[0, 0, :, 5:] = -4
    rows = [[20, 30, 10, 20, 0.8, 0.0, 1, 0], [22, 24, 6, 8, 0.0, 0.9, 0, 1]]
    outputs = {**columns(rows), "output1": maps}
    return zoo.load(write_planted(tmp_path / "seg.onnx", outputs, yolo_metadata("segment")))


def test_masks_are_mixed_and_cut_off_at_boxes(masks):
    expected = np.zeros((128, 192), np.uint8)
    expected[40:80, 30:40] = 1  # the person's box, and the maps up to 5 of their cells
    expected[40:56, 38:50] = 2
    result = masks.segment(IMAGE)
    assert result["labels"] == ["background", "person", "dog"]
    # The edge of a map lies between two cells, and is as wide as 8 pixels of the image.
    assert (result["mask"] != expected).mean() < 0.003
    assert (result["mask"][:, 30:36] == expected[:, 30:36]).all()


def test_probabilities_of_masks(masks):
    result = masks.segment(IMAGE, probability=True)
    assert result["probability"].dtype == np.float32
    assert result["probability"][60, 32] == pytest.approx(1 / (1 + np.exp(-4)), abs=1e-4)
    assert result["probability"][60, 48] == pytest.approx(1 / (1 + np.exp(-4)), abs=1e-4)
    assert result["mask"][60, 48] == 0
    assert result["probability"][0, 0] == 1


def test_people_with_masks(masks):
    (person,) = zoo.segment_persons(IMAGE, model=masks)
    assert near(person["box"], PERSON_BOX)
    assert person["mask"].max() == 1 and person["mask"][60, 32] == 1 and person["mask"][60, 48] == 0
    assert len(masks.detect(IMAGE)) == 2

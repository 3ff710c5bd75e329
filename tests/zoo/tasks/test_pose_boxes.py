"""The box of a pose: around the keypoints that are surely seen, for every model."""

import numpy as np
import pytest

import zoo
from zoo.shared.pose_results import SURE, box_of_sure

FACE = {"nose", "left_eye", "right_eye"}
POINTS = np.array([[20.0, 30.0], [60.0, 10.0], [50.0, 900.0], [-40.0, 70.0]])


@pytest.mark.parametrize(
    "scores, corners",
    [
        ([0.9, 0.3, 0.29, 0.1], [20, 10, 60, 30]),
        ([0.9, 0.3, 1.0, 1.0], [20, 10, 60, 30]),  # points out of the image
        ([0.1, 0.9, 0.1, 0.1], [60, 10, 60, 10]),
        ([0.1, 0.1, 0.1, 0.1], [0, 10, 60, 100]),  # none is sure
        ([0.1, 0.1, 0.9, 0.9], [0, 10, 60, 100]),
    ],
)
def test_the_box_holds_the_sure_points_in_the_image(scores, corners):
    assert box_of_sure(POINTS, np.array(scores), (100, 80)).tolist() == corners


@pytest.fixture(scope="module")
def portrait(shared):
    """A head and shoulders in 300 x 300 pixels: hair from y = 60 on, eyes at y = 120."""
    photo = zoo.read_image(shared / "images" / "photos" / "portrait.jpg")
    return np.ascontiguousarray(photo[20:320, 170:470])


@pytest.mark.parametrize(
    "name",
    [
        "topdown.tiny",
        "posenet.tiny",
        "movenet.lightning",
        "blazepose.lite",
        "bodypix.mobilenet_075",
    ],
)
def test_guessed_legs_are_not_in_the_box_of_a_portrait(name, portrait, shared, monkeypatch):
    """BlazePose's box was 1356 pixels high, and PoseNet's poses had none."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    model = zoo.load(name)
    if name == "bodypix.mobilenet_075":
        [pose] = [person["pose"] for person in model.segment_persons(portrait)]
    else:
        pose = model.estimate_single_pose(portrait)
    box, points = pose["box"], {p["part"]: p["position"] for p in pose["keypoints"]}
    assert 60 < box["y"] < 140 and 0 <= box["x"] < 110
    assert box["y"] + box["height"] <= 300 and 190 < box["x"] + box["width"] <= 300
    sure = {p["part"] for p in pose["keypoints"] if p["score"] >= SURE}
    assert len(sure & FACE) >= 2
    for part in sure & FACE:
        assert 0 <= points[part]["x"] - box["x"] <= box["width"]
        assert -0.01 <= points[part]["y"] - box["y"] <= box["height"]

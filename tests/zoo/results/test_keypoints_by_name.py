"""Joints by their names, and the lines between them."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import zoo
from tests.zoo.drawing.test_drawing import keypoint
from tests.zoo.drawing.test_drawing_kinds import mesh_face, open_hand
from weights_cache.common.errors import ZooError
from zoo.shared.skeletons import BODY_17, BODY_33, HAND_21, MESH_468_PATHS

POSE = {"score": 0.9, "keypoints": [keypoint("nose", 3, 4), keypoint("left_hip", 5, 6, 0.1)]}


def body(skeleton) -> dict:
    return {"score": 0.9, "keypoints": [keypoint(name, 1, 2) for name in skeleton.names]}


def test_a_joint_is_found_by_its_name():
    assert zoo.keypoint(POSE, "nose") is POSE["keypoints"][0]
    assert zoo.keypoint(POSE, "left_hip")["position"] == {"x": 5, "y": 6}
    assert zoo.keypoint({"score": 1, "mask": np.ones((2, 2)), "pose": POSE}, "nose")["score"] > 0.5
    face = {"keypoints": [], "iris": {"left": [keypoint("left_iris_0", 7, 8)], "right": []}}
    assert zoo.keypoint(face, "left_iris_0")["position"]["x"] == 7


def test_guessed_joints_are_none_where_a_score_is_asked_for():
    assert zoo.keypoint(POSE, "left_hip", min_score=0.3) is None
    assert zoo.keypoint(POSE, "left_hip", min_score=0.1) is POSE["keypoints"][1]
    assert zoo.keypoint({"score": 0.0, "keypoints": []}, "nose", min_score=0.3) is None


def test_other_names_are_errors_that_name_the_known_ones():
    with pytest.raises(ZooError, match="'nos'.*did you mean 'nose'.* known are nose, left_hip"):
        zoo.keypoint(POSE, "nos", min_score=0.3)
    with pytest.raises(ZooError, match=r"this is a list of 1: take one of them, .* poses\[0\]"):
        zoo.keypoint([POSE], "nose")
    with pytest.raises(ZooError, match="adjacent_pairs takes one result, .* of type str"):
        zoo.adjacent_pairs("nose")
    with pytest.raises(ZooError, match="nobody was found"):
        zoo.keypoint({"score": 0.0, "keypoints": []}, "nose")
    with pytest.raises(ZooError, match=r"known are mesh_0, mesh_1, \.\., mesh_467"):
        zoo.keypoint(mesh_face(), "nose")


def test_adjacent_pairs_are_those_of_the_skeleton():
    for skeleton in (BODY_17, BODY_33, HAND_21):
        assert zoo.adjacent_pairs(body(skeleton)) == [*skeleton.named_lines()]
    assert ("left_ankle", "left_heel") in zoo.adjacent_pairs(body(BODY_33))
    assert ("wrist", "thumb_cmc") in zoo.adjacent_pairs(open_hand())
    assert zoo.adjacent_pairs(POSE) == []  # nothing between nose and hip
    assert zoo.adjacent_pairs({"score": 1, "keypoints": [keypoint("mouth", 1, 2)]}) == []


def test_the_lines_of_a_face_are_its_contours():
    pairs = zoo.adjacent_pairs(mesh_face())
    assert len(pairs) == len(set(pairs)) == 124  # as many as FACEMESH_CONTOURS has
    assert ("mesh_61", "mesh_146") in pairs


def test_triangles_of_a_face_leave_out_its_eyes_and_mouth():
    """Neighbours share each inner edge in both directions; the outer ones are contours."""
    triangles = zoo.face_mesh_triangles()
    edges = Counter((int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3))
    assert max(edges.values()) == 1 and {*np.unique(triangles)} <= {*range(468)}
    border = {frozenset(edge) for edge in edges if edge[::-1] not in edges}
    paths = [
        *MESH_468_PATHS["face_oval"],
        *MESH_468_PATHS["left_eye"],
        *MESH_468_PATHS["right_eye"],
        *MESH_468_PATHS["lips"][2:],  # the inner ones
    ]
    assert border == {frozenset(pair) for path in paths for pair in pairwise(path)}

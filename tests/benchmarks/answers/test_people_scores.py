"""Boxes, masks and faces beside labelled people, by hand-made ones."""

import numpy as np
import pytest

from tests.benchmarks.answers.average_precision import average_precision
from tests.benchmarks.answers.faces import heads_in
from tests.benchmarks.answers.labelled_people import PeoplePhoto, person
from tests.benchmarks.answers.masks import joints_inside, of_person, share_outside
from tests.benchmarks.answers.persons import match_boxes, of_people
from tests.benchmarks.answers.tables import Share
from tests.benchmarks.answers.thresholds import few_wrong

HEAD = {
    "nose": [30, 20, 2],
    "left_eye": [34, 16, 2],
    "right_eye": [26, 16, 2],
    "left_ear": [40, 18, 1],
}


def photo(*people: dict) -> PeoplePhoto:
    return PeoplePhoto("", tuple(map(person, people)))


def thing(x: float, y: float, width: float, height: float, score: float = 0.5) -> dict:
    return {"box": {"x": x, "y": y, "width": width, "height": height}, "score": score}


def test_boxes_are_right_from_an_overlap_on():
    alone = photo({"bbox": [10, 10, 20, 40], "keypoints": HEAD})
    # shifted by a fifth of its width: 16 x 40 of 24 x 40 pixels, 0.667
    precision = average_precision([match_boxes([thing(14, 10, 20, 40)], alone)])
    assert precision.round(6).tolist() == 4 * [1.0] + 6 * [0.0]


def test_no_box_finds_nobody():
    alone = photo({"bbox": [10, 10, 20, 40], "keypoints": HEAD})
    assert average_precision([match_boxes([], alone)]).tolist() == 10 * [0.0]


def test_of_things_with_labels_only_people_count():
    found = [{"label": "person"}, {"label": "dog"}]
    assert of_people(found) == [{"label": "person"}]
    assert of_people([{"score": 1.0}]) == [{"score": 1.0}]


def test_the_pixels_of_people():
    mask = np.array([[0, 1, 2]], np.uint8)
    labels = ["background", "dog", "person"]
    assert of_person({"mask": mask, "labels": labels}).tolist() == [[False, False, True]]
    parts = ["background", "left_face", "torso"]
    assert of_person({"mask": mask, "labels": parts}).tolist() == [[False, True, True]]


def test_visible_joints_in_a_mask_and_the_mask_outside_of_the_box():
    alone = photo({"bbox": [20, 10, 20, 30], "keypoints": HEAD})
    mask = np.zeros((60, 80), bool)
    mask[15:25, 28:48] = True  # nose and left eye; 8 of its 20 columns are beside the box
    assert joints_inside(mask, alone) == pytest.approx(2 / 3)
    assert share_outside(mask, alone) == pytest.approx(8 / 20)
    assert share_outside(np.zeros_like(mask), alone) == 0.0


def test_a_joint_at_the_edge_is_in_the_image():
    corner = photo({"bbox": [0, 0, 80, 60], "keypoints": {"nose": [80, 60, 2]}})
    assert joints_inside(np.ones((60, 80), bool), corner) == 1.0


def test_a_face_is_found_by_its_nose_and_eyes():
    turned = {**HEAD, "right_eye": [0, 0, 0]}
    two = photo(
        {"bbox": [10, 10, 40, 40], "keypoints": HEAD},
        {"bbox": [110, 10, 40, 40], "keypoints": {**turned, "nose": [130, 20, 2]}},
    )
    right, of_turned, wrong = thing(20, 10, 24, 24), thing(120, 10, 24, 24), thing(200, 9, 20, 20)
    assert heads_in([right, of_turned, wrong], two) == (1, 1, 1)
    assert heads_in([thing(28, 10, 24, 24)], two) == (0, 1, 0)  # without the right eye
    assert heads_in([], two) == (0, 1, 0)


def test_thresholds_lose_few_people_and_see_few_where_nobody_is():
    people = np.arange(100, 200) / 200  # three may be lost
    nobody = np.r_[np.zeros(96), 0.2, 0.3, 0.508, 0.7]
    found = few_wrong(people, nobody)
    assert found["few lost up to"] == 0.515
    assert found["seen in nobody then"] == Share(1, 100)
    assert found["few seen from"] == 0.2
    assert found["people lost then"] == Share(0, 100)
    hard = few_wrong(people, np.r_[np.zeros(95), np.full(5, 0.6)])
    assert hard["people lost then"] == Share(21, 100)  # 0.6 and below

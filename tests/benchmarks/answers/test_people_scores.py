"""Boxes, masks and faces beside labelled people, by hand-made ones."""

import json

import numpy as np
import pytest

from tests.benchmarks.answers.average_precision import average_precision
from tests.benchmarks.answers.faces import heads_in
from tests.benchmarks.answers.labelled_people import PeoplePhoto, person, with_outlines
from tests.benchmarks.answers.masks import iou, joints_inside, of_person, share_outside
from tests.benchmarks.answers.outlines import annotated_people, filled
from tests.benchmarks.answers.persons import match_boxes, of_people
from tests.benchmarks.answers.tables import Share
from tests.benchmarks.answers.thresholds import few_wrong

HEAD = {
    "nose": [30, 20, 2],
    "left_eye": [34, 16, 2],
    "right_eye": [26, 16, 2],
    "left_ear": [40, 18, 1],
}


@pytest.fixture(autouse=True)
def _no_annotations(monkeypatch):
    monkeypatch.delenv("ZOO_COCO_ANNOTATIONS", raising=False)


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
    lost = few_wrong(np.r_[np.zeros(4), people[4:]], nobody)
    assert lost["few lost up to"] is None and lost["seen in nobody then"] is None


def test_an_outline_is_filled():
    square = filled([[2, 1, 6, 1, 6, 4, 2, 4]], (6, 8))
    expected = np.zeros((6, 8), bool)
    expected[1:4, 2:6] = True
    np.testing.assert_array_equal(square, expected)


def test_the_runs_of_a_crowd_go_down_the_columns():
    crowd = filled({"counts": [1, 2, 3], "size": [3, 2]}, (3, 2))
    assert crowd.tolist() == [[False, False], [True, False], [True, False]]


def outlined(x: int, is_crowd: int = 0) -> dict:
    corners = [[x, 10, x + 20, 10, x + 20, 30, x, 30]]
    return {"bbox": [x, 10, 20, 20], "segmentation": corners, "area": 400, "iscrowd": is_crowd}


def test_the_overlap_of_masks_and_outlines_is_without_crowds():
    two = photo(outlined(10), outlined(50, is_crowd=1))
    mask = np.zeros((40, 90), bool)
    mask[10:30, 15:70] = True  # 15 of the 20 columns, 20 beside, and the crowd's 20
    assert iou(mask, two) == pytest.approx(15 / 40)


def test_boxes_in_a_crowd_are_neither_right_nor_wrong():
    two = photo(outlined(10), outlined(50, is_crowd=1))
    found = [thing(52, 12, 5, 5, 0.9), thing(60, 12, 5, 5, 0.8), thing(10, 10, 20, 20, 0.7)]
    assert average_precision([match_boxes(found, two)]) == pytest.approx(np.ones(10))


def test_people_get_the_outlines_of_their_boxes_and_others_follow():
    labelled = person({"bbox": [10.04, 10, 20, 20], "keypoints": HEAD})
    annotated = [person(outlined(50)), person(outlined(10))]
    first, second = with_outlines([labelled], annotated)
    assert (first.area, first.ignored, second.ignored) == (400.0, False, True)
    assert first.joints[0].tolist() == HEAD["nose"]
    assert first.outline == annotated[1].outline
    assert PeoplePhoto("", (first, second)).shows_one
    assert with_outlines([labelled], []) == (labelled,)


def test_annotations_are_of_people_and_each_is_read_once(tmp_path, monkeypatch):
    one = {"id": 1, "image_id": 7, "category_id": 1}
    of_dog, other = {**one, "id": 2, "category_id": 18}, {**one, "id": 3}
    for name, its in {"a": [one, of_dog], "b": [one, other]}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"annotations": its}))
    assert annotated_people(7) == ()
    monkeypatch.setenv("ZOO_COCO_ANNOTATIONS", str(tmp_path))
    assert annotated_people(7) == (one, other)
    assert annotated_people(8) == ()

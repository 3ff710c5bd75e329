"""The figures of poses, by hand-made people whose scores are known by the definitions."""

import numpy as np
import pytest

from tests.benchmarks.answers.average_precision import Matches, average_precision, match
from tests.benchmarks.answers.intervals import figure
from tests.benchmarks.answers.keypoint_similarity import joints_of, similarity, similarity_to_box
from tests.benchmarks.answers.labelled_people import PeoplePhoto, Person, person
from tests.benchmarks.answers.pose_scores import match_poses
from zoo.shared.skeletons import BODY_17, BODY_33, to_keypoints
from zoo.tasks.pose.bodies import SIGMAS

AREA = 5000.0
BOX = np.array([100.0, 100.0, 60.0, 100.0])


def joints(rng) -> np.ndarray:
    return rng.uniform(100, 160, (17, 2))


def labelled(places: np.ndarray, visible: int = 2, is_crowd: bool = False) -> Person:
    return Person(np.c_[places, np.full(17, visible)], BOX, AREA, is_crowd)


def pose(places: np.ndarray, score: float) -> dict:
    return {"score": score, "keypoints": to_keypoints(BODY_17.names, places, score)}


def precision(people: list[Person], poses: list[dict]) -> np.ndarray:
    return average_precision([match_poses(poses, PeoplePhoto("", tuple(people)))])


@pytest.mark.parametrize("joint", range(17))
def test_one_joint_that_is_shifted_loses_what_the_formula_says(rng, joint):
    there = joints(rng)
    found = there.copy()
    found[joint] += (3.0, 4.0)  # 5 pixels
    # COCO: exp(-d^2 / (2 s^2 k^2)), where s^2 is the area and k twice the standard deviation
    lost = np.exp(-25 / (2 * AREA * (2 * SIGMAS[joint]) ** 2))
    assert similarity(found, np.c_[there, np.ones(17)], AREA) == pytest.approx((16 + lost) / 17)


def test_an_unlabelled_joint_does_not_count_and_a_missing_one_counts_as_wrong(rng):
    there = joints(rng)
    found = there.copy()
    found[3], found[5] = np.nan, 0.0
    visible = np.where(np.arange(17) == 5, 0, 2)
    assert similarity(found, np.c_[there, visible], AREA) == pytest.approx(15 / 16)


def test_a_person_without_labels_is_where_three_boxes_are():
    inside = np.tile(BOX[:2] + BOX[2:] / 2, (17, 1))
    assert similarity_to_box(inside, BOX, AREA) == 1.0
    assert similarity_to_box(inside + (89.0, 0.0), BOX, AREA) == 1.0
    lost = np.exp(-100 / (2 * AREA * (2 * SIGMAS) ** 2)).mean()
    assert similarity_to_box(inside + (100.0, 0.0), BOX, AREA) == pytest.approx(lost)


def test_the_joints_of_33_are_taken_by_their_names(rng):
    places = rng.uniform(0, 100, (33, 3))
    found = joints_of({"keypoints": to_keypoints(BODY_33.names, places, 1.0)})
    at = [BODY_33.names.index(name) for name in BODY_17.names]
    np.testing.assert_array_equal(found, places[at, :2])
    assert np.isnan(joints_of({"keypoints": to_keypoints(["nose"], places[:1], 1.0)})[1:]).all()


def test_the_area_is_that_of_the_outline_or_a_share_of_the_box():
    label = {"bbox": [1, 2, 30, 40], "keypoints": {"nose": [5, 6, 2]}}
    assert person(label).area == pytest.approx(0.53 * 1200)
    assert person({**label, "area": 700.0}).area == 700.0
    assert person(label).joints[:, 2].tolist() == [2] + 16 * [0]


def test_perfect_answers_have_a_precision_of_1(rng):
    places = [joints(rng) + 300 * i for i in range(3)]
    found = [pose(there, 0.9 - 0.1 * i) for i, there in enumerate(places)]
    assert precision([labelled(there) for there in places], found) == pytest.approx(np.ones(10))


def test_a_second_answer_for_a_person_is_wrong(rng):
    one, other = joints(rng), joints(rng) + 300
    people = [labelled(one), labelled(other)]
    found = [pose(one, 0.9), pose(one, 0.8), pose(other, 0.7)]
    # up to a recall of 1/2 (51 of 101 recalls) the precision is 1, then 2 of 3 are right
    assert precision(people, found) == pytest.approx(np.full(10, (51 + 50 * 2 / 3) / 101))
    last = [pose(one, 0.9), pose(other, 0.8), pose(one, 0.7)]
    assert precision(people, last) == pytest.approx(np.ones(10))


def test_who_is_not_found_costs_the_recalls_beyond(rng):
    one, other = joints(rng), joints(rng) + 300
    assert precision([labelled(one), labelled(other)], [pose(one, 0.5)])[0] == pytest.approx(
        51 / 101
    )
    assert precision([labelled(one)], []).tolist() == 10 * [0.0]


def test_poses_of_ignored_people_are_neither_right_nor_wrong(rng):
    one, other = joints(rng), joints(rng) + 300
    twice = [pose(other, 0.9), pose(other, 0.8), pose(one, 0.7)]
    crowd = [labelled(one), labelled(other, is_crowd=True)]
    assert precision(crowd, twice) == pytest.approx(np.ones(10))
    # without labels the box stands for the person, and only for one
    beside = labelled(one)._replace(joints=np.c_[one + 300, np.full(17, 2)])
    people = [beside, labelled(one, visible=0)]
    found = [pose(one, 0.9), pose(one, 0.8), pose(one + 300, 0.7)]
    assert precision(people, found) == pytest.approx(np.full(10, 0.5))


def test_an_answer_takes_the_most_similar_that_is_left():
    near = np.array([[0.6, 0.9], [0.55, 0.8]])
    found = match(near, np.array([0.5, 0.7]), thresholds=np.array([0.5, 0.7]))
    assert found.scores.tolist() == [0.7, 0.5]
    assert found.right.tolist() == [[True, True], [True, False]]


def test_of_an_image_the_best_answers_count():
    found = match(np.ones((3, 1)), np.array([0.1, 0.3, 0.2]), most=2)
    assert found.scores.tolist() == [0.3, 0.2]


def test_the_scores_of_all_images_are_in_one_order():
    right = np.ones((10, 1), bool)
    sure = Matches(np.array([0.4]), right, ~right, 1)
    wrong = Matches(np.array([0.6]), ~right, ~right, 1)
    # one of two is found, after a wrong one
    assert average_precision([sure, wrong])[0] == pytest.approx(51 / 101 / 2)
    nobody = Matches(np.array([0.6]), ~right, ~right, 0)
    assert np.isnan(average_precision([nobody])).all()


def test_an_interval_holds_the_mean_and_narrows_with_the_number_of_photos(rng):
    values = rng.normal(0.5, 0.2, 400).tolist()
    whole, part = figure(np.mean, values), figure(np.mean, values[:25])
    expected = 1.96 * np.std(values) / np.sqrt(400)
    assert whole.high - whole.value == pytest.approx(expected, rel=0.15)
    assert whole.value - whole.low == pytest.approx(expected, rel=0.15)
    assert part.high - part.low > 2.5 * (whole.high - whole.low)
    assert figure(np.mean, values) == whole

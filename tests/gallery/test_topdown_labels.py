"""The program finds joints in photos once, by MoveNet, and remembers them."""

import math

import numpy as np
import pytest

import zoo
from tests.gallery.programs import draw_person
from tests.gallery.topdown_photos import body, find_one, label_by_hand, load, save_photos
from weights_cache.common.errors import ZooError


def test_photos_are_looked_at_once(topdown, torch, rng, tmp_path):
    folder, file = save_photos(tmp_path / "photos", rng), tmp_path / "labels.jsonl"
    first = label_by_hand(topdown, torch, folder, file)
    draw_person((222, 111), rng).save(folder / "0_another.png")
    looked_at = []

    def look(picture):
        looked_at.append(picture.shape)
        return np.zeros((0, 17, 3), np.float32)

    people = topdown.labels.label_photos(load(topdown, torch, folder), look, file)
    assert looked_at == [(111, 222, 3)]
    assert people.keypoints[[0, 2, 3]].equal(first.keypoints)
    assert people.scores[1].tolist() == [0] * 8
    np.testing.assert_allclose(people.keypoints[0, 0], find_one(None)[0], rtol=0, atol=5e-4)


def test_nobody_is_looked_for_in_photos_free_of_people(topdown, torch, rng, tmp_path):
    folder, free = (save_photos(tmp_path / name, rng) for name in ("photos", "free"))
    people = label_by_hand(topdown, torch, folder, tmp_path / "labels.jsonl", free)
    assert (people.scores > 0).sum(1).tolist() == [1, 1, 1, 0, 0, 0]


def test_people_are_ranked_by_the_confidence_of_their_joints(topdown, torch, rng, tmp_path):
    folder = save_photos(tmp_path / "photos", rng, 1)
    few, doubtful, sure = body(1, 1, 50, 50), body(2, 2, 50, 50), body(3, 3, 50, 50)
    few[2:, 2] = 0.1  # two joints that count, of four at least: .9 * 2 / 4
    doubtful[:, 2] = 0.14
    photos = load(topdown, torch, folder)
    teacher = {"find_people": lambda picture: np.stack([few, doubtful, sure])}
    people = topdown.labels.label_photos(photos, **teacher, file=tmp_path / "labels.jsonl")
    assert people.scores[0].tolist() == pytest.approx([0.9, 0.45] + [0] * 6)
    assert people.keypoints[0, :2, 0, 0].tolist() == [3, 1]


def test_the_teacher_finds_the_astronaut(topdown, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    finder = topdown.labels.people_finder("movenet.lightning")
    photo = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    people = finder(photo)
    assert people.shape[1:] == (17, 3)
    nose = people[people[..., 2].mean(1).argmax(), 0]
    assert nose[2] >= topdown.people_scenes.UNSURE_SCORE
    pose = zoo.estimate_single_pose(photo)
    wanted = pose["keypoints"][0]["position"]
    assert math.dist(nose[:2], (wanted["x"], wanted["y"])) < 0.05 * max(photo.shape)


@pytest.mark.parametrize("line", ["[]", '{"photo": "a"}', '{"photo": "a", "people": [1]}', "\x00"])
def test_a_line_that_has_no_labels_is_refused(topdown, torch, rng, tmp_path, line):
    file = tmp_path / "labels.jsonl"
    file.write_text(f'{{"photo": "a", "people": []}}\n{line}\n')
    with pytest.raises(ZooError, match="line 2 of .* delete that line, or the file"):
        label_by_hand(topdown, torch, save_photos(tmp_path / "photos", rng, 1), file)


def test_photos_without_people_are_refused(topdown, torch, rng, tmp_path):
    photos = load(topdown, torch, save_photos(tmp_path / "photos", rng, 1))
    with pytest.raises(ZooError, match="finds nobody"):
        topdown.labels.label_photos(
            photos, lambda picture: np.zeros((0, 17, 3), np.float32), tmp_path / "labels.jsonl"
        )

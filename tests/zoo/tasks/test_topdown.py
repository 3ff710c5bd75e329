"""The top-down model: its detector's boxes, its joints, and people on photos."""

import numpy as np
import pytest

import zoo
from core.graph_model.graph_model import GraphModel
from tests import packages
from tests.benchmarks.answers import labelled_people
from tests.benchmarks.answers.pose_scores import score_one, score_several
from tests.zoo.tasks.audit import audit
from weights_cache import load_weights
from weights_cache.common.errors import WeightsError
from zoo.catalog.entries import find_entry
from zoo.catalog.networks.topdown import POSE, build_people, build_pose
from zoo.shared.placement import Region
from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.bodies import SIGMAS, BodyPoints, similarity
from zoo.tasks.pose.deduplication import choose_bodies
from zoo.tasks.pose.topdown_decode import read_joints

MODEL, DETECTOR = "topdown.tiny", "topdown.people"
NOSE, WRIST = BODY_17.names.index("nose"), BODY_17.names.index("left_wrist")


@pytest.fixture(scope="module")
def model():
    return zoo.load(MODEL)


@pytest.fixture(scope="module")
def detector():
    return zoo.load(DETECTOR)


def at(pose) -> np.ndarray:
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in pose["keypoints"]])


# --- decoding -------------------------------------------------------------------------------


def joint_outputs(batch: int = 2, rows: int = 5, columns: int = 4) -> dict[str, np.ndarray]:
    """Maps in which nothing is anywhere."""
    shape = (batch, rows, columns)
    return {
        "location": np.zeros((*shape, 17), np.float32),
        "offset": np.zeros((*shape, 34), np.float32),
        "visibility": np.full((*shape, 17), -20, np.float32),
        "presence": np.array([[0.0], [3.0]], np.float32)[:batch],
    }


def test_a_joint_is_in_its_highest_cell_moved_by_the_offset():
    outputs = joint_outputs()
    outputs["location"][1, 3, 2, WRIST] = 7
    outputs["offset"][1, 3, 2, WRIST] = 5  # y first
    outputs["offset"][1, 3, 2, 17 + WRIST] = -2
    outputs["visibility"][1, 3, 2, WRIST] = np.log(3)
    found = read_joints(outputs)
    assert found.points[1, WRIST].tolist() == [2 * 8 - 2 + 0.5, 3 * 8 + 5 + 0.5]
    assert found.scores[1, WRIST] == pytest.approx(0.75)
    assert found.points[0, WRIST].tolist() == [0.5, 0.5]  # the first cell of equal ones
    assert found.scores[1, NOSE] == pytest.approx(0, abs=1e-6)
    assert found.presence.tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-3))])


def people_outputs(**logits: float) -> dict[str, np.ndarray]:
    """Maps [1, 6, 7] with a logit at cells such as ``r2c3``."""
    person = np.full((1, 6, 7, 1), -20, np.float32)
    for cell, logit in logits.items():
        person[0, int(cell[1]), int(cell[3]), 0] = logit
    return {"person": person, "box": np.zeros((1, 6, 7, 4), np.float32)}


def test_a_person_is_a_peak_with_distances_to_four_edges(detector):
    outputs = people_outputs(r2c3=0.0, r2c4=-1.0, r5c6=1.0)
    outputs["box"][0, 2, 3] = np.log([0.5, 1, 2, 4])  # left, up, right, down, in 16 pixels
    found = detector.decode(outputs, score_threshold=0.2)
    assert found.scores.tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-1))])  # not r2c4
    x, y = 3 * 8 + 0.5, 2 * 8 + 0.5
    assert found.boxes[0].tolist() == pytest.approx([x - 8, y - 16, x + 32, y + 64])
    assert len(detector.decode(outputs, score_threshold=0.6).scores) == 1


def test_a_huge_distance_is_limited(detector):
    outputs = people_outputs(r2c3=0.0)
    outputs["box"][0, 2, 3] = 1e4
    assert np.isfinite(detector.decode(outputs, score_threshold=0.2).boxes).all()


# --- bodies ---------------------------------------------------------------------------------


def test_the_score_is_of_what_is_visible_and_of_the_whole():
    scores = np.zeros(17)
    scores[:4] = 0.8, 0.4, 0.2, 0.1  # from above 0.2 on
    body = BodyPoints(np.arange(34.0).reshape(17, 2), scores, presence=0.5)
    assert body.score == pytest.approx(0.3)
    assert body.box.tolist() == [0, 1, 32, 33]  # of all, as two are too few
    scores[2] = 0.3
    assert body.box.tolist() == [0, 1, 4, 5]
    assert body.extent == 4
    assert BodyPoints(body.points, np.zeros(17)).score == 0


@pytest.mark.parametrize(("width", "height"), [(20.0, 200.0), (300.0, 40.0)])
def test_a_region_has_the_inputs_aspect_and_room_for_the_box(model, width, height):
    region = model.region_of({"x": 30.0, "y": 10.0, "width": width, "height": height})
    assert (region.x, region.y) == (30 + width / 2, 10 + height / 2)
    assert region.height / region.width == pytest.approx(257 / 193)
    assert min(region.width / width, region.height / height) == pytest.approx(1.25)


def test_regions_of_several_sizes_keep_their_order(model):
    """Small ones of many are another batch, at another size."""
    image = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    small, large = Region(220, 120, 75, 100), Region(220, 260, 380, 506)
    regions = [small, large, small, large, large, small]
    together = model.bodies_in(image, regions)
    one, two = model.bodies_in(image, [small] * 5)[0], model.bodies_in(image, [large])[0]
    alone = [one if region is small else two for region in regions]
    for body, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(body.points, other.points, atol=0.01)
        np.testing.assert_allclose(body.scores, other.scores, atol=1e-4)
        assert body.presence == pytest.approx(other.presence, abs=1e-4)


def body_of(scores, x: float = 0.0, presence: float = 1.0) -> BodyPoints:
    """A body of 100 x 100 pixels with the first keypoints in its corners."""
    points = np.full((17, 2), 50.0)
    points[:4] = [[0, 0], [100, 0], [0, 100], [100, 100]]
    return BodyPoints(points + (x, 0), np.asarray(scores, float), presence)


def test_similarity_is_coco_s_of_what_both_show():
    seen = np.where(np.arange(17) < 4, 0.9, 0.1)
    assert similarity(body_of(seen), body_of(seen)) == 1
    area = 0.53 * 100 * 100 + 1
    expected = np.exp(-(9**2) / (2 * (2 * SIGMAS[:4]) ** 2 * area)).mean()
    assert similarity(body_of(seen), body_of(seen, x=9)) == pytest.approx(expected)
    others = np.where(np.arange(17) < 4, 0.1, 0.9)
    assert similarity(body_of(seen), body_of(others)) == 0


def test_of_one_person_seen_twice_the_whole_body_stays():
    """The face alone has the higher score, as there is nothing to guess."""
    face = body_of(np.where(np.arange(17) < 4, 0.95, 0))
    whole, far = body_of(np.full(17, 0.9)), body_of(np.full(17, 0.8), x=500)
    unsure = body_of(np.full(17, 0.9), x=900, presence=0.1)
    chosen = choose_bodies([face, far, whole, unsure], score_threshold=0.3, limit=9)
    assert chosen == [whole, far]
    assert choose_bodies([far, whole], score_threshold=0.3, limit=1) == [whole]


def test_the_second_look_moves_joints_of_the_same_person_only(model, monkeypatch):
    near, far = body_of(np.full(17, 0.9)), body_of(np.full(17, 0.9), x=300)
    looks = [body_of(np.full(17, 0.5), x=3), body_of(np.full(17, 0.5), x=900)]

    class Refiner:
        region_of = staticmethod(lambda box: box)
        bodies_in = staticmethod(lambda image, regions: looks)

    monkeypatch.setattr(model, "entry", model.entry._replace(parts={"refiner": "another"}))
    monkeypatch.setitem(model._parts, "refiner", Refiner())
    first, second = model.looked_at_again(np.zeros((9, 9, 3), np.uint8), [near, far])
    assert (first.points == looks[0].points).all() and (first.scores == near.scores).all()
    assert second is far
    monkeypatch.undo()
    assert model.looked_at_again(np.zeros((9, 9, 3), np.uint8), [near]) == [near]


# --- photos ---------------------------------------------------------------------------------


def test_joints_are_where_people_labelled_them(shared, monkeypatch):
    """Of photos on which nothing was trained; the whole table is that of the answers."""
    monkeypatch.setattr(labelled_people, "FOLDER", shared / "images" / "people")
    photos = [photo for photo in labelled_people.people_photos() if photo.shows_one][10:20]
    one = score_one(zoo.estimate_single_pose, photos)
    assert one.photos == 10 and one.missed == 0
    assert one.oks.value > 0.8


def test_the_best_model_finds_whom_the_default_finds_more_exactly(shared, monkeypatch):
    """The best one was MoveNet Lightning, which missed people close to the camera."""
    packages.require_weights(find_entry("movenet.thunder").weights)  # which looks a second time
    monkeypatch.setattr(labelled_people, "FOLDER", shared / "images" / "people")
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    several = [photo for photo in labelled_people.people_photos() if 2 <= len(photo.people) <= 4]
    default, best = (
        score_several(zoo.load(name).estimate_multiple_poses, several[:10])
        for name in (MODEL, "estimate_multiple_poses.best")
    )
    assert best.poses == default.poses and best.people == default.people
    assert best.ap.value > default.ap.value > 0.5


@pytest.mark.parametrize("verb", ["estimate_single_pose", "estimate_multiple_poses"])
@pytest.mark.parametrize("size", [(1, 1), (1, 300), (40, 640)])
def test_pictures_of_nothing_have_nobody(model, verb, size):
    result = getattr(model, verb)(np.zeros((*size, 3), np.uint8))
    assert result in ([], {"score": 0.0, "keypoints": []})


@pytest.mark.parametrize("name", ["coral_parrot.jpg", "coral_cat_720p.jpg", "coffee.jpg"])
def test_animals_and_things_are_nobody(shared, name):
    assert zoo.estimate_multiple_poses(shared / "images" / "photos" / name) == []


def test_mirror_images_have_the_joints_of_the_real_person(model, shared):
    photo = zoo.read_image(shared / "images" / "photos" / "coral_squat.jpg")
    upright = model.estimate_single_pose(photo)
    flipped = model.estimate_single_pose(np.ascontiguousarray(photo[:, ::-1]), mirror=True)
    expected = at(upright) * (-1, 1) + (photo.shape[1], 0)
    np.testing.assert_allclose(at(flipped), expected, atol=0.01)
    audit(upright, photo.shape[:2])


# --- weights --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "record"), [(build_pose, "topdown-people"), (build_people, "topdown-pose")]
)
def test_weights_of_the_other_network_are_refused(build, record):
    with pytest.raises(WeightsError, match="Conv2d_0/weights' has shape"):
        build(load_weights(record))


def test_weights_that_lack_an_array_are_refused():
    weights = dict(load_weights("topdown-pose"))
    del weights["Top/Mix_8_2_depthwise/biases"]
    with pytest.raises(WeightsError, match="no 'Top/Mix_8_2_depthwise/biases'.*whole top-down"):
        build_pose(weights)


def test_any_size_of_32_k_plus_1_has_cells_of_8_pixels():
    network = GraphModel(build_pose(load_weights("topdown-pose")), "cpu")
    for height, width in ((65, 97), (129, 33)):
        outputs = network.predict(np.zeros((2, height, width, 3), np.float32))
        for name, channels in POSE.heads.items():
            assert outputs[name].shape == (2, height // 8 + 1, width // 8 + 1, channels)
        assert outputs["presence"].shape == (2, 1)

"""Poses that the script of a published PoseNet finds, beside those of Python."""

import pytest

import zoo
from tests.helpers import ROOT, require_llvmlite
from tests.zoo.publishing.found_in_node import assert_same_in_node
from zoo.images.reading import read_image

#: Of one person, of several, and of nobody.
PHOTOS = ("portrait", "three_people", "human_solvay1927", "coffee")

OPTIONS = (
    {},
    {"mirror": True},
    {"max_poses": 2, "score_threshold": 0.4},
    {"score_threshold": 0, "keypoint_threshold": 0.2, "nms_radius": 5.5},
)

#: The published network has the size for several people, for one person, too.
SIZE = 321


@pytest.fixture(autouse=True)
def _compiler_and_weights(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture
def photo(shared):
    return lambda name: read_image(shared / "images" / "photos" / f"{name}.jpg")


def test_poses_of_several_people_are_those_of_python(photo, tmp_path):
    calls = [(photo(name), options) for name in PHOTOS for options in OPTIONS]
    with zoo.load("posenet.tiny", backend="cpu") as model:
        found = assert_same_in_node(tmp_path, model, "estimate_multiple_poses", calls)
    one, few, many, nobody = map(len, found[:: len(OPTIONS)])
    assert (one, nobody) == (1, 0)
    assert one < few < many


def test_poses_of_one_person_are_those_of_python(photo, tmp_path):
    single = [{key: o[key] for key in o if key != "max_poses"} for o in OPTIONS]
    calls = [(photo(name), options) for name in PHOTOS for options in single]
    with zoo.load("posenet.tiny", backend="cpu", input_size=SIZE) as model:
        found = assert_same_in_node(tmp_path, model, "estimate_single_pose", calls)
    scores = [pose["score"] for pose in found[:: len(OPTIONS)]]
    assert [score > 0 for score in scores] == [True, True, True, False]


def test_left_and_right_are_the_persons_own_in_mirror_images(tmp_path):
    image = read_image(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
    calls = [(image, {}), (image[:, ::-1].copy(), {"mirror": True})]
    with zoo.load("posenet.tiny", backend="cpu") as model:
        (person,), (mirrored,) = assert_same_in_node(
            tmp_path, model, "estimate_multiple_poses", calls
        )
    for one, other in zip(person["keypoints"], mirrored["keypoints"], strict=True):
        assert one["part"] == other["part"]
        assert one["position"]["x"] == pytest.approx(image.shape[1] - other["position"]["x"])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("posenet.mobilenet_v1_075", {}),
        ("posenet.tiny", {"output_stride": 8, "input_size": (193, 257)}),
    ],
)
def test_poses_of_other_networks_are_those_of_python(name, options, photo, tmp_path):
    calls = [(photo(each), {}) for each in ("yoga_beach", "three_people", "coffee")]
    with zoo.load(name, backend="cpu", **options) as model:
        found = assert_same_in_node(tmp_path, model, "estimate_multiple_poses", calls)
    assert [bool(people) for people in found] == [True, True, False]
